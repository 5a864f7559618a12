"""Which category, together with the sign of a number: one value, of which one channel tells all that goes together.

The shares of the categories, the number, and its products with each category's indicator: products of k indicators that
are asked by a bit each would each be told by a k-th of the people.

Guarantee: what is read is about both attributes. A bound on dependence for a category with this number's sign serves it
(`audit.answers`), or that for all other attributes together; none that is about a product of numbers, or about either
part, does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from sordino.domain.coded import Indicator, categories_of
from sordino.domain.moment import Factors
from sordino.exact.messages.arguments import checked_class
from sordino.exact.source import Stream
from sordino.query.categorical.read_places import category_at, require_categories, require_two
from sordino.query.number import NumberStatistic, point_label, rounding_of
from sordino.query.reader import Floats, NumberReader, Places, SignReader
from sordino.query.statistic import attribute_list


@checked_class
@dataclass(frozen=True)
class CategoryAndSign(NumberStatistic):
    """Which category, and a number rounded at random to a sign: value 2 v + 1 where category v comes with a +.

    Attributes:
        place: of the category in the record.
        categories: how many there are.
        number: the place of the number.

    Example:
        >>> both = CategoryAndSign(0, 3, 1)
        >>> both.k, both.places, len(both.counted_moments)
        (6, (0, 1), 7)
    """

    name: ClassVar[str] = "category-sign"

    place: int
    categories: int
    number: int

    def __post_init__(self) -> None:
        require_two(self.place, self.number)
        require_categories(self.categories)

    @property
    def places(self) -> tuple[int, ...]:
        return self.place, self.number

    @property
    def description(self) -> str:
        category, number = attribute_list([self.place]), attribute_list([self.number])
        return f"the category of {category} and {number}, {rounding_of(2)}, together"

    def label(self, value: int) -> str:
        return f"category {value // 2} and {point_label(value % 2, 2)}"

    @property
    def axes(self) -> tuple[tuple[int, int], ...]:
        return (self.place, self.categories), (self.number, 2)

    @property
    def category_counts(self) -> Mapping[int, int]:
        return {self.place: self.categories}

    @property
    def sign_places(self) -> tuple[int, int]:
        return self.place, self.number

    @property
    def k(self) -> int:
        return 2 * self.categories

    @property
    def counted_moments(self) -> tuple[tuple[Factors, Floats], ...]:
        """Each category's indicator, the number, and their products."""
        category, sign = np.divmod(np.arange(self.k), 2)
        signs = 2.0 * sign - 1
        inside = [(Indicator(self.place, v), 2.0 * (category == v) - 1) for v in range(self.categories)]
        alone: list[tuple[Factors, Floats]] = [((name,), own) for name, own in inside]
        return (*alone, ((self.number,), signs), *(((self.number, name), signs * own) for name, own in inside))

    def with_places(self, place: Mapping[int, int]) -> "CategoryAndSign":
        return CategoryAndSign(place[self.place], self.categories, place[self.number])

    @property
    def kind(self) -> tuple[str, int]:
        return self.name, self.k

    def reader(self, alike: Sequence[Self]) -> NumberReader:
        signs = SignReader.of([[(one.number,)] for one in alike])
        return _CategoryAndSignReader(np.array([one.place for one in alike]), self.categories, signs)

    def shares(self, records: Floats) -> Floats:
        category = categories_of(records[:, self.place], self.categories)
        plus = np.bincount(category, (1 + records[:, self.number]) / 2, self.categories)
        minus = np.bincount(category, (1 - records[:, self.number]) / 2, self.categories)
        return np.stack([minus, plus], axis=1).reshape(-1) / len(records)


@dataclass(frozen=True, eq=False)
class _CategoryAndSignReader:
    """A category, and a sign by one word."""

    place: Places
    categories: int
    signs: SignReader

    def read(self, records: Floats, rows: Places | None, which: Places | None, stream: Stream) -> Places:
        own = category_at(records, rows, which, self.place, self.categories)
        return 2 * own + self.signs.read(records, rows, which, stream)

    def law(self, record: Sequence[float], which: int = 0) -> list[Fraction]:
        law = [Fraction(0)] * (2 * self.categories)
        own = int(categories_of(np.array([record[self.place[which]]]), self.categories)[0])
        law[2 * own : 2 * own + 2] = self.signs.law(record, which)
        return law
