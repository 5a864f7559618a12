"""Files of surveys, plans and aggregates: read with errors that help, written whole or not at all."""

import json
import os
import re
import secrets
import stat
import tomllib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import Any

from sordino.errors import DamagedError, SordinoError, UnavailableError

LARGEST_FILE = 1 << 28
"""Bytes of a survey, plan or aggregate at most; tables of people are streamed, these are not."""

PIECE = 1 << 20
"""Bytes read at once: what a file takes, not what it might."""

NO_FILE = (FileNotFoundError, NotADirectoryError, IsADirectoryError)
"""What the system says of a name at which no file can be."""

LARGEST_INTEGER = 1 << 64
"""That a JSON file may hold as a number: no field means more, and floats and machine words fail at some larger one."""

DEEPEST = 64
"""Tables and lists within each other; ours have less than ten. Parsers of either format fail at about a thousand."""


def read_toml(path: Path, *, private: bool = False) -> dict[str, Any]:
    """The tables of a TOML file.

    Args:
        path: of the file.
        private: whether the parser's words, which could quote the file, are left out.

    Raises:
        SordinoError: unreadable, or not TOML (with line and column).
    """
    return toml_tables(read_text(path), str(path), private=private)


def toml_tables(text: str, name: str, *, private: bool = False) -> dict[str, Any]:
    """The tables of a TOML text.

    Args:
        text: all of it.
        name: of what it comes from, for messages.
        private: whether the parser's words, which could quote it, are left out.

    Raises:
        SordinoError: not TOML (with line and column).
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        where = re.search(r"at line ([0-9]+), column ([0-9]+)", str(error))
        found, step = str(error).rstrip("."), "correct it there; put texts in quotes"
        if private:
            found = f"a mistake{f' {where[0]}' if where else ''}"
        elif known := _toml_mistake(text.split("\n"), where):
            found, step = f"{known[0]} {where[0] if where else 'in its last line'}", known[1]
        raise SordinoError(f"{name} must be a TOML file", found=found, step=step) from None
    except ValueError:
        raise SordinoError(
            f"{name} must be a TOML file", found="an absurd number", step="correct it there; put texts in quotes"
        ) from None
    except RecursionError:
        raise _too_deep(name, "TOML") from None
    _require_shallow(tables, name, "TOML")
    return tables


CURLY_QUOTES = "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb"
"""As word processors make them of straight ones."""


def _toml_mistake(lines: list[str], where: re.Match[str] | None) -> tuple[str, str] | None:
    """What people write by mistake, and what to write, at a place of a TOML file; None where it is something else."""
    line = lines[int(where[1]) - 1] if where else next((line for line in reversed(lines) if line.strip()), "")
    before, found = (line[: int(where[2]) - 1], line[int(where[2]) - 1 :]) if where else (line, "")
    if found[:1] and found[0] in CURLY_QUOTES:
        return "curly quotes", 'put texts in straight quotes, as "yes"'
    if line.replace('\\"', "").count('"') % 2 or ('"' not in line and line.count("'") == 1):
        return "a quote that is missing", 'put texts in quotes at both ends, as "yes"'
    if found.startswith(",") and before[-1:].isdigit() and found[1:2].isdigit():
        return "a decimal comma", "write numbers with a point, as 0.5"
    if found[:1].isalpha() and before.rstrip()[-1:] in ("=", "[", ","):
        return "a text without quotes", 'put texts in quotes, as "yes"'
    if found.startswith(":"):
        return "a colon", 'write an equal sign, as title = "Us"'
    return None


def read_json(path: Path) -> dict[str, Any]:
    """The object of a JSON file.

    Raises:
        SordinoError: unreadable, not JSON, or no object.
    """
    return json_object(read_text(path), str(path))


def json_object(text: str | bytes, name: str) -> dict[str, Any]:
    """The object of a JSON text.

    Args:
        text: all of it; bytes are UTF-8.
        name: of what it comes from, for messages.

    Raises:
        DamagedError: not JSON.
        SordinoError: no object.
    """
    try:
        read = text if isinstance(text, str) else text.decode()
        document = json.loads(read, parse_constant=_no_constant, parse_int=_integer)
    except RecursionError:
        raise _too_deep(name, "JSON") from None
    except ValueError as error:
        match error:
            case json.JSONDecodeError(lineno=line):
                where = f"a mistake in line {line}"
            case UnicodeDecodeError():
                where = "other bytes than UTF-8"
            case _:
                where = "an absurd number"
        step = "check that the file is whole"
        raise DamagedError(f"{name} must be a JSON file", found=where, step=step) from None
    if not isinstance(document, dict):
        raise SordinoError(
            f"{name} must hold a JSON object", found=type(document).__name__, step="give the file that a command wrote"
        )
    _require_shallow(document, name, "JSON")
    return document


def _no_constant(constant: str) -> None:
    raise ValueError(constant)


def _integer(digits: str) -> int:
    """A whole number; of a smaller one that is wrong its field says so."""
    number = int(digits)
    if abs(number) > LARGEST_INTEGER:
        raise ValueError(digits)
    return number


def _require_shallow(document: Any, name: str, kind: str) -> None:
    """Refuse what is nested so deep that whoever walks it would fail: level by level, without recursion."""
    level = [document]
    for _ in range(DEEPEST):
        level = [
            item
            for inner in level
            if isinstance(inner, dict | list)
            for item in (inner.values() if isinstance(inner, dict) else inner)
            if isinstance(item, dict | list)
        ]
        if not level:
            return
    raise _too_deep(name, kind)


def _too_deep(name: str, kind: str) -> SordinoError:
    return SordinoError(f"{name} must be a {kind} file", found=f"more than {DEEPEST} tables within each other")


def read_text(path: Path, *, marked: bool = True) -> str:
    """The text of a small UTF-8 file.

    Args:
        path: of the file.
        marked: whether a byte order mark, with which some editors begin a file, is left out; else it is in the text.

    Raises:
        SordinoError: unreadable, larger than 256 MiB, or other bytes.
    """
    content = bytearray()
    try:
        with path.open("rb") as file:
            while len(content) <= LARGEST_FILE and (piece := file.read(PIECE)):
                content += piece
    except OSError as error:
        raise cannot("read", path, error) from None
    return decode_text(content, str(path), marked=marked)


def decode_text(content: bytes | bytearray, name: str, *, marked: bool = True) -> str:
    """A small UTF-8 text.

    Args:
        content: all of it.
        name: of what it comes from, for messages.
        marked: whether a byte order mark is left out.

    Raises:
        SordinoError: larger than 256 MiB, or other bytes.
    """
    if len(content) > LARGEST_FILE:
        raise SordinoError(
            f"{name} must be smaller than 256 MiB", found="a larger file", step="give the file that was meant"
        )
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise SordinoError(f"{name} must be UTF-8 text", found="UTF-16", step="save it as UTF-8")
    try:
        return content.decode("utf-8-sig" if marked else "utf-8")
    except UnicodeDecodeError:
        raise SordinoError(f"{name} must be UTF-8 text", found="bytes that are not", step="save it as UTF-8") from None


def named_file(folder: Path, name: str) -> Path:
    """Where a file lies that a survey names: beside or below it, wherever links lead, and a plain file if it is there.

    A survey can come from somebody else, and what it lists goes into a public plan: no other file of the machine is
    read, and no pipe is waited for.

    Raises:
        SordinoError: an absolute name, one that leads out of the folder, or something else than a file.
    """
    rule, step = f"{name!r:.80} must lie beside or below the survey", "move it there, and name it from there"
    if Path(name).is_absolute() or ".." in Path(name).parts or "\0" in name:
        raise SordinoError(rule, found="a name that leads elsewhere", step=step)
    path = folder / name
    try:
        real = path.resolve()
        if not real.is_relative_to(folder.resolve()):
            raise SordinoError(rule, found="a link that leads elsewhere", step=step)
        if real.exists() and not real.is_file():
            found = "a folder" if real.is_dir() else "a pipe or a device"
            raise SordinoError(f"{name!r:.80} must be a file", found=found, step="name the file itself")
    except RuntimeError:
        raise SordinoError(rule, found="links that lead in a circle", step="replace the links by the file") from None
    except OSError as error:
        raise cannot("read", path, error) from None
    return path


@contextmanager
def replace_whole(path: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """A temporary name that becomes `path` when the block ends well, and vanishes when it does not.

    It lies in a folder beside `path` that is open to its owner only: what is not yet known to be right is read by
    nobody else, also where a process is killed and leaves it there.

    Raises:
        SordinoError: the file exists and may not be overwritten, or the system refuses (no folder, no right, disk
        full).
    """
    if not overwrite:
        require_new(path)
    folder = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    temporary = folder / path.name
    try:
        folder.mkdir(mode=stat.S_IRWXU)
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        if overwrite:
            temporary.replace(path)
        else:
            _rename_to_new(temporary, path)
    except FileExistsError:
        raise _exists(path) from None
    except OSError as error:
        raise cannot("write", path, error) from None
    finally:
        try:
            _take_away(folder)
        except KeyboardInterrupt:
            # What was begun is finished first.
            _take_away(folder)
            raise


def _take_away(folder: Path) -> None:
    """Remove a folder and its files; what is missing, or what the system does not allow, is left out."""
    with suppress(OSError):
        for left in folder.iterdir():
            left.unlink()
        folder.rmdir()


def sync_folder(path: Path) -> None:
    """Have the name of a new file on the disk: it is there when its folder is.

    Raises:
        SordinoError: the system refuses.
    """
    if not hasattr(os, "O_DIRECTORY"):
        # Windows opens no folders; its file system keeps a journal of names.
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    except OSError as error:
        raise cannot("write", path, error) from None
    finally:
        os.close(folder)


def require_new(path: Path) -> None:
    """Refuse a name at which nothing new can be written.

    Raises:
        SordinoError: the file exists, is a folder, or its folder does not exist.
    """
    try:
        if path.is_dir():
            raise SordinoError(f"{path} must be a file to write", found="a folder", step="add a name")
        if not path.parent.is_dir():
            raise SordinoError(f"{path.parent} must be a folder", found="no folder of that name", step="make it first")
        if path.exists():
            raise _exists(path)
    except OSError as error:
        raise cannot("write", path, error) from None


def write_text(path: Path, text: str, *, overwrite: bool = False) -> None:
    """Write a small UTF-8 file, whole or not at all."""
    with replace_whole(path, overwrite=overwrite) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def _rename_to_new(temporary: Path, path: Path) -> None:
    """Rename, never onto a file that appeared meanwhile: a hard link fails where a renaming would replace."""
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links: take the name first, then replace our own empty file.
        path.touch(exist_ok=False)
        try:
            temporary.replace(path)
        except OSError:
            path.unlink()
            raise


def finish_new_name(path: Path) -> None:
    """Remove the temporary name of a new file that has its own one too: somebody is about to, or was stopped before.

    Args:
        path: of a file with more than one name; other names than that of `replace_whole` are left.
    """
    for folder in path.parent.glob(f".{escape(path.name)}.*.part"):
        with suppress(OSError):
            if (folder / path.name).samefile(path):
                _take_away(folder)


def _exists(path: Path) -> SordinoError:
    return SordinoError(f"{path} must not exist yet", step="choose another name; nothing here is overwritten")


def cannot(what: str, path: Path, error: OSError) -> SordinoError:
    """The system's refusal as an error that a user understands."""
    folder = isinstance(error, IsADirectoryError)
    reason = "a folder" if folder else (error.strerror or type(error).__name__).lower()
    # A name that leads to no file is a mistake in what was given; everything else is the system's affair.
    mistaken = isinstance(error, NO_FILE)
    step = "look at the name and the folder" if mistaken else "look at the rights, and at the room on the disk"
    return (SordinoError if mistaken else UnavailableError)(
        f"{path} must be possible to {what}", found=reason, step=step
    )
