"""The file of a table: whether it is the same one all the time, and how many rows it has."""

import csv
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from sordino.errors import SordinoError
from sordino.tables.csv_file import CsvFile, table_format
from sordino.tables.frame import Frame, PathOrFrame

Batch = TypeVar("Batch")

TO_FILE = "write it to a file, and give that, to see what is wrong in how many rows"
"""What to do about a mistake of a pipe, which cannot be read once more to say all about it."""


def has_types(table: PathOrFrame) -> bool:
    """Whether a table's columns have names and types of their own: all but those of a CSV file, which are texts."""
    return isinstance(table, Frame) or (isinstance(table, Path) and table_format(table) == ".parquet")


def can_be_read_again(table: PathOrFrame) -> bool:
    """Whether a table is there for a second reading: all but a pipe."""
    return not isinstance(table, CsvFile) or table.can_be_read_again


def file_state(table: PathOrFrame) -> tuple[int, ...]:
    """What differs once a file was written again; nothing of a table in memory, a pipe, or a file that is gone."""
    if isinstance(table, Frame) or not can_be_read_again(table):
        return ()
    try:
        found = (table.path if isinstance(table, CsvFile) else table).stat()
    except OSError:
        return ()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def require_unchanged(table: PathOrFrame, before: tuple[int, ...], batches: Iterator[Batch]) -> Iterator[Batch]:
    """The batches of a table.

    Raises:
        SordinoError: after the last one, if the table is not as it was before.
    """
    yield from batches
    if file_state(table) != before:
        raise change_error(table)


def change_error(table: PathOrFrame) -> SordinoError:
    """The refusal of a table that is not the one whose rows were counted and whose ids were compared."""
    return SordinoError(f"{table} must not change while it is read", found="a changed file", step="privatize it again")


def count_rows(table: PathOrFrame) -> int | None:
    """How many rows a table has: of Parquet exactly, of CSV about; None where it cannot be told."""
    try:
        if isinstance(table, Frame):
            return int(table.table.num_rows)
        if isinstance(table, CsvFile):
            return table.rows_expected
        if table_format(table) == ".parquet":
            from pyarrow import parquet

            return int(parquet.read_metadata(table).num_rows)
        # A pipe is left to whoever reads its rows.
        if not table.is_file():
            return None
        with CsvFile(table) as file:
            return file.rows_expected
    except (OSError, EOFError, ValueError, zlib.error, csv.Error, pa.ArrowException):
        # Whoever reads the table says what is wrong with it.
        return None
