"""The channel that tells one number in [-1, 1] with the least worst variance, as a convex problem with few unknowns.

A number is read as one of k points x. The channel is a sum of columns, one for each interval I of points: the points
in it are e^epsilon times as likely to send the code as those outside, f_I(x) = e^epsilon or 1. With c_I its weight and
z_I what the code counts as, the least t is wanted with, for every point,

    sum c_I f_I(x) = 1,    sum c_I z_I f_I(x) = x,    sum c_I z_I^2 f_I(x) - share x^2 <= t.

Its dual has unknowns for each point only: a prior l, and the prices a and b of the two equations. For the sums A, B, L
of a, b, l times f_I it maximizes sum a + b x - l share x^2 with slack_I = -A - B^2 / (4 L) >= 0 for every I. The
problem itself has many solutions; here m times the logarithms of all slacks and of l are added, so that there is *one*.
At this maximum c_I = m / slack_I and z_I = B / (2 L) solve the two equations, the second moments have spare = m / l(x)
left below t, and t is within m (intervals + points) of the least. It is found by Newton's method for prices, weights
and t together (primal-dual interior points).
All is symmetric under x -> -x: a and l are even, b is odd, and a pair of mirrored intervals has one c.

Guarantee: none; tables made of it are certified. Cost: some 20 steps, each a system of 1.5 k unknowns: for k = 21 less
than a tenth of a second.
Source: the linear program over channels whose columns are extreme (Kairouz, Oh and Viswanath 2016), with the values of
the codes free instead of on a grid.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.estimation.solvers import search_step
from sordino.exact.floats import Floats

Places: TypeAlias = NDArray[np.intp]

END = 1e-6
"""The last m, relative to t: with 21 points the channel is within .03 % of the best."""

FALL, FALL_AFTER_SHORT = 0.1, 0.5
"""What m is multiplied by from step to step; the second where less than most of a step was allowed."""

MOST = 0.6

POLISHING = 4
"""Whole steps at the last m: rows then sum to 1 to some 1e-15."""

MOST_STEPS = 100
"""A fifth is needed."""

WITHIN = 0.95
"""How near to 0 a step may take what must stay above it: a twentieth is left."""

SHORTER = 0.7
"""A step that goes too far is shortened by this until it does not."""


@dataclass(frozen=True, eq=False)
class Intervals:
    """The intervals of points of which the lower one of a mirrored pair is told, all but the whole line.

    Attributes:
        points: k, an odd number; point i is -1 + 2 i / (k - 1).
        factor: e^epsilon, what the points of an interval are likelier by.
    """

    points: int
    factor: float

    @cached_property
    def ends(self) -> Places:
        """The first and the last point of each, shape (intervals, 2)."""
        last = self.points - 1
        ends = [(a, b) for a in range(self.points) for b in range(a, self.points) if a + b <= last and b - a < last]
        return np.array(ends)

    @cached_property
    def count(self) -> Floats:
        """How many intervals each stands for: itself and its mirror image, shape (intervals,)."""
        return np.where(self.ends.sum(axis=1) == self.points - 1, 1.0, 2.0)

    @cached_property
    def shapes(self) -> Floats:
        """f_I of all points, shape (intervals, k)."""
        place, (first, last) = np.arange(self.points), self.ends.T[:, :, None]
        return np.where((place >= first) & (place <= last), self.factor, 1.0)

    @cached_property
    def half(self) -> Floats:
        """The points from 0 on."""
        reach = self.points // 2
        return np.arange(reach + 1) / reach

    @cached_property
    def multiple(self) -> Floats:
        return np.where(self.half > 0, 2.0, 1.0)

    @cached_property
    def even(self) -> Floats:
        """f_I of x and -x together, shape (intervals, points from 0 on)."""
        reach = self.points // 2
        sums = self.shapes[:, reach:] + self.shapes[:, reach::-1]
        sums[:, 0] /= 2
        return sums

    @cached_property
    def odd(self) -> Floats:
        """f_I(x) - f_I(-x), shape (intervals, points above 0)."""
        reach = self.points // 2
        return self.shapes[:, reach + 1 :] - self.shapes[:, reach - 1 :: -1]


@dataclass(frozen=True, eq=False)
class Prices:
    """The unknowns of the dual at the points from 0 on (b: above 0), and what they make of each interval.

    Attributes:
        a, b, prior: shape (h + 1,), (h,) and (h + 1,) for k = 2 h + 1.
    """

    intervals: Intervals
    a: Floats
    b: Floats
    prior: Floats

    @cached_property
    def mass(self) -> Floats:
        return self.intervals.even @ self.prior

    @cached_property
    def values(self) -> Floats:
        return (self.intervals.odd @ self.b) / (2 * self.mass)

    @cached_property
    def slacks(self) -> Floats:
        """Of each interval, above 0 where prices are allowed."""
        return -self.intervals.even @ self.a - self.values**2 * self.mass

    def move(self, step: Floats) -> Self:
        """The prices after a step, shape (3 h + 2,)."""
        a, b, prior = np.split(step, [len(self.a), len(self.a) + len(self.b)])
        return type(self)(self.intervals, self.a + a, self.b + b, self.prior + prior)

    def bound(self, share: float) -> float:
        """The value of the dual: t is not below it, whatever the weights of the intervals."""
        intervals = self.intervals
        terms = intervals.multiple * (self.a - share * intervals.half**2 * self.prior)
        terms[1:] += 2 * intervals.half[1:] * self.b
        return float(terms.sum())


@dataclass(frozen=True, eq=False)
class UnbiasedChannel:
    """Columns on intervals that tell the number without bias.

    Attributes:
        prices: near the maximum of the dual.
        weights: c of each interval and of its mirror image, all above 0.
        spare: what the second moments may still grow by at the points from 0 on.
        worst: t.
    """

    prices: Prices
    weights: Floats
    spare: Floats
    worst: float

    @classmethod
    def of(cls, factor: float, points: int, share: float = 1.0) -> "UnbiasedChannel":
        """The channel at e^epsilon for an odd number of points, if this share of the people is asked."""
        found, fall, left = cls._start(Intervals(points, factor)), FALL, POLISHING
        for _ in range(MOST_STEPS):
            last = END * found.worst
            barrier = max(found.gap * fall, last)
            step = _NewtonStep.of(found, barrier, share)
            if not step.is_finite:
                break
            found, length = step.take()
            fall = FALL if length > MOST else FALL_AFTER_SHORT
            left -= barrier == last and length == 1
            if not left:
                break
        return found

    @classmethod
    def _start(cls, intervals: Intervals) -> "UnbiasedChannel":
        """Equal prior, and prices that are allowed with room, of the size of one bit's second moment."""
        mean = (intervals.factor - 1) / (intervals.factor + 1)
        bit, equal = 1 / (mean * mean), np.full(intervals.points // 2 + 1, 1 / intervals.points)
        prices = Prices(intervals, -2 * bit * equal, np.zeros(len(equal) - 1), equal)
        return cls(prices, 1 / prices.slacks, 1 / equal, bit)

    @property
    def gap(self) -> float:
        """The mean of weight times slack, and of prior times spare: m where all are equal."""
        prices, intervals = self.prices, self.prices.intervals
        of_weights = (intervals.count * self.weights * prices.slacks).sum()
        of_spare = (intervals.multiple * prices.prior * self.spare).sum()
        return float((of_weights + of_spare) / (intervals.count.sum() + intervals.points))


@dataclass(frozen=True, eq=False)
class _NewtonStep:
    """A step of Newton's method for all equations together.

    What the linear equations make of weights and spare is put into those of the prices, so that a system of the prices
    is solved only; they move along priors of sum 1, for which t is what the equations are short of.

    Attributes:
        prices: by how much these move, shape (3 h + 2,).
        weights, spare, worst: by how much those grow.
    """

    start: UnbiasedChannel
    prices: Floats
    weights: Floats
    spare: Floats
    worst: float

    @classmethod
    def of(cls, start: UnbiasedChannel, barrier: float, share: float) -> Self:
        """The step towards this m."""
        prices, intervals = start.prices, start.prices.intervals
        z, slacks, multiple, counts = prices.values, prices.slacks, intervals.multiple, intervals.count
        sums = np.concatenate([0 * prices.a, 0 * prices.b, multiple])
        priors = np.flatnonzero(sums)
        counted = counts * start.weights
        curvature = _curvature(intervals, z, counted / slacks, counted / (2 * prices.mass))
        curvature[priors, priors] += multiple * start.spare / prices.prior
        missing = np.concatenate([multiple, 2 * intervals.half[1:], -share * multiple * intervals.half**2])
        missing -= barrier * _weighted_loss(intervals, z, counts / slacks) + start.worst * sums
        missing[priors] += barrier * multiple / prices.prior
        free, along = search_step(curvature, np.column_stack([missing, sums])).T
        along_sums = float(sums @ along)
        worst = float(sums @ free) / along_sums if along_sums else np.nan
        step = free - worst * along
        weights = (barrier + start.weights * _loss(intervals, z, step)) / slacks - start.weights
        spare = (barrier - start.spare * step[priors]) / prices.prior - start.spare
        return cls(start, step, weights, spare, worst)

    @property
    def is_finite(self) -> bool:
        """Whether there is such a step: a search ends at its last point where rounding leaves none."""
        return bool(np.isfinite(self.worst) and np.isfinite(self.prices).all())

    def take(self) -> tuple[UnbiasedChannel, float]:
        """What it leads to, and how much of it was allowed: prices and weights go their own parts of the way."""
        start, old = self.start, self.start.prices
        part = min(_allowed_step(start.weights, self.weights), _allowed_step(start.spare, self.spare))
        of_prices = _allowed_step(old.prior, self.prices[-len(old.prior) :])
        moved = old.move(of_prices * self.prices)
        while np.any(moved.slacks < (1 - WITHIN) * old.slacks):
            of_prices *= SHORTER
            moved = old.move(of_prices * self.prices)
        weights, spare = start.weights + part * self.weights, start.spare + part * self.spare
        return UnbiasedChannel(moved, weights, spare, start.worst + self.worst), min(part, of_prices)


def _allowed_step(values: Floats, growth: Floats) -> float:
    """The part of a growth that leaves positive values positive, up to all of it."""
    return float(min(1.0, WITHIN / max((-growth / values).max(), WITHIN)))


def _loss(intervals: Intervals, z: Floats, step: Floats) -> Floats:
    a, b, prior = np.split(step, [intervals.even.shape[1], -intervals.even.shape[1]])
    return intervals.even @ a + z * (intervals.odd @ b) - z**2 * (intervals.even @ prior)


def _weighted_loss(intervals: Intervals, z: Floats, weights: Floats) -> Floats:
    even, odd = intervals.even, intervals.odd
    parts = (weights, even), (weights * z, odd), (-weights * z**2, even)
    return np.concatenate([weight @ rows for weight, rows in parts])


def _curvature(intervals: Intervals, z: Floats, of_loss: Floats, of_bend: Floats) -> Floats:
    """The weighted sum of squares of the loss (even, z odd, -z^2 even), and of how it bends (0, odd, -2 z even)."""
    even, odd, square = intervals.even, intervals.odd, z * z
    aa, ab, al = _gram(even, even, of_loss), _gram(even, odd, z * of_loss), _gram(even, even, -square * of_loss)
    bb = _gram(odd, odd, square * of_loss + of_bend)
    bl = _gram(odd, even, -z * (square * of_loss + 2 * of_bend))
    ll = _gram(even, even, square * (square * of_loss + 4 * of_bend))
    return np.block([[aa, ab, al], [ab.T, bb, bl], [al.T, bl.T, ll]])


def _gram(left: Floats, right: Floats, weights: Floats) -> Floats:
    """The weighted sum of the products of rows, shape (columns of the left, of the right)."""
    return left.T @ (weights[:, None] * right)
