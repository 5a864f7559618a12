"""A part of a scene in which numbers have places: its guide lines, and the numbers beside it. Lengths are points."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.domain.calendar import first_day
from sordino.show.html.figures.axes import LETTER, STEPS
from sordino.show.html.figures.colours import INK, RULE
from sordino.show.html.figures.lettering import MINUS
from sordino.show.html.figures.scenes.scene import MIDDLE, Outline, Scene, Text

YEAR = 365.2425
"""Days."""

YEARS, FEW_YEARS = (1, 9999), 2
"""That dates can have; so many are no scale."""

TICK, PAD = 3.5, 7
"""The length of a mark at an edge, and from the edge to its text."""
EDGE, GUIDE = 0.8, 1.0
"""The thickness of an edge and of a guide line."""
DIGIT, LINE = 0.76, 1.4
"""The height of a digit, and from one line of text to the next, in letters."""
APART = 1
"""Letters between two texts."""
FINEST = 1e-6
"""What an axis reaches at least, as a part of the only number that it has."""
ROUNDING = 1e-9
"""A part of the axis by which a number may lie beyond its end."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Plane:
    """A rectangle of a scene with numbers across and upward; what lies beyond is drawn at its edge.

    Attributes:
        scene: that it is a part of.
        left, top, width, height: where it stands.
        across: the numbers at its left and right edges.
        upward: those at its lower and upper edges.
    """

    scene: Scene
    left: float
    top: float
    width: float
    height: float
    across: tuple[float, float]
    upward: tuple[float, float]

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.top + self.height

    def x(self, numbers: Floats | Sequence[float]) -> Floats:
        """Where numbers lie from the scene's left edge."""
        first, last = self.across
        return self.left + self.width * (np.clip(numbers, first, last) - first) / (last - first)

    def y(self, numbers: Floats | Sequence[float]) -> Floats:
        """Where numbers lie from the scene's upper edge."""
        first, last = self.upward
        return self.bottom - self.height * (np.clip(numbers, first, last) - first) / (last - first)

    def guides_upright(self, numbers: Sequence[float]) -> None:
        """Guide lines from the lower to the upper edge."""
        lines = [[(place, self.top), (place, self.bottom)] for place in self.x(numbers).tolist()]
        self.scene.add(Outline(lines, RULE, GUIDE))

    def guides_level(self, numbers: Sequence[float]) -> None:
        """Guide lines from the left to the right edge."""
        right = self.left + self.width
        lines = [[(self.left, place), (right, place)] for place in self.y(numbers).tolist()]
        self.scene.add(Outline(lines, RULE, GUIDE))

    def axis_below(self, numbers: Sequence[float], texts: Sequence[str], size: float, lines: Sequence[str]) -> None:
        """The lower edge with marks and texts at some numbers, and lines that say what they are."""
        places, bottom = self.x(numbers).tolist(), self.bottom
        edge = [(self.left, bottom), (self.left + self.width, bottom)]
        marks = [[(place, bottom), (place, bottom + TICK)] for place in places]
        self.scene.add(Outline([edge, *marks], RULE, EDGE))
        base = bottom + PAD + DIGIT * size
        self.scene.add(
            *(Text(place, base, text, size, "middle") for place, text in zip(places, texts, strict=True)),
            *(
                Text(self.left + self.width / 2, base + LINE * size * number, line, size, "middle")
                for number, line in enumerate(lines, start=min(1, len(places)))
            ),
        )

    def axis_left(self, numbers: Sequence[float], texts: Sequence[str], size: float) -> None:
        """The left edge with marks and texts at some numbers."""
        places, left = self.y(numbers).tolist(), self.left
        edge = [(left, self.top), (left, self.bottom)]
        self.scene.add(Outline([edge, *([(left - TICK, place), (left, place)] for place in places)], RULE, EDGE))
        self.scene.add(
            *(
                Text(left - PAD, place + MIDDLE * size, text, size, "end")
                for place, text in zip(places, texts, strict=True)
            )
        )


def ticks(ends: tuple[float, float], most: int, *, integer: bool = False) -> list[float]:
    """Round numbers between two, at most so many and one."""
    from matplotlib.ticker import MaxNLocator

    low, high = ends
    room = ROUNDING * (high - low)
    found = MaxNLocator(most, steps=None if integer else STEPS, integer=integer).tick_values(low, high)
    return [float(number) for number in found if low - room <= number <= high + room]


def date_ticks(ends: tuple[float, float], most: int) -> list[float]:
    """First days of round years between two days; where these are few, round numbers of days."""
    low, high = ends
    years = ticks((1970 + low / YEAR, 1970 + high / YEAR), most, integer=True)
    days = [float(first_day(int(year))) for year in years if YEARS[0] <= year <= YEARS[1]]
    found = [day for day in days if low <= day <= high]
    return found if len(found) > FEW_YEARS else ticks(ends, most, integer=True)


def ticks_below(
    plane: Plane,
    most: int,
    size: float,
    written: Callable[[float], str],
    *,
    integer: bool = False,
    dates: bool = False,
) -> list[float]:
    """Round numbers across a plane, at most so many and one, whose texts have room beside each other."""
    for few in range(most, 0, -1):
        found = date_ticks(plane.across, few) if dates else ticks(plane.across, few, integer=integer)
        if sum(len(written(number)) + APART for number in found) * LETTER * size <= plane.width:
            break
    return found


def with_room(columns: Sequence[Floats], room: float, *, base: float | None = None) -> tuple[float, float]:
    """The least and the largest finite number, and a part of their distance beyond either.

    Args:
        columns: the numbers.
        room: the part.
        base: a number that lies between, beyond which there is room only where numbers are; none where it is None.
    """
    numbers = np.concatenate([np.ravel(column) for column in columns])
    numbers = numbers[np.isfinite(numbers)]
    numbers = numbers if base is None else np.append(numbers, base)
    low, high = (float(numbers.min()), float(numbers.max())) if numbers.size else (0.0, 1.0)
    if low == high:
        # As far as is seen beside the number itself.
        least = max(1.0, FINEST * abs(low))
        return (low - least, high + least) if base is None else (low, high + least)
    apart = room * (high - low)
    return low - apart * (low != base), high + apart * (high != base)


def plain_number(digits: int) -> Callable[[float], str]:
    """How a number is written in so many digits."""
    return lambda number: f"{number:z.{digits}g}".replace("-", MINUS)


def level_line(plane: Plane, number: float) -> None:
    """A line across the plane at a number."""
    (place,) = plane.y([number]).tolist()
    plane.scene.add(Outline([[(plane.left, place), (plane.left + plane.width, place)]], INK, GUIDE))
