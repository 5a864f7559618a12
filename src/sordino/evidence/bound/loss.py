"""The realized loss of evidence on a box: the largest ln Pr(V | x) less the smallest, between certified bounds.

`lower <= loss <= upper` holds whatever the limit on the work: every bound is outward by the evidence's radius (integer
thresholds against the formula) and margin (floats). Bounds are carried from one report to the next and solved only
where a question cannot be decided with what is known.
Source: Bayesian privacy filter paper, Sections 5.1 and 5.4, with other bounds.

How far evidence on a box tells two records apart, by one polynomial of degree two for all reports together.

Each term is a quadratic function of its affine form, and a remainder on the form's window; linear questions have next
to none. The quadratic functions add to one of the record, whose largest and smallest values over the cube are bounded
by a diagonal that makes it concave: of a sum that is concave already nothing is lost, of a convex one little.
Guarantee: `upper` is no less than the largest difference of sums of terms, whatever the polynomials are. Units: nats.
Cost: the same after any number of reports.
"""

import math
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sordino.domain.box import Box
from sordino.evidence.bound.problem import Problem
from sordino.evidence.bound.remainder import GRID, LEAST_REACH, NODES, READ, SPARE
from sordino.evidence.bound.search import Search
from sordino.evidence.box_evidence import UNIT, BoxEvidence, Terms
from sordino.evidence.shape import Floats
from sordino.exact.floats import down, up

TERM = 2400
"""What a term of a box costs beside its pairs of numbers, as many pairs."""

NODE = 30 * (TERM + 9**2)
"""What one box of 30 terms of 9 numbers costs, in pairs: of more terms or numbers fewer are bounded."""

LARGEST_DIMENSION = 10
"""Beyond it corners are searched, not listed."""

MOST_STEPS = 40
"""Largest number of steps; the bounds are valid wherever they end."""

CLOSED = 1e-10
"""A gain that is not worth a step, in nats; the margin is not much smaller."""

RIDGE = 1e-12
"""Relative to the largest curvature: directions in which the sum is affine give no infinite step."""


@dataclass(frozen=True, eq=False)
class SummedSquares:
    """The polynomial of some reports, and what is left of them.

    Attributes:
        first: shape (d,), its slopes at the centre.
        second: shape (d, d), of products of two numbers.
        left: nats; the most by which the rest of the terms differs between two records.
        weight: what the roundings of a bound are relative to.
        n: how many terms.
    """

    first: Floats
    second: Floats
    left: float = 0.0
    weight: float = 0.0
    n: int = 0

    @classmethod
    def of_no_reports(cls, d: int) -> "SummedSquares":
        d = d if d <= LARGEST else 0
        return cls(np.zeros(d), np.zeros((d, d)))

    def after(self, report: BoxEvidence) -> "SummedSquares":
        """With one more report."""
        now = self
        for terms in report.groups:
            now = now._with(terms) if len(self.first) else now
        return now

    def _with(self, terms: Terms) -> "SummedSquares":
        shape, slopes, middle = terms.shape, terms.slopes, terms.intercepts
        if not np.isfinite(shape.most_bent).all():
            return replace(self, left=np.inf)
        reach = np.abs(slopes).sum(axis=1)
        zero, one, two, _ = np.where(reach > LEAST_REACH, READ @ shape.value(NODES[:, None] * reach + middle), 0.0)
        parts = np.stack((zero - two, one, 2 * two))
        zero, one, two = parts / np.maximum(reach, LEAST_REACH) ** np.arange(3)[:, None]
        rounds = (8 * slopes.shape[1] + 32) * UNIT
        window = reach * (1 + rounds)
        at = GRID[:, None] * window
        gap = shape.value(at + middle) - (zero + at * (one + at * two))
        size = np.abs(parts).sum(axis=0) + shape.steepest * (reach + np.abs(middle))
        # Between two places of the grid, above the one side and below the other.
        between = (2 * window / (len(GRID) - 1)) ** 2 / 8 * (shape.most_bent + 2 * np.abs(two)) * (1 + SPARE)
        left = gap.max(axis=0) - gap.min(axis=0) + 2 * between + 4 * shape.error + 4 * rounds * size
        return SummedSquares(
            self.first + one @ slopes,
            self.second + (slopes.T * two) @ slopes,
            self.left + float(left.sum()),
            self.weight + float((size + left).sum()),
            self.n + shape.n,
        )

    @cached_property
    def upper(self) -> float:
        """No two records are told further apart; infinite where a term has no second derivative, or d is too large."""
        if not (len(self.first) and np.isfinite(self.left)):
            return np.inf
        margin = 64 * (self.n + len(self.first) ** 2 + 60) * UNIT * self.weight
        most = largest_square(self.first, self.second) + largest_square(-self.first, -self.second)
        return most + self.left + margin


@dataclass(frozen=True, eq=False)
class Concave:
    """What is known of the maximum of some evidence's sum, or of less its minimum, where that is concave and smooth.

    Newton's steps, projected, each a d x d system. At any point the value plus what a Frank-Wolfe step could gain, the
    sum over the coordinates of the largest gradient times the way to a bound, is an upper bound: a concave function
    lies below its tangent. Steps, 1 to 6 from the last maximum, end where it is low enough.

    Attributes:
        top: whether the largest sum is sought, or less the smallest.
        upper, lower: bounds on the maximum.
        point: shape (d,), where the lower one is attained.
    """

    evidence: BoxEvidence
    top: bool
    upper: float
    lower: float
    point: NDArray[np.float64]

    @classmethod
    def of(cls, evidence: BoxEvidence, point: NDArray[np.float64], upper: float = np.inf, *, top: bool) -> "Concave":
        """Begin at a point."""
        problem = Problem.of(evidence, top=top)
        return cls(evidence, top, min(upper, problem.ceiling), float(problem.value(point[None, :])[0]), point)

    @property
    def incumbent(self) -> float:
        """The best one found: a better one is the work of `tighten`."""
        return self.lower

    def with_report(self, evidence: BoxEvidence, report: BoxEvidence) -> "Concave | None":
        """The new terms' largest values are added to the upper bound, their values at the point to the lower one."""
        if not (report.shape.concave if self.top else report.shape.convex):
            return None
        added = Problem.of(report, top=self.top)
        t = added.slopes @ self.point + added.intercepts
        lower = self.lower + float(added.shape.value(t).sum())
        return Concave(evidence, self.top, self.upper + added.ceiling, lower, self.point)

    def tighten(self, enough: float) -> tuple["Concave", int]:
        """Newton's steps until the upper bound is low enough, or nothing is left to gain."""
        if self.upper - self.lower <= CLOSED:
            return self, 0
        problem = Problem.of(self.evidence, top=self.top)
        shape, slopes, intercepts = problem.shape, problem.slopes, problem.intercepts
        upper, point = self.upper, self.point
        t = slopes @ point + intercepts
        value = float(shape.value(t).sum())
        for _ in range(MOST_STEPS):
            tilt = shape.slope(t)
            gradient = tilt @ slopes
            upper = min(upper, value + float(np.sum(np.abs(gradient) - gradient * point)))
            if upper <= enough or upper - value <= CLOSED:
                break
            free = np.abs(point) < 1
            free |= gradient * point < 0
            moving = slopes[:, free]
            curvature = moving.T @ (moving * shape.curve(t)[:, None])
            curvature.flat[:: len(curvature) + 1] += RIDGE * curvature.trace() + 1e-300
            step = np.zeros_like(point)
            step[free] = np.linalg.solve(curvature, gradient[free])
            length, before = 1.0, value
            while length > 1e-9:
                trial = np.clip(point + length * step, -1.0, 1.0)
                t_trial = slopes @ trial + intercepts
                found = float(shape.value(t_trial).sum())
                if found > value:
                    point, t, value = trial, t_trial, found
                    break
                length /= 4
            if value <= before:
                break
        better = upper < self.upper or value > self.lower
        return Concave(self.evidence, self.top, upper, max(value, self.lower), point), int(better)


class MaximumBounds(Protocol):
    """Bounds on the largest value of a sum over the cube, but for the evidence's margin, and how to improve them.

    Three ways: a function that is concave everywhere has its maximum where Newton's steps end (`Concave`), one that is
    convex everywhere at a corner (`Corners`), any other by branch and bound (`Search`). Sides are values: every step
    gives a new one, and one that was improved for a dry run leaves no trace.
    """

    @property
    def upper(self) -> float:
        """No point of the cube has a larger value."""

    @property
    def lower(self) -> float:
        """The value at `point`."""

    @property
    def incumbent(self) -> float:
        """The value at a point that little work leads to from there; at least `lower`."""

    @property
    def point(self) -> NDArray[np.float64]:
        """The best point found, shape (d,)."""

    def with_report(self, evidence: BoxEvidence, report: BoxEvidence) -> "MaximumBounds | None":
        """With one more report, part of the evidence: bounds are carried over; None where it does not fit this way."""

    def tighten(self, enough: float) -> "tuple[MaximumBounds, int]":
        """Bounds closer than `enough`, or as can be, and how many boxes were bounded; 0 where nothing can be gained."""


@dataclass(frozen=True, eq=False)
class Corners:
    """Some convex evidence's sum at each corner, or less the sum; kept and added to, 2^d values for each new term.

    Attributes:
        top: whether the largest sum is sought, or less the smallest.
        sums: shape (2^d,).
    """

    top: bool
    sums: NDArray[np.float64]

    @classmethod
    def of(cls, evidence: BoxEvidence, *, top: bool) -> "Corners":
        return cls(top, _sums(evidence, top=top))

    @cached_property
    def upper(self) -> float:
        return float(self.sums.max())

    @property
    def lower(self) -> float:
        return self.upper

    @property
    def point(self) -> NDArray[np.float64]:
        best: NDArray[np.float64] = corners(len(self.sums).bit_length() - 1)[int(np.argmax(self.sums))]
        return best

    @property
    def incumbent(self) -> float:
        return self.lower

    def with_report(self, evidence: BoxEvidence, report: BoxEvidence) -> "Corners | None":
        del evidence
        shape = report.shape
        fits = shape.concave if not self.top else shape.convex
        return Corners(self.top, self.sums + _sums(report, top=self.top)) if fits else None

    def tighten(self, enough: float) -> tuple["Corners", int]:  # noqa: ARG002 - nothing is left to gain
        return self, 0


def _sums(evidence: BoxEvidence, *, top: bool) -> NDArray[np.float64]:
    t = corners(evidence.box.d) @ evidence.slopes.T + evidence.intercepts
    sums: NDArray[np.float64] = evidence.shape.value(t).sum(axis=1)
    return sums if top else -sums


@cache
def corners(d: int) -> NDArray[np.float64]:
    """All corners of the cube, shape (2^d, d)."""
    places = np.arange(2**d)[:, None] >> np.arange(d)
    result = np.where(places & 1, 1.0, -1.0)
    result.setflags(write=False)
    return result


@dataclass(frozen=True)
class LossBounds:
    """What is known of a realized loss, in nats.

    Attributes:
        lower: no more than the loss; attained by two records, but for rounding.
        upper: no less than the loss.

    Example:
        >>> LossBounds(0.5, 0.75).gap
        0.25
    """

    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """How far they are apart."""
        return self.upper - self.lower


@dataclass(frozen=True, eq=False)
class BoxLoss:
    """Evidence on a box and what is known of its realized loss.

    Attributes:
        top: of the largest sum of its terms; None without terms.
        square: a polynomial of the reports, of more numbers than corners are listed of; None of fewer, where both sides
            are found closely by themselves and it cost two fifths of a decision.
        most: nats; no less than the loss, by the polynomial and what later reports can tell at most.
    """

    evidence: BoxEvidence
    top: MaximumBounds | None = None
    bottom: MaximumBounds | None = None
    square: SummedSquares | None = None
    most: float = math.inf

    @classmethod
    def of(cls, evidence: BoxEvidence) -> "BoxLoss":
        """Nothing solved yet."""
        many = evidence.box.d > LARGEST_DIMENSION
        square = SummedSquares.of_no_reports(evidence.box.d).after(evidence) if many else None
        if not evidence.n:
            return cls(evidence, square=square)
        return cls(evidence, _side(evidence, top=True), _side(evidence, top=False), square)

    @classmethod
    def of_no_reports(cls, box: Box) -> "BoxLoss":
        return cls(BoxEvidence(box))

    @cached_property
    def bounds(self) -> LossBounds:
        """What is known, outward."""
        if self.top is None or self.bottom is None:
            return LossBounds(0.0, min(self.evidence.ceiling, up(2 * self.evidence.radius)))
        spread = 2 * (self.evidence.radius + self.evidence.margin)
        upper = up(up(self.top.upper + self.bottom.upper) + spread)
        lower = down(down(self.top.lower + self.bottom.lower) - spread)
        # In this order a bound that is no number gives way to the one that always holds.
        return LossBounds(max(0.0, lower), min(self.evidence.ceiling, self.most, upper))

    @cached_property
    def incumbent(self) -> float:
        """No more than the loss, by little work."""
        if self.top is None or self.bottom is None:
            return 0.0
        spread = 2 * (self.evidence.radius + self.evidence.margin)
        return max(self.bounds.lower, down(down(self.top.incumbent + self.bottom.incumbent) - spread))

    def after(self, report: BoxEvidence) -> "BoxLoss":
        """With one more report: bounds are carried over, nothing is solved."""
        evidence = self.evidence + report
        if self.top is None or self.bottom is None:
            return BoxLoss.of(evidence)
        square = None if self.square is None else self.square.after(report)
        most = up(self.most + report.ceiling)
        if not report.n:
            return BoxLoss(evidence, self.top, self.bottom, square, most)
        top, bottom = self.top.with_report(evidence, report), self.bottom.with_report(evidence, report)
        return BoxLoss(
            evidence,
            _other(self.top, evidence, report, top=True) if top is None else top,
            _other(self.bottom, evidence, report, top=False) if bottom is None else bottom,
            square,
            most,
        )

    def solve(self, nodes: int, goal: float = math.inf, tolerance: float = 0.0) -> "BoxLoss":
        """Closer bounds.

        Args:
            nodes: boxes of 30 terms of 9 numbers to bound at most, about; of larger ones so many fewer.
            goal: stop where the loss is known to be at most this, or above.
            tolerance: stop where the bounds are that close.
        """
        now, used = self, 0
        spread = 2 * (self.evidence.radius + self.evidence.margin)
        if nodes:
            nodes = max(min(nodes, nodes * NODE // max(self.evidence.n * (TERM + self.evidence.box.d**2), 1)), 1)
        decided = self.bounds.upper <= goal < math.inf or self.bounds.lower > goal
        if self.square is not None and nodes > 0 and not decided:
            now = replace(now, most=min(now.most, up(self.square.upper + 2 * self.evidence.radius)))
        while used < nodes:
            bounds, top, bottom = now.bounds, now.top, now.bottom
            if top is None or bottom is None or bounds.upper <= goal < math.inf or bounds.lower > goal:
                break
            if bounds.gap <= tolerance:
                break
            enough = max(goal - spread if goal < math.inf else -math.inf, top.lower + bottom.lower + tolerance / 2)
            # The looser side first; where it has nothing to gain, the other.
            work = 0
            if top.upper - top.lower >= bottom.upper - bottom.lower:
                top, work = top.tighten(enough - bottom.upper)
            if not work:
                bottom, work = bottom.tighten(enough - top.upper)
            if not work:
                top, work = top.tighten(enough - bottom.upper)
            if not work:
                break
            now, used = replace(now, top=top, bottom=bottom), used + work
        return now


def _side(
    evidence: BoxEvidence, point: NDArray[np.float64] | None = None, upper: float = math.inf, *, top: bool
) -> MaximumBounds:
    shape = evidence.shape
    concave, convex = (shape.concave, shape.convex) if top else (shape.convex, shape.concave)
    if convex and evidence.box.d <= LARGEST_DIMENSION:
        return Corners.of(evidence, top=top)
    start = np.zeros(evidence.box.d) if point is None else point
    return (Concave if concave else Search).of(evidence, start, upper, top=top)


def _other(side: MaximumBounds, evidence: BoxEvidence, report: BoxEvidence, *, top: bool) -> MaximumBounds:
    return _side(evidence, side.point, side.upper + Problem.of(report, top=top).ceiling, top=top)


LARGEST = 128
"""With more numbers there is no polynomial: its coefficients are too many to be carried."""

STEPS = 60
"""Towards the largest value of a concave function; what they leave is in the bound."""

SLACK = 1e-9
"""Relative; eigenvalues are off by far less."""


def largest_square(first: Floats, second: Floats) -> float:
    """At least the largest value of first . y + y' second y over the cube, but for rounding."""
    rows = np.abs(second).sum(axis=0)
    scale = np.sqrt(np.maximum(rows, 1e-300))
    spectrum = np.linalg.eigvalsh(second / np.outer(scale, scale))
    lift = max(float(spectrum[-1]), 0.0) + SLACK
    concave = second - np.diag(lift * rows)
    pace = np.minimum(1 / np.maximum(2 * (lift - min(float(spectrum[0]), 0.0)) * rows, 1e-300), 1e30)
    point = np.sign(first)
    for _ in range(STEPS):
        point = np.minimum(np.maximum(point + pace * (first + 2 * (concave @ point)), -1.0), 1.0)
    bent = concave @ point
    slope = first + 2 * bent
    # A concave function lies below its tangent.
    return float(point @ (first + bent) + np.abs(slope).sum() - slope @ point + lift * rows.sum())
