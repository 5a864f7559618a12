"""Drawings that commands write beside what they print."""

from collections.abc import Callable
from pathlib import Path

from sordino.errors import SordinoError
from sordino.survey.load import require_new, written


def require_png(path: Path | None) -> None:
    """Refuse, before any work, a name at which no drawing can be written.

    Raises:
        SordinoError: another suffix, or a file that exists.
    """
    if path is None:
        return
    if path.suffix.lower() != ".png":
        raise SordinoError("a figure's name must end in .png", found=repr(path.name))
    require_new(path)


def draw(path: Path | None, drawing: Callable[[], bytes]) -> dict[str, str]:
    """Write a drawing if there is a name for it; what --json says of it."""
    if path is None:
        return {}
    with written(path) as temporary:
        temporary.write_bytes(drawing())
    return {"figure": str(path)}
