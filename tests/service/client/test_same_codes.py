"""Ten thousand reports of every golden plan: browser client and package give the same codes for the same words."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from commands import PATIENCE
from sordino.domain.measured import Measured
from sordino.survey.planning.plan import Plan
from sordino.survey.questions.distribution import DistributionQuestion
from sordino.survey.questions.numbers import NumbersQuestion
from sordino.survey.questions.question import TableQuestion

ROOT = Path(__file__).parents[3]
NAMES = sorted(path.stem for path in (ROOT / "tests" / "vectors").glob("*.json") if path.stem != "refused_plans")
REPORTS, WORDS = 10_000, 160

pytestmark = pytest.mark.live


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


def answers(attribute, part, draw):
    """Answers of many people as the client takes them, and as the package's channels do."""
    if attribute.labels is not None:
        places = draw.integers(len(attribute.labels), size=REPORTS)
        return [attribute.labels[place] for place in places], places
    if attribute.numbers is not None:
        places = draw.integers(attribute.numbers, size=REPORTS)
        return places.tolist(), places
    if attribute.grid is not None:
        latitude = draw.uniform(attribute.grid.south, attribute.grid.north, REPORTS)
        longitude = draw.uniform(attribute.grid.west, attribute.grid.east, REPORTS)
        pairs = zip(latitude.tolist(), longitude.tolist(), strict=True)
        return [{"latitude": one, "longitude": other} for one, other in pairs], part.locate(latitude, longitude)
    low, high = attribute.number.low, attribute.number.high
    beyond = 0.1 * (high - low) * attribute.number.clip
    numbers = draw.uniform(low - beyond, high + beyond, REPORTS)
    # Ends and round numbers are those that rounding treats in ways of their own.
    numbers[::7] = np.round(numbers[::7])
    numbers[: REPORTS // 100] = low
    numbers[-REPORTS // 100 :] = high
    if attribute.missing is not None:
        numbers[::5] = np.nan
    return [None if np.isnan(number) else number for number in numbers.tolist()], numbers


def column(question, columns):
    """What a question's channel takes."""
    if isinstance(question, NumbersQuestion):
        return Measured(tuple(columns[own][1] for own in question.asked), question.intervals)
    if isinstance(question, DistributionQuestion):
        return question.clipped(columns[question.attribute.name][1])
    if isinstance(question, TableQuestion):
        return question.column({name: columns[name][1] for name in question.asked})
    return columns[question.name][1]


@pytest.mark.parametrize("name", NAMES)
def test_the_same_words_give_the_same_codes(tmp_path, name):
    text = json.loads((ROOT / "tests" / "vectors" / f"{name}.json").read_text())["plan"]
    (tmp_path / "plan.json").write_text(text)
    plan = Plan.load(tmp_path / "plan.json")
    draw = np.random.default_rng(len(name))
    given = draw.integers(0, 2**64, size=(REPORTS, WORDS), dtype=np.uint64)
    domains = {name: attribute.domain for name, attribute in plan.attributes.items()}
    columns = {name: answers(part, domains[name], draw) for name, part in plan.document.attributes.items()}
    source = OwnWords(given)
    codes = plan.sampled.privatize([column(question, columns) for question in plan.questions], source)
    records = [
        dict(zip(columns, row, strict=True)) for row in zip(*(told for told, _ in columns.values()), strict=True)
    ]
    drawn = [given[row, :count] for row, count in enumerate(source.drawn)]
    (tmp_path / "words.bin").write_bytes(np.concatenate(drawn).astype("<u8").tobytes())
    reports = {"records": records, "codes": [str(code) for code in codes], "drawn": source.drawn.tolist()}
    (tmp_path / "reports.json").write_text(json.dumps(reports))
    script = Path(__file__).with_name("same_codes.mjs")
    found = subprocess.run(
        ["node", script, tmp_path], capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE
    )
    assert (found.returncode, found.stdout) == (0, f"{REPORTS} alike\n"), found.stderr
