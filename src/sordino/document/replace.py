"""Files that can be made again, and so may be replaced on request: plans, tallies, tables of estimates, pages.

Reports, keys and ledgers never are: a second release adds its losses, and what is lost cannot be made again.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from sordino.document.files import require_new
from sordino.document.kinds import FileKind, kind_of
from sordino.errors import SordinoError


def require_free(
    path: Path, what: str, is_one: Callable[[Path], bool], *, force: bool, inputs: Iterable[Path] = ()
) -> bool:
    """Refuse a name at which nothing can be written; whether a file of that name is to be replaced.

    Args:
        path: the name.
        what: is written, in words.
        is_one: tells such a file from others.
        force: whether such a file may be replaced.
        inputs: what it is made of, which is never replaced.

    Raises:
        SordinoError: another file has that name, or such a one that may not be replaced; no folder to write in.
    """
    if not path.is_file():
        require_new(path)
        return False
    again = is_one(path) and not any(one.exists() and one.samefile(path) for one in inputs)
    if not again:
        found = "a file of your own, or an input of this command" if force else ""
        step = f"choose another name; only {what} is overwritten, by `overwrite`"
        raise SordinoError(f"{path} must not exist yet", found=found, step=step)
    if not force:
        raise SordinoError(
            f"{path} must not exist yet", step="choose another name, or have it overwritten by `overwrite`"
        )
    return True


def of_kind(kind: FileKind) -> Callable[[Path], bool]:
    """Tells files of a kind from others."""
    return lambda path: kind_of(path) == kind
