"""Queries of many expressions: DuckDB searches them for shared parts only where they are few."""

import os

import pyarrow as pa
import pytest

from sordino.tables import duckdb
from sordino.tables.duckdb import WIDE, count_where, index_below, quote, read_batches
from sordino.tables.frame import Frame

TEXTS = ["0", "4", "5", "1_0", "x", None]


def disabled() -> object:
    """What DuckDB left out of the last query's preparation."""
    row = duckdb._read_with(os.getpid()).execute("SELECT current_setting('disabled_optimizers')").fetchone()
    return row and row[0]


@pytest.mark.parametrize(("count", "left_out"), [(2, ""), (WIDE, "common_subexpressions"), (WIDE - 1, "")])
def test_wide_queries_are_not_searched_for_shared_parts(count: int, left_out: str):
    names = [f"c{place}" for place in range(count)]
    table = Frame.of(pa.table(dict.fromkeys(names, TEXTS)), names)
    read = pa.Table.from_batches(read_batches(table, {name: index_below(name, 5) for name in names}, names))
    assert disabled() == left_out
    assert all(column.to_pylist() == [0, 4, -1, -1, -1, -1] for column in read.columns)
    assert count_where(table, [f"{quote(name)} IS NULL" for name in names], names) == [1] * count
    assert disabled() == left_out
