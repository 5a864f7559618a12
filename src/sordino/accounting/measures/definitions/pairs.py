"""The measure of definitions under which each ordered pair of values has a bound of its own.

All pairs at once; of a metric its edges, which imply all others.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.accounting.measures.gaps import Contrasted
from sordino.accounting.measures.measure import GroupBounds, Measure
from sordino.accounting.measures.ratio import Ratio, larger, ratio_of
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import loss_over, widen_gaps
from sordino.evidence.finite import FiniteEvidence


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
        return np.maximum(widen_gaps(found, radius), 0.0)

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
        return [larger(Fraction(1), ratio_of(most, least)) for most, least in pairs]

    def about(self, group: int) -> str:
        """The pair."""
        heavy, light = self._pairs
        return f"value {heavy[group]} and value {light[group]}"
