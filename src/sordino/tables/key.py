"""The key file of repeatable reports: for its owner only, made once, and to be destroyed.

Two lines of text: what it is, and 32 random bytes as hexadecimal digits. Whoever can read it can undo the noise of all
reports that were made with it, so a file that others can open is no key any more. It is on disk before the first report
is: a run that is cut off can be repeated.
"""

import os
import re
import secrets
import stat
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sordino.document.files import cannot, replace_whole, require_new, sync_folder
from sordino.document.kinds import explain_kind
from sordino.document.private_file import (
    HOW_TO_CLOSE,
    is_of_another,
    new_private_file,
    open_unfollowed,
    require_private,
)
from sordino.errors import SordinoError
from sordino.exact.keyed import KEY_BYTES, KeyedSource
from sordino.tables.release import Release

TITLE = "sordino key 1, whoever has it can undo the noise: destroy it as soon as the reports are final"

LARGEST = 4096
"""Bytes that are read; a key has less."""


@contextmanager
def open_key(release: Release) -> Iterator[Callable[[], KeyedSource | None]]:
    """A release's source of words, which is asked for once all is right that is known before rows are read.

    Only then is a key made. A key file is looked at before the block, and a new one goes again where the block ends
    with a SordinoError: of a value or an id that is wrong no key stays.

    Args:
        release: with a key file, a source that names its own task, or neither for fresh words.

    Raises:
        SordinoError: a key that is none, or is not secret.
    """
    key, task = release.key, release.task_name
    secret = read_key(key) if isinstance(key, Path) else None
    new: list[Path] = []

    def make_source() -> KeyedSource | None:
        if not isinstance(key, Path):
            return key
        if secret is not None:
            return KeyedSource(secret, task)
        fresh = make_key(key)
        new.append(key)
        return KeyedSource(fresh, task)

    try:
        yield make_source
    except SordinoError:
        for path in new:
            path.unlink(missing_ok=True)
        raise


def read_key(path: Path) -> bytes | None:
    """The key of a file; None if there is no such file, and one can be made.

    Raises:
        SordinoError: no key of this user's alone (a link, a folder, somebody else's, open to others), no whole key,
            or no place for a new one.
    """
    if not os.path.lexists(path):
        require_new(path)
        return None
    if path.is_symlink():
        raise _no_key(path, "a link", "give the file itself")
    if path.is_dir():
        raise _no_key(path, "a folder", "add a name")
    try:
        handle = open_unfollowed(path)
        with open(handle, "rb") as file:  # noqa: PTH123 - a file that is open already
            status = os.fstat(handle)
            content = file.read(LARGEST) if stat.S_ISREG(status.st_mode) else b""
    except OSError as error:
        raise cannot("read", path, error) from None
    words = content.removeprefix(BOM_UTF8)
    digits = re.fullmatch(rf"{TITLE}\n([0-9a-f]{{{2 * KEY_BYTES}}})\n".encode(), words)
    if digits is None:
        with explain_kind(path, "key"):
            raise _no_key(path, "different text, or a part of a key", "name a new file, and a key is made")
    _require_secret(path, status)
    return bytes.fromhex(digits[1].decode())


def make_key(path: Path) -> bytes:
    """Make a key file that only its owner can read.

    Raises:
        SordinoError: something has that name, or the system refuses.
    """
    key = secrets.token_bytes(KEY_BYTES)
    with replace_whole(path) as temporary, new_private_file(temporary) as file:
        file.write(f"{TITLE}\n{key.hex()}\n".encode("ascii"))
    sync_folder(path)
    return key


def _require_secret(path: Path, status: os.stat_result) -> None:
    if is_of_another(status):
        raise _no_key(path, "somebody else's file", "use a key of your own")
    require_private(path, status, HOW_TO_CLOSE)


def _no_key(path: Path, found: str, step: str) -> SordinoError:
    return SordinoError(f"{path} must be a key file", found=found, step=step)
