"""The file of a table: the format that its name tells, and its bytes."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TypeVar, cast

import pyarrow as pa

from sordino.errors import SordinoError
from sordino.tables.frame import Frame, PathOrFrame

Batch = TypeVar("Batch")

FORMATS = (".csv", ".csv.gz", ".parquet")

WILDCARDS = frozenset("*?[]{}")
"""In a path DuckDB would take them for a pattern, and could read another file."""


def table_format(path: Path) -> str:
    """The format that a file's name tells.

    Raises:
        SordinoError: another ending.
    """
    for ending in FORMATS:
        if path.name.lower().endswith(ending):
            return ending
    raise SordinoError(
        f"a table's name must end in {', '.join(FORMATS)}", found=repr(path.name), step="name it so, or convert it"
    )


def typed(table: PathOrFrame) -> bool:
    """Whether a table's columns have names and types of their own: all but those of a CSV file, which are texts."""
    return isinstance(table, Frame) or table_format(table) == ".parquet"


def require_file(path: Path) -> str:
    """The format of a table that is there, under a name that means only itself."""
    kind = table_format(path)
    if not path.is_file():
        raise SordinoError(
            f"{path} must be a file",
            found="a folder" if path.is_dir() else "nothing there",
            step="look at the name and the folder",
        )
    require_plain(path)
    return kind


def require_plain(path: Path) -> None:
    """Refuse a name that could mean other files too."""
    if WILDCARDS & set(str(path)):
        raise SordinoError(f"{path} must have no {' '.join(sorted(WILDCARDS))} in its path", step="choose another name")


def require_name(path: Path) -> None:
    """Refuse a name under which no table can be written."""
    table_format(path)
    require_plain(path)


def opened(path: Path) -> BinaryIO:
    """The bytes of a CSV file, unpacked."""
    return cast("BinaryIO", gzip.open(path, "rb")) if table_format(path) == ".csv.gz" else path.open("rb")


def file_state(table: PathOrFrame) -> tuple[int, ...]:
    """What differs once a file was written again; nothing of a table in memory, and of a file that is gone."""
    if isinstance(table, Frame):
        return ()
    try:
        found = table.stat()
    except OSError:
        return ()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def unchanged(table: PathOrFrame, before: tuple[int, ...], batches: Iterator[Batch]) -> Iterator[Batch]:
    """The batches of a table.

    Raises:
        SordinoError: after the last one, if the table is not as it was before.
    """
    yield from batches
    if file_state(table) != before:
        raise changed(table)


def changed(table: PathOrFrame) -> SordinoError:
    """The refusal of a table that is not the one whose rows were counted and whose ids were compared."""
    return SordinoError(f"{table} must not change while it is read", found="another file", step="privatize it again")


def count_rows(path: Path) -> int | None:
    """How many rows a file has: exactly for Parquet, by size and first rows for CSV; None where it cannot be told."""
    try:
        kind = table_format(path)
        if kind == ".parquet":
            from pyarrow import parquet

            return int(parquet.read_metadata(path).num_rows)
        if kind == ".csv":
            with path.open("rb") as file:
                sample = file.read(1 << 16)
            lines = sample.count(b"\n")
            return path.stat().st_size * lines // len(sample) if lines else None
    except (OSError, UnicodeDecodeError, pa.ArrowException, SordinoError):
        # Whoever reads the table says what is wrong with it.
        return None
    return None
