"""Estimates as a table, in a file or in memory: a row for each number that is estimated, whoever reads it."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from sordino.blocks.tables import QuantityTable
from sordino.show.cells import HEAD, MADE, TESTS, estimate_batches, estimate_schema
from sordino.tables.duckdb import begins_with, write_table
from sordino.tables.files.table_name import table_format
from sordino.tables.results.cells import as_cell


def write_estimates(
    found: Sequence[QuantityTable], path: Path, made: Iterable[Mapping[str, Any]] = (), *, overwrite: bool = False
) -> None:
    """Write all rows: attribute, value, estimate, standard error, limits; what was fitted; the kind.

    In a CSV file a name that a spreadsheet would run as a formula has an apostrophe before it (`as_cell`); a Parquet
    file holds names as they are.

    Args:
        found: the tables of all questions.
        path: of the file.
        made: what is made of their results (`rows_made`), whose columns of its own are there if it is.
        overwrite: whether an existing file may be replaced.

    Raises:
        SordinoError: the file exists and may not be overwritten, or the system refuses to write.
    """
    rows = iter(made)
    first = list(islice(rows, 1))
    written = str if table_format(path) == ".parquet" else as_cell
    schema = estimate_schema(found, (*MADE, *TESTS) if first else ())
    write_table(path, schema, estimate_batches(found, chain(first, rows), schema, written), overwrite=overwrite)


def table_of(found: Sequence[QuantityTable], made: Iterable[Mapping[str, Any]] = ()) -> pa.Table:
    """The same rows in memory, names as they are; what was fitted is null where nothing was.

    Of the columns of made rows there are those that some row has.
    """
    more = list(made)
    columns = [name for name in (*MADE, *TESTS) if any(name in row for row in more)]
    schema = estimate_schema(found, columns, always=("fitted",))
    return pa.Table.from_batches(estimate_batches(found, more, schema), schema)


def is_estimates(path: Path) -> bool:
    """Whether a file is a table of estimates."""
    return begins_with(path, [*HEAD, "estimate"])
