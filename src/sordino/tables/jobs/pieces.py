"""The pieces of a table that several processes read, each by itself: runs of row groups of a Parquet file.

A report depends on its row's id and value and on nothing beside it, so that rows may be privatized anywhere and in any
order. Lines of a CSV file are found by reading all lines before them, and DuckDB reads those on all cores already.
"""

from pathlib import Path

import pyarrow as pa

from sordino.errors import SordinoError
from sordino.survey.schema.own_columns import fold_name
from sordino.tables.csv_file import require_file
from sordino.tables.damage import damage_error
from sordino.tables.duckdb import ROW
from sordino.tables.frame import Frame, PathOrFrame

LEAST = 1 << 18
"""Rows of a piece at least, but for the last: to open the file takes as long as some thousands of them."""


def pieces_of(table: PathOrFrame, least: int | None = None) -> tuple[Path, list[range]]:
    """A Parquet file, and the places of the rows of its pieces, one after the other; one at least.

    Args:
        table: the file.
        least: rows of a piece, but for the last; `LEAST` if none are given.

    Raises:
        SordinoError: another table, a damaged file, or a column with the name by which rows are told apart.
    """
    kind = (
        "a table in memory" if isinstance(table, Frame) else require_file(table) if isinstance(table, Path) else ".csv"
    )
    if not isinstance(table, Path) or kind != ".parquet":
        rule, step = f"{table} must be a Parquet file to be read by several jobs", "write it as one, or leave jobs out"
        raise SordinoError(rule, found=kind, step=step)
    from pyarrow import parquet

    try:
        metadata = parquet.read_metadata(table)
        names = metadata.schema.to_arrow_schema().names
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise damage_error(table, error) from None
    if ROW in map(fold_name, names):
        raise SordinoError(
            f"{table} must have no column {ROW} to be read by several jobs",
            found=f"a column {ROW}",
            step="call it otherwise",
        )
    pieces, first, end = [], 0, 0
    for group in range(metadata.num_row_groups):
        end += metadata.row_group(group).num_rows
        if end - first >= (LEAST if least is None else least):
            pieces.append(range(first, end))
            first = end
    if end > first or not pieces:
        pieces.append(range(first, end))
    return table, pieces
