"""What the signs of a drawing mean: a line for each at its upper edge. Lengths are points."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sordino.show.html.figures.colours import GROUND
from sordino.show.html.figures.scenes.scene import MIDDLE, Circle, Outline, Scene, Text

LINE = 1.7
"""From one line of a legend to the next, in its letters."""
ABOVE = 1.2
"""The space below it, in its letters."""
FIRST, LAST, TEXT = 0.4, 2.4, 3.0
"""Where a sign begins and ends and its text begins, in letters."""


@dataclass(frozen=True)
class Mark:
    """A dot, or a square on its corner.

    Attributes:
        shape: which of them.
        size: its width, or the sides of the square.
        fill, edge: its colours.
        thick: its edge.
    """

    shape: Literal["dot", "diamond"]
    size: float
    fill: str
    edge: str = GROUND
    thick: float = 1.0

    def draw(self, scene: Scene, across: NDArray[np.float64], down: NDArray[np.float64]) -> None:
        """One at each place that there is."""
        for x, y in zip(across.tolist(), down.tolist(), strict=True):
            if not np.isfinite(x + y):
                continue
            if self.shape == "dot":
                scene.add(Circle(x, y, self.size / 2, self.fill, self.edge if self.thick else "none", self.thick))
            else:
                half = self.size / 2**0.5
                corners = [(x - half, y), (x, y - half), (x + half, y), (x, y + half)]
                edge = (self.edge, self.thick) if self.thick else ("none", 0.0)
                scene.add(Outline([corners], *edge, self.fill, closed=True))


@dataclass(frozen=True)
class Stroke:
    """A line.

    Attributes:
        colour, thick: of the line.
        opacity: of the line.
        dash: lengths of what is drawn and left out, in turn; none of a whole line.
    """

    colour: str
    thick: float
    opacity: float = 1
    dash: tuple[float, ...] = ()


@dataclass(frozen=True)
class Sign:
    """What a line, a mark or a mark on a line means.

    Attributes:
        text: what it means.
        stroke: the line.
    """

    text: str
    stroke: Stroke | None = None
    mark: Mark | None = None


def legend_height(size: float, lines: int) -> float:
    """What a legend of so many lines takes, with the space below it."""
    return size * (LINE * lines + ABOVE)


def legend(scene: Scene, size: float, signs: Sequence[Sign]) -> None:
    """At the scene's upper edge what its signs mean, a line for each."""
    for number, sign in enumerate(signs):
        down = size * LINE * (number + 0.5)
        if (line := sign.stroke) is not None:
            ends = [(FIRST * size, down), (LAST * size, down)]
            scene.add(Outline([ends], line.colour, line.thick, opacity=line.opacity, dash=line.dash))
        if sign.mark is not None:
            sign.mark.draw(scene, np.array([(FIRST + LAST) / 2 * size]), np.array([down]))
        scene.add(Text(TEXT * size, down + MIDDLE * size, sign.text, size))
