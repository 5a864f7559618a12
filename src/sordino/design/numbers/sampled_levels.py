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

Means of several numbers of everybody, each by a table, a window or a bit of its own, for large epsilon.

Where epsilon is enough for several numbers (about 2 for each) a person tells more by answering about all of them than
about one that is drawn, or by their signs, whose rounding alone has a variance of 1. Two kinds of queries are offered:
all numbers together, each at a level of its own; and groups of as many as are best, neighbours in a circle so that each
number is told as often, all at one level.
Guarantee: with levels e_i that add up to S, an attribute that is asked about is told (N1, exact for answers by windows)

    e_i + ln(1 + q_i (e^(S - e_i) - 1)) = ln((1 - q_i) e^e_i + q_i e^S)

at most, q_i the bound on *all other attributes together*, never one on a moment alone; the finished queries are proved
by the caller. What is compared is the worst error of each mean, as in `sampled_levels`: by windows and bits,
which are quickly made; the best choices are offered with tables, too.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import gcd
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounded_dependence import Dependence
from sordino.definition.bounds import read_epsilon
from sordino.design.coarse import DIGITS, coarse, coarse_number
from sordino.design.numbers.best_table import best_table
from sordino.design.numbers.drawn_answers import whole_shares
from sordino.design.numbers.level_limits import LevelLimits, coarser
from sordino.errors import SordinoError
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.exact.floats import Floats
from sordino.exact.messages import checked
from sordino.exact.nats import Nats, NatsLike
from sordino.mechanism.base import Mechanism
from sordino.mechanism.randomized import RandomizedResponse
from sordino.mechanism.window import WindowResponse
from sordino.query.number import Number
from sordino.query.query import Query
from sordino.query.sampled import Sampled
from sordino.query.together import Together

LEAST_LEVEL = Nats.of(1)
"""Below, a bit is better than windows: no other points were found to be better up to 1.1, whatever the share."""

LEAST_OF_TABLES = Nats.of("1/2")
"""Below, no table gains 3 % over a bit."""

WORTHWHILE = 0.01
"""What a table must gain, relatively: it makes plans and reports longer."""

ROUNDS = 3
"""Rounds in which shares follow channels and channels shares; the second changes next to nothing."""

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
    levels = LevelLimits(deltas, epsilon, dependence).coarse
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


MOST_BITS = 48
"""Largest number of bits of a report about several numbers: a survey has other questions too."""

STEPS = 40
"""Halvings in a search."""

SUMS = 12
"""Sums of all levels that are compared, down from the largest one."""

FAINT = 1 / (1 << 10)
"""Below this level a number is told so badly that it would better be asked by itself."""

GRAIN = 1 << 40
"""Levels are whole multiples of 1 / GRAIN."""

ROUNDED = 1 - 2.0 ** (2 - DIGITS)
"""Levels are rounded down by this, for the exact proof."""

Better: TypeAlias = Callable[[Nats, float], Mechanism]
"""The channel for a number at a level, if this share of the people answers."""


def joint_levels(deltas: Sequence[Nats], epsilon: Nats, dependence: Dependence) -> tuple[Sampled, ...]:
    """All numbers of everybody, and the best groups of fewer; each only where that is not for bits.

    Args:
        deltas: of all numbers, above 0.
        dependence: how much the other attributes may tell about each; bounds for single moments are not used.
    """
    d = len(deltas)
    if d > MOST_BITS or max(deltas) < LEAST_LEVEL:
        return ()
    q = np.array([float(dependence.of_rest(i)) for i in range(d)])
    limits = _Limits(np.array([delta.floor() for delta in deltas]), epsilon.floor(), q)
    better = cache(lambda level, share: better_mechanism(level, level, share))
    return (*_all_numbers(limits, better), *_best_groups(limits, better))


@dataclass(frozen=True, eq=False)
class _Limits:
    """What deltas and dependence allow of levels together.

    Attributes:
        deltas: shape (d,).
        q: the bounds for the rest, shape (d,).
    """

    deltas: Floats
    epsilon: float
    q: Floats

    @property
    def d(self) -> int:
        return len(self.deltas)

    def share_evenly(self, total: float) -> Floats | None:
        """Levels with this sum, as equal as can be, shape (d,): so the noise is least. None where there are none."""
        left, known = np.exp(self.deltas) - self.q * np.exp(total), self.q < 1
        # Where nothing is known of the others, the sum is all that counts.
        largest = np.where(left >= 0, total, 0.0)
        largest[known] = np.log(np.maximum(left[known] / (1 - self.q[known]), 1.0))
        if total > self.epsilon or largest.min() < FAINT or largest.sum() < total:
            return None
        levels, rest = np.empty(self.d), total
        for place, i in enumerate(np.argsort(largest, kind="stable").tolist()):
            levels[i] = min(largest[i], rest / (self.d - place))
            rest -= levels[i]
        return levels

    def one_for_all(self, size: int) -> float:
        """The largest level at which any so many of the numbers can be asked together."""

        def is_allowed(level: float) -> bool:
            told = np.log((1 - self.q) * np.exp(level) + self.q * np.exp(size * level))
            return bool(np.all(told <= self.deltas))

        return _largest(is_allowed, self.epsilon / size)


def _all_numbers(limits: _Limits, better: Better) -> Iterator[Sampled]:
    """All numbers together, with the sum of levels that makes the least error."""
    most = _largest(lambda total: limits.share_evenly(total) is not None, limits.epsilon)
    choices = []
    for part in range(SUMS):
        levels = limits.share_evenly(most * (1 - part / SUMS)) if limits.d > 1 else None
        if levels is not None:
            asked = coarser([_below(level) for level in levels.tolist()])
            channels = [better(level, 1.0) for level in asked]
            choices.append((sum(worst_variance(channel, 1.0) for channel in channels), channels, asked))
    if choices:
        _, channels, asked = min(choices, key=lambda choice: coarse_number(choice[0]))
        yield from _groups(channels, asked, limits.d)


def _best_groups(limits: _Limits, better: Better) -> Iterator[Sampled]:
    """Groups of so many numbers that the error is least, all at one level."""
    choices = []
    for size in range(2, limits.d):
        level, share = _below(limits.one_for_all(size)), size / limits.d
        if level < LEAST_LEVEL:
            break
        channel = better(level, share)
        choices.append((worst_variance(channel, share), size, channel, level))
    if choices:
        _, size, channel, level = min(choices, key=lambda choice: coarse_number(choice[0]))
        yield from _groups([channel] * limits.d, [level] * limits.d, size)


def _groups(channels: Sequence[Mechanism], levels: Sequence[Nats], size: int) -> Iterator[Sampled]:
    """Neighbours in a circle, each number as often: by tables where they are better, and without them.

    Without, reports are shorter, and where numbers are spread evenly errors may be smaller.
    """
    share = size / len(channels)
    tables = [with_table(channel, level, share) for channel, level in zip(channels, levels, strict=True)]
    yield from _circle(tables, size)
    if tables != channels:
        yield from _circle(channels, size)


def _circle(channels: Sequence[Mechanism], size: int) -> Iterator[Sampled]:
    d = len(channels)
    queries = [Query(Number(j, channel.k), channel) for j, channel in enumerate(channels)]
    starts = range(0, d * size // gcd(d, size), size)
    groups = tuple(Together(tuple(queries[place % d] for place in range(start, start + size))) for start in starts)
    if any(channel.k > 2 for channel in channels) and max(group.code_bits for group in groups) <= MOST_BITS:
        yield Sampled(groups, (1,) * len(groups))


def _largest(allowed: Callable[[float], bool], most: float) -> float:
    if allowed(most):
        return most
    low, high = 0.0, most
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if allowed(middle) else (low, middle)
    return low


def _below(level: float) -> Nats:
    return Nats.of(Fraction(int(coarse_number(level) * ROUNDED * GRAIN), GRAIN))
