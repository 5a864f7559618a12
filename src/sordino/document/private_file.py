"""Files that only their owner can open: from their first moment, whatever the user's mask, or not at all."""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from sordino.errors import SordinoError

OWN = stat.S_IRUSR | stat.S_IWUSR
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def new_private_file(path: Path) -> BinaryIO:
    """A new file, open to be written, that nobody else could open at any time.

    Raises:
        OSError: something has that name, or the system refuses.
    """
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, OWN)
    return open(handle, "wb")  # noqa: PTH123 - a file that is open already


def require_private(path: Path, status: os.stat_result, step: str = "chmod 600 it") -> None:
    """Refuse a file that others can open.

    Args:
        path: of the file.
        status: what the system says of it.
        step: what to do then.

    Raises:
        SordinoError: they can.
    """
    if status.st_mode & OTHERS:
        found = f"mode {stat.S_IMODE(status.st_mode):04o}"
        raise SordinoError(f"{path} must be open to its owner only", found=found, step=step)


def make_private(path: Path) -> None:
    """Close a file to others, if there is one of that name.

    Raises:
        SordinoError: the system refuses, as of somebody else's file.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        return
    if status.st_mode & OTHERS:
        with suppress(OSError):
            path.chmod(stat.S_IMODE(status.st_mode) & ~OTHERS)
        require_private(path, path.stat(), "have its owner chmod 600 it")
