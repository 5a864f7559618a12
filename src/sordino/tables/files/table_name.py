"""The name of a table's file, and the format that it tells."""

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, cast

from sordino.errors import SordinoError

FORMATS = (".csv", ".csv.gz", ".parquet")

WILDCARDS = frozenset("*?[]{}")
"""In a path DuckDB would take them for a pattern, and could read another file."""


def ending_of(path: Path, endings: Sequence[str]) -> str | None:
    """The first of some endings that a file's name has, whatever its case; None without any."""
    return next((ending for ending in endings if path.name.lower().endswith(ending)), None)


def table_format(path: Path) -> str:
    """The format that a file's name tells; a pipe without any of their endings is a CSV table.

    Raises:
        SordinoError: another ending.
    """
    if ending := ending_of(path, FORMATS):
        return ending
    if path.is_fifo():
        return ".csv"
    raise SordinoError(
        f"a table's name must end in {', '.join(FORMATS)}", found=repr(path.name), step="name it so, or convert it"
    )


def require_file(path: Path) -> str:
    """The format of a table that is there, under a name that means only itself: a file, or a pipe of CSV.

    Raises:
        SordinoError: nothing of that name, a folder, or another ending.
    """
    kind = table_format(path)
    if not path.is_file() and (kind == ".parquet" or not path.is_fifo()):
        raise SordinoError(
            f"{path} must be a file",
            found="a folder" if path.is_dir() else "a pipe" if path.is_fifo() else "nothing there",
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


def open_table(path: Path) -> BinaryIO:
    """The bytes of a CSV file, unpacked."""
    return cast("BinaryIO", gzip.open(path, "rb")) if table_format(path) == ".csv.gz" else path.open("rb")
