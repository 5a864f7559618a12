"""Statistics of categories, for regressions: two categories, a category with a number's sign, a product as one bit.

The categories of two attributes are one value, read without rounding.
Guarantee: what is read is a value of a table of both attributes, and bounds on dependence serve it as they serve that
(`audit.answers`): a bound for the combination, never one made of bounds for its parts.

Which category, together with the sign of a number: one value, of which one channel tells all that goes together.

The shares of the categories, the number, and its products with each category's indicator: products of k indicators that
are asked by a bit each would each be told by a k-th of the people.

Guarantee: what is read is about both attributes. A bound on dependence for a category with this number's sign serves it
(`audit.answers`), or that for all other attributes together; none that is about a product of numbers, or about either
part, does.

The product of a category of two with a number, or with another such category, as one bit.

It tells the product alone, with less noise at a small epsilon than a channel that tells its parts as well.

Guarantee: what is read is about both attributes. A bound on dependence for a product of numbers never serves it: of two
categories one for their combination does, of a category and a number one for the category with the number's sign, and
else only those for all other attributes together (`audit.answers`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sordino.domain.moment import Factors, sort_factors
from sordino.domain.scaled import MOST_CATEGORIES, Indicator, categories_of
from sordino.errors import SordinoError
from sordino.exact.coin import WORD
from sordino.exact.messages import checked_class, shown
from sordino.exact.sign import plus_weight, round_to_plus
from sordino.exact.source import Stream
from sordino.query.number import NumberStatistic, point_label, require_places, rounding_of
from sordino.query.reader import Floats, NumberReader, Places, SignReader
from sordino.query.statistic import attribute_list


@checked_class
@dataclass(frozen=True)
class TwoCategories(NumberStatistic):
    """The categories of two attributes together: value v l + w of category v of k and w of l.

    Attributes:
        first: the place of one attribute.
        second: the place of the other one.

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


@checked_class
@dataclass(frozen=True)
class BinaryProduct(NumberStatistic):
    """A category of two, 1 or -1, times a number or another such category, rounded at random to a sign.

    Attributes:
        first: the place of the category.
        second: the place of the number, or of the other category.
        categories: 1 where that is a number, 2 where it is a category.

    Example:
        >>> len(BinaryProduct(0, 1, 1).counted_moments), len(BinaryProduct(0, 1, 2).counted_moments)
        (2, 4)
    """

    name: ClassVar[str] = "binary-product"

    first: int
    second: int
    categories: int

    def __post_init__(self) -> None:
        require_two(self.first, self.second)
        if self.categories not in (1, FEWEST):
            raise SordinoError("one or two of two attributes must have categories", found=shown(self.categories))

    @property
    def places(self) -> tuple[int, int]:
        return self.first, self.second

    @property
    def description(self) -> str:
        category = f"the category of {attribute_list([self.first])}, counted as -1 or 1"
        other = attribute_list([self.second]) if self.categories == 1 else f"that of {attribute_list([self.second])}"
        return f"the product of {category}, and {other}, {rounding_of(2)}"

    @property
    def category_counts(self) -> Mapping[int, int]:
        return dict.fromkeys(self.places[: self.categories], FEWEST)

    @property
    def sign_places(self) -> tuple[int, int] | None:
        """Both, where one is a number: the product's sign is the number's, turned around in one of the categories."""
        return self.places if self.categories == 1 else None

    @property
    def k(self) -> int:
        return 2

    @property
    def counted_moments(self) -> tuple[tuple[Factors, Floats], ...]:
        """The product of each indicator with the number, or with each of the other category."""
        signs = np.array([-1.0, 1.0])
        own = [(Indicator(self.first, v), 2 * v - 1) for v in range(FEWEST)]
        if self.categories == 1:
            return tuple(((self.second, name), sign * signs) for name, sign in own)
        others = [(Indicator(self.second, v), 2 * v - 1) for v in range(FEWEST)]
        return tuple((sort_factors((one, other)), sign * its * signs) for one, sign in own for other, its in others)

    def with_places(self, place: Mapping[int, int]) -> "BinaryProduct":
        return BinaryProduct(place[self.first], place[self.second], self.categories)

    @property
    def kind(self) -> tuple[str, int]:
        return self.name, self.categories

    def reader(self, alike: Sequence[Self]) -> NumberReader:
        first, second = (np.array(places) for places in zip(*(one.places for one in alike), strict=True))
        return _BinaryProductReader(first, second, self.categories)

    def shares(self, records: Floats) -> Floats:
        reader = _BinaryProductReader(np.array([self.first]), np.array([self.second]), self.categories)
        plus = float((1 + reader.products(records, None, None)).mean()) / 2
        return np.array([1 - plus, plus])


@dataclass(frozen=True, eq=False)
class _BinaryProductReader:
    """Products with a category of two, as signs by one word; of the two attributes one or both are categories."""

    first: Places
    second: Places
    categories: int

    def read(self, records: Floats, rows: Places | None, which: Places | None, stream: Stream) -> Places:
        return round_to_plus(self.products(records, rows, which), stream.next()).astype(np.intp)

    def law(self, record: Sequence[float], which: int = 0) -> list[Fraction]:
        chosen = np.array([which])
        product = self.products(np.array([record], dtype=np.float64), np.array([0]), chosen)
        plus = Fraction(plus_weight(float(product[0])), WORD)
        return [1 - plus, plus]

    def products(self, records: Floats, rows: Places | None, which: Places | None) -> Floats:
        """The products themselves, shape (p,)."""
        own = 2.0 * category_at(records, rows, which, self.first, FEWEST) - 1
        if self.categories == FEWEST:
            return own * (2.0 * category_at(records, rows, which, self.second, FEWEST) - 1)
        return own * number_at(records, rows, which, self.second)


FEWEST = 2
"""Categories of an attribute: one tells nothing."""


def category_at(records: Floats, rows: Places | None, which: Places | None, places: Places, count: int) -> Places:
    """The category of each person who was drawn, shape (p,)."""
    return categories_of(number_at(records, rows, which, places), count)


def number_at(records: Floats, rows: Places | None, which: Places | None, places: Places) -> Floats:
    """The number at each person's place, shape (p,)."""
    people = np.arange(len(records)) if rows is None else rows
    chosen: NDArray[np.intp] = places[:1] if which is None else places.take(which)
    return records[people, chosen]


def require_two(one: int, other: int) -> None:
    """Refuse what are no two places."""
    require_places((one, other))
    if one == other:
        raise SordinoError("two attributes must be read together", found=f"place {one} twice")


def require_categories(count: int) -> None:
    """Refuse another number of categories than can be read."""
    if type(count) is not int or not FEWEST <= count <= MOST_CATEGORIES:
        raise SordinoError(f"there must be {FEWEST} to {MOST_CATEGORIES} categories", found=shown(count))
