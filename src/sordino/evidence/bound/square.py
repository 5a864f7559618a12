"""How far evidence on a box tells two records apart, by one polynomial of degree two for all reports together.

Each term is a quadratic function of its affine form, and a remainder on the form's window; linear questions have next
to none. The quadratic functions add to one of the record, whose largest and smallest values over the cube are bounded
by a diagonal that makes it concave: of a sum that is concave already nothing is lost, of a convex one little.
Guarantee: `upper` is no less than the largest difference of sums of terms, whatever the polynomials are. Units: nats.
Cost: the same after any number of reports.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sordino.evidence.bound.remainder import GRID, LEAST_REACH, NODES, READ, SPARE
from sordino.evidence.box import UNIT, BoxEvidence, Terms
from sordino.evidence.shape import Floats

LARGEST = 128
"""With more numbers there is no polynomial: its coefficients are too many to be carried."""

STEPS = 60
"""Towards the largest value of a concave function; what they leave is in the bound."""

SLACK = 1e-9
"""Relative; eigenvalues are off by far less."""


@dataclass(frozen=True, eq=False)
class Quadratic:
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
    def of_no_reports(cls, d: int) -> "Quadratic":
        """No reports."""
        d = d if d <= LARGEST else 0
        return cls(np.zeros(d), np.zeros((d, d)))

    def after(self, report: BoxEvidence) -> "Quadratic":
        """With one more report."""
        now = self
        for terms in report.groups:
            now = now._with(terms) if len(self.first) else now
        return now

    def _with(self, terms: Terms) -> "Quadratic":
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
        return Quadratic(
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
