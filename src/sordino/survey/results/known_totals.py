"""How many people each public group is known to have: by a survey, or by a file of an analyst.

[region]                               # TOML: a table for each public column, whole numbers of people
north = 12000
south = 8000

region,arm,total                       # or a CSV file: a row for each combination of some public columns
north,a,6100
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from sordino.document.files import read_text, read_toml
from sordino.document.schema.nearest import nearest
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages.brief import shown
from sordino.survey.attributes.given_shares import ROUNDED
from sordino.survey.attributes.public_table import read_totals
from sordino.survey.planning.plan import Plan

TOTAL = "total"
"""The column of a CSV file with numbers of people."""


@dataclass(frozen=True)
class KnownTotals:
    """How many people have each combination of some public values.

    Attributes:
        columns: public ones.
        people: by the places of the values in these columns; no people have the others.
    """

    columns: tuple[str, ...]
    people: Mapping[tuple[int, ...], int]

    @property
    def total(self) -> int:
        """All people."""
        return sum(self.people.values())


def totals_of_plan(plan: Plan) -> tuple[KnownTotals, ...]:
    """Those that the survey gave."""
    return tuple(
        KnownTotals((part.name,), {(place,): count for place, count in enumerate(part.totals)})
        for part in plan.cells.parts
        if part.totals is not None
    )


def read_known_totals(plan: Plan, given: Mapping[str, Any] | Path | str) -> tuple[KnownTotals, ...]:
    """Those that an analyst gives.

    Args:
        plan: whose public columns they are of.
        given: by public column the people of each value; or the path of a TOML file of such tables, or of a CSV file.

    Raises:
        SordinoError: an unreadable file.
        SordinoErrors: all mistakes: another column, a value that is none of its or that is not named, what is no whole
            number of people, and totals of different numbers of people.
    """
    name = str(given) if isinstance(given, Path | str) else "the totals"
    if isinstance(given, Path | str) and Path(given).suffix.lower() == ".csv":
        return (_of_csv(plan, Path(given)),)
    tables = read_toml(Path(given)) if isinstance(given, Path | str) else dict(given)
    mistakes: list[SordinoError] = []
    found = []
    for column, numbers in tables.items():
        part = next((part for part in plan.cells.parts if part.name == column), None)
        if part is None:
            mistakes.append(_no_column(column, plan))
            continue
        try:
            totals = read_totals(numbers, list(part.labels), column)
            found.append(KnownTotals((column,), {(place,): count for place, count in enumerate(totals)}))
        except SordinoErrors as errors:
            mistakes += errors.errors
    if not tables:
        step = "write a table for a column: [region], then north = 12000"
        mistakes.append(SordinoError("totals must be of a public column", found="no column", step=step))
    mistakes += contradictions(found)
    if mistakes:
        raise SordinoErrors(name, mistakes)
    return tuple(found)


def contradictions(found: "list[KnownTotals] | tuple[KnownTotals, ...]") -> Iterator[SordinoError]:
    """Totals of different numbers of people: they cannot be of the same population."""
    for one in found[1:]:
        if abs(one.total - found[0].total) > ROUNDED * found[0].total:
            names = ", ".join(found[0].columns), ", ".join(one.columns)
            seen = f"{found[0].total:,} people by {names[0]} and {one.total:,} by {names[1]}"
            step = "give totals of the same population"
            yield SordinoError("totals of all columns must be of equally many people", found=seen, step=step)


def _no_column(column: object, plan: Plan) -> SordinoError:
    names = plan.cells.names
    found, step = repr(str(column)) + nearest([str(column)], names), f"public are: {', '.join(names) or 'none'}"
    return SordinoError("totals must be of public columns of the plan", found=found, step=step)


def _of_csv(plan: Plan, path: Path) -> KnownTotals:
    """The people of combinations of values, a row each.

    Raises:
        SordinoError: no such table, with the first mistake.
    """
    try:
        rows = [row for row in csv.reader(StringIO(read_text(path).removeprefix("\ufeff"))) if row]
    except csv.Error as error:
        raise SordinoError(f"{path} must be a CSV table", found=str(error), step="look for a quote too many") from None
    header = [name.strip() for name in rows[0]] if rows else []
    columns = [name for name in header if name != TOTAL]
    if header.count(TOTAL) != 1 or not columns or len(set(columns)) < len(columns):
        rule = f"{path} must have a column for each of some public columns, and {TOTAL}"
        raise SordinoError(rule, found=", ".join(header) or "no columns", step="name them in its first line")
    if unknown := [name for name in columns if name not in plan.cells.names]:
        raise _no_column(unknown[0], plan)
    labels = {part.name: list(part.labels) for part in plan.cells.parts}
    people: dict[tuple[int, ...], int] = {}
    for number, row in enumerate(rows[1:], start=2):
        cells = dict(zip(header, (cell.strip() for cell in row), strict=False))
        wrong = [name for name in columns if cells.get(name) not in labels[name]]
        if len(row) != len(header) or wrong:
            found = shown(cells.get(wrong[0])) if wrong else f"{len(row)} cells"
            step = "write the values as the survey names them"
            raise SordinoError(f"{path}, row {number}: values must be of the public columns", found=found, step=step)
        places = tuple(labels[name].index(cells[name]) for name in columns)
        if places in people or not cells[TOTAL].isdecimal() or len(cells[TOTAL]) > len(str(1 << 53)):
            found = "a combination again" if places in people else shown(cells[TOTAL])
            rule = f"{path}, row {number}: each combination must have one whole number of people"
            raise SordinoError(rule, found=found, step="write it once, as 6100")
        people[places] = int(cells[TOTAL])
    if not sum(people.values()):
        raise SordinoError(f"{path} must hold totals of somebody", found="nobody", step="write how many there are")
    return KnownTotals(tuple(columns), people)
