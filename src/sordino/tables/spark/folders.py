"""Folders of Parquet files: whole ones are read, and new ones appear whole or not at all."""

import secrets
import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from sordino.document.files import cannot
from sordino.errors import DamagedError, SordinoError, UnavailableError
from sordino.exact.messages import shown
from sordino.tables.csv_file import require_file, require_plain
from sordino.tables.damage import damage_error

DONE = "_SUCCESS"
"""What is written last into a folder that is whole, here as by Spark's own writers."""

UNDONE = "_temporary"
"""Where tasks of Spark's own writers write what is not yet whole."""

BEGINNING = 1 << 12
"""Bytes in which reports drawn for different people differ, once they are more than a few."""

PART = "part-"
"""How the names of files begin that Spark writes, of which only all together are whole."""


def parquet_files(path: Path) -> list[Path]:
    """A Parquet file, or those in a folder and its folders; hidden ones are nobody's.

    Raises:
        SordinoError: another file, a folder without any, or one that was not written to its end.
    """
    return _files_within(path) if path.is_dir() else [_file(path)]


def _file(path: Path) -> Path:
    kind = require_file(path)
    if kind != ".parquet":
        step = "write it as one, or leave `engine` out"
        raise SordinoError(f"{path} must be a Parquet file or a folder of them for Spark", found=kind, step=step)
    return path


def _files_within(folder: Path) -> list[Path]:
    names = sorted(folder.iterdir())
    unfinished = any(path.name.startswith(PART) for path in names) and not (folder / DONE).is_file()
    if unfinished or (folder / UNDONE).exists():
        rule, step = f"{folder} must be a folder that was written to its end", "write it again, or take it away"
        raise DamagedError(rule, found=f"no {DONE}" if unfinished else UNDONE, step=step)
    visible = [path for path in names if not path.name.startswith((".", "_"))]
    files = [file for path in visible for file in parquet_files(path)]
    if not files:
        raise SordinoError(
            f"{folder} must hold Parquet files",
            found="no Parquet file",
            step="name a folder that has some; names that begin with a dot or an underscore do not count",
        )
    return files


def require_one_schema(files: Sequence[Path]) -> None:
    """Refuse files whose columns differ: Spark would take what one lacks for missing values.

    Raises:
        SordinoError: with the first that differs.
        DamagedError: a file that cannot be read.
    """
    first: pa.Schema | None = None
    for path in files:
        try:
            schema = parquet.read_schema(path).remove_metadata()
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise damage_error(path, error) from None
        first = schema if first is None else first
        if not schema.equals(first):
            rule = f"{path} must have the columns of {files[0]}, of the same types in the same order"
            found = ", ".join(f"{field.name} {field.type}" for field in schema)
            raise SordinoError(rule, found=shown(found), step="write all files of a folder alike")


def equal_files(files: Sequence[Path]) -> list[list[Path]]:
    """Files with rows that are the same bytes, together; most are told apart by their sizes and their beginnings."""
    alike: dict[tuple[int, bytes], list[Path]] = defaultdict(list)
    for path in files:
        with path.open("rb") as file:
            alike[path.stat().st_size, file.read(BEGINNING)].append(path)
    equal: dict[bytes, list[Path]] = defaultdict(list)
    for suspected in (some for some in alike.values() if len(some) > 1):
        for path in suspected:
            if parquet.read_metadata(path).num_rows:
                with path.open("rb") as file:
                    equal[file_digest(file, "blake2b").digest()].append(path)
    return [same for same in equal.values() if len(same) > 1]


def require_new_folder(path: Path) -> None:
    """Refuse a name at which no new folder can be written.

    Raises:
        SordinoError: something has that name, it is one of another kind of file, or there is no folder above.
    """
    require_plain(path)
    if path.name.lower().endswith((".csv", ".csv.gz", ".json")):
        step = "give a name without an ending, or with .parquet"
        raise SordinoError(f"{path} must be a folder of Parquet files", found="a different ending", step=step)
    if path.exists() or path.is_symlink():
        rule = f"{path} must not exist: privatizing the same people again is a second release, and losses add"
        raise SordinoError(rule, step="use the reports that you have, or choose another name")
    if not path.parent.is_dir():
        raise SordinoError(f"{path.parent} must be a folder", found="no folder of that name", step="make it first")


@contextmanager
def written_folder(path: Path) -> Iterator[tuple[Path, Path]]:
    """Two new hidden folders beside `path`, of which the second becomes `path` when the block ends well.

    Into the first tasks write, also those that are given up and do not know it yet: nothing that they still do reaches
    the second. Both vanish otherwise.

    Raises:
        SordinoError: something has that name by then, or the system refuses.
    """
    hidden = f".{path.name}.{secrets.token_hex(4)}"
    writing, done = (path.with_name(f"{hidden}.{what}").absolute() for what in ("writing", "part"))
    try:
        for folder in (writing, done):
            folder.mkdir()
        yield writing, done
        require_new_folder(path)
        done.rename(path)
    except OSError as error:
        raise cannot("write", path, error) from None
    finally:
        for folder in (writing, done):
            shutil.rmtree(folder, ignore_errors=True)


def take_files(names: Sequence[str], writing: Path, done: Path) -> None:
    """Take some files out of the folder where tasks write, and say that these are all.

    Raises:
        UnavailableError: one that this machine does not see.
    """
    for name in names:
        try:
            (writing / name).rename(done / name)
        except FileNotFoundError:
            raise _not_shared("a file that another machine has written is not there") from None
    (done / DONE).touch()


def require_written(folder: Path, rows: int) -> None:
    """Refuse a folder that Spark has written if this machine does not see all of it.

    Raises:
        UnavailableError: fewer or more rows, or no sign that it is whole.
    """
    found = sum(parquet.read_metadata(file).num_rows for file in folder.glob(f"{PART}*.parquet"))
    if not (folder / DONE).is_file() or found != rows:
        raise _not_shared(f"{found:,} of {rows:,} reports in it")


def _not_shared(found: str) -> UnavailableError:
    return UnavailableError(
        "all machines must write into one folder, and the people must stay the same",
        found=found,
        step="name a folder that all machines share, and tables whose rows and ids do not change",
    )
