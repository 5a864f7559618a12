"""LDP by distances: neighbouring values are told apart by little, and values further apart by as much more.

Values stand on a line, on a tree, or on a product of such, as the cells of a map do; each edge has an exact bound. What
holds along every edge holds along every way, so the bound of two values is the length of the way between them, in a
product the sum over its axes; and nothing but edges is ever looked at or kept. Memory: some numbers an edge.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.definition.metric_tree import MetricTree, bound_at, total
from sordino.definition.pairwise import (
    NEARLY,
    CertificateBasis,
    Extreme,
    largest_quotient,
    logarithms,
    loss_over,
    require_size,
    weight_range,
    widen_gaps,
)
from sordino.domain.tree import LARGEST_TREE, Tree
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ColumnStack, FiniteEvidence
from sordino.exact.messages import Brief, checked, checked_class, read_rational, shown
from sordino.exact.nats import Nats, NatsLike

LARGEST = 1 << 22
"""Largest number of values, as of a plan's domain."""

Number: TypeAlias = str | int | float | Fraction | Decimal
"""What is read exactly as a position or a length."""


class Edges(NamedTuple):
    """All edges between neighbours, shape (edges,): both ends, and the place of the bound among the different ones."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    place: NDArray[np.intp]


@checked_class
@dataclass(frozen=True, repr=False)
class MetricLDP(Brief):
    """LDP whose bounds are distances along the edges of a line, a tree or a product of such.

    Source: context-aware LDP paper, Definition 2, for a symmetric E (Chatzikokolakis et al. 2013, d-privacy).

    Attributes:
        axes: the trees; with several, values are the combinations of theirs, the last axis runs fastest.

    Example:
        >>> line = MetricLDP.line([0, 10, 25], "1/10")
        >>> str(line.bound(0, 1)), str(line.bound(0, 2)), str(line.epsilon)
        ('1', '5/2', '5/2')
        >>> grid = MetricLDP.grid(125, 350, "1/2", "ln 2")
        >>> grid.k, str(grid.bound(0, 2 * 350 + 3))
        (43750, '1 + ln 8')
        >>> str(MetricLDP.tree([None, 0, 0, 1], "1").bound(2, 3))
        '3'
    """

    certificate_basis: ClassVar[CertificateBasis] = "edges"

    axes: tuple[MetricTree, ...]

    def __post_init__(self) -> None:
        if not self.axes:
            raise SordinoError("a metric must have at least one axis", found="no axes", step="give a Line or a Tree")
        if self.k > LARGEST:
            raise SordinoError(f"a metric must be of at most {LARGEST} values", found=shown(self.k), step="use blocks")

    @classmethod
    @checked
    def line(cls, places: int | Sequence[Number], epsilon: NatsLike) -> "MetricLDP":
        """Values on a line.

        Args:
            places: how many values, in equal steps of 1; or where each lies, in any order.
            epsilon: nats for each unit of distance. A step of more than 100 nats counts as 100.

        Raises:
            SordinoError: no values, positions that are no numbers, or equal ones.
        """
        if isinstance(places, int):
            return cls((_steps(places, bound_at(epsilon, 1)),))
        positions = [read_rational(place) for place in places]
        order = np.array(sorted(range(len(positions)), key=positions.__getitem__), dtype=np.intp)
        tree = Tree.path(order)
        apart = [abs(position - positions[above]) for position, above in zip(positions, tree.parents, strict=True)]
        lengths = {distance: bound_at(epsilon, distance) for distance in set(_edges_of(tree, apart))}
        return cls((MetricTree.of(tree, [lengths.get(distance, Nats.of(0)) for distance in apart]).with_short_sums,))

    @classmethod
    @checked
    def tree(
        cls,
        parents: Sequence[int | None] | ArrayLike,
        epsilon: NatsLike,
        lengths: Sequence[Number | None] | None = None,
    ) -> "MetricLDP":
        """Values on a tree, as in a taxonomy; inner nodes are values too.

        Args:
            parents: each value's parent, None for the root.
            epsilon: nats for each unit of length. An edge of more than 100 nats counts as 100.
            lengths: of the edge from each value to its parent, 1 by default; the root's is not read.

        Raises:
            SordinoError: no tree (a cycle, two roots), lengths that are not above 0, or another number of them.
        """
        read = Tree.of(parents)
        units: Sequence[Number | None] = [1] * read.k if lengths is None else lengths
        if len(units) != read.k:
            raise SordinoError(f"there must be a length for each of {read.k} values", found=shown(len(units)))
        bounds = {unit: bound_at(epsilon, unit) for unit in set(_edges_of(read, units))}
        return cls((MetricTree.of(read, [bounds.get(unit, Nats.of(0)) for unit in units]).with_short_sums,))

    @classmethod
    @checked
    def grid(cls, rows: int, columns: int, row_step: NatsLike, column_step: NatsLike) -> "MetricLDP":
        """The cells of a grid, row by row: the sum of what rows and what columns two cells lie apart allows.

        Args:
            row_step: nats between neighbouring rows, above 0 and at most 100.
            column_step: nats between neighbouring columns.
        """
        return cls((_steps(rows, row_step), _steps(columns, column_step)))

    @classmethod
    @checked
    def product(cls, metrics: "Sequence[MetricLDP]") -> "MetricLDP":
        """Combinations of values, the last one's run fastest: distances add."""
        for metric in metrics:
            if not isinstance(metric, MetricLDP):
                raise SordinoError("a product must be of metrics", found=shown(metric), step="give MetricLDPs")
        return cls(tuple(axis for metric in metrics for axis in metric.axes))

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values of each axis."""
        return tuple(axis.k for axis in self.axes)

    @property
    def k(self) -> int:
        """The number of values."""
        return math.prod(self.shape)

    @cached_property
    def bounds(self) -> tuple[Nats, ...]:
        """The different bounds of edges, ascending."""
        return tuple(sorted({bound for axis in self.axes for bound in axis.bounds}))

    @property
    def least(self) -> Nats:
        """The smallest bound of two values, one of an edge; 0 of one value alone."""
        return self.bounds[0] if self.bounds else Nats.of(0)

    @cached_property
    def epsilon(self) -> Nats:
        """The largest bound of two values."""
        return total((axis.diameter, 1) for axis in self.axes)

    @property
    def furthest(self) -> tuple[int, int]:
        """Two values with the largest bound."""
        ends = np.ravel_multi_index(tuple(np.array([axis.furthest for axis in self.axes])), self.shape)
        return int(ends[0]), int(ends[1])

    @cached_property
    def edges(self) -> Edges:
        """All edges, along each axis after the other."""
        values = np.arange(self.k).reshape(self.shape)
        place = {bound: i for i, bound in enumerate(self.bounds)}
        parts = []
        for i, axis in enumerate(self.axes):
            below = axis.tree.below
            own = np.array([place[bound] for bound in axis.bounds], dtype=np.intp)[axis.kind[below]]
            first = np.moveaxis(values, i, 0)[below]
            second = np.moveaxis(values, i, 0)[axis.tree.parents[below]]
            parts.append((first.ravel(), second.ravel(), np.repeat(own, self.k // axis.k)))
        return Edges(*map(np.concatenate, zip(*parts, strict=True)))

    @property
    def edge_bounds(self) -> list[list[Nats | None]]:
        """The bounds of neighbours as a matrix, k rows of k, from which all others follow; None elsewhere."""
        k = self.k
        bounds: list[list[Nats | None]] = [[Nats.of(0) if x == y else None for y in range(k)] for x in range(k)]
        for x, y, place in zip(*(ends.tolist() for ends in self.edges), strict=True):
            bounds[x][y] = bounds[y][x] = self.bounds[place]
        return bounds

    def bound(self, value: int, other: int) -> Nats:
        """The length of the way between the two values."""
        ends = zip(self.axes, *(np.unravel_index(end, self.shape) for end in (value, other)), strict=True)
        return total((axis.distance(int(here), int(there)), 1) for axis, here, there in ends)

    def loss(self, evidence: FiniteEvidence) -> NDArray[np.float64]:
        """For each value, how far the evidence favours it over the least likely one; rounded up."""
        require_size(len(evidence.log), self.k)
        return loss_over(evidence, np.min(evidence.log), alone=self.k == 1)

    def slack(self, evidence: FiniteEvidence) -> float:
        """The least that is left of any edge's bound, rounded down: while it is not negative, no way has less left."""
        require_size(len(evidence.log), self.k)
        here, there = evidence.log[self.edges.first], evidence.log[self.edges.second]
        gaps = np.abs(
            np.subtract(here, there, out=np.zeros(len(here)), where=~(np.isneginf(here) & np.isneginf(there)))
        )
        largest = np.zeros(len(self.bounds))
        np.maximum.at(largest, self.edges.place, gaps)
        floors = np.array([bound.floor() for bound in self.bounds])
        left = np.nextafter(floors - widen_gaps(largest, evidence.radius), -math.inf)
        return float(left.min(initial=math.inf))

    def extremes(self, column: ColumnClass) -> Iterator[Extreme]:
        """For each bound, the edges with the largest ratio of weights: found by floats, decided by integers."""
        require_size(column.k, self.k)
        # What no part lists weighs nothing.
        ranges = [*map(weight_range, column.parts), (0, 0)]
        mark = np.full(self.k, len(column.parts), dtype=np.intp)
        for number, part in enumerate(column.parts):
            mark[part.values] = number
        first, second, place = self.edges
        heavy, light = np.concatenate((first, second)), np.concatenate((second, first))
        several = len(ranges)
        key = (np.concatenate((place, place)) * several + mark[heavy]) * several + mark[light]
        kinds, own = np.unique(key, return_inverse=True)
        at, most, least = kinds // several**2, kinds // several % several, kinds % several
        with np.errstate(invalid="ignore"):
            ratio = logarithms(most_of for most_of, _ in ranges)[most] - logarithms(one for _, one in ranges)[least]
        # What cannot be sent favours nothing.
        ratio[np.array([not heaviest for heaviest, _ in ranges])[most]] = -math.inf
        largest = np.full(len(self.bounds), -math.inf)
        np.maximum.at(largest, at, ratio)
        near = np.flatnonzero((ratio > -math.inf) & (ratio >= largest[at] - NEARLY))
        for bound in np.unique(at[near]).tolist():
            some = near[at[near] == bound]
            pairs = [(ranges[i][0], ranges[j][1]) for i, j in zip(most[some], least[some], strict=True)]
            tightest = largest_quotient(*zip(*pairs, strict=True))
            tight = np.isin(own, some[[pair == tightest for pair in pairs]])
            ends = heavy[tight], light[tight]
            yield Extreme(*tightest, self.bounds[bound], *ends, ends)

    def distinct(self, stack: ColumnStack) -> Iterator[ColumnClass]:
        """All: each edge has a bound of its own."""
        yield from stack

    def __add__(self, other: "MetricLDP") -> "MetricLDP":
        """What two reports about the same value keep together: the bounds of each edge add."""
        if [axis.tree for axis in self.axes] != [axis.tree for axis in other.axes]:
            found = f"edges of {self.k} and {other.k} values, or of other lengths"
            raise SordinoError("bounds add over the same edges", found=found, step="add definitions of one metric")
        return MetricLDP(tuple(mine + theirs for mine, theirs in zip(self.axes, other.axes, strict=True)))


def _steps(number: int, step: NatsLike) -> MetricTree:
    if not 1 <= number <= LARGEST_TREE:
        raise SordinoError(f"a line must have 1 to {LARGEST_TREE} values", found=shown(number), step="use blocks")
    return MetricTree.of(Tree.path(np.arange(number)), [step] * number).with_short_sums


def _edges_of(tree: Tree, numbers: Sequence[Number | None]) -> list[Number | None]:
    return [number for value, number in enumerate(numbers) if value != tree.root]
