"""Files that only their owner can open: from their first moment, whatever the user's mask, or not at all.

Keys, ledgers, stores of answers and of reports, and lists of invitations. On a system whose files have no owners, as
Windows, none is made or read.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from sordino.errors import SordinoError, UnavailableError

OWN = stat.S_IRUSR | stat.S_IWUSR
OTHERS = stat.S_IRWXG | stat.S_IRWXO

HOW_TO_CLOSE = "if nobody else has read it, chmod 600 it; if somebody may have, use another key"
"""What to do with a secret that others can open."""


def require_owners() -> None:
    """Refuse a system on which no file is its owner's alone.

    Raises:
        UnavailableError: this is one.
    """
    if not hasattr(os, "geteuid"):
        rule = "a file that holds secrets must be open to its owner only"
        step = "use Linux, macOS, or Linux within Windows (WSL)"
        raise UnavailableError(rule, found="a system on which files have no owners", step=step)


def new_private_file(path: Path) -> BinaryIO:
    """A new file, open to be written, that nobody else could open at any time.

    Raises:
        OSError: something has that name, or the system refuses.
        UnavailableError: a system on which files have no owners.
    """
    require_owners()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, OWN)
    return open(handle, "wb")  # noqa: PTH123 - a file that is open already


def open_unfollowed(path: Path) -> int:
    """The handle of a file that is there to be read: neither is a link followed, nor a pipe waited for.

    Raises:
        OSError: a link, or the system refuses.
        UnavailableError: a system on which files have no owners.
    """
    require_owners()
    return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)


def is_of_another(status: os.stat_result) -> bool:
    """Whether a file is not this user's.

    Raises:
        UnavailableError: a system on which files have no owners.
    """
    require_owners()
    return status.st_uid != os.geteuid()


def require_private(path: Path, status: os.stat_result, step: str = "chmod 600 it") -> None:
    """Refuse a file that others can open.

    Args:
        path: of the file.
        status: what the system says of it.
        step: what to do then.

    Raises:
        SordinoError: they can.
        UnavailableError: a system on which files have no owners.
    """
    require_owners()
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
