"""A drawing as shapes and texts in points from its upper left corner, written as SVG as it stands.

A page has figures for each question, of a hundred questions hundreds. A drawing library measures every text that it
draws, which whoever reads does again with other fonts, and takes some twentieth of a second for a figure; a scene takes
a thousandth. Files of pixels are drawn by the library (`library_drawing`).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from sordino.show.html.figures.colours import INK
from sordino.show.html.figures.lettering import for_markup

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

POINTS = 72
"""To the inch."""
DECIMALS = 2
"""Of a place in points."""
NONE = "none"
MIDDLE = 0.35
"""How far below its middle the base of a text is, in its size."""

Places = Sequence[tuple[float, float]] | NDArray[np.float64]
"""Of corners, (across, down) each."""


@dataclass(frozen=True, eq=False)
class Outline:
    """Lines, each through its corners, with one stroke; or areas within them.

    Attributes:
        lines: the corners of each; one with a corner that is nowhere is not drawn.
        stroke: the colour of the lines.
        width: of the lines.
        fill: the colour within.
        opacity: of both.
        dash: lengths of what is drawn and left out, in turn; none of whole lines.
        closed: whether the last corner is joined to the first.
    """

    lines: Sequence[Places]
    stroke: str = NONE
    width: float = 0
    fill: str = NONE
    opacity: float = 1
    dash: tuple[float, ...] = ()
    closed: bool = False

    @property
    def drawable_lines(self) -> list[NDArray[np.float64]]:
        """The corners of each line that is drawn, shape (corners, 2)."""
        found = [np.asarray(line, dtype=np.float64).reshape(-1, 2) for line in self.lines]
        return [line for line in found if len(line) and np.isfinite(line).all()]


@dataclass(frozen=True)
class Circle:
    """A disk with an edge.

    Attributes:
        across, down: its middle.
        radius: to the middle of its edge.
        fill, stroke: the colours within and of its edge.
        width: of its edge.
    """

    across: float
    down: float
    radius: float
    fill: str
    stroke: str = NONE
    width: float = 0


@dataclass(frozen=True)
class Text:
    """One line.

    Attributes:
        across, down: where its base begins, has its middle or ends.
        text: what it says.
        size: of its letters.
        anchor: which of the three.
        colour: of its letters.
    """

    across: float
    down: float
    text: str
    size: float
    anchor: Literal["start", "middle", "end"] = "start"
    colour: str = INK


@dataclass(eq=False)
class Scene:
    """What is drawn, the first below all others.

    Attributes:
        width, height: in points.
        parts: what it shows.
    """

    width: float
    height: float
    parts: list[Outline | Circle | Text] = field(default_factory=list)

    def add(self, *parts: Outline | Circle | Text) -> None:
        """Draw above all that is there."""
        self.parts.extend(parts)

    def rectangle(self, left: float, top: float, width: float, height: float, fill: str, opacity: float = 1) -> None:
        """Draw one; its lengths may be negative."""
        right, bottom = left + width, top + height
        corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        self.add(Outline([corners], fill=fill, opacity=opacity, closed=True))

    def elements(self, colour: Callable[[str], str]) -> str:
        """The parts as elements of SVG.

        Args:
            colour: what stands for a colour.
        """
        return "".join(_element(part, colour) for part in self.parts if not isinstance(part, Text) or part.text)


def library_drawing(scene: Scene) -> "Drawing":
    """The same as a drawing of the library."""
    # Pages need none of it.
    from matplotlib.figure import Figure as Drawing
    from matplotlib.patches import Circle as LibraryCircle
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path
    from matplotlib.transforms import Affine2D

    drawing = Drawing(figsize=(scene.width / POINTS, scene.height / POINTS), dpi=POINTS, facecolor="none")
    # Points from the upper left corner, as parts of the drawing from its lower left one.
    places = Affine2D().scale(1 / scene.width, -1 / scene.height).translate(0, 1) + drawing.transFigure
    for part in scene.parts:
        match part:
            case Text(across, down, text, size, anchor, colour):
                align = {"start": "left", "middle": "center", "end": "right"}[anchor]
                drawing.text(across, down, text, size=size, ha=align, color=colour, transform=places, parse_math=False)
            case Circle(across, down, radius, fill, stroke, width):
                style = {"facecolor": fill, "edgecolor": stroke, "linewidth": width}
                drawing.add_artist(LibraryCircle((across, down), radius, transform=places, **style))
            case Outline():
                paths = list(map(Path, part.drawable_lines))
                style = {"facecolor": part.fill, "edgecolor": part.stroke, "linewidth": part.width}
                dashes = (0, tuple(length / part.width for length in part.dash)) if part.dash else "solid"
                patch = PathPatch(
                    Path.make_compound_path(*paths), alpha=part.opacity, linestyle=dashes, capstyle="butt", **style
                )
                patch.set_transform(places)
                drawing.add_artist(patch)
    return drawing


def _element(part: Outline | Circle | Text, colour: Callable[[str], str]) -> str:
    match part:
        case Text(across, down, text, size, anchor, ink):
            place = f'x="{_number(across)}" y="{_number(down)}" font-size="{_number(size)}"'
            anchored: dict[str, str] = {"text-anchor": anchor} if anchor != "start" else {}
            return f"<text {place} {_style({**anchored, 'fill': colour(ink)})}>{escape(for_markup(text))}</text>"
        case Circle(across, down, radius, fill, stroke, width):
            place = f'cx="{_number(across)}" cy="{_number(down)}" r="{_number(radius)}"'
            style = {"fill": colour(fill)} | _stroke(colour(stroke), width)
            return f"<circle {place} {_style(style)}/>"
        case Outline():
            corners = _corners(part.drawable_lines, closed=part.closed)
            style = {"fill": colour(part.fill)} | _stroke(colour(part.stroke), part.width)
            style |= {"stroke-dasharray": " ".join(map(_number, part.dash))} if part.dash else {}
            style |= {"opacity": f"{part.opacity:g}"} if part.opacity < 1 else {}
            return f'<path d="{corners}" {_style(style)}/>' if corners else ""


def _stroke(colour: str, width: float) -> dict[str, str]:
    return {} if colour == NONE else {"stroke": colour, "stroke-width": _number(width)}


def _style(properties: dict[str, str]) -> str:
    text = "; ".join(f"{name}: {value}" for name, value in properties.items())
    return f'style="{text}"'


def _corners(lines: Iterable[NDArray[np.float64]], *, closed: bool) -> str:
    ends = " Z" if closed else ""
    return " ".join(
        "M " + " L ".join(f"{_number(across)} {_number(down)}" for across, down in line.tolist()) + ends
        for line in lines
    )


@lru_cache(maxsize=1 << 12)
def _number(length: float) -> str:
    """In as many digits as it has; figures of a page have many lengths in common."""
    text = f"{length:z.{DECIMALS}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
