"""Answers about one drawn statistic each: how often each is drawn, and whether they keep every delta.

At which level each is asked: `level_limits`.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from sordino.audit.answers import answers
from sordino.definition.bounded_dependence import Dependence
from sordino.definition.sampling import largest_level, sampling_deltas, sampling_level
from sordino.design.coarse import coarse
from sordino.domain.moment import Moment
from sordino.errors import SordinoError
from sordino.exact.floats import Floats
from sordino.exact.nats import Nats, NatsLike
from sordino.mechanism.randomized import RandomizedResponse
from sordino.query.number import statistic_of
from sordino.query.query import Query
from sordino.query.sampled import Sampled

SHARES = 1 << 16
"""Smallest number of weights together: a statistic's share is met to a part in a thousand where 64 are drawn."""


def highest_level(variations: Iterable[Fraction], deltas: Sequence[Nats], epsilon: Nats) -> Nats:
    """The largest level at which an answer may be asked under all deltas, rounded down.

    Args:
        variations: for each attribute, how far what the answer reads differs between two of its values, at most; 1 if
            it reads the attribute itself.
    """
    limits = map(largest_level, deltas, variations)
    return min([epsilon, *(level for level in limits if level is not None)])


def one_bit_each(moments: Sequence[Moment], levels: Sequence[NatsLike], weights: Sequence[int]) -> Sampled:
    """One bit about one of several moments, each by randomized response of its sign at its own level.

    Example:
        >>> one_bit_each([(0,), (0, 1)], ["1", "2"], [1, 3]).outputs
        4
    """
    coins = {level: RandomizedResponse(2, level) for level in set(levels)}
    asked = zip(moments, levels, strict=True)
    return Sampled(tuple(Query(statistic_of(moment), coins[level]) for moment, level in asked), tuple(weights))


def one_number(levels: Sequence[Nats]) -> Sampled:
    """A bit about one number, drawn in proportion to coth(level / 2), which makes the least total error."""
    spread = np.array([1 / np.tanh(level.floor() / 2) for level in levels])
    return one_bit_each([(j,) for j in range(len(levels))], levels, whole_shares(spread))


def keeps_deltas(asked: Sampled, deltas: Sequence[Nats], epsilon: Nats, dependence: Dependence) -> bool:
    """Whether one report surely tells at most delta of each attribute, and epsilon of the record."""
    types = answers(asked)
    told = sampling_deltas(types, dependence)
    within = all(loss <= delta for loss, delta in zip(told, deltas, strict=True))
    return within and sampling_level(types) <= epsilon


def require_deltas(asked: Sampled, deltas: Sequence[Nats], epsilon: Nats, dependence: Dependence) -> None:
    """Hold finished queries, the integers of their channels, against the rule that their levels were solved from."""
    if not keeps_deltas(asked, deltas, epsilon, dependence):
        raise SordinoError("queries must keep every delta", found="some that do not", step="report this as a defect")


def whole_shares(shares: Floats) -> list[int]:
    """Whole weights in proportion to positive shares, each at least 1, whose sum is a power of two.

    Example:
        >>> whole_shares(np.array([1.0, 1.0, 2.0]))
        [16384, 16384, 32768]
    """
    total = max(SHARES, 1 << (64 * len(shares) - 1).bit_length())
    # Each gets 1; the others are shared out.
    return [weight + 1 for weight in apportion(shares, total - len(shares))]


def apportion(shares: Floats, total: int) -> list[int]:
    """Whole numbers with a sum, nearly in proportion to shares >= 0: what rounding leaves goes where it took the most.

    Example:
        >>> apportion(np.array([1.0, 1.0, 1.0]), 10)
        [4, 3, 3]
    """
    # Whole numbers from here on: equal shares stay equal, and ties go to the first.
    mantissas, exponents = np.frexp(coarse(shares))
    least = int(exponents[mantissas > 0].min())
    parts = [int(m) << max(e - least, 0) for m, e in zip(np.ldexp(mantissas, 53), exponents.tolist(), strict=True)]
    whole = sum(parts)
    weights = [part * total // whole for part in parts]
    rest = [part * total % whole for part in parts]
    for place in sorted(range(len(parts)), key=lambda i: -rest[i])[: total - sum(weights)]:
        weights[place] += 1
    return weights
