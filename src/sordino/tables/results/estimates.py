"""Estimates as a table: a row for each value, written some at a time, since a million rows are many small objects."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sordino.survey.results.questions.distribution import DistributionResult
from sordino.survey.results.questions.numbers import NumbersResult
from sordino.survey.results.questions.shares import HistogramResult
from sordino.survey.results.questions.single_moments import SingleMoments
from sordino.survey.results.result import Result, Untold
from sordino.tables.duckdb import begins_with, write_table
from sordino.tables.files.table_name import table_format
from sordino.tables.results.cells import as_cell

Told: TypeAlias = HistogramResult | NumbersResult | DistributionResult | SingleMoments

ROWS = 1 << 15
"""Rows of a batch."""


QUESTION = "question"

HEAD, MADE = ("attribute", "value"), (QUESTION, "given", "within", "minus")
"""Texts of every row; and of rows that are made of estimates, beside `kind`."""


def write_estimates(
    found: Sequence[Result], path: Path, made: Iterable[Mapping[str, Any]] = (), *, overwrite: bool = False
) -> None:
    """Write all rows of all results: attribute, value, estimate, standard error, limits; what was fitted; the kind.

    In a CSV file a name that a spreadsheet would run as a formula has an apostrophe before it (`as_cell`); a Parquet
    file holds names as they are.

    Args:
        found: what reports say of each question.
        path: of the file.
        made: what is made of that (`rows_made`), whose columns of its own are there if it is.
        overwrite: whether an existing file may be replaced.

    Raises:
        SordinoError: the file exists and may not be overwritten, or the system refuses to write.
    """
    told = list(_told(found))
    numbers = ["estimate", "stderr", "low", "high"]
    numbers += ["fitted"] if any(result.fitted is not None for result in told) else []
    numbers += ["moved"] if any(result.coverage.forged for result in told) else []
    cells, rows = table_format(path) != ".parquet", iter(made)
    first = list(islice(rows, 1))
    schema = _schema(numbers, MADE if first else ())
    batches = chain(_batches(told, schema, cells=cells), _made(chain(first, rows), schema, cells=cells))
    write_table(path, schema, batches, overwrite=overwrite)


def table_of(found: Sequence[Result], pooled: Iterable[Mapping[str, Any]] = ()) -> pa.Table:
    """All rows of all results in memory, names as they are; what was fitted is null where nothing was.

    Args:
        found: what reports say of each question.
        pooled: rows of what several questions tell, which follow; then a last column names the questions of each row.
    """
    more = list(pooled)
    schema = _schema(("estimate", "stderr", "low", "high", "fitted"), (QUESTION,) if more else ())
    batches = chain(_batches(list(_told(found)), schema, cells=False), _made(iter(more), schema, cells=False))
    return pa.Table.from_batches(batches, schema)


def _told(found: Iterable[Result]) -> Iterator[Told]:
    """What has rows: of a question that is refused what is given instead."""
    for result in found:
        if not isinstance(result, Untold):
            yield result
        elif result.instead is not None:
            yield result.instead


def is_estimates(path: Path) -> bool:
    """Whether a file is a table of estimates."""
    return begins_with(path, [*HEAD, "estimate"])


def _schema(numbers: Sequence[str], made: Sequence[str] = ()) -> pa.Schema:
    texts = [(name, pa.string()) for name in ("kind", *made)]
    heads = [(name, pa.string()) for name in HEAD]
    return pa.schema([*heads, *((name, pa.float64()) for name in numbers), *texts])


def _batches(found: Sequence[Told], schema: pa.Schema, *, cells: bool) -> Iterator[pa.RecordBatch]:
    """Some rows at a time, column by column; names as a CSV file's cells, or as they are."""
    written = as_cell if cells else str
    for result in found:
        name = written(result.question.name)
        for first in range(0, result.count, ROWS):
            rows = range(first, min(first + ROWS, result.count))
            columns = {
                "attribute": pa.array([name] * len(rows), pa.string()),
                "value": pa.array([written(result.label(place)) for place in rows], pa.string()),
                "kind": pa.array([result.kind(place) for place in rows], pa.string()),
                QUESTION: pa.array([name] * len(rows), pa.string()),
            }
            columns |= {name: _filled(column[rows.start : rows.stop]) for name, column in result.numbers.items()}
            yield pa.record_batch(
                [columns.get(field.name, pa.nulls(len(rows), field.type)) for field in schema], schema
            )


def _made(rows: Iterator[Mapping[str, Any]], schema: pa.Schema, *, cells: bool) -> Iterator[pa.RecordBatch]:
    """Rows that are made of estimates, some at a time."""
    written = as_cell if cells else str
    texts = {*HEAD, *MADE}
    while some := list(islice(rows, ROWS)):
        columns = []
        for field in schema:
            column = [row.get(field.name) for row in some]
            if field.name in texts:
                column = [None if text is None else written(text) for text in column]
            columns.append(pa.array(column, field.type))
        yield pa.record_batch(columns, schema)


def _filled(column: NDArray[np.float64]) -> pa.Array:
    """A column of numbers; what a row does not have is null."""
    return pa.array(column, from_pandas=True)
