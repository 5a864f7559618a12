"""Statistics of numbers: each is read as one of finitely many values, rounded to them at random and without bias.

A record is d numbers in [-1, 1]. A number between two points of a grid becomes the upper one with a probability that is
its distance from the lower one, in integers over 2^64; so the mean of what is read is the number, to 2^-52. Two points
are a sign. What a mechanism then tells of the points is certified on the points, and rounding averages over its rows.

Units: numbers scaled to [-1, 1]; records float64 of shape (n, d). Cost: one word and a few look-ups a number.
Source: rounding as in Duchi, Jordan and Wainwright 2018 (two points) and Wang et al. 2019 (several).
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.domain.moment import Factors, Moment, Moments
from sordino.domain.scaled import MOST_PLACES, Completeness, Scaled, read_records
from sordino.errors import SordinoError
from sordino.exact.messages import checked_class, shown
from sordino.exact.source import Stream
from sordino.mechanism.base import Mechanism
from sordino.query.reader import GridReader, NumberReader, SignReader
from sordino.query.statistic import Statistic, attribute_list

MOST_POINTS = 1 << 7

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NumberStatistic(Statistic):
    """A statistic of a record of numbers.

    A query about it takes records as rows of numbers in [-1, 1], of which it reads some.
    """

    name: ClassVar[str]

    @property
    @abstractmethod
    def places(self) -> tuple[int, ...]:
        """Where the numbers stand that it reads: all that it depends on."""

    @property
    def attribute_names(self) -> tuple[str | int, ...]:
        return self.places

    @property
    @abstractmethod
    def k(self) -> int:
        """How many values can be read."""

    @property
    @abstractmethod
    def counted_moments(self) -> tuple[tuple[Factors, Floats], ...]:
        """The moments that it tells, and what each value counts as, shape (k,): its mean is the moment's."""

    @classmethod
    def of(cls, arguments: tuple[int, ...]) -> Self:
        """The statistic of its arguments, as a document may hold them; SordinoError of what makes none."""
        return cls(*arguments)

    @property
    def arguments(self) -> tuple[int, ...]:
        """What it was made of, for documents: its fields, as a rule."""
        return tuple(getattr(self, field.name) for field in fields(self))

    def label(self, value: int) -> str:
        return point_label(value, self.k)

    @abstractmethod
    def with_places(self, place: Mapping[int, int]) -> "NumberStatistic":
        """The same statistic of a record whose numbers stand elsewhere."""

    def reader(self, alike: "Sequence[Self]") -> NumberReader:
        """What reads several statistics of this kind, for whoever was drawn for one of them: a sign for each moment."""
        return SignReader.of([statistic.bits for statistic in alike])

    @property
    def bits(self) -> tuple[Moment, ...]:
        """The moments of numbers that are rounded to a sign each, which together are what is read; else none."""
        return ()

    def bends(self, place: int) -> int | None:
        """Between how many equally spaced points of a number, from -1 to 1, the law of what is read is affine in it.

        None where it is between none; always of each number by itself, whatever the others are.
        """
        del place
        return 2

    @property
    def optional(self) -> tuple[int, ...]:
        """The places of the numbers that may be missing, NaN in the record; of all others a number must be there."""
        return ()

    @property
    def decisive_places(self) -> tuple[int, ...]:
        """The places of numbers of which each, if it is missing, is all that is read, whatever all others are."""
        return ()

    @property
    def category_counts(self) -> Mapping[int, int]:
        """The places at which a category stands, not a number (`domain.scaled`), and how many categories there are."""
        return {}

    @property
    def single_statistics(self) -> "tuple[NumberStatistic, ...]":
        """Itself, or what it reads together, one by one."""
        return (self,)

    @property
    def sign_places(self) -> tuple[int, int] | None:
        """The places of a category and of a number, if what is read is a function of that category and its sign."""
        return None

    def shares(self, records: Floats) -> Floats:
        """The mean law of some records of numbers in [-1, 1], shape (k,), in floats: of signs and of what overrides it.

        Raises:
            SordinoError: several signs together.
        """
        if not self.linear:
            raise SordinoError("the mean law is known of one sign, and of categories", found=self.parameters)
        plus = (1 + float(Moments(records.shape[1], self.bits).values(records).mean())) / 2
        return np.array([1 - plus, plus])

    @property
    def kind(self) -> tuple[str, int]:
        """Statistics of one kind are read together: patterns of as many signs."""
        return "sign", self.k

    @property
    def d(self) -> int:
        """How many numbers a record must have at least."""
        return max(self.places) + 1

    @property
    def linear(self) -> bool:
        """Whether the law of what is read is linear in one moment of numbers: that of its sign is."""
        return len(self.bits) == 1

    @property
    def call(self) -> tuple[str | int, ...]:
        """Its name in documents, and its arguments."""
        return self.name, *self.arguments

    @property
    def parameters(self) -> str:
        return f"{self.name} {' '.join(map(str, self.arguments))}"

    def check_values(self, values: ArrayLike | Scaled, mechanism: Mechanism) -> Floats:
        """The records as float64, shape (n, d); all of them are looked at, unless they were before."""
        self.require_size(mechanism)
        return read_records(values, self.d, self.optional)

    def require_size(self, mechanism: Mechanism) -> None:
        if mechanism.k != self.k:
            raise SordinoError(
                f"the mechanism must take the {self.k} values of its statistic", found=shown(mechanism.k)
            )

    def law(self, record: Sequence[float]) -> list[Fraction]:
        return self._reader.law(record)

    def encode(self, values: NDArray[Any], stream: Stream) -> NDArray[np.intp]:
        return self._reader.read(values, None, None, stream)

    @cached_property
    def _reader(self) -> NumberReader:
        return self.reader((self,))


@checked_class
@dataclass(frozen=True)
class Number(NumberStatistic):
    """The number at a place, rounded at random to one of some points, equally spaced from -1 to 1; a sign by default.

    Example:
        >>> Number(0, points=3).counted_moments[0][1].tolist()
        [-1.0, 0.0, 1.0]
    """

    name: ClassVar[str] = "number"

    place: int
    points: int = 2

    def __post_init__(self) -> None:
        require_places((self.place,))
        if type(self.points) is not int or not 2 <= self.points <= MOST_POINTS:
            raise SordinoError(f"a grid must have 2 to {MOST_POINTS} points", found=shown(self.points))

    @property
    def places(self) -> tuple[int, ...]:
        return (self.place,)

    @property
    def description(self) -> str:
        return f"{attribute_list(self.places)}, {rounding_of(self.points)}"

    @property
    def k(self) -> int:
        return self.points

    @property
    def counted_moments(self) -> tuple[tuple[Factors, Floats], ...]:
        return (((self.place,), np.linspace(-1, 1, self.points)),)

    @property
    def bits(self) -> tuple[Moment, ...]:
        return ((self.place,),) if self.points == 2 else ()

    def bends(self, place: int) -> int:
        del place
        return self.points

    def with_places(self, place: Mapping[int, int]) -> "Number":
        return Number(place[self.place], self.points)

    def shares(self, records: Floats) -> Floats:
        return mean_points(records[:, self.place], self.points)

    @property
    def kind(self) -> tuple[str, int]:
        return super().kind if self.linear else ("grid", self.k)

    def reader(self, alike: Sequence[Self]) -> NumberReader:
        if self.linear:
            return super().reader(alike)
        return GridReader(np.array([statistic.place for statistic in alike]), self.points)


@checked_class
@dataclass(frozen=True)
class Product(NumberStatistic):
    """The product of two numbers, rounded at random to a sign; of a number x with itself, 2 x^2 - 1.

    Attributes:
        first, second: places of the numbers, in ascending order.

    Example:
        >>> Product(0, 2).counted_moments[0][0], Product(1, 1).places
        ((0, 2), (1,))
    """

    name: ClassVar[str] = "product"

    first: int
    second: int

    def __post_init__(self) -> None:
        require_places((self.first, self.second))
        if self.first > self.second:
            raise SordinoError("the places of a product must ascend", found=f"{self.first} and {self.second}")

    @property
    def places(self) -> tuple[int, ...]:
        return (self.first,) if self.first == self.second else (self.first, self.second)

    @property
    def description(self) -> str:
        """The product or the square, and how it is rounded."""
        what = "square" if self.first == self.second else "product"
        return f"the {what} of {attribute_list(self.places)}, {rounding_of(2)}"

    @property
    def k(self) -> int:
        return 2

    @property
    def counted_moments(self) -> tuple[tuple[Factors, Floats], ...]:
        return ((self.bits[0], np.array([-1.0, 1.0])),)

    @property
    def bits(self) -> tuple[Moment, ...]:
        return ((self.first, self.second),)

    def bends(self, place: int) -> int | None:
        """Of a square none: it is 2 x^2 - 1."""
        del place
        return None if self.first == self.second else 2

    def with_places(self, place: Mapping[int, int]) -> "Product":
        return Product(*sorted((place[self.first], place[self.second])))


def statistic_of(moment: Moment) -> Number | Product:
    """The sign that tells a moment.

    Example:
        >>> statistic_of((3,)), statistic_of((0, 1))
        (Number(place=3, points=2), Product(first=0, second=1))
    """
    return Number(moment[0]) if len(moment) == 1 else Product(*moment)


def optional_places(statistics: Sequence[NumberStatistic]) -> frozenset[int]:
    """The places of the numbers that may be missing: those that every statistic reads as such."""
    may = {place for statistic in statistics for place in statistic.optional}
    must = {p for statistic in statistics for p in statistic.places if p not in statistic.optional}
    return frozenset(may - must)


def records_for_key(statistics: Sequence[NumberStatistic], records: Floats) -> Floats:
    """Records as a key draws by them: those that all of some statistics read as missing are one and the same.

    A number of an incomplete case that is corrected would else draw a second report that it is one.
    """
    places = statistics[0].decisive_places
    if not places or any(one.decisive_places != places for one in statistics):
        return records
    # No branch: how long it takes tells nobody of whom a number is missing.
    missing = ~Completeness(places).holds(records)
    return np.where(missing[:, None], np.nan, records)


def require_places(places: Sequence[int]) -> None:
    """Refuse what are no places of numbers in a record."""
    if not all(type(place) is int and 0 <= place < MOST_PLACES for place in places):
        raise SordinoError(f"places must be whole numbers in 0..{MOST_PLACES - 1}", found=shown(tuple(places)))


def rounding_of(points: int) -> str:
    """How a number is read, in words."""
    which = "the lower or the upper end of its range" if points == 2 else f"one of {points} points of its range"
    return f"rounded at random to {which}"


def point_label(value: int, points: int) -> str:
    """What a point of a grid from -1 to 1 is called."""
    return f"{2 * value / (points - 1) - 1:.4g}"


def mean_points(numbers: Floats, points: int) -> Floats:
    """How likely each point of a grid is to be read of some numbers in [-1, 1], on average, shape (points,)."""
    shares = np.zeros(points)
    at = (numbers + 1) * ((points - 1) / 2)
    lower = np.clip(at.astype(np.intp), 0, points - 2)
    np.add.at(shares, lower, lower + 1 - at)
    np.add.at(shares, lower + 1, at - lower)
    return shares / max(len(numbers), 1)


MOST_SIGNS = 12
"""Largest number of read together: they have 2^m values."""


@checked_class
@dataclass(frozen=True)
class Signs(NumberStatistic):
    """Numbers at different places, each rounded at random to a sign by itself; bit c is 1 where sign c is +1.

    Example:
        >>> Signs((1, 0)).k, Signs((1, 0)).counted_moments[0]
        (4, ((1,), array([-1.,  1., -1.,  1.])))
    """

    name: ClassVar[str] = "signs"

    at: tuple[int, ...]

    def __post_init__(self) -> None:
        require_places(self.at)
        if not 1 <= len(self.at) <= MOST_SIGNS or len(set(self.at)) < len(self.at):
            raise SordinoError(f"1 to {MOST_SIGNS} different numbers must be read together", found=shown(self.at))

    @property
    def places(self) -> tuple[int, ...]:
        return self.at

    @property
    def description(self) -> str:
        several = " together, each" if len(self.at) > 1 else ","
        return f"{attribute_list(self.at)}{several} {rounding_of(2)}"

    def label(self, value: int) -> str:
        return f"({', '.join(point_label(value >> c & 1, 2) for c in range(len(self.at)))})"

    @property
    def axes(self) -> tuple[tuple[int, int], ...]:
        """Two values for each number; the first one runs fastest."""
        return tuple((place, 2) for place in self.at[::-1])

    @property
    def k(self) -> int:
        return 1 << len(self.at)

    @property
    def counted_moments(self) -> tuple[tuple[Factors, Floats], ...]:
        patterns = np.arange(self.k)
        return tuple((name, np.where(patterns >> c & 1, 1.0, -1.0)) for c, name in enumerate(self.bits))

    @property
    def bits(self) -> tuple[Moment, ...]:
        return tuple((place,) for place in self.at)

    @property
    def single_statistics(self) -> tuple[NumberStatistic, ...]:
        """The sign of each number."""
        return tuple(map(Number, self.at))

    @property
    def arguments(self) -> tuple[int, ...]:
        return self.at

    @classmethod
    def of(cls, arguments: tuple[int, ...]) -> Self:
        return cls(arguments)

    def with_places(self, place: Mapping[int, int]) -> "Signs":
        return Signs(tuple(place[old] for old in self.at))
