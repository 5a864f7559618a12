"""Means of d numbers by several levels each, for large epsilon: one number each, or all numbers of everybody.

At large epsilon a bit still has the noise of rounding a number to -1 or 1, whatever epsilon is; levels round it less.
Where few people are asked about each number their differences count as well: then three levels are often the best.
Where there is epsilon enough for all numbers (about 2 for each) everybody answers about all of them.
Guarantee: levels tell more of a number than a linear bit, so they are asked under the bounds on *all other attributes
together*, never under those for a statistic alone; numbers for which levels are not better are asked by one bit. The
finished channel is proved by the caller.
What is compared is the worst error of each mean, over all numbers that people may have; levels are worse than signs
where all numbers are -1 or 1, so `average_error` is for a second look.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import numpy as np

from sordino.definition.dependence import Dependence
from sordino.definition.sampling import largest_level
from sordino.design.numbers.drawn_answers import whole_shares
from sordino.design.reproducible import DIGITS, coarse, coarse_number
from sordino.domain.statistic import Moments
from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.mechanism.levels import LevelResponse
from sordino.mechanism.mixture import Mixture
from sordino.mechanism.number import NumberChannel
from sordino.mechanism.sampled_bits import SampledBits

LEAST_LEVEL = Nats.of(1)
"""Below, a bit is best: no other levels were found to be better up to 1.1, whatever the share."""

ROUNDS = 3
"""Rounds in which shares follow channels and channels shares; the second changes next to nothing."""

STEPS = 40
"""Halvings in the search for the largest levels together."""

GRAIN = 1 << 30
"""Levels together are whole multiples of 1 / GRAIN."""

MOST_BITS = 48
"""Bits of a report about all numbers at most: a survey has other questions too."""

MOST_LEVELS = 20
"""Different levels that are told apart; beyond that answers are given at the next lower one of so many."""


def sampled_levels(
    deltas: Sequence[Nats], epsilon: Nats, dependence: Dependence, singles: Sequence[Nats]
) -> NumberChannel | None:
    """The best channel of levels and bits; None where bits alone are as good.

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
    better = cache(_better)
    shares = np.full(d, 1 / d)
    for _ in range(ROUNDS):
        # Shares that agree in three digits have the same best channel.
        channels = [
            better(level, single, float(f"{share:.3g}"))
            for level, single, share in zip(levels, singles, shares.tolist(), strict=True)
        ]
        spread = coarse(np.array([np.sqrt(channel.noise()[0]) for channel in channels]))
        shares = spread / spread.sum()
    bits = [j for j, channel in enumerate(channels) if isinstance(channel, SampledBits)]
    if len(bits) == d:
        return None
    if d == 1:
        return channels[0]
    weights = whole_shares(shares)
    types: list[list[tuple[Sequence[int], NumberChannel]]] = []
    if bits:
        asked = SampledBits(Moments.first(len(bits)), [singles[j] for j in bits], [weights[j] for j in bits])
        types.append([(bits, asked)])
    others = [j for j in range(d) if j not in set(bits)]
    types += [[((j,), channels[j])] for j in others]
    own = [sum(weights[j] for j in bits)] if bits else []
    return Mixture(d, types, [*own, *(weights[j] for j in others)])


def together(deltas: Sequence[Nats], epsilon: Nats, dependence: Dependence) -> Mixture | None:
    """Everybody answers about all numbers, at levels in proportion to the deltas; None where that is not for bits.

    Args:
        deltas: of all numbers, above 0; two of them at least.
        epsilon: the LDP level of a report at most.
        dependence: how much the other attributes may tell about each; bounds for statistics are not used.
    """
    if len(deltas) < 2:
        return None
    amounts = np.array([delta.floor() for delta in deltas])
    q = np.array([float(dependence.of_rest(i)) for i in range(len(deltas))])

    def told(part: float) -> bool:
        levels = part * amounts
        if levels.sum() > epsilon.floor():
            return False
        return bool(np.all(levels + np.log1p(q * np.expm1(levels.sum() - levels)) <= amounts))

    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if told(middle) else (low, middle)
    # Rounded down, for the exact proof.
    low = coarse_number(low) * (1 - 2.0 ** (2 - DIGITS))
    levels = coarser([Nats.of(Fraction(int(low * amount * GRAIN), GRAIN)) for amount in amounts.tolist()])
    if max(levels) < LEAST_LEVEL or min(levels).sign() <= 0:
        return None
    better = cache(_better)
    types = [((j,), better(level, level, 1.0)) for j, level in enumerate(levels)]
    if sum((channel.outputs - 1).bit_length() for _, channel in types) > MOST_BITS:
        return None
    return Mixture(len(types), [types], [1])


def average_error(channel: NumberChannel) -> float:
    """The total squared error, times n, of the means of n people whose numbers are spread evenly over [-1, 1].

    For channels of bits and of sign tables, of levels, and for mixtures in which each number is told once.
    """
    if not isinstance(channel, Mixture):
        return _average(channel, 1.0)
    total = sum(channel.weights)
    kinds = zip(channel.weights, channel.kinds, strict=True)
    return sum(_average(part, weight / total) for weight, parts in kinds for _, part in parts)


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


def _better(level: Nats, single: Nats, share: float) -> NumberChannel:
    """Levels, or a bit at its own level, whichever has the smaller worst error if this share of the people answers."""
    bit = SampledBits(Moments.first(1), [single], [1])
    if level < LEAST_LEVEL:
        return bit
    try:
        several = LevelResponse.best(level, share=share)
    except SordinoError:
        # Below the granularity of its coin.
        return bit
    return several if several.largest_variance(share)[0] < bit.largest_variance(share)[0] * (1 - 1e-9) else bit


def _average(channel: NumberChannel, share: float) -> float:
    """Of the means of a part that is answered by this share of the people; the mean of x^2 is a third."""
    if isinstance(channel, LevelResponse):
        return (channel.average_variance + 1 / 3) / share - 1 / 3
    return float(channel.noise().sum()) / share - channel.d / 3
