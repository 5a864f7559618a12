"""The measure of definitions under which all protected pairs have one bound.

A level takes one pass over the values; whole numbers decide by the heaviest and the lightest value of each group.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sordino.accounting.measures.gaps import Contrasted, largest_gap, pairs_at_ends
from sordino.accounting.measures.measure import GroupBounds, Measure
from sordino.accounting.measures.ratio import Ratio, epsilon_ratio, larger, ratio_of
from sordino.definition.high_low import HighLowLDP
from sordino.definition.pairwise import LDP, BlockLDP, widen_gaps
from sordino.evidence.finite import FiniteEvidence
from sordino.mechanism.base import Mechanism


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
        return widen_gaps(largest_gap(self.definition, log), radius)[:, None]

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
            most = larger(most, ratio_of(heavy, light))
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
                    most = larger(most, ratio_of(extreme.heavy, extreme.light))
        return [most]

    def about(self, group: int) -> str:  # noqa: ARG002 - there is one
        """All of them."""
        return "two values"
