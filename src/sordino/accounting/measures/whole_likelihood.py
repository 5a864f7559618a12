"""The likelihood of all answers about a record in whole numbers, as a product of tables over the attributes touched.

It decides where floats cannot: whether a level is exactly at its bound. None wherever a table would be too large.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.evidence.elimination import Table, best_sum, combined

LARGEST_WHOLE = 1 << 12
"""Entries of a table of whole numbers at most: milliseconds."""


@dataclass(frozen=True, eq=False)
class WholeFactors:
    """Tables of whole numbers; their product is proportional to the likelihood.

    Attributes:
        tables: by their places.
    """

    tables: dict[tuple[int, ...], NDArray[np.object_]]

    @classmethod
    def of(cls, reports: Iterable[Table]) -> "WholeFactors":
        """The product of the tables of all reports."""
        tables: dict[tuple[int, ...], Any] = {}
        for places, weights in reports:
            tables[places] = tables[places] * weights if places in tables else weights
        return cls(tables)

    def ratio(self, place: int | None) -> Fraction | None:
        """The largest ratio of the likelihoods of two records; None where it is infinite or too much to work out.

        Args:
            place: the one attribute in which they may differ; None for any two records.
        """
        if not self.tables:
            return Fraction(1)
        return self._record if place is None else self._attribute(place)

    @cached_property
    def _record(self) -> Fraction | None:
        tables = list(self.tables.items())
        most, least = (best_sum(tables, side, limit=LARGEST_WHOLE, products=True) for side in ("max", "min"))
        if not (most.exact and least.exact) or not least.value:
            return None
        return Fraction(most.value, least.value)

    def _attribute(self, place: int) -> Fraction | None:
        touching = [table for table in self.tables.items() if place in table[0]]
        sizes = {p: size for places, array in touching for p, size in zip(places, array.shape, strict=True)}
        if not touching or prod(sizes.values()) > LARGEST_WHOLE or len(sizes) > 30:
            return None if touching else Fraction(1)
        scope, product = combined(touching, np.multiply)
        axis = scope.index(place)
        heavy, light = product.max(axis=axis), product.min(axis=axis)
        best = Fraction(1)
        for most, least in zip(np.ravel(heavy).tolist(), np.ravel(light).tolist(), strict=True):
            if most and not least:
                return None
            if most:
                best = max(best, Fraction(most, least))
        return best
