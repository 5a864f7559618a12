"""How long commands take before they do anything, against `import numpy`: processor time of whole processes."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pairs import RATIOS, ratios, spread
from sordino import plan

TITLE = "Starting"
NOTE = (
    "Processor time of a process, over that of `python -c 'import numpy'`. The plan asks for one attribute of two "
    "values, and the table has one row. `import sordino` loads names when they are used."
)
HEADER = RATIOS

SURVEY = {"version": 1, "epsilon": "1", "attribute": {"smoker": {"categories": ["yes", "no"]}}}
SORDINO = [sys.executable, "-c", "from sordino.cli.start import main; main()"]
PYTHON = [sys.executable, "-c"]


def rows() -> Iterator[tuple[str, ...]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan({**SURVEY, "ask": [{"histogram": "smoker"}]}, 1000).save(folder / "plan.json")
        (folder / "people.csv").write_text("smoker\nyes\n", encoding="utf-8")
        for what, asked, command in (
            ("import sordino", "below 1", [*PYTHON, "import sordino"]),
            ("sordino --help", "below 1", [*SORDINO, "--help"]),
            ("sordino explain", "-", [*SORDINO, "explain", "plan.json"]),
            (
                "sordino privatize, one row",
                "at most 4",
                [*SORDINO, "privatize", "plan.json", "people.csv", "-o", "r.csv"],
            ),
        ):
            yield (
                what,
                asked,
                spread(ratios(lambda c=command: used(c, folder), lambda: used([*PYTHON, "import numpy"], folder))),
            )


def used(command: list[str], folder: Path) -> float:
    """Seconds of processor time of a command, in a folder without its output."""
    (folder / "r.csv").unlink(missing_ok=True)
    before = os.times()
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system
