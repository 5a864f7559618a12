"""Estimates as a table: a row for each value, written some at a time, since a million rows are many small objects."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pyarrow as pa

from sordino.engine.duckdb import write_table
from sordino.survey.result import Result, Untold

ROWS = 1 << 15
"""Rows of a batch."""


def write_estimates(found: Sequence[Result], path: Path) -> None:
    """Write all rows of all results: attribute, value, estimate, standard error, limits; and what was fitted, if any.

    Raises:
        SordinoError: the file exists, or the system refuses to write.
    """
    numbers = ["estimate", "stderr", "low", "high"]
    if any(not isinstance(result, Untold) and result.fitted is not None for result in found):
        numbers.append("fitted")
    texts = [(name, pa.string()) for name in ("attribute", "value")]
    schema = pa.schema([*texts, *((name, pa.float64()) for name in numbers)])
    write_table(path, schema, _batches(found, schema))


def _batches(found: Sequence[Result], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for result in found:
        rows = result.rows()
        while batch := list(islice(rows, ROWS)):
            yield pa.RecordBatch.from_pylist(batch, schema=schema)
