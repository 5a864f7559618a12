"""What reports on a box tell of each of its numbers: the loss in each, and what is known of all of them together.

Guarantee: every bound is one of `CoordinateLoss`, or of `Cubic` with twice the radius of the reports that touch the
number. Values: what was worked out for a dry run leaves no trace. Units: nats.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sordino.domain.box import Box
from sordino.evidence.bound.along import Along, Reach
from sordino.evidence.bound.cubic import Cubic
from sordino.evidence.bound.search import AT_ONCE, Search
from sordino.evidence.box import BoxEvidence, Terms
from sordino.evidence.shape import Floats
from sordino.exact.rounding import down, up_from_zero

ALL_TERMS = 1 << 11
"""Terms in boxes that are bounded for all numbers together: some 10 milliseconds."""


TERMS = 1 << 16
"""Terms in the boxes that are bounded at most, over all boxes: some 20 milliseconds."""

OVERHEAD = 64
"""What bounding a box costs, in terms, beside its terms."""

STEEP = 1.0
"""Where the sum is bent more along the number, pairs of values in cells lose too much: both records are bounded."""


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
        """No reports."""
        return cls(coordinate, BoxEvidence(box), Along.of_no_reports(coordinate))

    @cached_property
    def upper(self) -> float:
        """No less than the loss."""
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
        """By one of the cells."""
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
        """No reports."""
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
