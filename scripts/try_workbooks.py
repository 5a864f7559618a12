"""Import each workbook of a folder, choose the first possible value at each open place, and plan: what comes of it.

python scripts/try_workbooks.py FOLDER [PEOPLE]
"""

import sys
import time
import tomllib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sordino.errors import SordinoError
from sordino.forms.form import read_form
from sordino.forms.survey_text import survey_text
from sordino.forms.workbook import read_workbook
from sordino.survey.planning.plan import Plan
from sordino.survey.reading.open_choices import CHOOSE, READ, READ_OF_ATTRIBUTE
from sordino.survey.reading.survey_file import Survey

FIRST = {"epsilon": "1", "several": 1, "missing": "0.1", "column": None}
FIRST |= {"south": 40, "north": 50, "west": 0, "east": 10, "rows": 2, "columns": 2}
"""What is chosen; a line that is not here is taken out, as its comment allows."""


def choose(tables: dict[str, Any], texts: frozenset[str] = READ) -> dict[str, Any]:
    """A survey's tables with the first possible value at each open place."""
    chosen = {}
    for name, found in tables.items():
        if name == "attribute":
            chosen[name] = {own: choose(table, READ_OF_ATTRIBUTE) for own, table in found.items()}
        elif name == "number":
            chosen[name] = _ends(found, dated="input" in tables and tables["input"] == "date")
        elif name in texts or found != CHOOSE:
            chosen[name] = choose(found, frozenset()) if name == "grid" else found
        elif FIRST.get(name) is not None:
            chosen[name] = FIRST[name]
    return chosen


def _ends(number: dict[str, Any], *, dated: bool) -> dict[str, Any]:
    low, high = number["low"], number["high"]
    if low == CHOOSE:
        low = high - 10 if high != CHOOSE else tomllib.loads("d = 2000-01-01")["d"] if dated else 0
    if high == CHOOSE:
        high = tomllib.loads("d = 2029-12-31")["d"] if dated else low + 10
    return number | {"low": low, "high": high}


def verdict(path: Path, people: int) -> tuple[str, str]:
    """What came of a workbook, and in which words."""
    step = "import"
    try:
        form = read_form(read_workbook(path))
        if not form.questions:
            reasons = dict.fromkeys(one.why for one in form.left_out)
            return "no question", "; ".join(reasons)
        imported = survey_text(form, path.name)
        step = "plan"
        Plan.of(Survey.read(choose(tomllib.loads(imported.text))), people)
    except SordinoError as error:
        return f"refused by {step}", " ".join(str(error).split())
    return "planned", f"{imported.attributes} attributes, {len(imported.left_out)} lines of what is otherwise"


def rows(folder: Path, people: int) -> Iterator[tuple[str, ...]]:
    """A row for each workbook."""
    for path in sorted(folder.glob("*.xlsx")):
        start = time.monotonic()
        found, words = verdict(path, people)
        yield path.name, found, f"{time.monotonic() - start:.0f} s", words


def main(folder: str, people: str = "10000") -> None:
    """Print the table; end with 1 if a survey that import writes is refused."""
    warnings.simplefilter("ignore")
    print("| workbook | comes to be | time | in words |\n|---|---|---|---|")
    refused = False
    for name, found, seconds, words in rows(Path(folder), int(people)):
        refused |= found == "refused by plan"
        print(f"| {name} | {found} | {seconds} | {words} |", flush=True)
    sys.exit(refused)


if __name__ == "__main__":
    main(*sys.argv[1:])
