"""The likelihood of all answers about a record exactly, as a product of tables over the attributes touched.

It decides where floats cannot: whether a level is exactly at its bound. Tables hold how often each weight was told, not
products of weights: counts add, however many answers there are, and the largest and the least product are found by
comparing counts. None wherever a table would be too large.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from sordino.evidence.counted import CountedEvidence
from sordino.evidence.elimination import LARGEST_AXES, Table, both_ends, combine_tables, fits
from sordino.exact.powers import ProductOrder

LARGEST_WHOLE = 1 << 12
"""Entries of a sum of tables at most, with a count of each weight for each: milliseconds."""

Places = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class WholeFactors:
    """Counts of weights by the attributes asked of; the product of what they stand for is the likelihood.

    Attributes:
        counts: of the answers to questions about the same attributes, over all values of these.
        possible: which values can cause the answers, an axis for each attribute.
    """

    counts: Mapping[Places, CountedEvidence] = field(default_factory=dict)
    possible: Mapping[Places, NDArray[np.bool_]] = field(default_factory=dict)

    def plus(self, places: Places, distinct: tuple[int, ...], place: NDArray[np.integer]) -> "WholeFactors":
        """With one more answer.

        Args:
            places: the attributes asked of, ascending.
            distinct: the answer's whole weights, ascending; values of weight 0 cannot cause it.
            place: which of them each way that the attributes can be has, an axis for each attribute.
        """
        can = place >= (not distinct[0])
        before = self.counts.get(places, CountedEvidence(place.size))
        counts = before.plus(distinct, place.ravel())
        possible = can & self.possible.get(places, np.True_)
        return WholeFactors({**self.counts, places: counts}, {**self.possible, places: possible})

    def powers(self, place: int | None) -> Mapping[int, int] | None:
        """The largest ratio of the likelihoods of two records as whole numbers and their exponents.

        None where the ratio is infinite or too much to work out.

        Args:
            place: the one attribute in which they may differ; None for any two records.
        """
        return self._record if place is None else self._attribute(place)

    def ratio(self, place: int | None) -> Fraction | None:
        """The same as a fraction."""
        powers = self.powers(place)
        if powers is None:
            return None
        above, below = (prod(base ** max(sign * power, 0) for base, power in powers.items()) for sign in (1, -1))
        return Fraction(above, below)

    @cached_property
    def _record(self) -> Mapping[int, int] | None:
        # Where some records cannot have caused the answers, the ratio is infinite.
        sizes = {(*places, self._last): (*can.shape, len(self._order.ratios)) for places, can in self.possible.items()}
        if not all(can.all() for can in self.possible.values()) or not fits(sizes, (self._last,), self._limit):
            return None
        (_, most, least), exact = both_ends(self._tables, (self._last,), self._order.most, limit=self._limit)
        return self._powers(most - least) if exact else None

    def _attribute(self, place: int) -> Mapping[int, int] | None:
        touching = [table for table in self._tables if place in table[0][:-1]]
        if not touching:
            return {}
        sizes = {p: size for places, array in touching for p, size in zip(places, array.shape, strict=True)}
        if prod(sizes.values()) > self._limit or len(sizes) > LARGEST_AXES:
            return None
        scope, counts = combine_tables(touching)
        told = [(places, can) for places, can in self.possible.items() if place in places]
        _, can = combine_tables(told, np.logical_and)
        axis, length = scope.index(place), len(self._order.ratios)
        # Where the rest makes the answers impossible whatever the attribute is, nothing is compared.
        some, all_ = (np.ravel(which(can, axis=axis)) for which in (np.any, np.all))
        if (some & ~all_).any():
            return None
        ends = [best(counts, axis=axis).reshape(len(some), length) for best in (self._order.most, self._order.least)]
        gaps = (ends[0] - ends[1])[some]
        return self._powers(self._order.most(gaps, axis=0)) if len(gaps) else {}

    @cached_property
    def _kinds(self) -> list[tuple[int, ...]]:
        """The weights of all answers, by answers of one kind."""
        return list({weights: None for counted in self.counts.values() for weights in counted.counts})

    @cached_property
    def _order(self) -> ProductOrder:
        return ProductOrder([Fraction(weight, weights[0]) for weights in self._kinds for weight in weights[1:]])

    @cached_property
    def _last(self) -> int:
        """Of the axis of the weights."""
        return max((place for places in self.counts for place in places), default=-1) + 1

    @property
    def _limit(self) -> int:
        return LARGEST_WHOLE * max(len(self._order.ratios), 1)

    @cached_property
    def _tables(self) -> list[Table]:
        """How often each value had each weight in place of the lightest, along the last axis."""
        length = len(self._order.ratios)
        tables: list[Table] = [((self._last,), np.zeros(length, dtype=np.int64))]
        for places, counted in self.counts.items():
            rows = [counted.counts.get(weights, np.zeros((len(weights) - 1, counted.k))) for weights in self._kinds]
            counts = np.concatenate((np.empty((0, counted.k)), *rows)).astype(np.int64)
            tables.append(((*places, self._last), counts.T.reshape(*self.possible[places].shape, length)))
        return tables

    def _powers(self, counts: NDArray[np.int64]) -> Mapping[int, int]:
        """What counts in place of the lightest weights stand for."""
        powers: Counter[int] = Counter()
        pairs = ((weights[0], weight) for weights in self._kinds for weight in weights[1:])
        for (light, weight), count in zip(pairs, counts.tolist(), strict=True):
            powers[weight] += count
            powers[light] -= count
        return {base: power for base, power in powers.items() if power}
