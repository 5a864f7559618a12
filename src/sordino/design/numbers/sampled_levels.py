"""Means of d numbers by several points each, for large epsilon: one number each, by a window or by one bit.

At large epsilon a bit still has the noise of rounding a number to -1 or 1, whatever epsilon is; points round it less.
Where few people are asked about each number their differences count as well: then three points are often the best.
Guarantee: several points tell more of a number than a linear bit, so they are asked under the bounds on *all other
attributes together*, never under those for a moment alone; numbers for which points are not better are asked by one
bit. The finished queries are proved by the caller.
What is compared is the worst error of each mean, over all numbers that people may have; points are worse than signs
where all numbers are -1 or 1, so the error of numbers that are spread evenly is for a second look.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from sordino.definition.dependence import Dependence
from sordino.definition.sampling import largest_level
from sordino.design.numbers.best_window import best_window
from sordino.design.numbers.drawn_answers import whole_shares
from sordino.design.reproducible import coarse
from sordino.errors import SordinoError
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism
from sordino.mechanism.randomized import RandomizedResponse
from sordino.query.number import Number
from sordino.query.query import Query
from sordino.query.sampled import Sampled

LEAST_LEVEL = Nats.of(1)
"""Below, a bit is best: no other points were found to be better up to 1.1, whatever the share."""

ROUNDS = 3
"""Rounds in which shares follow channels and channels shares; the second changes next to nothing."""

MOST_LEVELS = 20
"""Different levels that are told apart; beyond that answers are given at the next lower one of so many."""


def sampled_levels(
    deltas: Sequence[Nats], epsilon: Nats, dependence: Dependence, singles: Sequence[Nats]
) -> Sampled | None:
    """The best queries by windows and bits; None where bits alone are as good.

    Args:
        deltas: of all numbers, above 0.
        epsilon: the LDP level of a report at most.
        dependence: how much the other attributes may tell about each.
        singles: for each number the level at which one bit may be asked about it.
    """
    levels = coarser(answer_levels(deltas, epsilon, dependence))
    if max(levels) < LEAST_LEVEL:
        return None
    d = len(levels)
    better = cache(better_mechanism)
    shares = np.full(d, 1 / d)
    for _ in range(ROUNDS):
        # Shares that agree in three digits have the same best channel.
        channels = [
            better(level, single, float(f"{share:.3g}"))
            for level, single, share in zip(levels, singles, shares.tolist(), strict=True)
        ]
        spread = coarse(np.array([np.sqrt(_noise(channel)) for channel in channels]))
        shares = spread / spread.sum()
    if all(channel.k == 2 for channel in channels):
        return None
    queries = tuple(Query(Number(j, channel.k), channel) for j, channel in enumerate(channels))
    return Sampled(queries, tuple(whole_shares(shares)) if d > 1 else (1,))


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


def worst_variance(mechanism: Mechanism, share: float) -> float:
    """The largest variance of the mean of a number that this share of n people tell, times n."""
    return float(_estimator(mechanism).largest_variance(share)[0])


def _estimator(mechanism: Mechanism) -> MomentEstimator:
    return MomentEstimator.of(Query(Number(0, mechanism.k), mechanism))


def _noise(mechanism: Mechanism) -> float:
    return float(_estimator(mechanism).noise()[0])
