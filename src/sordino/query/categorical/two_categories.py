"""The categories of two attributes as one value, read without rounding.

Guarantee: what is read is a value of a table of both attributes, and bounds on dependence serve it as they serve that
(`audit.answers`): a bound for the combination, never one made of bounds for its parts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from sordino.domain.coded import Indicator, categories_of
from sordino.domain.moment import Factors, sort_factors
from sordino.exact.messages.arguments import checked_class
from sordino.exact.source import Stream
from sordino.query.categorical.read_places import category_at, require_categories, require_two
from sordino.query.number import NumberStatistic
from sordino.query.reader import Floats, NumberReader, Places
from sordino.query.statistic import attribute_list


@checked_class
@dataclass(frozen=True)
class TwoCategories(NumberStatistic):
    """The categories of two attributes together: value v l + w of category v of k and w of l.

    Attributes:
        first: the place of one attribute.
        categories: how many it has.
        second: the place of the other one.
        others: how many that one has.

    Example:
        >>> TwoCategories(0, 2, 1, 3).k
        6
    """

    name: ClassVar[str] = "two-categories"

    first: int
    categories: int
    second: int
    others: int

    def __post_init__(self) -> None:
        require_two(self.first, self.second)
        require_categories(self.categories)
        require_categories(self.others)

    @property
    def places(self) -> tuple[int, ...]:
        return self.first, self.second

    @property
    def description(self) -> str:
        return f"the categories of {attribute_list(self.places)} together"

    def label(self, value: int) -> str:
        return f"categories {value // self.others} and {value % self.others}"

    @property
    def axes(self) -> tuple[tuple[int, int], ...]:
        return (self.first, self.categories), (self.second, self.others)

    @property
    def category_counts(self) -> Mapping[int, int]:
        return {self.first: self.categories, self.second: self.others}

    @property
    def k(self) -> int:
        return self.categories * self.others

    @property
    def counted_moments(self) -> tuple[tuple[Factors, Floats], ...]:
        """The indicators of both, and the product of each two."""
        values = np.divmod(np.arange(self.k), self.others)
        inside = [
            [(Indicator(place, v), 2.0 * (own == v) - 1) for v in range(count)]
            for (place, count), own in zip(self.category_counts.items(), values, strict=True)
        ]
        alone: list[tuple[Factors, Floats]] = [((name,), own) for each in inside for name, own in each]
        products = [(sort_factors((one, other)), own * its) for one, own in inside[0] for other, its in inside[1]]
        return (*alone, *products)

    def with_places(self, place: Mapping[int, int]) -> "TwoCategories":
        return TwoCategories(place[self.first], self.categories, place[self.second], self.others)

    @property
    def kind(self) -> tuple[str, int]:
        return f"{self.name} {self.others}", self.k

    def reader(self, alike: Sequence[Self]) -> NumberReader:
        first, second = (np.array(places) for places in zip(*(one.places for one in alike), strict=True))
        return _TwoCategoriesReader(first, self.categories, second, self.others)

    def shares(self, records: Floats) -> Floats:
        first, second = (categories_of(records[:, place], count) for place, count in self.category_counts.items())
        return np.bincount(first * self.others + second, minlength=self.k) / len(records)


@dataclass(frozen=True, eq=False)
class _TwoCategoriesReader:
    """Two categories, without a word."""

    first: Places
    categories: int
    second: Places
    others: int

    def read(self, records: Floats, rows: Places | None, which: Places | None, stream: Stream) -> Places:
        del stream
        own = category_at(records, rows, which, self.first, self.categories)
        return own * self.others + category_at(records, rows, which, self.second, self.others)

    def law(self, record: Sequence[float], which: int = 0) -> list[Fraction]:
        pair = (self.first[which], self.categories), (self.second[which], self.others)
        own, other = (int(categories_of(np.array([record[place]]), count)[0]) for place, count in pair)
        law = [Fraction(0)] * (self.categories * self.others)
        law[own * self.others + other] = Fraction(1)
        return law
