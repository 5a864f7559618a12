"""Evidence about a value that changes: what answers say of all histories with a limited number of changes.

A history has a value for each answer; it changes where two answers in turn are about different values, between any two
answers. The likelihood of the answers under it is the product of their weights. Kept is, for each value and each number
of changes, the most and the least likelihood of all histories so far that end in the value after at most so many
changes: a next answer continues each of them, at the same value or at any other at the price of one change.
Exactly by counts of weights, as `CountedEvidence` has them, and in floats with a radius.
Cost: (changes + 1) x values for an answer, exactly times the number of different weights; however many histories.
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from sordino.evidence.counted import own_weights
from sordino.evidence.finite import reach_of
from sordino.exact.powers import ProductOrder

NEXT_TO = 1e-6
"""Nats; likelihoods that floats put further apart, beside their radius, are not compared exactly."""

LARGEST_COUNTS = 1 << 22
"""Counts of weights that are kept at most."""

WeightCounts = NDArray[np.int64]
"""Shape (changes + 1, k, weights): how often each weight but the lightest of its answer."""


@dataclass(frozen=True, eq=False)
class HistoryEnds:
    """The most, or the least, likelihood of histories, by the changes so far and the value at the end.

    Attributes:
        side: 1 for the most, -1 for the least.
        log: shape (changes + 1, k); minus infinity of what is impossible.
        counts: the same exactly; None where too many would be kept, or where some value was ruled out.
    """

    side: int
    log: NDArray[np.float64]
    counts: WeightCounts | None

    def before_next(self, order: ProductOrder, margin: float) -> "HistoryEnds":
        """Before the next answer: the value stays, or becomes any other after one change.

        Args:
            order: of products of the weights.
            margin: nats by which floats may be off, twice.
        """
        if len(self.log) == 1:
            return self
        log, best = self.log.copy(), self._best(self.log[:-1], axis=1)
        log[1:] = self._best(np.stack((log[1:], np.broadcast_to(best[:, None], log[1:].shape))), axis=0)
        if self.counts is None:
            return HistoryEnds(self.side, log, None)
        counts = self.counts.copy()
        for row in range(1, len(log)):
            other = self.row_best(row - 1, order, margin)
            pairs = np.stack((counts[row], np.broadcast_to(other, counts[row].shape)))
            counts[row] = order.most(pairs, axis=0) if self.side > 0 else order.least(pairs, axis=0)
        return HistoryEnds(self.side, log, counts)

    def row_best(self, row: int, order: ProductOrder, margin: float) -> NDArray[np.int64]:
        """The counts of the best of all values after at most so many changes."""
        if self.counts is None:
            raise AssertionError("asked of exact counts only")
        signed = self.side * self.log[row]
        near: WeightCounts = np.unique(self.counts[row][signed >= signed.max() - margin], axis=0)
        return order.most(near, axis=0) if self.side > 0 else order.least(near, axis=0)

    def _best(self, log: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
        best: NDArray[np.float64] = log.max(axis=axis) if self.side > 0 else log.min(axis=axis)
        return best


@dataclass(frozen=True, eq=False)
class HistoryEvidence:
    """What answers say of histories of a value.

    Attributes:
        most, least: their likelihoods, up to a factor that all share.
        radius: nats; each finite logarithm is within this of the truth.
        kinds: the weights of all answers so far, by answers of one kind: ascending, without a common factor.

    Example:
        >>> start = HistoryEvidence.of_no_reports(2, changes=1)
        >>> twice = start
        >>> for likelier in (0, 1):
        ...     place = np.array([1, 0]) if likelier == 0 else np.array([0, 1])
        ...     twice = twice.plus((1, 3), place, np.log([1 / 3, 1]), 1e-15)
        >>> dict(twice.powers or {})  # "0, then 1" is nine times as likely as "1, then 0"
        {3: 2, 1: -2}
    """

    most: HistoryEnds
    least: HistoryEnds
    radius: float = 0.0
    kinds: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def of_no_reports(cls, k: int, changes: int) -> "HistoryEvidence":
        """No reports yet."""
        most, least = (
            HistoryEnds(side, np.zeros((changes + 1, k)), np.zeros((changes + 1, k, 0), dtype=np.int64))
            for side in (1, -1)
        )
        return cls(most, least)

    @classmethod
    def of_bounds(cls, k: int, changes: int) -> "HistoryEvidence":
        """No reports yet, of values whose likelihoods will be known by bounds only: nothing is counted."""
        most, least = (HistoryEnds(side, np.zeros((changes + 1, k)), None) for side in (1, -1))
        return cls(most, least)

    def plus_bounds(self, most: NDArray[np.float64], least: NDArray[np.float64], radius: float) -> "HistoryEvidence":
        """With one more answer, of which bounds on the logarithms of the weights are known.

        Args:
            most, least: of each value, shape (k,), up to a constant that both share.
            radius: nats by which these may be off.
        """
        sides = ((self.most_ahead, most), (self.least_ahead, least))
        above, below = (HistoryEnds(ends.side, ends.log + own, None) for ends, own in sides)
        rounding = math.ulp(max(reach_of(above.log), reach_of(below.log)))
        return HistoryEvidence(above, below, math.nextafter(self.radius + radius + rounding, math.inf))

    def plus(
        self, distinct: tuple[int, ...], place: NDArray[np.integer], logarithms: NDArray[np.float64], radius: float
    ) -> "HistoryEvidence":
        """With one more answer.

        Args:
            distinct: whole weights, ascending; a value of weight 0 cannot cause the answer.
            place: which of them each value has, shape (k,).
            logarithms: of the distinct weights, up to a constant.
            radius: nats by which these may be off.
        """
        weights, own = own_weights(distinct, place)
        if len(weights) < 2 and (own >= 0).all():
            # As likely under every value; and to continue twice is to continue once.
            return self
        kinds = self.kinds if weights in self.kinds or len(weights) < 2 else (*self.kinds, weights)
        more = self._answer_counts(kinds, weights, own)
        most, least = (
            HistoryEnds(ends.side, ends.log + logarithms[place], self._added(ends.counts, more))
            for ends in (self.most_ahead, self.least_ahead)
        )
        rounding = math.ulp(max(reach_of(most.log), reach_of(least.log)))
        return HistoryEvidence(most, least, math.nextafter(self.radius + radius + rounding, math.inf), kinds)

    @property
    def without_reports(self) -> "HistoryEvidence":
        """The same before the first report."""
        changes, k = self.most.log.shape
        return HistoryEvidence.of_no_reports(k, changes - 1)

    @property
    def is_impossible(self) -> bool:
        """Whether no history can cause the answers."""
        return bool(np.isneginf(self.most.log[-1]).all())

    @cached_property
    def reach(self) -> float:
        """The largest finite distance of a logarithm from 0."""
        return max(reach_of(self.most.log), reach_of(self.least.log))

    @property
    def gap(self) -> float:
        """The most less the least of all histories, in floats; 0 where no history can cause the answers."""
        most = float(self.most.log[-1].max())
        return 0.0 if math.isinf(most) else most - float(self.least.log[-1].min())

    def gaps(self, log: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same after each of some answers, of whose weights the logarithms have shape (answers, k)."""
        most = (self.most_ahead.log[-1] + log).max(axis=1)
        least = (self.least_ahead.log[-1] + log).min(axis=1)
        gaps: NDArray[np.float64] = np.subtract(most, least, out=np.zeros(len(log)), where=~np.isneginf(most))
        return gaps

    @cached_property
    def powers(self) -> Mapping[int, int] | None:
        """The largest ratio of the likelihoods of two histories: weights and their exponents; None if not known."""
        if self.most.counts is None or self.least.counts is None:
            return None
        most, least = (ends.row_best(-1, self._order, self._margin) for ends in (self.most, self.least))
        powers: Counter[int] = Counter()
        pairs = ((weights[0], weight) for weights in self.kinds for weight in weights[1:])
        for (light, weight), count in zip(pairs, (most - least).tolist(), strict=True):
            powers[weight] += count
            powers[light] -= count
        return {weight: power for weight, power in powers.items() if power}

    @cached_property
    def most_ahead(self) -> HistoryEnds:
        """The most, before the next answer."""
        return self.most.before_next(self._order, self._margin)

    @cached_property
    def least_ahead(self) -> HistoryEnds:
        """The least, before the next answer."""
        return self.least.before_next(self._order, self._margin)

    def _answer_counts(
        self, kinds: tuple[tuple[int, ...], ...], weights: tuple[int, ...], own: NDArray[np.integer]
    ) -> WeightCounts | None:
        """How often each value has each weight in one answer, shape (k, weights); None where counts are not kept."""
        length = sum(len(kind) - 1 for kind in kinds)
        if (own < 0).any() or self.most.log.size * length > LARGEST_COUNTS:
            return None
        counts: WeightCounts = np.zeros((len(own), length), dtype=np.int64)
        if len(weights) > 1:
            start = sum(len(kind) - 1 for kind in kinds[: kinds.index(weights)])
            counts[:, start : start + len(weights) - 1] = own[:, None] == np.arange(1, len(weights))
        return counts

    @staticmethod
    def _added(before: WeightCounts | None, more: WeightCounts | None) -> WeightCounts | None:
        if before is None or more is None:
            return None
        new = more.shape[-1] - before.shape[-1]
        return np.pad(before, ((0, 0), (0, 0), (0, new))) + more

    @property
    def _order(self) -> ProductOrder:
        return order_of_kinds(self.kinds)

    @property
    def _margin(self) -> float:
        return 2 * self.radius + NEXT_TO


@lru_cache(maxsize=64)
def order_of_kinds(kinds: tuple[tuple[int, ...], ...]) -> ProductOrder:
    """The order of products of the kinds' weights, in place of their lightest."""
    return ProductOrder([Fraction(weight, weights[0]) for weights in kinds for weight in weights[1:]])
