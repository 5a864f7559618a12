"""What reports on a box tell of each of its numbers: the loss in each, and what is known of all of them together.

Guarantee: every bound is one of `CoordinateLoss`, or of `Cubic` with twice the radius of the reports that touch the
number. Values: what was worked out for a dry run leaves no trace. Units: nats.

How far evidence on a box tells two values of one number apart, with all other numbers the same for both.

For two fixed values u and v of the number, what the reports say of u less what they say of v is a sum of functions of
the other numbers, each with an envelope of its own: far closer than the envelopes of both sides by themselves. Two
values anywhere are not much further apart than fixed ones near them: the best value is an end of the number's range, or
there the sum is level, so that a point at distance r has at least the same sum less r^2 / 2 times the most that the sum
is bent. So pairs of values come in cells: of the ends, of an end and a part of the range, of two parts.
Guarantee: `upper` is no less than the largest difference of sums of terms, `lower` no more than it; both but for the
evidence's radius, and outward by the margin of their own roundings. Units: nats.

The most that one report on a box tells of each number: how far its terms can rise along it, in closed form.

Guarantee: no two records that differ in the number alone are told further apart, outward by margin and radius.
Units: nats.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from sordino.domain.box import Box
from sordino.evidence.bound.cubic import Cubic
from sordino.evidence.bound.problem import CELLS, SQUARES, Problem
from sordino.evidence.bound.search import AT_ONCE, Leaves, Search
from sordino.evidence.box_evidence import SPARE_ROUNDINGS, UNIT, BoxEvidence, Terms
from sordino.evidence.shape import Floats, Sigmoid
from sordino.exact.floats import down, up_from_zero

ALL_TERMS = 1 << 11
"""Terms in boxes that are bounded for all numbers together: some 10 milliseconds."""

TERMS = 1 << 16
"""Largest number of terms in the boxes that are bounded, over all boxes: some 20 milliseconds."""

OVERHEAD = 64
"""What bounding a box costs, in terms, beside its terms."""

STEEP = 1.0
"""Where the sum is bent more along the number, pairs of values in cells lose too much: both records are bounded."""


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


@dataclass(frozen=True, eq=False)
class CoordinateLoss:
    """What the reports that touch a coordinate say, and how far they tell records apart that differ in it alone.

    The largest ln Pr(V | x) - ln Pr(V | x') is the maximum over one number more than a record has: the terms at x less
    the terms at x', which are reflected functions. Bounds are carried from one report to the next, each adding what it
    can tell at most by itself, and solved only where they decide: `lower <= loss <= upper` whatever the limit on the
    work, outward by the margin and twice the radius. Source: the bounds of `evidence.bound.loss`, for coordinate DP.

    Attributes:
        coordinate: its place.
        reports: all of them up to the last that touches the coordinate.
        along: what is known of differences along the coordinate.
        radius, ceiling: nats; of the reports that touch it, as of evidence.
        carried: no less than the loss, by what each report tells at most by itself.
        lower: no more than the loss.
    """

    coordinate: int
    reports: BoxEvidence
    along: Along
    radius: float = 0.0
    ceiling: float = 0.0
    carried: float = 0.0
    lower: float = 0.0

    @classmethod
    def of_no_reports(cls, box: Box, coordinate: int) -> "CoordinateLoss":
        return cls(coordinate, BoxEvidence(box), Along.of_no_reports(coordinate))

    @cached_property
    def upper(self) -> float:
        return min(self.carried, up_from_zero(self.along.upper + 2 * self.radius))

    @cached_property
    def evidence(self) -> BoxEvidence:
        """Of the reports that touch the coordinate: any other is the same for both records."""
        groups = []
        for terms in self.reports.groups:
            own = terms.slopes[:, self.coordinate] != 0
            if own.all():
                groups.append(terms)
            elif own.any():
                shape = type(terms.shape)(terms.shape.parameters[:, own])
                groups.append(replace(terms, shape=shape, slopes=terms.slopes[own], intercepts=terms.intercepts[own]))
        return BoxEvidence(self.reports.box, tuple(groups), self.radius, self.ceiling)

    def after(
        self, report: BoxEvidence, told: Reach | None = None, reports: BoxEvidence | None = None
    ) -> "CoordinateLoss":
        """With one more report that touches the coordinate: its largest loss is added, nothing is solved."""
        told = Reach.of(report) if told is None else told
        radius, ceiling = up_from_zero(self.radius + report.radius), up_from_zero(self.ceiling + report.ceiling)
        return CoordinateLoss(
            self.coordinate,
            self.reports + report if reports is None else reports,
            self.along.after(told),
            radius,
            ceiling,
            min(ceiling, up_from_zero(self.upper + float(told.alone[self.coordinate]))),
        )

    def below(self, most: float) -> "CoordinateLoss":
        """The same where differences of sums of terms are known to be at most so large."""
        carried = up_from_zero(most + 2 * self.radius)
        return replace(self, carried=carried) if carried < self.carried else self

    def solve(self, nodes: int, goal: float = math.inf, tolerance: float = 0.0) -> "CoordinateLoss":
        """Closer bounds.

        Args:
            nodes: boxes to bound at most, about.
            goal: stop where the loss is known to be at most this, or above.
            tolerance: stop where the bounds are that close.
        """
        return self.solve_with_cost(nodes, goal, tolerance)[0]

    def solve_with_cost(
        self, nodes: int, goal: float = math.inf, tolerance: float = 0.0, terms: int = TERMS
    ) -> "tuple[CoordinateLoss, int]":
        """As `solve`, with at most so many terms of boxes; and how many were bounded, with `OVERHEAD`."""
        if self._done(goal, tolerance) or not self.evidence.n:
            return self, 0
        size = self.evidence.n + OVERHEAD
        now, used, most = self, 0, min(nodes, terms // size)
        while self.along.bent <= STEEP and used < most and not now._done(goal, tolerance):
            now, work = now._closer(goal, tolerance, most - used)
            if not work:
                break
            used += work
        # What is left open lies between the values that stand for cells.
        now, work = now._by_pair(most - used, goal, tolerance)  # noqa: SLF001 - of this class
        return now, (used + work) * size

    def _closer(self, goal: float, tolerance: float, nodes: int) -> "tuple[CoordinateLoss, int]":
        spread = up_from_zero(2 * self.radius)
        enough = goal - spread if goal < math.inf else self.lower + tolerance / 2
        along, lower, work = self.along.tighten(self.evidence, enough, min(nodes, AT_ONCE), goal - spread)
        lower = max(self.lower, down(lower - spread))
        return self._with_closer_bounds(along, self.carried, lower), work

    def _by_pair(self, nodes: int, goal: float, tolerance: float) -> "tuple[CoordinateLoss, int]":
        """By the terms at both records, each for itself: closer where they are steep along the coordinate."""
        if nodes <= 0 or self._done(goal, tolerance):
            return self, 0
        pair, now, used = self._pair, self, 0
        spread = up_from_zero(2 * self.radius + pair.margin)
        search = Search.of(pair, np.zeros(pair.box.d), top=True)
        while used < nodes and not now._done(goal, tolerance):
            enough = goal - 2 * spread if goal < math.inf else search.lower + tolerance / 2
            search, work = search.tighten(enough)
            if not work:
                break
            # A bound that is no number gives way to the one that is known.
            carried = min(now.carried, up_from_zero(search.upper + spread))
            lower = max(now.lower, down(search.lower - spread))
            now, used = now._with_closer_bounds(now.along, carried, lower), used + work
        return now, used

    def _with_closer_bounds(self, along: Along, carried: float, lower: float) -> "CoordinateLoss":
        found = replace(self, along=along, carried=carried, lower=lower)
        found.__dict__["evidence"] = self.evidence
        return found

    def _done(self, goal: float, tolerance: float) -> bool:
        return self.upper <= goal < math.inf or self.lower > goal or self.gap <= tolerance

    @property
    def gap(self) -> float:
        return self.upper - self.lower

    @cached_property
    def _pair(self) -> BoxEvidence:
        """The terms at one record less the terms at another: a sum over a box with the coordinate twice."""
        return pair_of(self.evidence, self.coordinate)


def pair_of(evidence: BoxEvidence, coordinate: int) -> BoxEvidence:
    """Evidence at a record less the evidence at one that differs in a coordinate, whose other value stands last."""
    box = evidence.box
    twice = Box((*box.low, box.low[coordinate]), (*box.high, box.high[coordinate]))
    groups = []
    for terms in evidence.groups:
        here = np.column_stack((terms.slopes, np.zeros(terms.shape.n)))
        there = -here
        there[:, -1], there[:, coordinate] = there[:, coordinate], 0.0
        groups.append(replace(terms, slopes=here))
        groups.append(Terms(terms.shape.reflect(), there, -terms.intercepts, terms.weight, terms.error))
    return BoxEvidence(twice, tuple(groups), 2 * evidence.radius, evidence.ceiling)


@dataclass(frozen=True, eq=False)
class NumberLosses:
    """All reports, the loss in each number, and polynomials of the reports."""

    reports: BoxEvidence
    each: tuple[CoordinateLoss, ...]
    cubic: Cubic

    @classmethod
    def of_no_reports(cls, box: Box) -> "NumberLosses":
        each = tuple(CoordinateLoss.of_no_reports(box, place) for place in range(box.d))
        return cls(BoxEvidence(box), each, Cubic.of_no_reports(box.d))

    def after(self, report: BoxEvidence, touched: Sequence[bool]) -> "NumberLosses":
        """With one more report, and whether it can tell anything of each number: bounds are carried over."""
        told, reports = Reach.of(report), self.reports + report
        cubic = self.cubic.after(report, told.alone)
        pairs = zip(self.each, touched, cubic.upper.tolist(), strict=True)
        each = tuple(number.after(report, told, reports).below(most) if own else number for number, own, most in pairs)
        return NumberLosses(reports, each, cubic)

    def cut(self, goals: Floats) -> "NumberLosses":
        """The same with polynomials on smaller boxes, where a number's bound is above its goal, shape (d,)."""
        over = np.array([number.upper for number in self.each]) > goals
        if not over.any():
            return self
        spread = np.array([2 * number.radius for number in self.each])
        cubic = self.cubic.tighten(self.reports, np.where(over, goals - spread, np.inf))
        pairs = zip(self.each, cubic.upper.tolist(), strict=True)
        return replace(self, cubic=cubic, each=tuple(number.below(most) for number, most in pairs))

    def solve(self, goals: Floats, nodes: int) -> "NumberLosses":
        """The same with losses above their goals, shape (d,), worked out by some `nodes` boxes of their own reports."""
        each, left = list(self.each), ALL_TERMS
        for place, number in enumerate(self.each):
            if number.upper > goals[place] >= 0 and left > 0:
                each[place], used = number.solve_with_cost(nodes, float(goals[place]), terms=left)
                left -= used
        return replace(self, each=tuple(each))


MOST_LEAVES = 512
"""A cover of more boxes is not carried over to the next report: it begins again with the whole cube."""


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


def largest_alone(report: BoxEvidence) -> Floats:
    """Of each number, shape (d,), rounded up; at most what the report's channel promises."""
    d, spread = report.box.d, 2 * (report.radius + report.margin)
    total = np.full(d, spread)
    for terms in report.groups:
        shape = terms.shape
        if not isinstance(shape, Sigmoid):
            return np.full(d, report.ceiling)
        ends = np.ones((1, d))
        low, high = Problem(shape, terms.slopes, terms.intercepts).ranges(-ends, ends)
        repeated = type(shape)(np.repeat(shape.parameters, d, axis=1))
        steps = 2 * np.abs(terms.slopes).ravel()
        rises = largest_rise(repeated, np.repeat(low[0], d), np.repeat(high[0], d), steps)
        total = np.nextafter(total + rises.reshape(shape.n, d).sum(axis=0), np.inf)
    return np.minimum(np.where(total > 0, np.nextafter(total, np.inf), 0.0), report.ceiling)


def largest_rise(shape: Sigmoid, low: Floats, high: Floats, step: Floats) -> Floats:
    """At least the largest f(t + step) - f(t) with t and t + step in [low, high], shape (n,), but for rounding.

    As f' rises up to the inflection and falls from there on, the rise is largest in a window around it, and concave in
    t as long as the window holds it: a tangent bounds it wherever it touches.
    """
    last = np.maximum(high - step, low)
    first, end = (np.minimum(np.maximum(at, low), last) for at in (shape.inflection - step, shape.inflection))
    best = np.full(shape.n, np.inf)
    for start in (shape.inflection - step / 2, end):
        at = np.minimum(np.maximum(start, first), end)
        left, right = (beyond - here for beyond, here in zip(shape.slopes(at + step), shape.slopes(at), strict=True))
        missing = np.maximum(right, 0) * (end - at) + np.maximum(-left, 0) * (at - first)
        best = np.fmin(best, shape.value(at + step) - shape.value(at) + missing)
    return best
