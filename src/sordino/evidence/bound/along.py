"""How far evidence on a box tells two values of one number apart, with all other numbers the same for both.

For two fixed values u and v of the number, what the reports say of u less what they say of v is a sum of functions of
the other numbers, each with an envelope of its own: far closer than the envelopes of both sides by themselves. Two
values anywhere are not much further apart than fixed ones near them: the best value is an end of the number's range, or
there the sum is level, so that a point at distance r has at least the same sum less r^2 / 2 times the most that the sum
is bent. So pairs of values come in cells: of the ends, of an end and a part of the range, of two parts.
Guarantee: `upper` is no less than the largest difference of sums of terms, `lower` no more than it; both but for the
evidence's radius, and outward by the margin of their own roundings. Units: nats.
"""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from sordino.evidence.bound.cells import CELLS, SQUARES
from sordino.evidence.bound.problem import Problem
from sordino.evidence.bound.search import Leaves, Search
from sordino.evidence.bound.single_report import largest_alone
from sordino.evidence.box import SPARE_ROUNDINGS, UNIT, BoxEvidence, Terms
from sordino.evidence.shape import Floats
from sordino.exact.rounding import down

MOST_LEAVES = 512
"""A cover of more boxes is not carried over to the next report: it begins again with the whole cube."""


@dataclass(frozen=True, eq=False)
class Cover:
    """Boxes of the other numbers for one cell, and a point.

    Attributes:
        leaves: their bounds hold for the sum but for its margin.
        point: where the sum is large.
        seen: how many terms of each kind the bounds are about.
    """

    leaves: Leaves
    point: Floats
    seen: tuple[int, ...]

    def raise_bounds(self, evidence: BoxEvidence, coordinate: int, cell: Floats) -> Leaves:
        """The boxes for all reports, each bound raised by the new terms' largest values on the box."""
        leaves = self.leaves
        for place, terms in enumerate(evidence.groups):
            seen = self.seen[place] if place < len(self.seen) else 0
            if seen < terms.shape.n:
                shape = type(terms.shape)(terms.shape.parameters[:, seen:])
                new = Terms(shape, terms.slopes[seen:], terms.intercepts[seen:], 0.0, 0.0)
                added = rises(replace(evidence, groups=(new,)), coordinate, cell)
                leaves = leaves if added is None else leaves.with_terms(Problem.of(added, top=True))
        return leaves


@dataclass(frozen=True, eq=False)
class Reach:
    """What one report can tell of each number at most.

    Attributes:
        grown: shape (d, cells), what it adds to each cell, with all roundings; infinite where a kind has no rise.
        bent: shape (d,), how much it is bent along each number.
        alone: shape (d,), the most that it tells of each number by itself, with its radius.
    """

    grown: Floats
    bent: Floats
    alone: Floats

    @classmethod
    def of(cls, report: BoxEvidence) -> "Reach":
        """Of all numbers at once."""
        d = report.box.d
        grown, bent = np.zeros((d, len(CELLS))), np.zeros(d)
        for terms in report.groups:
            grown = np.nextafter(grown + _largest_additions(terms), np.inf)
            squares, most = (
                (terms.slopes * terms.slopes).T,
                np.broadcast_to(terms.shape.most_bent, terms.slopes.T.shape),
            )
            own = np.multiply(squares, most, out=np.zeros_like(squares), where=squares > 0).sum(axis=1)
            bent = bent + own * (1 + 4 * (terms.shape.n + 4) * UNIT)
        return cls(grown, bent, largest_alone(report))


@dataclass(frozen=True, eq=False)
class Along:
    """What is known of the difference of sums along one number.

    Attributes:
        coordinate: the number.
        tops: shape (cells,), no less than the sum of each cell at its own two values.
        bent: no less than the bend of the sum along the number; infinite where there is no bound on it.
        covers: of the cells that were looked at closer.
    """

    coordinate: int
    tops: Floats
    bent: float = 0.0
    covers: dict[int, Cover] = field(default_factory=dict)

    @classmethod
    def of_no_reports(cls, coordinate: int) -> "Along":
        """No reports."""
        return cls(coordinate, np.zeros(len(CELLS)))

    @cached_property
    def errors(self) -> Floats:
        """Shape (cells,): how much more than at its own values a cell can hold."""
        return SQUARES * self.bent * (1 + 8 * UNIT) if self.bent else np.zeros(len(SQUARES))

    @cached_property
    def upper(self) -> float:
        """Over all cells; two equal values tell nothing."""
        if not math.isfinite(self.bent):
            return math.inf
        return max(math.nextafter(float((self.tops + self.errors).max()), math.inf), 0.0)

    def after(self, told: Reach) -> "Along":
        """With one more report."""
        tops = np.nextafter(self.tops + told.grown[self.coordinate], np.inf)
        bent = math.nextafter(self.bent + float(told.bent[self.coordinate]), math.inf)
        return Along(self.coordinate, tops, bent, self.covers)

    def tighten(
        self, evidence: BoxEvidence, goal: float, nodes: int, beyond: float = math.inf
    ) -> "tuple[Along, float, int]":
        """Closer bounds on the cell with the largest one; the value at a point, and how many boxes were bounded.

        An upper bound of `goal` is low enough; where a value at a point shows that it stays above `beyond`, no box is
        bounded any more.
        """
        at, used = int((self.tops + self.errors).argmax()), 0
        risen = rises(evidence, self.coordinate, CELLS[at])
        if risen is None:
            return self, -math.inf, 0
        margin = risen.margin
        cover = self.covers.get(at)
        seen = tuple(terms.shape.n for terms in evidence.groups)
        leaves = Leaves.whole(evidence.box.d, float(self.tops[at]))
        if cover is not None:
            own = cover.raise_bounds(evidence, self.coordinate, CELLS[at])
            leaves = replace(own, bound=np.minimum(own.bound, float(self.tops[at])))
            used = int(cover.seen != seen)
        point = np.zeros(evidence.box.d) if cover is None else cover.point
        value = float(Problem.of(risen, top=True).value(point[None, :])[0])
        search = Search(risen, True, leaves, value, point)
        enough = goal - float(self.errors[at]) - margin
        while used < max(nodes, 1) and search.lower <= beyond - float(self.errors[at]):
            search, work = search.tighten(enough)
            if not work:
                break
            used += work
        kept = search.leaves if len(search.leaves.bound) <= MOST_LEAVES else Leaves.whole(evidence.box.d, search.upper)
        closer = Cover(kept, search.point, seen)
        tops = self.tops.copy()
        tops[at] = min(tops[at], math.nextafter(search.upper + margin, math.inf))
        along = Along(self.coordinate, tops, self.bent, {**self.covers, at: closer})
        return along, down(search.lower - margin), used


def rises(evidence: BoxEvidence, coordinate: int, cell: Floats) -> BoxEvidence | None:
    """What reports say of one value of a number less what they say of another; None where a kind has no such form.

    The number itself has no slope any more.
    """
    groups = []
    for terms in evidence.groups:
        own = terms.slopes[:, coordinate]
        shape = terms.shape.rise(own * cell[0], own * cell[1])
        if shape is None:
            return None
        slopes = terms.slopes.copy()
        slopes[:, coordinate] = 0.0
        groups.append(Terms(shape, slopes, terms.intercepts, 2 * terms.weight, float(shape.error.sum())))
    return replace(evidence, groups=tuple(groups))


def _largest_additions(terms: Terms) -> Floats:
    """The most that terms add to each cell of each number, shape (d, cells)."""
    (n, d), cells = terms.slopes.shape, len(CELLS)
    own = np.repeat(terms.slopes[:, :, None], cells, axis=2)
    repeated = type(terms.shape)(np.repeat(terms.shape.parameters, d * cells, axis=1))
    shape = repeated.rise((own * CELLS[:, 0]).ravel(), (own * CELLS[:, 1]).ravel())
    if shape is None:
        return np.full((d, cells), np.inf)
    low, high = Problem(terms.shape, terms.slopes, terms.intercepts).ranges(-np.ones((1, d)), np.ones((1, d)))
    # All numbers but one.
    low, high = (low[0][:, None] + np.abs(terms.slopes)), (high[0][:, None] - np.abs(terms.slopes))
    most = shape.highest(*(np.repeat(np.ravel(at), cells) for at in (low, np.maximum(low, high))))
    rounding = _rounding(terms, float(shape.error.reshape(n, -1).max(axis=1).sum()))
    grown: Floats = most.reshape(n, d, cells).sum(axis=0) + rounding
    return grown


def _rounding(terms: Terms, error: float) -> float:
    rounds = terms.shape.n + int(terms.slopes.shape[1]) + SPARE_ROUNDINGS
    return 8 * rounds * UNIT * terms.weight + 4 * error
