"""Moments of a record of numbers: the numbers themselves and their products by two, each in [-1, 1].

A record has d attributes that stand at 0..d-1; each number is scaled to [-1, 1]. A moment is named by the places of
the attributes that it depends on: (j,) is the number x_j, (j, k) with j < k the product x_j x_k, and (j, j) is
2 x_j^2 - 1, so that it fills [-1, 1]. A number that may be missing is NaN where it is, and counts as 0; whether it is
given is a moment too, and so is whether an attribute of categories has one of them: an `Indicator` stands there in a
number's place. A moment of complete cases ends with a `Completeness`: it is 0 of whoever lacks one of those numbers.
For the dependence of an attribute of categories (j,) is its category; pairs of them have no name there, so that nothing
known of a product is ever taken for something known of a pair.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.domain.scaled import MOST_PLACES, Completeness, Indicator
from sordino.errors import SordinoError
from sordino.exact.messages import Brief, checked, checked_class, shown

Factor: TypeAlias = int | Indicator | Completeness
"""What moments are products of: a number, by its place in the record, an indicator, or completeness."""

Moment: TypeAlias = tuple[int, ...]
"""Of numbers: the places of those that it depends on, one, or two in ascending order."""

Factors: TypeAlias = tuple[Factor, ...]
"""Of any moment: numbers, as above, and indicators, as `sort_factors` orders them; then completeness if it has one."""


def presence(place: int) -> tuple[Indicator]:
    """The moment that tells whether a number is given: 1, or -1 where it is missing.

    Example:
        >>> Moments(1, ((0,), presence(0))).values(np.array([[0.5], [np.nan]])).tolist()
        [[0.5, 1.0], [0.0, -1.0]]
    """
    return (Indicator(place),)


def places_of(factor: Factor) -> tuple[int, ...]:
    """The places in the record that it depends on."""
    if isinstance(factor, Completeness):
        return factor.places
    return (factor.place,) if isinstance(factor, Indicator) else (factor,)


def place_of(factor: Factor) -> int:
    """The place of its attribute in the record; of several the first."""
    return places_of(factor)[0]


def sort_factors(factors: Iterable[Factor]) -> tuple[Factor, ...]:
    """The name of a product: numbers by their places, then indicators by theirs.

    Example:
        >>> sort_factors((Indicator(0, 1), 2)), sort_factors((3, 2))
        ((2, Indicator(place=0, category=1)), (2, 3))
    """
    return tuple(sorted(factors, key=_order))


def all_places(names: Iterable[Collection[Factor]]) -> frozenset[int]:
    """The places of all attributes that some moments depend on."""
    return frozenset(place for name in names for factor in name for place in places_of(factor))


@checked_class
@dataclass(frozen=True, repr=False)
class Moments(Brief):
    """Some moments, each once, of records of d numbers in [-1, 1].

    Example:
        >>> Moments(2, ((0,), (0, 1), (1, 1))).values(np.array([[0.5, -1.0]]))
        array([[ 0.5, -0.5,  1. ]])
    """

    d: int
    names: tuple[Factors, ...]

    def __post_init__(self) -> None:
        for name in self.names:
            known = all(0 <= place < self.d for place in all_places((name,)))
            plain = name[:-1] if name and isinstance(name[-1], Completeness) else name
            several = any(isinstance(factor, Completeness) for factor in plain)
            if several or not (len(plain) <= 2 and name and known and plain == sort_factors(plain)):
                raise SordinoError(
                    f"a moment must be one or two of {self.d} numbers, in ascending order", found=shown(name)
                )
        if not self.names or len(set(self.names)) < len(self.names):
            raise SordinoError("there must be moments, each once", found=f"{len(self.names)}, some twice")

    @classmethod
    @checked
    def first(cls, d: int) -> "Moments":
        """The d numbers themselves."""
        if not 1 <= d <= MOST_PLACES:
            raise SordinoError(f"there must be 1 to {MOST_PLACES} numbers", found=shown(d))
        return cls(d, tuple((j,) for j in range(d)))

    @property
    def m(self) -> int:
        return len(self.names)

    def values(self, records: NDArray[np.float64]) -> NDArray[np.float64]:
        """All moments of all records, shape (n, m), of records of shape (n, d)."""
        if any(isinstance(name[-1], Completeness) for name in self.names):
            return np.column_stack([self._with_completeness(name, records) for name in self.names])
        left, right = self._column(records, 0), self._column(records, -1)
        product = np.where(self._singles, left, left * right)
        result: NDArray[np.float64] = np.where(self._squares, 2 * product - 1, product)
        return np.nan_to_num(result) if self._optional else result

    def _with_completeness(self, name: Factors, records: NDArray[np.float64]) -> NDArray[np.float64]:
        """One moment of all records, shape (n,)."""
        *plain, last = name
        if not isinstance(last, Completeness):
            return Moments(self.d, (name,)).values(records)[:, 0]
        holds = last.holds(records)
        if not plain:
            return np.where(holds, 1.0, -1.0)
        found = Moments(self.d, (tuple(plain),)).values(records)[:, 0]
        found[~holds] = 0.0
        return found

    def _column(self, records: NDArray[np.float64], end: int) -> NDArray[np.float64]:
        """The first factor of each moment, or the last one."""
        factors = [name[end] for name in self.names]
        column = records[:, [place_of(factor) for factor in factors]]
        for m, factor in enumerate(factors):
            if isinstance(factor, Indicator):
                column[:, m] = factor.values(column[:, m])
        return column

    @cached_property
    def _optional(self) -> bool:
        """Whether a number may be missing, which then counts as 0."""
        factors = (factor for name in self.names for factor in name)
        return any(isinstance(factor, Indicator) and factor.category is None for factor in factors)

    @cached_property
    def _singles(self) -> NDArray[np.bool_]:
        return np.array([len(name) == 1 for name in self.names])

    @cached_property
    def _squares(self) -> NDArray[np.bool_]:
        return np.array([len(name) == 2 and name[0] == name[1] for name in self.names])


def _order(factor: Factor) -> tuple[bool, int, int]:
    category = factor.category if isinstance(factor, Indicator) else None
    return not isinstance(factor, int), place_of(factor), -1 if category is None else category
