"""Estimates as a table in memory: a row for each number that is estimated, under the names that JSON has."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from sordino.blocks.tables import QuantityTable
from sordino.show.cells import MADE, TESTS, estimate_batches, estimate_schema


def table_of(found: Sequence[QuantityTable], made: Iterable[Mapping[str, Any]] = ()) -> pa.Table:
    """All rows; what was fitted is null where nothing was.

    Of the columns of made rows there are those that some row has.

    Args:
        found: the tables of all questions.
        made: what is made of their results (`rows_made`).
    """
    more = list(made)
    columns = [name for name in (*MADE, *TESTS) if any(name in row for row in more)]
    schema = estimate_schema(found, columns, always=("fitted",))
    return pa.Table.from_batches(estimate_batches(found, more, schema), schema)
