"""How much of a definition evidence about a finite domain has used: in floats rounded up, and exactly in integers.

A measure lists a definition's hypotheses by groups, each with one bound; a level is the largest loss within a group. A
filter compares levels with bounds; where floats cannot tell, it compares whole numbers. One class for each kind of
definition: all values alike, pairs of values, attributes of a record.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.accounting.measures.gaps import Contrasted, largest_gap, pairs_along, pairs_at_ends
from sordino.accounting.measures.mechanism_columns import Columns, can_list
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.high_low import HighLowLDP
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import LDP, BlockLDP, loss_over, widened
from sordino.errors import SordinoError
from sordino.evidence.finite import FiniteEvidence
from sordino.exact.messages.brief import shown
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism

Ratio: TypeAlias = Fraction | None
"""How much likelier reports are under one hypothesis than under another; None where the other excludes them."""

GroupBounds: TypeAlias = tuple[Nats | None, ...]
"""One for each group of hypotheses; None where it is not protected."""

FiniteDefinition: TypeAlias = (
    LDP | BlockLDP | HighLowLDP | PairwiseLDP | MetricLDP | CoordinateDP | BayesianCoordinateDP
)


class Measure(ABC):
    """A definition on k values."""

    @property
    @abstractmethod
    def k(self) -> int:
        """How many values the domain has."""

    @property
    @abstractmethod
    def bounds(self) -> GroupBounds:
        """What each group allows."""

    @abstractmethod
    def levels(self, evidence: FiniteEvidence) -> NDArray[np.float64]:
        """The largest loss within each group, rounded up; 0 where nothing favours anything."""

    def levels_of(self, log: NDArray[np.float64], radius: float) -> NDArray[np.float64]:
        """The same of several likelihoods of shape (n, k), shape (n, groups); 0 of one that no value can cause."""
        rows = [self.levels(FiniteEvidence(row, radius)) for row in log]
        return np.array(rows).reshape(len(log), len(self.bounds))

    def steep(
        self, group: int, log: NDArray[np.float64], least: float, alike: NDArray[np.integer]
    ) -> Iterator[Contrasted] | None:
        """Pairs of values of a group, among them those that evidence tells apart best; None where it averages values.

        Args:
            group: whose hypotheses.
            log: the evidence.
            least: nats; pairs that floats tell apart by less are left out.
            alike: equal numbers where all answers had equal weights; one pair stands for those with equal numbers.
        """
        del group, log, least, alike
        return None

    @abstractmethod
    def ratios(self, weights: NDArray[np.object_]) -> list[Ratio]:
        """The same exactly, of whole numbers proportional to the likelihood, shape (k,)."""

    @abstractmethod
    def about(self, group: int) -> str:
        """What the group compares, in words."""

    @property
    def adds_epsilon(self) -> bool:
        """Whether a query uses its LDP level of every group, rather than its own level of each."""
        return False

    @property
    def versions(self) -> bool:
        """Whether losses about several versions of a record add up, group by group."""
        return True

    @property
    def pools_versions(self) -> bool:
        """Whether what one version lost in some group is taken from all: its hypotheses are not those of the next."""
        return False

    def own(self, mechanism: Mechanism, spread: NDArray[np.intp] | None) -> list[Ratio]:
        """The most that one report can add to each group, exactly.

        Args:
            mechanism: makes the report.
            spread: for each of the k values what the mechanism is told; None where it is told the value.
        """
        worst = epsilon_ratio(mechanism)
        if self.adds_epsilon or not can_list(mechanism) or mechanism.outputs * self.k > 1 << 18:
            return [worst] * len(self.bounds)
        columns = Columns.of(mechanism)
        most: list[Ratio] = [Fraction(1)] * len(self.bounds)
        for column in range(mechanism.outputs):
            weights = columns.weights(column)
            found = self.ratios(weights if spread is None else weights[spread])
            most = [larger(a, b) for a, b in zip(most, found, strict=True)]
        return most


@dataclass(frozen=True, eq=False)
class EqualBounds(Measure):
    """All protected pairs have one bound: LDP, blocks, high-low."""

    definition: LDP | BlockLDP | HighLowLDP
    size: int

    @property
    def k(self) -> int:
        """As the domain says."""
        return self.size

    @property
    def bounds(self) -> GroupBounds:
        """Epsilon."""
        return (self.definition.epsilon,)

    def levels(self, evidence: FiniteEvidence) -> NDArray[np.float64]:
        """The largest loss of a value."""
        return np.array([float(self.definition.loss(evidence).max())])

    def levels_of(self, log: NDArray[np.float64], radius: float) -> NDArray[np.float64]:
        """All rows at once."""
        return widened(largest_gap(self.definition, log), radius)[:, None]

    def steep(
        self, group: int, log: NDArray[np.float64], least: float, alike: NDArray[np.integer]
    ) -> Iterator[Contrasted]:
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
        """The largest ratio of a protected pair."""
        match self.definition:
            case BlockLDP(partition=blocks):
                pairs = [(weights[at].max(), weights[at].min()) for at in map(blocks.values, range(blocks.m))]
            case HighLowLDP(sensitive=sensitive):
                pairs = [(weights[sensitive].max(), weights.min())]
            case _:
                pairs = [(weights.max(), weights.min())]
        most: Ratio = Fraction(1)
        for heavy, light in pairs:
            most = larger(most, _ratio(heavy, light))
        return [most]

    def own(self, mechanism: Mechanism, spread: NDArray[np.intp] | None) -> list[Ratio]:
        """The level of the worst class of outputs; under LDP whatever is asked of the value."""
        if isinstance(self.definition, LDP):
            return [epsilon_ratio(mechanism)]
        if spread is not None and not np.array_equal(spread, np.arange(mechanism.k)):
            return super().own(mechanism, spread)
        most: Ratio = Fraction(1)
        for stack in mechanism.stacks():
            for column in self.definition.distinct(stack):
                for extreme in self.definition.extremes(column):
                    most = larger(most, _ratio(extreme.heavy, extreme.light))
        return [most]

    def about(self, group: int) -> str:  # noqa: ARG002 - there is one
        """All of them."""
        return "two values"


@dataclass(frozen=True, eq=False)
class Pairs(Measure):
    """Each ordered pair of values has a bound of its own: of a matrix all, of a metric its edges, which imply all."""

    definition: PairwiseLDP | MetricLDP

    @property
    def k(self) -> int:
        """As the definition says."""
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
        """The closed entries, or those of the edges."""
        if isinstance(self.definition, MetricLDP):
            return 2 * tuple(self.definition.bounds[place] for place in self.definition.edges.place.tolist())
        return tuple(
            self.definition.bound(x, other) for x, other in zip(*map(np.ndarray.tolist, self._pairs), strict=True)
        )

    def levels(self, evidence: FiniteEvidence) -> NDArray[np.float64]:
        """The loss of each pair."""
        heavy, light = self._pairs
        own = FiniteEvidence(evidence.log[heavy], evidence.radius)
        return np.maximum(loss_over(own, evidence.log[light], alone=False), 0.0) if len(heavy) else np.empty(0)

    def levels_of(self, log: NDArray[np.float64], radius: float) -> NDArray[np.float64]:
        """Row by row, and all pairs at once."""
        heavy, light = self._pairs
        found = np.empty((len(log), len(heavy)))
        for row, own in zip(found, log, strict=True):
            most = own[heavy]
            row[:] = np.subtract(most, own[light], out=np.zeros(len(heavy)), where=~np.isneginf(most))
        return np.maximum(widened(found, radius), 0.0)

    def steep(
        self, group: int, log: NDArray[np.float64], least: float, alike: NDArray[np.integer]
    ) -> Iterator[Contrasted]:
        """The pair itself, unless its first value was ruled out."""
        del least, alike
        heavy, light = (int(values[group]) for values in self._pairs)
        if not np.isneginf(log[heavy]):
            yield heavy, light

    def ratios(self, weights: NDArray[np.object_]) -> list[Ratio]:
        """The ratio of each pair."""
        heavy, light = self._pairs
        pairs = zip(weights[heavy].tolist(), weights[light].tolist(), strict=True)
        return [larger(Fraction(1), _ratio(most, least)) for most, least in pairs]

    def about(self, group: int) -> str:
        """The pair."""
        heavy, light = self._pairs
        return f"value {heavy[group]} and value {light[group]}"


@dataclass(frozen=True, eq=False)
class Attributes(Measure):
    """Each attribute of a record has a bound of its own; under Bayesian coordinate DP perhaps LDP beside them."""

    definition: CoordinateDP | BayesianCoordinateDP
    names: tuple[str, ...]

    @property
    def k(self) -> int:
        """How many records."""
        return int(np.prod(self.definition.shape or ()))

    @property
    def bounds(self) -> GroupBounds:
        """Budgets, or deltas and epsilon."""
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

    def levels(self, evidence: FiniteEvidence) -> NDArray[np.float64]:
        """Of each attribute; then of LDP."""
        levels = self.definition.levels(evidence)
        if isinstance(self.definition, CoordinateDP) or self.definition.epsilon is None:
            return levels
        return np.append(levels, LDP(self.definition.epsilon).loss(evidence).max())

    def levels_of(self, log: NDArray[np.float64], radius: float) -> NDArray[np.float64]:
        """Of coordinate DP all rows at once."""
        if not isinstance(self.definition, CoordinateDP):
            return super().levels_of(log, radius)
        shape = self.definition.shape or ()
        table, found = log.reshape(len(log), *shape), np.empty((len(log), len(shape)))
        for i in range(len(shape)):
            most, least = table.max(axis=i + 1), table.min(axis=i + 1)
            gap = np.subtract(most, least, out=np.zeros_like(most), where=~np.isneginf(most))
            found[:, i] = gap.reshape(len(log), -1).max(axis=1)
        return widened(found, radius)

    def steep(
        self, group: int, log: NDArray[np.float64], least: float, alike: NDArray[np.integer]
    ) -> Iterator[Contrasted] | None:
        """Pairs that differ in the attribute only; all pairs under LDP. Beliefs average over all other attributes."""
        if group == self.definition.d:
            return pairs_at_ends(log, np.arange(self.k), np.arange(self.k), least, alike)
        if not isinstance(self.definition, CoordinateDP):
            return None
        return pairs_along(group, self.definition.shape or (), log, least, alike)

    def ratios(self, weights: NDArray[np.object_]) -> list[Ratio]:
        """Of each attribute; then of LDP."""
        source = self.definition if isinstance(self.definition, CoordinateDP) else self.definition.beliefs
        found: list[Ratio] = [
            Fraction(1) if contrast is None else larger(Fraction(1), _ratio(contrast.heavy, contrast.light))
            for contrast in source.contrasts(weights)
        ]
        if isinstance(self.definition, BayesianCoordinateDP) and self.definition.epsilon is not None:
            found.append(larger(Fraction(1), _ratio(weights.max(), weights.min())))
        return found

    def about(self, group: int) -> str:
        """The attribute."""
        return f"two values of attribute {self.names[group]!r}" if group < len(self.names) else "two records"


def measure_of(definition: FiniteDefinition, k: int, names: tuple[str, ...] = ()) -> Measure:
    """The measure of a definition on k values.

    Args:
        definition: with sizes of its attributes where it has attributes.
        k: how many values the domain has.
        names: of the attributes.

    Raises:
        SordinoError: a definition of another number of values.
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


def epsilon_ratio(mechanism: Mechanism) -> Ratio:
    """e^epsilon of the least epsilon that a mechanism satisfies under LDP, exactly."""
    most: Ratio = Fraction(1)
    anything = LDP(0)
    for stack in mechanism.stacks():
        for column in anything.distinct(stack):
            for extreme in anything.extremes(column):
                most = larger(most, _ratio(extreme.heavy, extreme.light))
    return most


def larger(first: Ratio, second: Ratio) -> Ratio:
    """The larger of two; None is infinite."""
    return None if first is None or second is None else max(first, second)


def level_above(ratios: Sequence[Ratio]) -> NDArray[np.float64]:
    """Logarithms in nats, rounded up."""
    above = {ratio: math.inf if ratio is None else Nats.log(ratio).ceil() for ratio in set(ratios)}
    return np.array([above[ratio] for ratio in ratios])


def _ratio(heavy: int, light: int) -> Ratio:
    if not heavy:
        return Fraction(1)
    return Fraction(heavy, light) if light else None
