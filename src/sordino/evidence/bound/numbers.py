"""What reports on a box tell of each of its numbers: the loss in each, and what is known of all of them together.

Guarantee: every bound is one of `CoordinateLoss`, or of `Cubic` with twice the radius of the reports that touch the
number. Values: what was worked out for a dry run leaves no trace. Units: nats.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sordino.domain.box import Box
from sordino.evidence.bound.along import Reach
from sordino.evidence.bound.coordinate import CoordinateLoss
from sordino.evidence.bound.cubic import Cubic
from sordino.evidence.box import BoxEvidence
from sordino.evidence.shape import Floats

TERMS = 1 << 11
"""Terms in boxes that are bounded for all numbers together: some 10 milliseconds."""


@dataclass(frozen=True, eq=False)
class NumberLosses:
    """Reports and the losses in all numbers.

    Attributes:
        reports: all of them.
        each: the loss in each number.
        cubic: polynomials of the reports.
    """

    reports: BoxEvidence
    each: tuple[CoordinateLoss, ...]
    cubic: Cubic

    @classmethod
    def of_no_reports(cls, box: Box) -> "NumberLosses":
        """No reports."""
        each = tuple(CoordinateLoss.of_no_reports(box, place) for place in range(box.d))
        return cls(BoxEvidence(box), each, Cubic.of_no_reports(box.d))

    def after(self, report: BoxEvidence, touched: Sequence[bool]) -> "NumberLosses":
        """With one more report: bounds are carried, nothing is solved.

        Args:
            report: what it says.
            touched: for each number, whether the report can tell anything of it.
        """
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
        """The same with losses worked out by boxes of their own reports, where they are above their goals.

        Args:
            goals: shape (d,).
            nodes: boxes to bound at most for each number, about.
        """
        each, left = list(self.each), TERMS
        for place, number in enumerate(self.each):
            if number.upper > goals[place] >= 0 and left > 0:
                each[place], used = number.solve_with_cost(nodes, float(goals[place]), terms=left)
                left -= used
        return replace(self, each=tuple(each))
