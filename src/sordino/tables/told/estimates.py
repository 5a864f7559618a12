"""Estimates as a table: a row for each value, written some at a time, since a million rows are many small objects."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.survey.results.result import Result, Untold
from sordino.tables.duckdb import header, write_table
from sordino.tables.table_file import table_format
from sordino.tables.told.cells import as_cell

ROWS = 1 << 15
"""Rows of a batch."""


def write_estimates(found: Sequence[Result], path: Path, *, overwrite: bool = False) -> None:
    """Write all rows of all results: attribute, value, estimate, standard error, limits; and what was fitted, if any.

    In a CSV file a name that a spreadsheet would run as a formula has an apostrophe before it (`as_cell`); a Parquet
    file holds names as they are.

    Raises:
        SordinoError: the file exists and may not be overwritten, or the system refuses to write.
    """
    numbers = ["estimate", "stderr", "low", "high"]
    if any(not isinstance(result, Untold) and result.fitted is not None for result in found):
        numbers.append("fitted")
    schema = _schema(numbers)
    batches = _batches(found, schema, cells=table_format(path) != ".parquet")
    write_table(path, schema, batches, overwrite=overwrite)


def table_of(found: Sequence[Result]) -> pa.Table:
    """All rows of all results in memory, names as they are; what was fitted is null where nothing was."""
    schema = _schema(("estimate", "stderr", "low", "high", "fitted"))
    return pa.Table.from_batches(_batches(found, schema, cells=False), schema)


def is_estimates(path: Path) -> bool:
    """Whether a file is a table of estimates."""
    try:
        return [name for name, _ in header(path)][:3] == ["attribute", "value", "estimate"]
    except SordinoError:
        return False


def _schema(numbers: Sequence[str]) -> pa.Schema:
    texts = [(name, pa.string()) for name in ("attribute", "value")]
    return pa.schema([*texts, *((name, pa.float64()) for name in numbers)])


def _batches(found: Sequence[Result], schema: pa.Schema, *, cells: bool) -> Iterator[pa.RecordBatch]:
    """Some rows at a time, column by column; names as a CSV file's cells, or as they are."""
    written = as_cell if cells else str
    for result in found:
        if isinstance(result, Untold):
            continue
        name = written(result.question.name)
        for first in range(0, result.count, ROWS):
            rows = range(first, min(first + ROWS, result.count))
            labels = [written(result.label(place)) for place in rows]
            numbers = [result.numbers.get(column) for column in schema.names[2:]]
            columns = [
                pa.nulls(len(rows), pa.float64()) if column is None else _filled(column[rows.start : rows.stop])
                for column in numbers
            ]
            yield pa.record_batch([pa.array([name] * len(rows), pa.string()), pa.array(labels), *columns], schema)


def _filled(column: NDArray[np.float64]) -> pa.Array:
    """A column of numbers; what a row does not have is null."""
    return pa.array(column, from_pandas=True)
