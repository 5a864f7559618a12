"""Channels for the means of numbers with a delta each, those of the BCDP paper and better ones, and their exact errors.

All of them keep the same deltas and epsilon, within the same bound on dependence. Errors are those of numbers at -1 or
1, whose |x|^2 is their number d: the expected squared error of all means together, before any projection.
Source: BCDP paper, Mechanisms 1 and 2, Theorem 2 and Appendix B.1, with their corrections.

A vector of bounded length as one bit about a random direction.

Guarantee: eps-LDP given the direction, exactly. The direction U comes from a public seed; the bit is set with
probability R / 2^64, R = 2^63 + sgn(<U, v>) (|v| / r) (2T - 2^64) / 2, kept within 2^64 - T .. T, with T the largest
integer that T <= e^eps (2^64 - T) allows. The sign times B U has mean v, where B = r sqrt(g(d)) coth(eps / 2) and g is
`gain`; its mean square is (B^2 / d) I whatever v, so its covariance is (B^2 / d) I - v v'. A vector of length zero
tosses a fair coin; at eps = 0 reports tell nothing. A code is a seed of 63 bits above one bit. Cost: two words, and
about 30 ns a number, to report and again to read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite, sqrt
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.definition.bounded_dependence import Dependence
from sordino.definition.bounds import read_epsilon
from sordino.design.numbers.drawn_answers import one_number
from sordino.design.numbers.sampled_mean import sampled_mean, single_levels
from sordino.domain.moment import Moments
from sordino.domain.scaled import Scaled
from sordino.errors import SordinoError
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.exact.coin import WORD, largest_threshold
from sordino.exact.floats import Floats
from sordino.exact.messages import checked, checked_class, shown
from sordino.exact.nats import Nats, NatsLike
from sordino.exact.source import Words
from sordino.mechanism.channel import Aggregate
from sordino.papers.bayesian_coordinate.nested import NestedMean
from sordino.papers.bayesian_coordinate.nested_budgets import nested_budgets
from sordino.papers.bayesian_coordinate.seeded import (
    FIXED_POINT,
    NumberChannel,
    Seeded,
    SeededBit,
    can_hold,
    fixed_sums,
    pieces,
    require_reports,
)
from sordino.papers.bayesian_coordinate.steered import LARGEST_DIMENSION, Steered
from sordino.query.sampled import Sampled

Asked: TypeAlias = NumberChannel | Sampled
"""What a person answers through."""

Zeta: TypeAlias = Fraction | Literal["paper"]

Entrant = Literal["paper", "zeta", "tight", "sampled", "best", "baseline_duchi", "baseline_sampled"]
"""paper: nested reports with the paper's zeta. zeta: with the best one. tight: with the best budgets, by the tight
accounting. sampled: one number each, by the sampling rule. best: `sampled_mean`. baseline_duchi and baseline_sampled:
at the least delta under LDP, on the ball and by one number each."""

ENTRANTS: tuple[Entrant, ...] = get_args(Entrant)


def entrants(deltas: Sequence[Nats], epsilon: Nats, q: Fraction, zeta: Zeta) -> dict[Entrant, Asked]:
    """The channels by name, in the order of `ENTRANTS`.

    Args:
        deltas: in (0, epsilon].
    """
    d, least = len(deltas), min(deltas)
    dependence = Dependence((q,) * d)
    return {
        "paper": NestedMean(nested_budgets(deltas, epsilon, q, zeta)),
        "zeta": NestedMean(nested_budgets(deltas, epsilon, q)),
        "tight": NestedMean(nested_budgets(deltas, epsilon, q, accounting="tight")),
        "sampled": one_number(single_levels(deltas, epsilon, dependence)),
        "best": sampled_mean(deltas, epsilon, dependence),
        "baseline_duchi": L2Ball(d, sqrt(d), least),
        "baseline_sampled": one_number([least] * d),
    }


def reader(asked: Asked) -> NumberChannel | MomentEstimator:
    return MomentEstimator.of(asked) if isinstance(asked, Sampled) else asked


def exact_error(asked: Asked, people: int) -> float:
    """The total mean squared error of the estimated means of people whose numbers are all -1 or 1.

    Exact for the estimate that divides by the expected numbers of answers; where people are drawn, `means` divides by
    the actual ones, which agrees up to 1 / n where the means are 0, and is better elsewhere.
    """
    error = (float(reader(asked).noise().sum()) - asked.d) / people
    if not isfinite(error):
        raise SordinoError("errors must be finite", found="a number that is not told", step="raise the least delta")
    return error


ROUNDING = 1e-9
"""By how much, relatively, a length may exceed the radius: it is then read as the radius."""


@checked_class
@dataclass(frozen=True, init=False)
class L2Ball(Seeded, NumberChannel):
    """One bit about a vector of d numbers whose length is at most a radius.

    Source: BCDP paper, Mechanism 2 (Duchi, Jordan, Wainwright 2013), whose B as printed is twice too large.

    With the root of d as radius it takes all records of d numbers in [-1, 1].

    Attributes:
        dimension: d, at most 65536.
        radius: r > 0.

    Example:
        >>> import numpy as np
        >>> ball = L2Ball(10, 10**0.5, "0.5")
        >>> round(ball.scale, 6)
        49.911266
        >>> ball.means(ball.tally(ball.privatize(np.zeros((4, 10))))).shape
        (10,)
    """

    dimension: int
    radius: float
    threshold: int

    def __init__(self, dimension: int, radius: float, epsilon: NatsLike) -> None:
        self._set(dimension, radius, largest_threshold(read_epsilon(epsilon)))

    @classmethod
    @checked
    def from_threshold(cls, dimension: int, radius: float, threshold: int) -> Self:
        """The channel of a frozen plan, with its own integer."""
        mechanism = cls.__new__(cls)
        mechanism._set(dimension, radius, threshold)
        return mechanism

    @property
    def parameters(self) -> str:
        return f"l2-ball dimension={self.dimension} radius={self.radius!r} threshold={self.threshold}"

    @property
    def counters(self) -> int:
        """For each number the sum of sign times direction, moved up by one, in units of 2^-32; then all reports."""
        return self.dimension + 1

    @property
    def informative(self) -> bool:
        return self._steered_level.slope > 0

    @cached_property
    def levels(self) -> tuple[SeededBit]:
        steered = Steered(self.dimension, self.radius, self.threshold, 0)
        step = Nats.log(Fraction(self.threshold, WORD - self.threshold))
        return (SeededBit(np.arange(self.dimension), step, steered),)

    @property
    def scale(self) -> float:
        """B, the length of an estimate from one report; infinite if reports tell nothing."""
        return self._steered_level.scale

    @cached_property
    def moments(self) -> Moments:
        return Moments.first(self.dimension)

    def thresholds(self, values: ArrayLike, seeds: Words) -> Words:
        """How many of the 2^64 words set the bit, for each vector and the direction of its seed, shape (n,)."""
        return self._steered_level.thresholds(self.check_values(values), self._steered_level.directions(seeds))

    def check_values(self, values: ArrayLike | Scaled) -> NDArray[Any]:
        """The vectors as float64, shape (n, d)."""
        vectors = self._rows(values)
        for rows in pieces(len(vectors), self.dimension):
            lengths = np.sqrt(np.einsum("ij,ij->i", vectors[rows], vectors[rows]))
            inside = lengths <= self.radius * (1 + ROUNDING)
            if not inside.all():
                raise SordinoError(
                    f"vectors must have a length of at most {self.radius!r}",
                    found=f"a vector too long at position {rows.start + int(np.argmin(inside))}",
                    step="scale them, or enlarge the radius",
                )
        return vectors

    def possible(self, counters: NDArray[np.integer]) -> bool:
        return bool(can_hold(counters, 2 * FIXED_POINT).all())

    def means(self, aggregate: Aggregate) -> Floats:
        """The unbiased estimate of the mean vector, shape (d,)."""
        n = require_reports(self, aggregate)
        return self.scale * (aggregate.counts[:-1] - n * FIXED_POINT) / (n * FIXED_POINT)

    def covariance(self, aggregate: Aggregate) -> Floats:
        means = self.means(aggregate)
        return (np.diag(self.noise()) - np.outer(means, means)) / aggregate.n

    def noise(self) -> Floats:
        """B^2 / d for each number, shape (d,)."""
        return np.full(self.dimension, self._steered_level.second_moment)

    @property
    def _steered_level(self) -> Steered:
        return self.levels[0].steered

    def _count(self, codes: Words, group: NDArray[np.intp], groups: int) -> NDArray[np.int64]:
        counts = np.zeros((groups, self.counters), dtype=np.int64)
        for rows in pieces(len(codes), self.dimension):
            counts[:, :-1] += fixed_sums(self._directions(codes[rows], 0), group[rows], groups)
        counts[:, -1] = np.bincount(group, minlength=groups)
        return counts

    def _set(self, dimension: int, radius: float, threshold: int) -> None:
        if type(dimension) is not int or not 1 <= dimension <= LARGEST_DIMENSION:
            raise SordinoError(f"a ball must have 1 to {LARGEST_DIMENSION} dimensions", found=shown(dimension))
        if not (isfinite(radius) and radius > 0):
            raise SordinoError("a ball's radius must be a number above 0", found=shown(radius))
        if not WORD // 2 <= threshold < WORD:
            raise SordinoError("a coin's threshold must lie in 2^63..2^64-1", found=shown(threshold))
        for name, setting in (("dimension", dimension), ("radius", float(radius)), ("threshold", threshold)):
            object.__setattr__(self, name, setting)
