"""How far evidence on a box tells two records apart that differ in one number only, bounded from above.

The largest ln Pr(V | x) - ln Pr(V | x') is the maximum over one number more than a record has: the terms at x less the
terms at x', which are reflected functions. The same branch and bound serves. Bounds are carried from one report to the
next, each adding what it can tell at most by itself, and solved only where they decide.
Guarantee: `lower <= loss <= upper` whatever the limit on the work, outward by the margin and twice the
radius. Units: nats. Source: the bounds of `evidence.bound.loss`, for coordinate DP.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sordino.domain.box import Box
from sordino.evidence.bound.along import Along, Reach
from sordino.evidence.bound.problem import Problem
from sordino.evidence.bound.search import AT_ONCE, Search
from sordino.evidence.box import BoxEvidence, Terms
from sordino.evidence.shape import Floats, Sigmoid
from sordino.exact.rounding import down, up_from_zero

TERMS = 1 << 15
"""Terms in the boxes that are bounded at most, over all boxes: some 10 milliseconds."""

STEEP = 1.0
"""Where the sum is bent more along the number, pairs of values in cells lose too much: both records are bounded."""


@dataclass(frozen=True, eq=False)
class CoordinateLoss:
    """What the reports that touch a coordinate say, and what is known of its loss.

    Attributes:
        coordinate: its place.
        evidence: of those reports alone: any other is the same for both records.
        along: what is known of differences along the coordinate.
        carried: no less than the loss, by what each report tells at most by itself.
        lower: no more than the loss.
    """

    coordinate: int
    evidence: BoxEvidence
    along: Along
    carried: float = 0.0
    lower: float = 0.0

    @classmethod
    def nothing(cls, box: Box, coordinate: int) -> "CoordinateLoss":
        """No reports."""
        return cls(coordinate, BoxEvidence(box), Along.nothing(coordinate))

    @cached_property
    def upper(self) -> float:
        """No less than the loss."""
        return min(self.carried, up_from_zero(self.along.upper + 2 * self.evidence.radius))

    def after(self, report: BoxEvidence, told: Reach | None = None) -> "CoordinateLoss":
        """With one more report that touches the coordinate: its largest loss is added, nothing is solved.

        Args:
            report: what it says.
            told: what it tells of each number, where that is known.
        """
        evidence = self.evidence + report
        carried = up_from_zero(self.upper + largest_alone(report, self.coordinate))
        along = self.along.after(Reach.of(report) if told is None else told)
        return CoordinateLoss(self.coordinate, evidence, along, min(evidence.ceiling, carried))

    def solved(self, nodes: int, goal: float = math.inf, tolerance: float = 0.0, share: int = 1) -> "CoordinateLoss":
        """Closer bounds.

        Args:
            nodes: boxes to bound at most, about.
            goal: stop where the loss is known to be at most this, or above.
            tolerance: stop where the bounds are that close.
            share: how many such searches share the work of `TERMS`.
        """
        if not self.evidence.n or self._done(goal, tolerance):
            return self
        if not self.along.bent <= STEEP:
            return self._by_pair(nodes, goal, tolerance)
        now, used, most = self, 0, min(nodes, max(TERMS // (share * self.evidence.n), 1))
        while used < most and not now._done(goal, tolerance):
            now, work = now._closer(goal, tolerance, most - used)
            if not work:
                # What is left open lies between the values that stand for cells.
                return now._by_pair(most - used, goal, tolerance)  # noqa: SLF001 - of this class
            used += work
        return now

    def _closer(self, goal: float, tolerance: float, nodes: int) -> "tuple[CoordinateLoss, int]":
        """By one of the cells."""
        spread = up_from_zero(2 * self.evidence.radius)
        enough = goal - spread if goal < math.inf else self.lower + tolerance / 2
        along, lower, work = self.along.improved(self.evidence, enough, min(nodes, AT_ONCE), goal - spread)
        lower = max(self.lower, down(lower - spread))
        return CoordinateLoss(self.coordinate, self.evidence, along, self.carried, lower), work

    def _by_pair(self, nodes: int, goal: float, tolerance: float) -> "CoordinateLoss":
        """By the terms at both records, each for itself: closer where they are steep along the coordinate."""
        pair, now, used = self._pair, self, 0
        spread = up_from_zero(2 * self.evidence.radius + pair.margin)
        search = Search.of(pair, np.zeros(pair.box.d), top=True)
        while used < nodes and not now._done(goal, tolerance):
            enough = goal - 2 * spread if goal < math.inf else search.lower + tolerance / 2
            search, work = search.improved(enough)
            if not work:
                break
            # A bound that is no number gives way to the one that is known.
            carried = min(now.carried, up_from_zero(search.upper + spread))
            lower = max(now.lower, down(search.lower - spread))
            now, used = CoordinateLoss(self.coordinate, self.evidence, now.along, carried, lower), used + work
        return now

    def _done(self, goal: float, tolerance: float) -> bool:
        return self.upper <= goal < math.inf or self.lower > goal or self.gap <= tolerance

    @property
    def gap(self) -> float:
        """How far the bounds are apart."""
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
        groups.append(Terms(terms.shape.reflected(), there, -terms.intercepts, terms.weight, terms.error))
    return BoxEvidence(twice, tuple(groups), 2 * evidence.radius, evidence.ceiling)


def largest_alone(report: BoxEvidence, coordinate: int) -> float:
    """The most that one report can tell of a coordinate, in nats, rounded up; at most what its channel promises."""
    if not report.n:
        return min(report.ceiling, up_from_zero(2 * report.radius))
    total = 0.0
    for terms in report.groups:
        shape = terms.shape
        if not isinstance(shape, Sigmoid):
            return report.ceiling
        alone = Problem(shape, terms.slopes, terms.intercepts)
        ends = np.ones((1, report.box.d))
        low, high = alone.ranges(-ends, ends)
        total += float(largest_rise(shape, low[0], high[0], 2 * np.abs(terms.slopes[:, coordinate])).sum())
    spread = 2 * (report.radius + report.margin)
    return min(report.ceiling, up_from_zero(up_from_zero(total) + spread))


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
