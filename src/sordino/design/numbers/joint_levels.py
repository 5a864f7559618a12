"""Means of several numbers of everybody, each by a table, a window or a bit of its own, for large epsilon.

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
from typing import TypeAlias

import numpy as np

from sordino.definition.dependence import Dependence
from sordino.design.coarse import DIGITS, coarse_number
from sordino.design.numbers.sampled_levels import LEAST_LEVEL, better_mechanism, coarser, with_table, worst_variance
from sordino.exact.arrays import Floats
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism
from sordino.query.number import Number
from sordino.query.query import Query
from sordino.query.sampled import Sampled
from sordino.query.together import Together

MOST_BITS = 48
"""Bits of a report about several numbers at most: a survey has other questions too."""

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
        epsilon: of all together.
        q: the bounds for the rest, shape (d,).
    """

    deltas: Floats
    epsilon: float
    q: Floats

    @property
    def d(self) -> int:
        """How many numbers."""
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
    """Nothing where a report is too long, or made of bits alone."""
    d = len(channels)
    queries = [Query(Number(j, channel.k), channel) for j, channel in enumerate(channels)]
    starts = range(0, d * size // gcd(d, size), size)
    groups = tuple(Together(tuple(queries[place % d] for place in range(start, start + size))) for start in starts)
    if any(channel.k > 2 for channel in channels) and max(group.code_bits for group in groups) <= MOST_BITS:
        yield Sampled(groups, (1,) * len(groups))


def _largest(allowed: Callable[[float], bool], most: float) -> float:
    """The largest number up to some other that is allowed as all below it are, nearly, but not above it."""
    if allowed(most):
        return most
    low, high = 0.0, most
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if allowed(middle) else (low, middle)
    return low


def _below(level: float) -> Nats:
    """A level next below, the same on every machine."""
    return Nats.of(Fraction(int(coarse_number(level) * ROUNDED * GRAIN), GRAIN))
