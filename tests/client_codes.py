"""Reports of many people, by given words, from the package and from the browser client: whether both give one code."""

import json
import subprocess
from pathlib import Path

import numpy as np

from commands import PATIENCE
from golden_people import REPORTS, all_answers, column

SCRIPT = Path(__file__).parent / "service" / "client" / "same_codes.mjs"
WORDS = 160


class OwnWords:
    """A source and its streams: each person has a row of words, and takes them one after the other."""

    def __init__(self, given, drawn=None, rows=None):
        self.given = given
        self.drawn = np.zeros(len(given), dtype=np.intp) if drawn is None else drawn
        self.rows = np.arange(len(given)) if rows is None else rows

    def next(self):
        words = self.given[self.rows, self.drawn[self.rows]]
        self.drawn[self.rows] += 1
        return words

    def take(self, rows):
        return OwnWords(self.given, self.drawn, self.rows[rows])

    def stream(self, values):
        return self

    def public(self, count, use="question"):
        return self


def compare_codes(plan, folder, draw):
    """Ask the client for the package's codes, for the same words."""
    given = draw.integers(0, 2**64, size=(REPORTS, WORDS), dtype=np.uint64)
    columns = all_answers(plan, draw)
    source = OwnWords(given)
    codes = plan.sampled.privatize([column(question, columns) for question in plan.questions], source)
    public = {part.name: draw.choice(part.labels, REPORTS).tolist() for part in plan.cells.parts}
    given_in_words = {**{name: told for name, (told, _) in columns.items()}, **public}
    records = [dict(zip(given_in_words, row, strict=True)) for row in zip(*given_in_words.values(), strict=True)]
    drawn = [given[row, :count] for row, count in enumerate(source.drawn)]
    (folder / "plan.json").write_bytes(plan.bytes)
    (folder / "words.bin").write_bytes(np.concatenate(drawn).astype("<u8").tobytes())
    reports = {"records": records, "codes": [str(code) for code in codes], "drawn": source.drawn.tolist()}
    (folder / "reports.json").write_text(json.dumps(reports))
    found = subprocess.run(
        ["node", SCRIPT, folder], capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE
    )
    assert (found.returncode, found.stdout) == (0, f"{REPORTS} alike\n"), found.stderr
