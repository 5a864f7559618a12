"""A statistic of people of whom no number is missing: of anybody else, one value more says that some number is.

A covariance needs several moments, and those of different people make matrices that no data have: so all statistics of
a question are about the same people, the complete cases. What is read counts as the statistic's moments, where whoever
is no complete case counts as 0, and as whether somebody is one; moments of the complete cases are quotients of these.

Guarantee: what is read is a function of all numbers that may be missing, whatever the statistic is about: it tells of
each of them (`places`), and only bounds on all other attributes together serve it.
Units: numbers scaled to [-1, 1], NaN where they are missing. Cost: the words of the statistic, for everybody alike.

The statistic of a number that may be missing: a point of a grid, or that there is none, as one value more.

Whether a number is missing is a value like any other: what the channel does not tell of any two values, it tells
neither of a number nor of its absence. What is read counts, on average, as two moments: the number, where a missing one
counts as 0, and whether it is given. The mean among those who gave it is the quotient of the first and of their share.

Units: numbers scaled to [-1, 1], NaN where they are missing. Cost: one word a number, missing or not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sordino.domain.moment import Factors, presence
from sordino.domain.scaled import Completeness
from sordino.errors import SordinoError
from sordino.exact.messages import checked_class, shown
from sordino.exact.source import Stream
from sordino.query.number import (
    MOST_POINTS,
    Floats,
    NumberStatistic,
    mean_points,
    point_label,
    require_places,
    rounding_of,
)
from sordino.query.reader import GridReader, NumberReader, OptionalReader, Places
from sordino.query.statistic import attribute_list


@checked_class
@dataclass(frozen=True)
class CompleteCase(NumberStatistic):
    """A statistic where all of some numbers are given; where one is missing, the value after its own ones.

    Attributes:
        statistic: that is read of complete cases.
        needed: places of the numbers that may be missing, in ascending order; it may be about some of them.

    Example:
        >>> from sordino import Number
        >>> age = CompleteCase(Number(0), (0, 1))
        >>> [list(map(float, age.law(record))) for record in ((1.0, 0.5), (1.0, float("nan")))]
        [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """

    name: ClassVar[str] = "complete"

    statistic: NumberStatistic
    needed: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "needed", tuple(self.needed))
        require_places(self.needed)
        if not self.needed or list(self.needed) != sorted(set(self.needed)):
            raise SordinoError("the numbers that may be missing must ascend, each once", found=shown(self.needed))
        if self.statistic.optional or any(place in self.statistic.category_counts for place in self.needed):
            rule = "complete cases are of a statistic of numbers that are there, and of numbers that may be missing"
            raise SordinoError(rule, found=self.statistic.parameters)

    @property
    def places(self) -> tuple[int, ...]:
        own = self.statistic.places
        return *own, *(place for place in self.needed if place not in own)

    @property
    def description(self) -> str:
        return f"{self.statistic.description}, or that one of {attribute_list(self.needed)} is missing"

    def label(self, value: int) -> str:
        return "missing" if value == self.statistic.k else self.statistic.label(value)

    @property
    def optional(self) -> tuple[int, ...]:
        return self.needed

    @property
    def decisive_places(self) -> tuple[int, ...]:
        return self.needed

    @property
    def category_counts(self) -> Mapping[int, int]:
        return self.statistic.category_counts

    @property
    def k(self) -> int:
        return self.statistic.k + 1

    @property
    def complete(self) -> Completeness:
        """Whether somebody is a complete case."""
        return Completeness(self.needed)

    @property
    def counted_moments(self) -> tuple[tuple[Factors, Floats], ...]:
        """The statistic's moments, 0 where a number is missing; and whether none is."""
        own = tuple(((*name, self.complete), np.append(grid, 0.0)) for name, grid in self.statistic.counted_moments)
        return *own, ((self.complete,), np.append(np.ones(self.statistic.k), -1.0))

    @property
    def arguments(self) -> tuple[int, ...]:
        return len(self.needed), *self.needed, *self.statistic.arguments

    @property
    def call(self) -> tuple[str | int, ...]:
        return f"{self.name}-{self.statistic.name}", *self.arguments

    @property
    def parameters(self) -> str:
        return " ".join(map(str, self.call))

    def bends(self, place: int) -> int | None:
        return self.statistic.bends(place) if place in self.statistic.places else 2

    def with_places(self, place: Mapping[int, int]) -> "CompleteCase":
        return CompleteCase(self.statistic.with_places(place), tuple(sorted(place[old] for old in self.needed)))

    @property
    def kind(self) -> tuple[str, int]:
        own, _ = self.statistic.kind
        return f"{self.name} {self.needed} {own}", self.k

    def reader(self, alike: Sequence[Self]) -> NumberReader:
        own = [one.statistic for one in alike]
        return _CompleteReader(own[0].reader(own), self.statistic.k, self.complete)

    def shares(self, records: Floats, complete: float | None = None) -> Floats:
        """The mean law of some records, shape (k,), where a share of the people, by default theirs, is complete."""
        whole = records[self.complete.holds(records)]
        share = len(whole) / len(records) if complete is None else complete
        law = self.statistic.shares(whole) if len(whole) else np.zeros(self.statistic.k)
        return np.append(share * law, 1 - share)


@dataclass(frozen=True, eq=False)
class _CompleteReader:
    """What reads statistics of complete cases: by the same words and steps, whether or not a number is missing."""

    own: NumberReader
    k: int
    complete: Completeness

    def read(self, records: Floats, rows: Places | None, which: Places | None, stream: Stream) -> Places:
        looked_at = records if rows is None else records.take(rows, axis=0)
        missing = ~self.complete.holds(looked_at)
        found = self.own.read(records, rows, which, stream)
        # No branch: how long it takes tells nobody of whom a number is missing.
        found += missing * (self.k - found)
        return found

    def law(self, record: Sequence[float], which: int = 0) -> list[Fraction]:
        if not self.complete.holds(np.array([record], dtype=np.float64))[0]:
            return [Fraction(0)] * self.k + [Fraction(1)]
        return [*self.own.law(record, which), Fraction(0)]


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
