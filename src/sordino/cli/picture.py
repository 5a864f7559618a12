"""Drawings and pages that commands write beside what they print."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sordino.document.replace import require_free
from sordino.errors import SordinoError

if TYPE_CHECKING:
    from sordino.show.html.figures.drawing import Picture

ENDINGS = (".png", ".svg")


def require_picture(path: Path | None, *, force: bool) -> bool:
    """Refuse, before any work, a name at which no drawing can be written; whether one there is to be replaced.

    Raises:
        SordinoError: another suffix, or a file that exists and is no drawing, or may not be replaced.
    """
    if path is None:
        return False
    if path.suffix.lower() not in ENDINGS:
        raise SordinoError("a figure's name must end in .png or .svg", found=repr(path.name), step="name it so")
    return require_free(path, "a drawing", _is_picture, force=force)


def is_page(path: Path) -> bool:
    """Whether a file is a page that Sordino made."""
    with path.open("rb") as file:
        return b'<meta name="generator" content="Sordino">' in file.read(1 << 10)


def _is_picture(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(1 << 10)
    return head.startswith(b"\x89PNG") or b"<svg" in head


def draw(path: Path | None, drawing: "Callable[[], Picture]", *, overwrite: bool) -> dict[str, str]:
    """Write a drawing, as its name ends, if there is a name for it; what --json says of it."""
    if path is None:
        return {}
    # Drawing libraries take a second to load: only commands that draw wait for them.
    from sordino.show.html.figures.drawing import write_drawing

    write_drawing(drawing(), path, overwrite=overwrite)
    return {"figure": str(path)}
