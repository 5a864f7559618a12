"""Blocks as programs read them: rows for JSON, and columns of a table for frames and files.

All rows of all tables, whatever people read of them. A million rows are many small objects: columns are made some rows
at a time.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sordino.blocks.block import Block, Heading, Plot, blocks_of
from sordino.blocks.charts import FunctionChart
from sordino.blocks.tables import QuantityTable

ROWS = 1 << 15
"""Rows of a batch."""

QUESTION, GROUP, PERIOD = "question", "group", "period"

HEAD, MADE, SAID = ("attribute", "value"), (QUESTION, "given", "within", "minus"), ("question_text", "label")
"""Texts of every row; of rows that are made of estimates, beside `kind`; and of what people read."""

NUMBERS = ("estimate", "stderr", "low", "high")
"""That every table of estimates has; and where some row has them:"""

SOMETIMES = ("fitted", "fitted_low", "fitted_high", "moved")

TESTS = ("statistic", "degrees", "p", "p_adjusted")
"""Numbers of made rows that are tests."""


def tables_of(blocks: Iterable[Block]) -> list[QuantityTable]:
    """The tables of a result, in the order of files, frames and JSON."""
    return sorted(blocks_of(QuantityTable, blocks), key=lambda table: table.order)


def result_rows(blocks: Iterable[Block]) -> Iterator[dict[str, Any]]:
    """Each number of a result for JSON: what it is about, its uncertainty, its `kind`."""
    return (row for table in tables_of(blocks) for row in table.rows())


def result_json(blocks: Sequence[Block]) -> dict[str, Any]:
    """What a question asked, of how many, how shares were fitted, and why it is not estimated if it is not."""
    found: dict[str, Any] = {}
    for heading in blocks_of(Heading, blocks):
        about = {"attribute": heading.name, "asked": heading.asked, "attributes": list(heading.attributes)}
        found |= {**about, "n": heading.n, **heading.facts}
    return found | _band(blocks)


def _band(blocks: Iterable[Block]) -> dict[str, Any]:
    """The distribution function at each edge: fitted, and between which limits it lies everywhere at once."""
    for plot in blocks_of(Plot, blocks):
        if plot.of is FunctionChart and isinstance(chart := plot.chart(), FunctionChart):
            low, high = chart.band
            columns = {"at": chart.edges, "fitted": chart.function, "low": low, "high": high}
            return {"band": {name: column.tolist() for name, column in columns.items()}}
    return {}


FULL = pa.schema(
    [(name, pa.string()) for name in (*HEAD, "kind", GROUP, PERIOD, *MADE, *SAID)]
    + [(name, pa.float64()) for name in (*NUMBERS, *SOMETIMES, *TESTS)]
)
"""All columns that some rows may have."""


def estimate_schema(
    tables: Sequence[QuantityTable], made: Sequence[str] = (), *, always: Sequence[str] = ()
) -> pa.Schema:
    """The columns of all rows: attribute, value, numbers as far as some row has them, kind, and those of made rows.

    Args:
        tables: of all results.
        made: texts and tests that only rows have which are made of estimates.
        always: numbers that have a column though no row may have them.
    """
    numbers = [*NUMBERS, *(name for name in SOMETIMES if name in always or any(name in t.columns for t in tables))]
    columns = [(name, pa.string()) for name in HEAD] + [(name, pa.float64()) for name in numbers]
    grouped = list(dict.fromkeys(_group_column(table) for table in tables if table.group is not None))
    more = [(name, pa.float64() if name in TESTS else pa.string()) for name in ("kind", *grouped, *made)]
    return pa.schema(columns + more)


def estimate_batches(
    tables: Iterable[QuantityTable],
    made: Iterable[Mapping[str, Any]],
    schema: pa.Schema,
) -> Iterator[pa.RecordBatch]:
    """All rows, some at a time.

    Args:
        tables: of all results.
        made: rows that are made of estimates, which follow.
        schema: of the table (`estimate_schema`, `FULL`).
    """
    for table in tables:
        for first in range(0, table.count, ROWS):
            yield _batch(table, range(first, min(first + ROWS, table.count)), schema)
    rows = iter(made)
    while some := list(islice(rows, ROWS)):
        columns = [pa.array([row.get(field.name) for row in some], field.type) for field in schema]
        yield pa.record_batch(columns, schema)


def _batch(table: QuantityTable, rows: range, schema: pa.Schema) -> pa.RecordBatch:
    name = table.question
    columns = {
        "attribute": pa.array([name] * len(rows), pa.string()),
        "value": pa.array([table.label(place) for place in rows], pa.string()),
        "kind": pa.array([table.kind(place) for place in rows], pa.string()),
        QUESTION: pa.array([name] * len(rows), pa.string()),
    }
    if table.group is not None:
        columns[_group_column(table)] = pa.array([table.group(place) for place in rows], pa.string())
    if "label" in schema.names:
        columns["question_text"] = pa.array([table.question_read] * len(rows), pa.string())
        columns["label"] = pa.array([table.label_read(place) for place in rows], pa.string())
    columns |= {name: _numbers(column[rows.start : rows.stop]) for name, column in table.columns.items()}
    return pa.record_batch([columns.get(field.name, pa.nulls(len(rows), field.type)) for field in schema], schema)


def _group_column(table: QuantityTable) -> str:
    """The column that says of whom a row is: a group by public columns, or the people of a period."""
    return PERIOD if table.grouping == PERIOD else GROUP


def _numbers(column: NDArray[np.float64]) -> pa.Array:
    """A column of numbers; what a row does not have is null."""
    return pa.array(column, from_pandas=True)
