"""Context-aware LDP by a matrix of bounds, one for each ordered pair of values; distances are the same both ways."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounds import BoundLike, Bounds, closure, read_bounds
from sordino.definition.pairwise import (
    NEARLY,
    CertificateBasis,
    Extreme,
    largest_quotient,
    logarithms,
    loss_over,
    require_size,
    weight_range,
)
from sordino.domain.value_partition import Partition
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ColumnStack, FiniteEvidence
from sordino.exact.messages import Brief, checked, checked_class
from sordino.exact.nats import Nats


@checked_class
@dataclass(frozen=True, repr=False)
class PairwiseLDP(Brief):
    """E-LDP: ln Pr(y|x) - ln Pr(y|x') <= E[x, x'] for every output y and every pair of values.

    Source: context-aware LDP paper, Definition 2.

    Attributes:
        given: the bounds as given, k x k; None where a pair is not protected.
        bounds: the same closed under shortest paths: what the given ones imply together.

    Example:
        >>> definition = PairwiseLDP([["0", "1", "inf"], ["1", "0", "1"], ["inf", "inf", "0"]])
        >>> [str(bound) for bound in definition.bounds[0]], definition.lowered_pairs
        (['0', '1', '2'], ((0, 2),))
    """

    certificate_basis: ClassVar[CertificateBasis] = "classes"

    given: Bounds
    bounds: Bounds

    def __init__(self, matrix: Sequence[Sequence[BoundLike]] | NDArray[np.float64]) -> None:
        given = read_bounds(matrix)
        object.__setattr__(self, "given", given)
        object.__setattr__(self, "bounds", closure(given))

    @classmethod
    @checked
    def of_distances(cls, distances: Sequence[Sequence[BoundLike]] | NDArray[np.float64]) -> "PairwiseLDP":
        """Bounds that are distances in nats: the same both ways.

        Example:
            >>> str(PairwiseLDP.of_distances([[0, "1/2"], ["1/2", 0]]).epsilon)
            '1/2'
        """
        definition = cls(distances)
        for x, row in enumerate(definition.given):
            for other, bound in enumerate(row[:x]):
                if bound != definition.given[other][x]:
                    raise SordinoError(
                        "a distance must be the same both ways", found=f"two between the values {other} and {x}"
                    )
        return definition

    @property
    def k(self) -> int:
        """The number of values."""
        return len(self.bounds)

    @property
    def lowered_pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs whose given bound was worth more than what the others imply."""
        return tuple(
            (x, other)
            for x, (given, closed) in enumerate(zip(self.given, self.bounds, strict=True))
            for other, (before, after) in enumerate(zip(given, closed, strict=True))
            if before != after
        )

    @property
    def epsilon(self) -> Nats:
        return self._distinct[-1] if self._distinct else Nats.of(0)

    @property
    def furthest(self) -> tuple[int, int]:
        """A protected pair with the largest bound; the first value twice where none is protected."""
        pairs = ((x, other) for x in range(self.k) for other in range(self.k) if x != other)
        return next((pair for pair in pairs if self.bounds[pair[0]][pair[1]] == self.epsilon), (0, 0))

    @property
    def least(self) -> Nats:
        """The smallest bound of a protected pair: what all pairs must keep to be protected alike."""
        return self._distinct[0] if self._distinct else Nats.of(0)

    @cached_property
    def _distinct(self) -> tuple[Nats, ...]:
        pairs = ((x, other) for x in range(self.k) for other in range(self.k) if x != other)
        return tuple(sorted({bound for x, other in pairs if (bound := self.bounds[x][other]) is not None}))

    @cached_property
    def rank(self) -> NDArray[np.intp]:
        """Each pair's place among the different bounds, shape (k, k); their number where it is not protected."""
        place: dict[Nats | None, int] = {bound: i for i, bound in enumerate(self._distinct)}
        place[None] = len(place)
        rank = np.array([[place.get(bound, 0) for bound in row] for row in self.bounds], dtype=np.intp)
        np.fill_diagonal(rank, len(self._distinct))
        return rank

    @cached_property
    def components(self) -> Partition:
        """Values that no chain of protected pairs connects lie in different blocks."""
        from scipy.sparse import csgraph

        protected = self.rank < len(self._distinct)
        _, block = csgraph.connected_components(protected, directed=False)
        return Partition(block.astype(np.intp))

    @cached_property
    def protected_values(self) -> NDArray[np.intp]:
        """The values that are protected from any other."""
        return np.flatnonzero((self.rank < len(self._distinct)).any(axis=1))

    @cached_property
    def floors(self) -> NDArray[np.float64]:
        """The bounds rounded down, shape (k, k); infinite where a pair is not protected."""
        amounts = np.array([*(bound.floor() for bound in self._distinct), math.inf])
        return amounts[self.rank]

    def bound(self, value: int, other: int) -> Nats | None:
        return self.bounds[value][other]

    def loss(self, evidence: FiniteEvidence) -> NDArray[np.float64]:
        """For each value, how far the evidence favours it over the least likely it is protected from; rounded up."""
        require_size(len(evidence.log), self.k)
        protected = np.isfinite(self.floors)
        least = np.where(protected, evidence.log[None, :], math.inf).min(axis=1)
        alone: NDArray[np.bool_] = np.logical_not(protected.any(axis=1))
        return loss_over(evidence, np.where(alone, evidence.log, least), alone=alone)

    def slack(self, evidence: FiniteEvidence) -> float:
        """The least that is left of any pair's bound, rounded down; infinite where no pair is protected."""
        require_size(len(evidence.log), self.k)
        left = math.inf
        for x in range(self.k):
            others = np.isfinite(self.floors[x])
            own = FiniteEvidence(np.full(int(others.sum()), evidence.log[x]), evidence.radius)
            loss = loss_over(own, evidence.log[others], alone=False) if others.any() else np.empty(0)
            remaining = np.nextafter(self.floors[x][others] - loss, -math.inf)
            left = min(left, float(remaining.min(initial=math.inf)))
        return left

    def extremes(self, column: ColumnClass) -> Iterator[Extreme]:
        """The pairs of which the least of any bound is left: found by floats, decided by integers.

        Pairs with other bounds are left out where floats leave more of these: hundreds of bounds, each compared exactly
        in every class, took a second whenever a plan of 32 values was read.
        """
        require_size(column.k, self.k)
        heavy, light = np.zeros(self.k, dtype=object), np.zeros(self.k, dtype=object)
        for part in column.parts:
            heavy[part.values], light[part.values] = weight_range(part)
        unprotected = len(self._distinct)
        with np.errstate(invalid="ignore"):
            ratio = logarithms(heavy.tolist())[:, None] - logarithms(light.tolist())
        # What cannot be sent favours nothing, and a pair without a bound may have any ratio.
        ratio[(heavy == 0)[:, None] | (self.rank == unprotected)] = -math.inf
        left = self.floors - ratio
        rows, columns = np.nonzero((ratio > -math.inf) & (left <= left.min() + NEARLY))
        rank = self.rank[rows, columns]
        for place in np.unique(rank).tolist():
            x, other = rows[rank == place], columns[rank == place]
            most, least = largest_quotient(heavy[x].tolist(), light[other].tolist())
            tight = (heavy[x] == most) & (light[other] == least)
            x, other = x[tight], other[tight]
            yield Extreme(most, least, self._distinct[place], x, other, (x, other))

    def distinct(self, stack: ColumnStack) -> Iterator[ColumnClass]:
        """All: each pair of values has a bound of its own."""
        yield from stack

    def __add__(self, other: "PairwiseLDP") -> "PairwiseLDP":
        """What two reports about the same value keep together: the bounds of each pair add.

        Source: context-aware LDP paper, Proposition 2 (the second report may depend on the first).
        """
        if self.k != other.k:
            raise SordinoError("bounds add over one domain", found=f"{self.k} values and {other.k} values")
        return PairwiseLDP(
            [
                [None if a is None or b is None else a + b for a, b in zip(first, second, strict=True)]
                for first, second in zip(self.bounds, other.bounds, strict=True)
            ]
        )
