"""The product of a category of two with a number, or with another such category, as one bit.

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

from sordino.domain.coded import Indicator
from sordino.domain.moment import Factors, sort_factors
from sordino.errors import SordinoError
from sordino.exact.coin import WORD
from sordino.exact.messages.arguments import checked_class
from sordino.exact.messages.brief import shown
from sordino.exact.sign import plus_weight, round_to_plus
from sordino.exact.source import Stream
from sordino.query.categorical.read_places import FEWEST, category_at, number_at, require_two
from sordino.query.number import NumberStatistic, rounding_of
from sordino.query.reader import Floats, NumberReader, Places
from sordino.query.statistic import attribute_list


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
