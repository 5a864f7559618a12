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
from functools import cache

import numpy as np

from sordino.definition.dependence import Dependence
from sordino.definition.sampling import largest_level
from sordino.design.coarse import coarse
from sordino.design.numbers.best_table import best_table
from sordino.design.numbers.best_window import best_window
from sordino.design.numbers.drawn_answers import whole_shares
from sordino.errors import SordinoError
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.exact.arrays import Floats
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism
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
