"""Moments of a record of numbers: the numbers themselves and their products by two, each in [-1, 1].

A record has d attributes that stand at 0..d-1; each number is scaled to [-1, 1]. A moment is named by the places of
the attributes that it depends on: (j,) is the number x_j, (j, k) with j < k the product x_j x_k, and (j, j) is
2 x_j^2 - 1, so that it fills [-1, 1]. A number that may be missing is NaN where it is, and counts as 0; whether it is
given is a moment too (`given`), and so is whether an attribute of categories has one of them (`indicator`), which has
products like a number. For the dependence of an attribute of categories (j,) is its category; pairs of them have no
name there, so that nothing known of a product is ever taken for something known of a pair.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.exact.messages.arguments import checked, checked_class
from sordino.exact.messages.brief import Brief, shown

Moment: TypeAlias = tuple[int, ...]
"""The places of the attributes that it depends on: one, or two in ascending order."""


MOST_NUMBERS = 1 << 20
"""Of one record."""


def given(place: int) -> Moment:
    """Whether a number is given: 1, or -1 where it is missing. Its name is the complement of the number's place.

    Example:
        >>> given(0), Moments(1, ((0,), given(0))).values(np.array([[0.5], [np.nan]])).tolist()
        ((-1,), [[0.5, 1.0], [0.0, -1.0]])
    """
    return (~place,)


def indicator(place: int, category: int) -> int:
    """Whether an attribute of categories has one of them, 1 or -1: its name among those of numbers.

    In a record a category is its index over 2^20 (`domain.coded`).

    Example:
        >>> one = indicator(1, 2)
        >>> Moments(2, ((one,), (0, one))).values(np.array([[0.5, 2 / MOST_NUMBERS], [0.5, 0.0]])).tolist()
        [[1.0, 0.5], [-1.0, -0.5]]
    """
    return (category + 1) * MOST_NUMBERS + place


def category_of(name: int) -> int | None:
    """The category of an indicator; None for a number."""
    return name // MOST_NUMBERS - 1 if name >= MOST_NUMBERS else None


@checked_class
@dataclass(frozen=True, repr=False)
class Moments(Brief):
    """Some moments of records of d numbers in [-1, 1].

    Attributes:
        d: how many numbers a record has.
        names: the moments, each once.

    Example:
        >>> Moments(2, ((0,), (0, 1), (1, 1))).values(np.array([[0.5, -1.0]]))
        array([[ 0.5, -0.5,  1. ]])
    """

    d: int
    names: tuple[Moment, ...]

    def __post_init__(self) -> None:
        for name in self.names:
            places = all(j >= 0 and _place(j) < self.d for j in name)
            known = places or (len(name) == 1 and 0 <= ~name[0] < self.d)
            if not (1 <= len(name) <= 2 and known and list(name) == sorted(name)):
                raise SordinoError(
                    f"a moment must be one or two of {self.d} numbers, in ascending order", found=shown(name)
                )
        if not self.names or len(set(self.names)) < len(self.names):
            raise SordinoError("there must be moments, each once", found=f"{len(self.names)}, some twice")

    @classmethod
    @checked
    def first(cls, d: int) -> "Moments":
        """The d numbers themselves."""
        if not 1 <= d <= MOST_NUMBERS:
            raise SordinoError(f"there must be 1 to {MOST_NUMBERS} numbers", found=shown(d))
        return cls(d, tuple((j,) for j in range(d)))

    @property
    def m(self) -> int:
        """How many moments."""
        return len(self.names)

    def values(self, records: NDArray[np.float64]) -> NDArray[np.float64]:
        """All moments of all records, shape (n, m), of records of shape (n, d)."""
        left, right = self._column(records, 0), self._column(records, -1)
        product = np.where(self._singles, left, left * right)
        result: NDArray[np.float64] = np.where(self._squares, 2 * product - 1, product)
        if self._indicators.any():
            there = ~np.isnan(left)
            result = np.where(self._indicators, 2.0 * there - 1, np.where(there, result, 0.0))
        return result

    def _column(self, records: NDArray[np.float64], end: int) -> NDArray[np.float64]:
        """The first number of each moment, or the last one; of an indicator whether the category is that one."""
        names = [name[end] for name in self.names]
        numbers = records[:, [_place(name) for name in names]]
        categories = [category_of(name) for name in names]
        at = [m for m, category in enumerate(categories) if category is not None]
        if at:
            codes = np.array([category for category in categories if category is not None]) / MOST_NUMBERS
            numbers[:, at] = 2.0 * (numbers[:, at] == codes) - 1
        return numbers

    @cached_property
    def _indicators(self) -> NDArray[np.bool_]:
        """Which moments are whether a number is given."""
        return np.array([name[0] < 0 for name in self.names])

    @cached_property
    def _singles(self) -> NDArray[np.bool_]:
        return np.array([len(name) == 1 for name in self.names])

    @cached_property
    def _squares(self) -> NDArray[np.bool_]:
        return np.array([len(name) == 2 and name[0] == name[1] for name in self.names])


def touched(names: Sequence[Moment]) -> frozenset[int]:
    """The places of all attributes that some moments depend on."""
    return frozenset(_place(place) for name in names for place in name)


def _place(name: int) -> int:
    """Of a number, named by its place or by the complement, or of an indicator."""
    return name % MOST_NUMBERS if name >= 0 else ~name
