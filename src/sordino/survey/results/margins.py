"""Margins that an analyst brings: the known shares of some attributes' values, from a table or a file of them.

[age]                                  # TOML: shares or counts by category, as a census has them
young = 0.31
middle = 0.42
old = 0.27

attribute,value,count                  # or a CSV file; the last column may be `share` instead
age,young,3100
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.document.files import read_text, read_toml
from sordino.document.schema.nearest import nearest
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages.brief import shown
from sordino.survey.attributes.given_shares import ROUNDED, is_share, read_shares
from sordino.survey.planning.plan import Plan

AMOUNTS = ("share", "count")

COLUMNS = ("attribute", "value")

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(nan|inf)", re.ASCII | re.IGNORECASE)
"""As everybody reads one; what is no amount is told as such. Python takes 1_0 for ten."""


def read_margins(plan: Plan, given: Mapping[str, Any] | Path | str) -> dict[str, NDArray[np.float64]]:
    """The known shares of some attributes' values, in the order of the plan's.

    Args:
        plan: that asks tables of these attributes.
        given: by attribute the shares or counts of its values; or the path of a TOML or CSV file of them.

    Raises:
        SordinoError: an unreadable file.
        SordinoErrors: all mistakes: an attribute that no table asks for, a value that it lacks or that is not named,
            numbers below 0 or all 0, shares that do not add up to 1, counts of different numbers of people.
    """
    name = str(given) if isinstance(given, Path | str) else "margins"
    tables, mistakes = _read(Path(given)) if isinstance(given, Path | str) else (dict(given), [])
    shares: dict[str, NDArray[np.float64]] = {}
    asked = {each for question in plan.questions if question.is_table for each in question.attribute_names}
    for attribute, numbers in tables.items():
        if attribute not in asked:
            found = repr(str(attribute)) + nearest([str(attribute)], sorted(asked))
            step = "ask a table of it, or take it out"
            mistakes.append(SordinoError("margins must be of attributes that a table asks for", found=found, step=step))
            continue
        domain = plan.attributes[attribute].finite
        labels = [domain.label(value) for value in range(domain.k)]
        try:
            shares[attribute] = read_shares(numbers, labels, f"margins of {attribute}")
        except SordinoErrors as errors:
            mistakes += errors.errors
    mistakes += _contradictions(tables)
    if not tables and not mistakes:
        mistakes.append(
            SordinoError(
                "margins must be of an attribute at least",
                found="no attribute",
                step="write a table for an attribute: [age], then young = 0.31",
            )
        )
    if mistakes:
        raise SordinoErrors(name, mistakes)
    return shares


def _contradictions(tables: Mapping[str, Any]) -> Iterator[SordinoError]:
    """Counts of different numbers of people: they cannot be of the same population."""
    totals = {name: total for name, numbers in tables.items() if (total := _total_count(numbers)) is not None}
    if totals:
        first = next(iter(totals))
        for name, total in totals.items():
            if abs(total - totals[first]) > ROUNDED * totals[first]:
                found = f"{totals[first]:.15g} of {first} and {total:.15g} of {name}"
                step = "give shares, if they are of people who are alike"
                rule = "margins that are counts must be of equally many people"
                yield SordinoError(rule, found=found, step=step)


def _total_count(numbers: Any) -> float | None:
    """How many people are counted, if numbers are counts."""
    each = list(numbers.values()) if isinstance(numbers, Mapping) else numbers
    total = float(sum(each)) if isinstance(each, list) and all(map(is_share, each)) else 0.0
    return total if total > 1 + ROUNDED else None


def _read(path: Path) -> tuple[dict[str, Any], list[SordinoError]]:
    """The tables of a file, and what is wrong with its rows."""
    if path.suffix.lower() != ".csv":
        return read_toml(path), []
    try:
        rows = list(csv.reader(StringIO(read_text(path).removeprefix("\ufeff"))))
    except csv.Error as error:
        raise SordinoError(f"{path} must be a CSV table", found=str(error), step="look for a quote too many") from None
    header = [name.strip() for name in rows[0]] if rows else []
    amount = [name for name in AMOUNTS if name in header]
    if len(amount) != 1 or any(header.count(name) != 1 for name in (*COLUMNS, *amount)):
        rule = f"{path} must have the columns attribute, value, and share or count"
        raise SordinoError(rule, found=", ".join(header) or "none", step="name them in the first line")
    return _tables(rows[1:], [header.index(name) for name in (*COLUMNS, *amount)], len(header))


def _tables(rows: Sequence[Sequence[str]], at: Sequence[int], width: int) -> tuple[dict[str, Any], list[SordinoError]]:
    tables: dict[str, Any] = {}
    mistakes: list[SordinoError] = []
    unread = set()
    for number, row in enumerate(rows, start=2):
        if not row:
            continue
        if len(row) != width:
            mistakes.append(
                SordinoError(
                    f"row {number} must have {width} cells",
                    found=str(len(row)),
                    step="write as many as the first line has, with quotes around commas",
                )
            )
            continue
        attribute, value, text = (row[place].strip() for place in at)
        table = tables.setdefault(attribute, {})
        if value in table:
            found = f"{value!r} of {attribute!r} again in row {number}"
            mistakes.append(SordinoError("each value must stand once", found=found, step="keep one of the rows"))
            continue
        if NUMBER.fullmatch(text):
            table[value] = float(text)
        else:
            unread.add(attribute)
            mistakes.append(
                SordinoError(
                    f"row {number} must hold a number", found=shown(text), step="write a share as 0.31, or a count"
                )
            )
    # Of an attribute with a number that is none nothing more is said.
    return {name: table for name, table in tables.items() if name not in unread}, mistakes
