"""The measure of definitions under which each attribute of a record has a bound of its own.

Coordinate DP compares records that differ in the attribute only, Bayesian coordinate DP averages of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sordino.accounting.measures.gaps import Contrasted, pairs_along, pairs_at_ends
from sordino.accounting.measures.measure import GroupBounds, Measure
from sordino.accounting.measures.ratio import Ratio, larger, ratio_of
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.pairwise import LDP, widen_gaps
from sordino.evidence.finite import FiniteEvidence


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
        return widen_gaps(found, radius)

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
            Fraction(1) if contrast is None else larger(Fraction(1), ratio_of(contrast.heavy, contrast.light))
            for contrast in source.contrasts(weights)
        ]
        if isinstance(self.definition, BayesianCoordinateDP) and self.definition.epsilon is not None:
            found.append(larger(Fraction(1), ratio_of(weights.max(), weights.min())))
        return found

    def about(self, group: int) -> str:
        """The attribute."""
        return f"two values of attribute {self.names[group]!r}" if group < len(self.names) else "two records"
