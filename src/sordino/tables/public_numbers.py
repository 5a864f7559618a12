"""Public numbers about the values of attributes, as how many people live in each cell of a map, from a table.

A row a person, or a column `count` for rows that stand for several. Held in memory: a number for each value.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.survey.planning.plan import Plan
from sordino.tables.columns import AttributeColumns, require_columns_of
from sordino.tables.duckdb import header, number, read_batches
from sordino.tables.frame import array_of, table_of

COUNT = "count"


def read_public(plan: Plan, given: Any) -> dict[str, NDArray[np.float64]]:
    """For each question about an attribute whose columns the table has, how many rows have each value, shape (k,).

    Args:
        plan: whose attributes are read.
        given: a table of public numbers: the path of a file, or a frame.

    Raises:
        SordinoError: an unreadable table, the columns of no attribute, a value that is missing or outside its domain,
            a count that is no number >= 0, or nobody at all.
    """
    asked = {shares.name: one for shares in plan.about_shares if (one := shares.histogram_of) is not None}
    # What is public has no earlier answers: "not asked" stands there by its name.
    read = {name: AttributeColumns(replace(one, only_if=()), "nothing was read") for name, one in asked.items()}
    columns = [column for own in read.values() for column in own.names]
    table = table_of(given, [*columns, COUNT], "the public numbers")
    there = {name for name, _ in header(table)}
    read = {name: own for name, own in read.items() if there.issuperset(own.names)}
    if not read:
        columns_of = [AttributeColumns(attribute, "nothing was read") for attribute in asked.values()]
        require_columns_of(columns_of, table)
    counted = {"count": number(COUNT)} if COUNT in there else {}
    select = {f"{key} {j}": text for j, own in enumerate(read.values()) for key, text in own.expressions.items()}
    names = list(dict.fromkeys([*(name for own in read.values() for name in own.names), *([COUNT] if counted else [])]))
    whole = list(read.values())
    found = {name: np.zeros(asked[name].finite.k) for name in read}
    rows = 0
    for batch in read_batches(table, select | counted, names):
        weights = _counts(table, array_of(batch.column("count")), rows) if counted else None
        for j, (name, own) in enumerate(read.items()):
            values = own.values(table, {key: batch.column(f"{key} {j}") for key in own.expressions}, rows, whole)
            found[name] += np.bincount(values, weights, minlength=len(found[name]))
        rows += len(batch)
    if not all(numbers.any() for numbers in found.values()):
        raise SordinoError(
            f"{table} must hold public numbers",
            found=f"no count above 0 in {rows:,} rows" if rows else "no rows",
            step="write how many there are of each value in a column `count`, or a row for each",
        )
    return found


def _counts(table: object, counts: NDArray[np.float64], rows: int) -> NDArray[np.float64]:
    wrong = ~(np.isfinite(counts) & (counts >= 0))
    if wrong.any():
        row = rows + int(np.flatnonzero(wrong)[0]) + 1
        step = "correct it, or take the row out"
        raise SordinoError(
            f"{table}, row {row}, {COUNT}: must be a number >= 0", found="a count that is none", step=step
        )
    return counts
