"""Which statistics of complete cases to draw, at which level and how often, for covariances and regressions.

Each person answers one statistic, once, drawn without looking, or that a number of the question is missing
(`CompleteCase`). Such a statistic reads all numbers that may be missing, so that its level is at most the least of
their deltas and of its own ones; of all other attributes it tells what the bounds on all others together allow, since
no bound on a moment serves what is not linear in it.
Guarantee: deltas-Bayesian-coordinate-DP within the dependence bounds, and epsilon-LDP for everybody; the sampling rule
says it again of the finished channels.

Channels: of a sign, randomized response of three values, or that of two spliced with a third one (`spliced`), whichever
tells moments best at the expected share of complete cases, those of different numbers being independent; of a category
with a sign, or with another category, those that count codes.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import prod

import numpy as np

from sordino.definition.bounded_dependence import Dependence
from sordino.design.coarse import coarse_number
from sordino.design.integer_channel import integer_channel
from sordino.design.numbers.drawn_answers import highest_level, require_deltas
from sordino.design.numbers.mean_among import among
from sordino.design.numbers.optional_numbers import splice
from sordino.design.numbers.sampled_regression import (
    counting_mechanism,
    least_error,
    regression_importance,
    regression_needs,
    require_levels,
)
from sordino.domain.moment import Factors
from sordino.estimation.means_and_covariances import covariance_statistics
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel_table import ChannelTable
from sordino.mechanism.randomized import RandomizedResponse
from sordino.query.missing import CompleteCase
from sordino.query.number import NumberStatistic, statistic_of
from sordino.query.query import Query
from sordino.query.sampled import Sampled

SIGN = 3
"""Values of a sign of complete cases."""

PARTS = (0.05, 0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 1.0)
"""Of the largest probability of "missing" of complete cases, that are tried."""


def complete_covariance(
    deltas: Sequence[Nats], epsilon: Nats, dependence: Dependence, asked: Sequence[int], missing: Mapping[int, float]
) -> Sampled:
    """The queries for the covariance matrix of some numbers of a record of d attributes, among complete cases.

    Args:
        deltas: of all d attributes, above 0 and at most epsilon.
        asked: the places of the numbers; the queries read these numbers, in this order.
        missing: for the places of those that may be missing, the share of the people that is expected to lack it.

    Example:
        >>> one = [Nats.of(1)] * 2
        >>> found = complete_covariance(one, Nats.of(1), Dependence.unknown(2), [0, 1], {1: 0.1})
        >>> found.queries[2].statistic.parameters
        'complete-product 1 1 0 0'
    """
    names = covariance_statistics(asked)
    importance: dict[Factors, float] = dict.fromkeys(names, 1.0)
    return among(
        _sampled_statistics(list(map(statistic_of, names)), importance, deltas, epsilon, dependence, missing), asked
    )


def complete_regression(
    deltas: Sequence[Nats],
    epsilon: Nats,
    dependence: Dependence,
    asked: Sequence[int],
    missing: Mapping[int, float],
    categories: Mapping[int, int] | None = None,
) -> Sampled:
    """Those for a regression of the last of some attributes on the others; arguments and errors as above.

    Args:
        asked: the places of the features, then that of the target.
        categories: for the features that are categories, how many there are.
    """
    *features, target = asked
    sizes = categories or {}
    needs = regression_needs(target, features, sizes)
    importance = regression_importance(target, features, sizes)
    return among(_sampled_statistics(needs, importance, deltas, epsilon, dependence, missing), asked)


def _sampled_statistics(
    needs: Sequence[NumberStatistic],
    importance: Mapping[Factors, float],
    deltas: Sequence[Nats],
    epsilon: Nats,
    dependence: Dependence,
    missing: Mapping[int, float],
) -> Sampled:
    """The statistics of complete cases, each through its channel, drawn as often as its moments matter."""
    whole = tuple(sorted(missing))
    asked = [CompleteCase(statistic, whole) for statistic in needs]
    levels = [_level(statistic, deltas, epsilon, dependence) for statistic in asked]
    require_levels(list(zip(asked, levels, strict=True)))
    complete, share = complete_share(missing), float(f"{1 / len(asked):.3g}")
    channels = [complete_channel(one.k, level, complete, share) for one, level in zip(asked, levels, strict=True)]
    queries = [Query(statistic, channel) for statistic, channel in zip(asked, channels, strict=True)]
    drawn = least_error(queries, {(*name, asked[0].complete): weight for name, weight in importance.items()})
    require_deltas(drawn, deltas, epsilon, dependence)
    return drawn


def _level(statistic: CompleteCase, deltas: Sequence[Nats], epsilon: Nats, dependence: Dependence) -> Nats:
    variations = (Fraction(1) if i in statistic.places else dependence.of_rest(i) for i in range(len(deltas)))
    return highest_level(variations, deltas, epsilon)


def complete_share(missing: Mapping[int, float]) -> float:
    """The share of complete cases that is expected, where the numbers of one person are missing independently."""
    return prod(1 - share for _, share in sorted(missing.items()))


@lru_cache(maxsize=1 << 8)
def complete_channel(k: int, level: Nats, complete: float, share: float) -> Mechanism:
    """The channel for a statistic of complete cases.

    Args:
        k: its values, the last of which says that a number is missing.
        level: the loss allowed, above 0.
        complete: the share of complete cases that is expected.
        share: of the people, who are drawn for this statistic; all tell how many complete cases there are.

    Example:
        >>> channel = complete_channel(3, Nats.of(1), 0.9, 0.2)
        >>> channel.k, channel.outputs
        (3, 3)
    """
    if k != SIGN:
        return counting_mechanism(k, level)
    # In case of a tie the first and simplest one.
    return min(_candidates(level), key=lambda channel: coarse_number(_variance(channel, complete, share)))


def _candidates(level: Nats) -> Iterator[Mechanism]:
    yield RandomizedResponse(SIGN, level)
    for part in PARTS:
        rows = splice(RandomizedResponse(SIGN - 1, level).probabilities(), level, part)
        yield ChannelTable(integer_channel(rows, [[level] * SIGN] * SIGN))


def _variance(channel: Mechanism, complete: float, share: float) -> float:
    """The variance of a moment of complete cases, to the first order and but for a factor: the mean over all moments.

    With g and h what a report counts as in y and s, of y / s it is that of g by those who are drawn for the moment, and
    that of h (y / s) by all; for moments that are spread evenly over [-1, 1] (y / s)^2 is a third.
    """
    law = np.array([complete / 2, complete / 2, 1 - complete])
    grids = np.array([-1.0, 1.0, 0.0]), np.array([1.0, 1.0, 0.0])
    of_moment, of_share = (float(law @ channel.adjoint(channel.code_values(grid) ** 2)) for grid in grids)
    return of_moment + share * of_share / 3
