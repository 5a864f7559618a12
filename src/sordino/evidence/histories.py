"""Evidence about a value that changes: what answers say of all histories with a limited number of changes.

A history has a value for each answer; it changes where two answers in turn are about different values, between any two
answers. The likelihood of the answers under it is the product of their weights. Kept is, for each value and each number
of changes, the most and the least likelihood of all histories so far that end in the value after at most so many
changes: a next answer continues each of them, at the same value or at any other at the price of one change.
Exactly by counts of weights, as `CountedEvidence` has them, and in floats with a radius.
Cost: (changes + 1) x values for an answer, exactly times the number of different weights; however many histories.

Evidence about two histories of a value that are protected from each other: what answers say for one over the other.

Two histories with a limited number of changes each are protected from each other if their values are, at every answer:
so where a history leaves its block, the other one goes with it. Kept is, for each protected pair of values and each
pair of numbers of changes, the largest ratio of the likelihoods of two such histories so far that end in the pair after
at most so many changes. Exactly by exponents of weights, and in floats with a radius.
Cost: (changes + 1)^2 x values^2 for an answer, exactly times values and the number of different weights.
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
"""Largest number of counts of weights that are kept."""

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
        changes, k = self.most.log.shape
        return HistoryEvidence.of_no_reports(k, changes - 1)

    @property
    def is_impossible(self) -> bool:
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
        return self.most.before_next(self._order, self._margin)

    @cached_property
    def least_ahead(self) -> HistoryEnds:
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


LARGEST_EXPONENTS = 1 << 18
"""Largest number of exponents of weights that are kept."""


@dataclass(frozen=True, eq=False)
class PairRatios:
    """The largest ratios of two histories, by the changes of each so far and by their values at the end.

    Attributes:
        log: shape (changes + 1, changes + 1, k, k), of the first history over the second: minus infinity of pairs that
            are not protected, or whose first history is impossible; infinity where only the second one is.
        exponents: of finite ones the same exactly, shape (..., weights); None where too many would be kept.
    """

    log: NDArray[np.float64]
    exponents: NDArray[np.int64] | None

    def before_next(self, protected: NDArray[np.bool_], order: ProductOrder, margin: float) -> "PairRatios":
        """Before the next answer: each of both stays, or becomes any other value after one change."""
        found, all_of, first, last = self, slice(None), slice(None, -1), slice(1, None)
        # A change of the first history, of the second, or of both at once.
        steps = (
            ((last, all_of), (first, all_of), (2,)),
            ((all_of, last), (all_of, first), (3,)),
            ((last, last), (first, first), (2, 3)),
        )
        for after, before, axes in steps:
            best = PairRatios(self.log[before], _at(self.exponents, before))
            for axis in axes:
                best = best._best_along(axis, order, margin)
            found = found._with_better(after, best, order, margin)
        log = np.where(protected, found.log, -np.inf)
        return PairRatios(log, found.exponents)

    def _best_along(self, axis: int, order: ProductOrder, margin: float) -> "PairRatios":
        """The best along an axis, which is kept with one entry."""
        if self.exponents is None:
            return PairRatios(self.log.max(axis=axis, keepdims=True), None)
        parts = [
            PairRatios(self.log.take([place], axis), self.exponents.take([place], axis))
            for place in range(self.log.shape[axis])
        ]
        best = parts[0]
        for other in parts[1:]:
            best = best.maximum(other, order, margin)
        return best

    def _with_better(
        self, places: tuple[slice, slice], best: "PairRatios", order: ProductOrder, margin: float
    ) -> "PairRatios":
        """With another ratio at some numbers of changes, where it is larger."""
        own = PairRatios(self.log[places], _at(self.exponents, places))
        shape = own.log.shape
        exponents = (
            None if best.exponents is None else np.broadcast_to(best.exponents, (*shape, best.exponents.shape[-1]))
        )
        better = own.maximum(PairRatios(np.broadcast_to(best.log, shape), exponents), order, margin)
        log = self.log.copy()
        log[places] = better.log
        if self.exponents is None or better.exponents is None:
            return PairRatios(log, None)
        exponents = self.exponents.copy()
        exponents[places] = better.exponents
        return PairRatios(log, exponents)

    def maximum(self, other: "PairRatios", order: ProductOrder, margin: float) -> "PairRatios":
        """The larger of two, entry by entry; by their exponents where floats do not tell."""
        larger = other.log > self.log
        if self.exponents is None or other.exponents is None:
            return PairRatios(np.where(larger, other.log, self.log), None)
        finite = np.isfinite(self.log) & np.isfinite(other.log)
        gap = np.subtract(other.log, self.log, out=np.full(self.log.shape, np.inf), where=finite)
        near = np.abs(gap) <= margin
        if near.any():
            larger = larger.copy()
            larger[near] = order.signs(other.exponents[near] - self.exponents[near]) > 0
        exponents = np.where(larger[..., None], other.exponents, self.exponents)
        return PairRatios(np.where(larger, other.log, self.log), exponents)


@dataclass(frozen=True, eq=False)
class PairHistoryEvidence:
    """What answers say of two histories of a value.

    Attributes:
        protected: which values are protected from each other, shape (k, k): each from itself too.
        ratios: of two histories whose values are.
        radius: nats; each finite logarithm is within twice this of the truth, as it is one of a ratio.
        kinds: the weights of all answers so far, by answers of one kind: ascending, without a common factor.
    """

    protected: NDArray[np.bool_]
    ratios: PairRatios
    radius: float = 0.0
    kinds: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def of_no_reports(cls, protected: NDArray[np.bool_], changes: int) -> "PairHistoryEvidence":
        """No reports yet."""
        shape = (changes + 1, changes + 1, *protected.shape)
        log = np.where(np.broadcast_to(protected, shape), 0.0, -np.inf)
        return cls(protected, PairRatios(log, np.zeros((*shape, 0), dtype=np.int64)))

    @property
    def without_reports(self) -> "PairHistoryEvidence":
        return PairHistoryEvidence.of_no_reports(self.protected, len(self.ratios.log) - 1)

    def plus(
        self, distinct: tuple[int, ...], place: NDArray[np.integer], logarithms: NDArray[np.float64], radius: float
    ) -> "PairHistoryEvidence":
        """With one more answer: as `HistoryEvidence.plus`."""
        weights, own = own_weights(distinct, place)
        if len(weights) < 2 and (own >= 0).all():
            # As likely under every value; and to continue twice is to continue once.
            return self
        kinds = self.kinds if weights in self.kinds or len(weights) < 2 else (*self.kinds, weights)
        log = product_logarithms(self.ahead.log, pair_logarithms(logarithms[place]))
        rounding = math.ulp(reach_of(log))
        radius = math.nextafter(self.radius + radius + rounding, math.inf)
        return PairHistoryEvidence(
            self.protected, PairRatios(log, self._exponents_with(kinds, weights, own)), radius, kinds
        )

    @property
    def is_impossible(self) -> bool:
        return bool(np.isneginf(self.ratios.log[-1, -1]).all())

    @property
    def reach(self) -> float:
        """The largest finite distance of a logarithm from 0."""
        return reach_of(self.ratios.log)

    @property
    def gap(self) -> float:
        """The logarithm of the largest ratio, in floats; 0 where no history can cause the answers."""
        return 0.0 if self.is_impossible else float(self.ratios.log[-1, -1].max())

    def gaps(self, log: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same after each of some answers, of whose weights the logarithms have shape (answers, k)."""
        ahead = self.ahead.log[-1, -1]
        found = np.array([float(product_logarithms(ahead, pair_logarithms(own)).max()) for own in log])
        return np.where(np.isneginf(found), 0.0, found)

    @cached_property
    def powers(self) -> Mapping[int, int] | None:
        """The largest ratio: weights and their exponents; None if not known, or infinite."""
        if self.ratios.exponents is None or math.isinf(self.gap):
            return None
        log, rows = self.ratios.log[-1, -1], self.ratios.exponents[-1, -1]
        near = np.unique(rows[log >= self.gap - self._margin], axis=0)
        powers: Counter[int] = Counter()
        pairs = ((weights[0], weight) for weights in self.kinds for weight in weights[1:])
        for (light, weight), count in zip(pairs, self._order.most(near, axis=0).tolist(), strict=True):
            powers[weight] += count
            powers[light] -= count
        return {weight: power for weight, power in powers.items() if power}

    @cached_property
    def ahead(self) -> PairRatios:
        return self.ratios.before_next(self.protected, self._order, self._margin)

    def _exponents_with(
        self, kinds: tuple[tuple[int, ...], ...], weights: tuple[int, ...], own: NDArray[np.integer]
    ) -> NDArray[np.int64] | None:
        """Exponents with one more answer; None where they are not kept."""
        length, before = sum(len(kind) - 1 for kind in kinds), self.ahead.exponents
        if before is None or self.ratios.log.size * length > LARGEST_EXPONENTS:
            return None
        single = np.zeros((len(own), length), dtype=np.int64)
        if len(weights) > 1:
            start = sum(len(kind) - 1 for kind in kinds[: kinds.index(weights)])
            single[:, start : start + len(weights) - 1] = own[:, None] == np.arange(1, len(weights))
        new = length - before.shape[-1]
        return np.pad(before, [(0, 0)] * 4 + [(0, new)]) + (single[:, None] - single[None, :])

    @property
    def _order(self) -> ProductOrder:
        return order_of_kinds(self.kinds)

    @property
    def _margin(self) -> float:
        return 4 * self.radius + NEXT_TO


def pair_logarithms(log: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of two values' weights the first over the second, shape (k, k): minus infinity where the first one is 0."""
    found: NDArray[np.float64] = np.full((len(log), len(log)), -np.inf)
    possible = ~np.isneginf(log)
    found[possible] = log[possible, None] - log
    return found


def product_logarithms(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of the product of two ratios; where one of them has nothing above, minus infinity."""
    possible = ~(np.isneginf(first) | np.isneginf(second))
    found: NDArray[np.float64] = np.add(first, second, out=np.full(first.shape, -np.inf), where=possible)
    return found


def _at(exponents: NDArray[np.int64] | None, places: tuple[slice, slice]) -> NDArray[np.int64] | None:
    return None if exponents is None else exponents[places]
