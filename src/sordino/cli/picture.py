"""Drawings that commands write beside what they print."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sordino.errors import SordinoError
from sordino.survey.load import require_new, written

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDINGS = (".png", ".svg")


def require_picture(path: Path | None) -> None:
    """Refuse, before any work, a name at which no drawing can be written.

    Raises:
        SordinoError: another suffix, or a file that exists.
    """
    if path is None:
        return
    if path.suffix.lower() not in ENDINGS:
        raise SordinoError("a figure's name must end in .png or .svg", found=repr(path.name))
    require_new(path)


def draw(path: Path | None, drawing: "Callable[[], Figure]") -> dict[str, str]:
    """Write a drawing, as its name ends, if there is a name for it; what --json says of it."""
    if path is None:
        return {}
    # Drawing libraries take a second to load: only commands that draw wait for them.
    from sordino.view.drawing import png, svg

    write = svg if path.suffix.lower() == ".svg" else png
    with written(path) as temporary:
        temporary.write_bytes(write(drawing()))
    return {"figure": str(path)}
