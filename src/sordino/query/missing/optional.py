"""The statistic of a number that may be missing: a point of a grid, or that there is none, as one value more.

Whether a number is missing is a value like any other: what the channel does not tell of any two values, it tells
neither of a number nor of its absence. What is read counts, on average, as two moments: the number, where a missing one
counts as 0, and whether it is given. The mean among those who gave it is the quotient of the first and of their share.

Units: numbers scaled to [-1, 1], NaN where they are missing. Cost: one word a number, missing or not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sordino.domain.moment import Factors, presence
from sordino.errors import SordinoError
from sordino.exact.messages.arguments import checked_class
from sordino.exact.messages.brief import shown
from sordino.query.number import (
    MOST_POINTS,
    Floats,
    NumberStatistic,
    mean_points,
    point_label,
    require_places,
    rounding_of,
)
from sordino.query.reader import GridReader, OptionalReader
from sordino.query.statistic import attribute_list


@checked_class
@dataclass(frozen=True)
class OptionalNumber(NumberStatistic):
    """One number, rounded at random to one of equally spaced points from -1 to 1, or missing.

    Attributes:
        place: of the number in the record.
        points: of the grid; the value after them says that the number is missing.

    Example:
        >>> income = OptionalNumber(0, points=3)
        >>> [list(map(float, income.law([number]))) for number in (0.5, float("nan"))]
        [[0.0, 0.5, 0.5, 0.0], [0.0, 0.0, 0.0, 1.0]]
    """

    name: ClassVar[str] = "optional"

    place: int
    points: int = 2

    def __post_init__(self) -> None:
        require_places((self.place,))
        if type(self.points) is not int or not 2 <= self.points < MOST_POINTS:
            raise SordinoError(f"a grid must have 2 to {MOST_POINTS - 1} points", found=shown(self.points))

    @property
    def places(self) -> tuple[int, ...]:
        return (self.place,)

    @property
    def description(self) -> str:
        return f"{attribute_list(self.places)}, {rounding_of(self.points)}, or that it is missing"

    def label(self, value: int) -> str:
        return "missing" if value == self.points else point_label(value, self.points)

    @property
    def optional(self) -> tuple[int, ...]:
        return (self.place,)

    @property
    def k(self) -> int:
        return self.points + 1

    @property
    def counted_moments(self) -> tuple[tuple[Factors, Floats], ...]:
        """The number, where a missing one counts as 0; and whether it is given."""
        numbers = np.append(np.linspace(-1, 1, self.points), 0.0)
        return ((self.place,), numbers), (presence(self.place), np.append(np.ones(self.points), -1.0))

    def bends(self, place: int) -> int:
        del place
        return self.points

    def with_places(self, place: Mapping[int, int]) -> "OptionalNumber":
        return OptionalNumber(place[self.place], self.points)

    @property
    def kind(self) -> tuple[str, int]:
        return "optional", self.k

    def reader(self, alike: Sequence[Self]) -> OptionalReader:
        return OptionalReader(GridReader(np.array([statistic.place for statistic in alike]), self.points))

    def shares(self, numbers: NDArray[np.float64], missing: float | None = None) -> Floats:
        """The mean law of some numbers, shape (k,), where a share of the people, by default theirs, lacks one, NaN."""
        there = numbers[~np.isnan(numbers)]
        absent = 1 - len(there) / len(numbers) if missing is None else missing
        return np.append(mean_points(there, self.points) * (1 - absent), absent)
