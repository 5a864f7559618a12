"""The realized loss of evidence on a box: the largest ln Pr(V | x) less the smallest, between certified bounds.

`lower <= loss <= upper` holds whatever the limit on the work: every bound is outward by the evidence's radius (integer
thresholds against the formula) and margin (floats). Bounds are carried from one report to the next and solved only
where a question cannot be decided with what is known.
Source: Bayesian privacy filter paper, Sections 5.1 and 5.4, with other bounds.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.domain.box import Box
from sordino.evidence.bound.concave import Concave
from sordino.evidence.bound.corners import LARGEST_DIMENSION, Corners
from sordino.evidence.bound.problem import Problem
from sordino.evidence.bound.search import Search
from sordino.evidence.bound.side import Side
from sordino.evidence.bound.square import Quadratic
from sordino.evidence.box import BoxEvidence
from sordino.exact.rounding import down, up

TERM = 2400
"""What a term of a box costs beside its pairs of numbers, as many pairs."""

NODE = 30 * (TERM + 9**2)
"""What one box of 30 terms of 9 numbers costs, in pairs: of more terms or numbers fewer are bounded."""


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
        evidence: what all reports say.
        top: of the largest sum of its terms; None without terms.
        bottom: of less the smallest.
        square: a polynomial of the reports, of more numbers than corners are listed of; None of fewer, where both sides
            are found closely by themselves and it cost two fifths of a decision.
        most: nats; no less than the loss, by the polynomial and what later reports can tell at most.
    """

    evidence: BoxEvidence
    top: Side | None = None
    bottom: Side | None = None
    square: Quadratic | None = None
    most: float = math.inf

    @classmethod
    def of(cls, evidence: BoxEvidence) -> "BoxLoss":
        """Nothing solved yet."""
        many = evidence.box.d > LARGEST_DIMENSION
        square = Quadratic.of_no_reports(evidence.box.d).after(evidence) if many else None
        if not evidence.n:
            return cls(evidence, square=square)
        return cls(evidence, _side(evidence, top=True), _side(evidence, top=False), square)

    @classmethod
    def of_no_reports(cls, box: Box) -> "BoxLoss":
        """No reports."""
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
) -> Side:
    shape = evidence.shape
    concave, convex = (shape.concave, shape.convex) if top else (shape.convex, shape.concave)
    if convex and evidence.box.d <= LARGEST_DIMENSION:
        return Corners.of(evidence, top=top)
    start = np.zeros(evidence.box.d) if point is None else point
    return (Concave if concave else Search).of(evidence, start, upper, top=top)


def _other(side: Side, evidence: BoxEvidence, report: BoxEvidence, *, top: bool) -> Side:
    return _side(evidence, side.point, side.upper + Problem.of(report, top=top).ceiling, top=top)
