"""The largest value of a smooth concave sum over the cube: Newton's steps, projected, with a certificate at each.

At any point the value plus what a Frank-Wolfe step could gain, the sum over the coordinates of the largest gradient
times the way to a bound, is an upper bound: a concave function lies below its tangent. Steps end where it is low
enough.
Cost: 1 to 6 steps from the last maximum, each a d x d system.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.evidence.bound.problem import Problem
from sordino.evidence.box import BoxEvidence

MOST_STEPS = 40
"""Steps at most; the bounds are valid wherever they end."""

CLOSED = 1e-10
"""A gain that is not worth a step, in nats; the margin is not much smaller."""

RIDGE = 1e-12
"""Relative to the largest curvature: directions in which the sum is affine give no infinite step."""


@dataclass(frozen=True, eq=False)
class Concave:
    """What is known of the maximum of some evidence's sum, or of less its minimum, where that is concave.

    Attributes:
        evidence: the reports.
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
