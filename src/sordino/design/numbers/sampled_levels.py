"""Means of d numbers by several points each: one number each, by a table, by a window or by one bit.

A bit has the noise of rounding a number to -1 or 1, whatever epsilon is; points round it less. The best table is within
a percent or so of the best channel for points that there is; a window is a few integers instead of hundreds, and is
kept where a table gains next to nothing.
Where few people are asked about each number their differences count as well: then few points are best.
Guarantee: several points tell more of a number than a linear bit, so they are asked under the bounds on *all other
attributes together*, never under those for a moment alone; numbers for which points are not better are asked by one
bit. The finished queries are proved by the caller.
What is compared is the worst error of each mean, over all numbers that people may have; points are worse than signs
where all numbers are -1 or 1, so the error of numbers that are spread evenly is for a second look.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounds import read_epsilon
from sordino.definition.dependence import Dependence
from sordino.definition.sampling import largest_level
from sordino.design.coarse import coarse
from sordino.design.numbers.best_table import best_table
from sordino.design.numbers.drawn_answers import whole_shares
from sordino.errors import SordinoError
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.exact.arrays import Floats
from sordino.exact.messages.arguments import checked
from sordino.exact.nats import Nats, NatsLike
from sordino.mechanism.base import Mechanism
from sordino.mechanism.numbers.window import WindowResponse
from sordino.mechanism.randomized import RandomizedResponse
from sordino.query.number import Number
from sordino.query.query import Query
from sordino.query.sampled import Sampled

LEAST_LEVEL = Nats.of(1)
"""Below, a bit is better than windows: no other points were found to be better up to 1.1, whatever the share."""

LEAST_OF_TABLES = Nats.of("1/2")
"""Below, no table gains 3 % over a bit."""

WORTHWHILE = 0.01
"""What a table must gain, relatively: it makes plans and reports longer."""

ROUNDS = 3
"""Rounds in which shares follow channels and channels shares; the second changes next to nothing."""

MOST_LEVELS = 20
"""Different levels that are told apart; beyond that answers are given at the next lower one of so many."""

Sizes: TypeAlias = NDArray[np.intp]

SEARCHED = 64
"""Points, and codes of a window, that are looked at; more gain less than 1 % up to epsilon 6."""


def sampled_levels(
    deltas: Sequence[Nats], epsilon: Nats, dependence: Dependence, singles: Sequence[Nats]
) -> Iterator[Sampled]:
    """The best queries by tables, windows and bits, and those without tables; nothing where bits alone are as good.

    Args:
        deltas: of all numbers, above 0.
        singles: for each number the level at which one bit may be asked about it.
    """
    levels = coarser(answer_levels(deltas, epsilon, dependence))
    if max(levels) < LEAST_OF_TABLES:
        return
    better = cache(better_mechanism)
    shares = np.full(len(levels), 1 / len(levels))
    for _ in range(ROUNDS):
        # Shares that agree in three digits have the same best channel.
        rounded = [float(f"{share:.3g}") for share in shares.tolist()]
        channels = [better(*asked) for asked in zip(levels, singles, rounded, strict=True)]
        shares = _best_shares(channels)
    tables = [with_table(*asked) for asked in zip(channels, levels, rounded, strict=True)]
    yield from _one_each(tables)
    if tables != channels:
        yield from _one_each(channels)


def _one_each(channels: Sequence[Mechanism]) -> Iterator[Sampled]:
    """One number, drawn for the least total noise; nothing where all are asked by bits."""
    if any(channel.k > 2 for channel in channels):
        queries = tuple(Query(Number(j, channel.k), channel) for j, channel in enumerate(channels))
        yield Sampled(queries, tuple(whole_shares(_best_shares(channels))) if len(channels) > 1 else (1,))


def answer_levels(deltas: Sequence[Nats], epsilon: Nats, dependence: Dependence) -> tuple[Nats, ...]:
    """For each number, the largest level at which it may be asked in any way under all deltas, rounded down."""
    limits = [(largest_level(delta, dependence.of_rest(i)), i) for i, delta in enumerate(deltas)]
    least = sorted(((limit, i) for limit, i in limits if limit is not None), key=lambda pair: pair[0])[:2]
    return tuple(min([epsilon, delta, *(limit for limit, i in least if i != j)]) for j, delta in enumerate(deltas))


def coarser(levels: Sequence[Nats]) -> tuple[Nats, ...]:
    """The same levels, or some below them, of which few differ."""
    distinct = sorted(set(levels))
    if len(distinct) > MOST_LEVELS:
        distinct = [distinct[len(distinct) * n // MOST_LEVELS] for n in range(MOST_LEVELS)]
    return tuple(max(one for one in distinct if one <= level) for level in levels)


def better_mechanism(level: Nats, single: Nats, share: float) -> Mechanism:
    """A window or a bit at its own level: that with the smaller worst error if this share of the people answers."""
    bit = RandomizedResponse(2, single)
    if level < LEAST_LEVEL:
        return bit
    try:
        several = best_window(level, share=share)
    except SordinoError:
        # Below the granularity of its coin.
        return bit
    return several if worst_variance(several, share) < worst_variance(bit, share) * (1 - 1e-9) else bit


def with_table(mechanism: Mechanism, level: Nats, share: float) -> Mechanism:
    """The best table at a level, where that is worth it if this share of the people answers; else the mechanism."""
    table = best_table(level, share) if level >= LEAST_OF_TABLES else None
    if table is None or worst_variance(table, share) > worst_variance(mechanism, share) * (1 - WORTHWHILE):
        return mechanism
    return table


def worst_variance(mechanism: Mechanism, share: float) -> float:
    """The largest variance of the mean of a number that this share of n people tell, times n."""
    return float(_estimator(mechanism).largest_variance(share)[0])


def _estimator(mechanism: Mechanism) -> MomentEstimator:
    return MomentEstimator.of(Query(Number(0, mechanism.k), mechanism))


def _best_shares(channels: Sequence[Mechanism]) -> Floats:
    """How often each is drawn for the least total noise."""
    spread = coarse(np.array([np.sqrt(noise_of(channel)) for channel in channels]))
    shares: Floats = spread / spread.sum()
    return shares


def noise_of(mechanism: Mechanism) -> float:
    """The largest mean square of what a report counts as."""
    return float(_estimator(mechanism).noise()[0])


@checked
def best_window(epsilon: NatsLike, share: float = 1.0) -> WindowResponse:
    """The response with the least worst variance of one number in [-1, 1].

    At large epsilon a bit still has the noise of rounding a number to -1 or 1; points round it less. The noise depends
    on the number x: E[g^2 | x] = A + q(x) / (D w), q the chords of x^2 between points, D the difference of the two
    probabilities of a code. So the largest variance stands in closed form.
    Cost: a millisecond or two.

    Args:
        share: of the people who are asked about this number, for the worst variance of their mean. If few are, it is
            largest at -1 and 1, and few points are best.

    Example:
        >>> found = best_window("4")
        >>> found.k, found.window
        (10, 3)
    """
    bound = read_epsilon(epsilon)
    factor = float(np.exp(min(float(bound), 40.0)))
    points, windows = (sizes.ravel() for sizes in np.indices((SEARCHED + 1, SEARCHED + 1))[:, 2:, 1:])
    # At 1 the variance is quickly told, and the largest one is not below it.
    at_end = _Noise.of(points, windows, factor).at_end(share)
    best, least = 0, np.inf
    for at in np.argsort(at_end, kind="stable").tolist():
        if at_end[at] > least:
            break
        worst = _Noise.of(points[at], windows[at], factor).worst_variance(share)
        if worst < least:
            best, least = at, worst
    return WindowResponse(int(points[best]), bound, int(windows[best]))


@dataclass(frozen=True, eq=False)
class _Noise:
    """The second moments of what codes count as, of one channel or of several.

    Attributes:
        points: g.
        least: A, E[g^2 | 0] for a point at 0.
        growth: 1 / (D w), how E[g^2] grows with x^2 from point to point; infinite where codes say nothing.
    """

    points: Sizes
    least: Floats
    growth: Floats

    @classmethod
    def of(cls, points: Sizes, window: Sizes, factor: float) -> Self:
        """Of e^epsilon: a code in its window is as much likelier than another."""
        codes, inside = points + window - 1, factor * window / (factor * window + points - 1)
        other = (1 - inside) / (points - 1)
        more = np.maximum(inside / window - other, 0)
        slope = more * window * (points - 1) / 2
        squares = other * codes * (codes**2 - 1) / 12 + more * window * (window**2 - 1) / 12
        with np.errstate(divide="ignore"):
            return cls(points, squares / slope**2, 1 / (more * window))

    def at_end(self, share: float) -> Floats:
        """E[g^2 | x] / share - x^2 at x = 1."""
        return (self.least + self.growth) / share - 1

    def worst_variance(self, share: float) -> float:
        """The largest E[g^2 | x] / share - x^2 of one channel, between any two points at the top of a parabola."""
        if not np.isfinite(self.growth):
            return np.inf
        grid = np.linspace(-1, 1, self.points)
        tops = np.clip(self.growth / share * (grid[1:] + grid[:-1]) / 2, grid[:-1], grid[1:])
        moment = self.least + self.growth * np.interp(tops, grid, grid**2)
        return float((moment / share - tops**2).max())
