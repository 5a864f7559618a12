"""Which measure a definition on finitely many values has: by attributes, by pairs of values or by one bound for all."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.accounting.measures.measure import Contrasted, GroupBounds, Measure
from sordino.accounting.measures.mechanism_columns import Ratio, epsilon_ratio, larger, ratio_of
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.high_low import HighLowLDP
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import LDP, BlockLDP, loss_over, widen_gaps
from sordino.definition.product import by_attribute
from sordino.domain.value_partition import Partition
from sordino.errors import SordinoError
from sordino.evidence.finite import FiniteEvidence
from sordino.exact.floats import Floats
from sordino.exact.messages import shown
from sordino.mechanism.base import Mechanism

FiniteDefinition: TypeAlias = (
    LDP | BlockLDP | HighLowLDP | PairwiseLDP | MetricLDP | CoordinateDP | BayesianCoordinateDP
)


@dataclass(frozen=True, eq=False)
class Attributes(Measure):
    """Each attribute of a record has a bound of its own; under Bayesian coordinate DP perhaps LDP beside them.

    Coordinate DP compares records that differ in the attribute only, Bayesian coordinate DP averages of them.
    """

    definition: CoordinateDP | BayesianCoordinateDP
    names: tuple[str, ...]

    @property
    def k(self) -> int:
        return int(np.prod(self.definition.shape or ()))

    @property
    def bounds(self) -> GroupBounds:
        if isinstance(self.definition, CoordinateDP):
            return self.definition.budgets
        epsilon = self.definition.epsilon
        return (*self.definition.deltas, epsilon) if epsilon is not None else self.definition.deltas

    @property
    def adds_epsilon(self) -> bool:
        """Deltas of single reports do not add up: a report may use all that LDP allows it."""
        return isinstance(self.definition, BayesianCoordinateDP)

    @property
    def versions(self) -> bool:
        """Beliefs about one version say nothing of how it depends on another."""
        return isinstance(self.definition, CoordinateDP)

    def levels(self, evidence: FiniteEvidence) -> Floats:
        levels = self.definition.levels(evidence)
        if isinstance(self.definition, CoordinateDP) or self.definition.epsilon is None:
            return levels
        return np.append(levels, LDP(self.definition.epsilon).loss(evidence).max())

    def levels_of(self, log: Floats, radius: float) -> Floats:
        if not isinstance(self.definition, CoordinateDP):
            return super().levels_of(log, radius)
        shape = self.definition.shape or ()
        table, found = log.reshape(len(log), *shape), np.empty((len(log), len(shape)))
        for i in range(len(shape)):
            most, least = table.max(axis=i + 1), table.min(axis=i + 1)
            gap = np.subtract(most, least, out=np.zeros_like(most), where=~np.isneginf(most))
            found[:, i] = gap.reshape(len(log), -1).max(axis=1)
        return widen_gaps(found, radius)

    def steep(self, group: int, log: Floats, least: float, alike: NDArray[np.integer]) -> Iterator[Contrasted] | None:
        """Pairs that differ in the attribute only; all pairs under LDP. Beliefs average over all other attributes."""
        if group == self.definition.d:
            return pairs_at_ends(log, np.arange(self.k), np.arange(self.k), least, alike)
        if not isinstance(self.definition, CoordinateDP):
            return None
        return pairs_along(group, self.definition.shape or (), log, least, alike)

    def ratios(self, weights: NDArray[np.object_]) -> list[Ratio]:
        source = self.definition if isinstance(self.definition, CoordinateDP) else self.definition.beliefs
        found: list[Ratio] = [
            Fraction(1) if contrast is None else larger(Fraction(1), ratio_of(contrast.heavy, contrast.light))
            for contrast in source.contrasts(weights)
        ]
        if isinstance(self.definition, BayesianCoordinateDP) and self.definition.epsilon is not None:
            found.append(larger(Fraction(1), ratio_of(weights.max(), weights.min())))
        return found

    def about(self, group: int) -> str:
        return f"two values of attribute {self.names[group]!r}" if group < len(self.names) else "two records"


@dataclass(frozen=True, eq=False)
class Pairs(Measure):
    """Each ordered pair of values has a bound of its own: of a matrix all, of a metric its edges, which imply all."""

    definition: PairwiseLDP | MetricLDP

    @property
    def k(self) -> int:
        return self.definition.k

    @property
    def pools_versions(self) -> bool:
        """One version may be another pair of values than the next."""
        return True

    @cached_property
    def _pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The protected ones, or the ends of each edge, both ways."""
        if isinstance(self.definition, MetricLDP):
            first, second, _ = self.definition.edges
            return np.concatenate((first, second)), np.concatenate((second, first))
        heavy, light = np.nonzero(np.isfinite(self.definition.floors) & ~np.eye(self.k, dtype=np.bool_))
        return heavy, light

    @cached_property
    def bounds(self) -> GroupBounds:
        if isinstance(self.definition, MetricLDP):
            return 2 * tuple(self.definition.bounds[place] for place in self.definition.edges.place.tolist())
        return tuple(
            self.definition.bound(x, other) for x, other in zip(*map(np.ndarray.tolist, self._pairs), strict=True)
        )

    def levels(self, evidence: FiniteEvidence) -> Floats:
        heavy, light = self._pairs
        own = FiniteEvidence(evidence.log[heavy], evidence.radius)
        return np.maximum(loss_over(own, evidence.log[light], alone=False), 0.0) if len(heavy) else np.empty(0)

    def levels_of(self, log: Floats, radius: float) -> Floats:
        heavy, light = self._pairs
        found = np.empty((len(log), len(heavy)))
        for row, own in zip(found, log, strict=True):
            most = own[heavy]
            row[:] = np.subtract(most, own[light], out=np.zeros(len(heavy)), where=~np.isneginf(most))
        return np.maximum(widen_gaps(found, radius), 0.0)

    def steep(self, group: int, log: Floats, least: float, alike: NDArray[np.integer]) -> Iterator[Contrasted]:
        """The pair itself, unless its first value was ruled out."""
        del least, alike
        heavy, light = (int(values[group]) for values in self._pairs)
        if not np.isneginf(log[heavy]):
            yield heavy, light

    def ratios(self, weights: NDArray[np.object_]) -> list[Ratio]:
        heavy, light = self._pairs
        pairs = zip(weights[heavy].tolist(), weights[light].tolist(), strict=True)
        return [larger(Fraction(1), ratio_of(most, least)) for most, least in pairs]

    def about(self, group: int) -> str:
        heavy, light = self._pairs
        return f"value {heavy[group]} and value {light[group]}"


@dataclass(frozen=True, eq=False)
class EqualBounds(Measure):
    """All protected pairs have one bound: LDP, blocks, high-low."""

    definition: LDP | BlockLDP | HighLowLDP
    size: int

    @property
    def k(self) -> int:
        return self.size

    @property
    def bounds(self) -> GroupBounds:
        return (self.definition.epsilon,)

    def levels(self, evidence: FiniteEvidence) -> Floats:
        return np.array([float(self.definition.loss(evidence).max())])

    def levels_of(self, log: Floats, radius: float) -> Floats:
        return widen_gaps(largest_log_ratio(self.definition, log), radius)[:, None]

    def steep(self, group: int, log: Floats, least: float, alike: NDArray[np.integer]) -> Iterator[Contrasted]:
        """The likeliest and the least likely values, of each block."""
        del group
        match self.definition:
            case BlockLDP(partition=blocks):
                for values in map(blocks.values, range(blocks.m)):
                    yield from pairs_at_ends(log, values, values, least, alike)
            case HighLowLDP(sensitive=sensitive):
                yield from pairs_at_ends(log, sensitive, np.arange(self.k), least, alike)
            case _:
                yield from pairs_at_ends(log, np.arange(self.k), np.arange(self.k), least, alike)

    def ratios(self, weights: NDArray[np.object_]) -> list[Ratio]:
        match self.definition:
            case BlockLDP(partition=blocks):
                pairs = [(weights[at].max(), weights[at].min()) for at in map(blocks.values, range(blocks.m))]
            case HighLowLDP(sensitive=sensitive):
                pairs = [(weights[sensitive].max(), weights.min())]
            case _:
                pairs = [(weights.max(), weights.min())]
        most: Ratio = Fraction(1)
        for heavy, light in pairs:
            most = larger(most, ratio_of(heavy, light))
        return [most]

    def own(self, mechanism: Mechanism, spread: NDArray[np.intp] | None) -> list[Ratio]:
        """The level of the worst class of outputs; under LDP whatever is asked of the value.

        Where the mechanism is told something else than the value, few codes are looked at one by one, and many by
        classes, with the promise about what is told. Never less than the most that a code adds; more only where the
        mechanism tells values apart that nothing is told as, or blocks are told alike in part.
        """
        promise = self.definition
        if spread is not None and not np.array_equal(spread, np.arange(mechanism.k)):
            if not isinstance(promise, LDP) and self._has_few_weights(mechanism):
                return super().own(mechanism, spread)
            promise = _promise_about_readings(promise, spread, mechanism.k)
        if isinstance(promise, LDP):
            return [epsilon_ratio(mechanism)]
        most: Ratio = Fraction(1)
        for stack in mechanism.stacks():
            for column in promise.distinct(stack):
                for extreme in promise.extremes(column):
                    most = larger(most, ratio_of(extreme.heavy, extreme.light))
        return [most]

    def about(self, group: int) -> str:  # noqa: ARG002 - there is one
        return "two values"


def measure_of(definition: FiniteDefinition, k: int, names: tuple[str, ...] = ()) -> Measure:
    """The measure of a definition on k values.

    Args:
        definition: with sizes of its attributes where it has attributes.
    """
    measure: Measure
    match definition:
        case PairwiseLDP() | MetricLDP():
            measure, known = Pairs(definition), definition.k
        case CoordinateDP() | BayesianCoordinateDP():
            measure = Attributes(definition, names or tuple(map(str, range(definition.d))))
            known = measure.k
        case BlockLDP():
            measure, known = EqualBounds(definition, k), definition.partition.k
        case HighLowLDP():
            measure, known = EqualBounds(definition, k), definition.k
        case _:
            measure, known = EqualBounds(definition, k), k
    if known != k:
        raise SordinoError(f"the definition must be about the domain's {k} values", found=shown(known))
    return measure


def _promise_about_readings(
    promise: LDP | BlockLDP | HighLowLDP, reading: NDArray[np.intp], k: int
) -> LDP | BlockLDP | HighLowLDP:
    """A promise about what is read of values, one of 0..k-1, that protects all that the one about the values does."""
    match promise:
        case BlockLDP(partition=blocks):
            return BlockLDP(blocks.image(reading, k), promise.epsilon)
        case HighLowLDP(sensitive=sensitive):
            marked = np.unique(reading[sensitive])
            return HighLowLDP(k, marked, promise.epsilon) if len(marked) < k else LDP(promise.epsilon)
        case _:
            return promise


def largest_log_ratio(definition: LDP | BlockLDP | HighLowLDP, log: Floats) -> Floats:
    """The largest loss of a protected pair, shape (n,), of likelihoods of shape (n, k); not rounded outward."""
    match definition:
        case BlockLDP(partition=blocks):
            most, least = _ends_of_blocks(blocks, log)
        case HighLowLDP(sensitive=sensitive):
            most, least = log[:, sensitive].max(axis=1, keepdims=True), log.min(axis=1, keepdims=True)
        case _:
            most, least = log.max(axis=1, keepdims=True), log.min(axis=1, keepdims=True)
    gap = np.subtract(most, least, out=np.zeros_like(most), where=~np.isneginf(most))
    loss: Floats = gap.max(axis=1)
    return loss


def pairs_at_ends(
    log: Floats, heavies: NDArray[np.intp], lights: NDArray[np.intp], least: float, alike: NDArray[np.integer]
) -> Iterator[Contrasted]:
    """Values next to the most with those next to the least, where the two are far enough apart."""
    most, low = log[heavies].max(), log[lights].min()
    if np.isneginf(most) or most - low < least:
        return
    sides = heavies[log[heavies] >= low + least], lights[log[lights] <= most - least]
    above, below = (side[np.unique(alike[side], return_index=True)[1]].tolist() for side in sides)
    yield from product(above, below)


def pairs_along(
    attribute: int, shape: tuple[int, ...], log: Floats, least: float, alike: NDArray[np.integer]
) -> Iterator[Contrasted]:
    """Records that differ in one attribute only and are far enough apart."""
    own, records, kinds = (by_attribute(table, shape, attribute) for table in (log, np.arange(len(log)), alike))
    kinds = np.unique(kinds, return_inverse=True)[1].reshape(own.shape)
    for value in range(shape[attribute]):
        gap = np.subtract(own[value], own, out=np.full_like(own, -np.inf), where=~np.isneginf(own[value]))
        other, line = np.nonzero(gap >= least)
        pairs = kinds[value, line] * own.size + kinds[other, line]
        first = np.unique(pairs, return_index=True)[1]
        yield from zip(records[value, line[first]].tolist(), records[other[first], line[first]].tolist(), strict=True)


def _ends_of_blocks(blocks: Partition, log: Floats) -> tuple[Floats, Floats]:
    """The largest and the least logarithm within each block, shape (n, blocks) each."""
    in_order = np.array_equal(blocks.order, np.arange(log.shape[1]))
    ordered = log if in_order else log[:, blocks.order]
    return (np.maximum.reduceat(ordered, blocks.starts, axis=1), np.minimum.reduceat(ordered, blocks.starts, axis=1))
