"""What changed as a table: a row for each number that both collections estimate."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from sordino.tables.csv_file import table_format
from sordino.tables.duckdb import begins_with, write_table
from sordino.tables.results.spreadsheet_cells import as_cell
from sordino.views.collection_changes import Changed

NAMES = ("question", "label")

NUMBERS = ("before", "after", "change", "stderr", "low", "high")

SCHEMA = pa.schema(
    [*((name, pa.string()) for name in NAMES), *((name, pa.float64()) for name in NUMBERS), ("sure", pa.bool_())]
)


def write_changes(changed: Sequence[Changed], path: Path, *, overwrite: bool = False) -> None:
    """Write all rows; in a CSV file a name that a spreadsheet would run as a formula has an apostrophe before it.

    Raises:
        SordinoError: the file exists and may not be overwritten, or the system refuses to write.
    """
    batches = _batches(changed, cells=table_format(path) != ".parquet")
    write_table(path, SCHEMA, batches, overwrite=overwrite)


def changes_table(changed: Sequence[Changed]) -> pa.Table:
    """All rows in memory, names as they are."""
    return pa.Table.from_batches(_batches(changed, cells=False), SCHEMA)


def is_changes(path: Path) -> bool:
    """Whether a file is a table of changes."""
    return begins_with(path, [*NAMES, *NUMBERS[:2]])


def _batches(changed: Sequence[Changed], *, cells: bool) -> Iterator[pa.RecordBatch]:
    written = as_cell if cells else str
    for one in changed:
        rows = [row.json() for row in one.all_rows]
        names = [[written(one.name)] * len(rows), [written(row.label) for row in one.all_rows]]
        columns = [pa.array(texts, pa.string()) for texts in names]
        columns += [pa.array([row[name] for row in rows], pa.float64()) for name in NUMBERS]
        yield pa.record_batch([*columns, pa.array([row["sure"] for row in rows], pa.bool_())], SCHEMA)
