"""Which statistics to draw for a regression with categorical features, at which level, and how often.

Each person answers one statistic, once, drawn without looking. Products of numbers are asked by one bit as in a
regression of numbers alone (`design.numbers.sampled_moments`). A category is asked together with the sign of a number,
the target among them, or with the category of another attribute: as one value of one channel, which tells the
indicators of all categories and their products at once. k one-bit questions about the products of k indicators would
each be drawn for a k-th of these people. Of two categories one bit about the product may be drawn as well.

Guarantee: deltas-Bayesian-coordinate-DP within the dependence bounds, and epsilon-LDP for everybody. A value of two
attributes tells each of them, so its level is at most the least of their deltas; what it tells of others is bounded by
the bound for the two together, where one is known, and else by that for all other attributes. The sampling
rule says it again of the finished channels.

Channels: of those whose tally says how often each code was sent, the one whose shares of the values have the least
summed variance. Subset selection, whose tally does not say it, has mostly some per cent less, and a sixth less at worst
(50 values at epsilon 3).

How often to draw each of several queries, some of which tell the same moments.

With p_q the probability of query q and M_qm the largest mean square of what it counts as moment m, a mean has a
variance of about 1 / sum_q (p_q / M_qm), times n. The weighted sum of these is convex in p; it falls with each step of
the multiplicative rule p_q <- p_q sqrt(g_q), scaled, with -g_q its slope (Silvey, Titterington and Torsney 1978). Where
each moment is told by one query this is p_q in proportion to the root of w M, at once.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, product
from math import prod

import numpy as np

from sordino.definition.bounded_dependence import Dependence
from sordino.design.coarse import coarse
from sordino.design.integer_channel import counting_channel
from sordino.design.numbers.drawn_answers import require_deltas, whole_shares
from sordino.design.numbers.level_limits import LevelLimits
from sordino.design.numbers.sampled_moments import INTERCEPT, LEAST_LEVEL, SLOPES, VARIANCE
from sordino.domain.moment import Factor, Factors, place_of, sort_factors
from sordino.domain.scaled import Indicator
from sordino.errors import SordinoError
from sordino.estimation.linear_regression import regression_statistics
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.exact.floats import Floats
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism
from sordino.mechanism.randomized import RandomizedResponse
from sordino.query.categorical import FEWEST, BinaryProduct, CategoryAndSign, TwoCategories
from sordino.query.number import NumberStatistic, statistic_of
from sordino.query.query import Query
from sordino.query.sampled import Sampled

MOST_TOLD = 1 << 12
"""Moments that a regression with categorical features may need: their covariance takes 128 MB then."""

MOST_CELLS = 1 << 10
"""Combinations of the categories of two features: each code counts for each of them."""

MOST_CODES, CODES_PER_VALUE = 1 << 8, 4
"""Of a channel; for more values so many for each."""


def sampled_regression(
    deltas: Sequence[Nats],
    epsilon: Nats,
    dependence: Dependence,
    target: int,
    features: Sequence[int],
    categories: Mapping[int, int],
) -> Sampled:
    """The queries that are drawn from, one for each person.

    Args:
        deltas: for each attribute of the record, the bound of Bayesian coordinate DP; none above epsilon.
        categories: for the features that are categories, how many there are.
    """
    limits = LevelLimits(deltas, epsilon, dependence)

    def of_pair(one: int, other: int) -> Nats:
        if other in categories:
            return limits.of_table((min(one, other), max(one, other)))
        return limits.of_category_sign((one, other))

    needs = regression_needs(target, features, categories)
    plain = [statistic for statistic in needs if not statistic.category_counts]
    levels = dict(zip(plain, limits.of_statistics([one.bits[0] for one in plain]), strict=True))
    asked = [(one, of_pair(*one.places) if one.category_counts else levels[one]) for one in needs]
    require_levels(asked)
    queries = tuple(Query(statistic, counting_mechanism(statistic.k, level)) for statistic, level in asked)
    drawn = least_error(queries, regression_importance(target, features, categories))
    require_deltas(drawn, deltas, epsilon, dependence)
    return drawn


def regression_needs(target: int, features: Sequence[int], categories: Mapping[int, int]) -> list[NumberStatistic]:
    """The statistics that a regression needs; of numbers alone a sign for each number and product."""
    coded = [place for place in features if place in categories]
    numbers = [place for place in features if place not in categories]
    if coded:
        _require_few([categories[place] for place in coded], len(numbers) + 1)
    # The numbers themselves are told with each category.
    names = [name for name in regression_statistics(target, numbers) if len(name) > 1 or not coded]
    pairs = [*product(coded, [*numbers, target]), *combinations(coded, 2)]
    return [*map(statistic_of, names), *(own for one, other in pairs for own in _of_pair(one, other, categories))]


def require_levels(asked: Sequence[tuple[NumberStatistic, Nats]]) -> None:
    for statistic, level in asked:
        if level.floor() < LEAST_LEVEL:
            found = f"a level of {level.floor():.1g} for {statistic.parameters}"
            step = "raise the smallest delta, or leave the attribute out"
            raise SordinoError("a question must be allowed to reveal something", found=found, step=step)


@cache
def counting_mechanism(k: int, level: Nats) -> Mechanism:
    """The mechanism with the least summed variance among those that count codes; a coin of two values."""
    if k == 2:
        return RandomizedResponse(2, level)
    return counting_channel(k, level, max(MOST_CODES, CODES_PER_VALUE * k))


def _of_pair(one: int, other: int, categories: Mapping[int, int]) -> Iterator[NumberStatistic]:
    """A category together with a number or another category; and where both have two sides, their product."""
    if other in categories:
        yield TwoCategories(one, categories[one], other, categories[other])
    else:
        yield CategoryAndSign(one, categories[one], other)
    if categories[one] == categories.get(other, FEWEST) == FEWEST:
        yield BinaryProduct(one, other, 1 + (other in categories))


def _require_few(categories: Sequence[int], numbers: int) -> None:
    """Refuse what would tell too many moments."""
    largest = sorted(categories, reverse=True)[:2]
    if len(largest) > 1 and prod(largest) > MOST_CELLS:
        rule = f"two features together must have at most {MOST_CELLS:,} combinations of categories"
        raise SordinoError(rule, found=f"{prod(largest):,}", step="merge categories, or leave a feature out")
    told = numbers * (numbers + 3) // 2 + sum(k * (1 + numbers) for k in categories)
    told += sum(one * other for one, other in combinations(categories, 2))
    if told > MOST_TOLD:
        rule = f"a regression with categorical features must need at most {MOST_TOLD:,} moments"
        raise SordinoError(rule, found=f"{told:,}", step="leave features out, or merge categories")


def regression_importance(target: int, features: Sequence[int], categories: Mapping[int, int]) -> dict[Factors, float]:
    """What a unit of a moment's variance adds to the expected squared error of the prediction.

    As in `sampled_moments`, where all features are numbers of variance 1 / 3: a column of variance v has 1 / v in place
    of 3, and an expected squared slope by which it explains as much.
    """
    variance: dict[Factor, float] = {place: VARIANCE for place in features if place not in categories}
    for place in [place for place in features if place in categories]:
        share = 1 / categories[place]
        variance |= {Indicator(place, v): 4 * share * (1 - share) for v in range(categories[place])}
    slope = {column: SLOPES * VARIANCE / len(variance) / own for column, own in variance.items()}
    found: dict[Factors, float] = {(target,): 1.0}
    for column, own in variance.items():
        found[(column,)] = slope[column] + INTERCEPT / own
        found[sort_factors((column, target))] = 1 / own
        if not isinstance(column, Indicator):
            found[column, column] = slope[column] / own / 4
    for one, other in combinations(sort_factors(variance), 2):
        if place_of(one) != place_of(other):
            found[one, other] = slope[one] / variance[other] + slope[other] / variance[one]
    return found


STEPS = 200
"""Of the rule: shares then change by less than a part in a thousand."""

NEGLIGIBLE = 1 / 32
"""Of an even share: a query that is drawn less often is left out if others tell what it tells."""


def least_error(queries: Sequence[Query], weights: Mapping[Factors, float]) -> Sampled:
    """The queries that are worth drawing, by the weights of `least_error_shares`."""
    asked = Sampled(tuple(queries), (1,) * len(queries))
    shares = least_error_shares(asked, weights)
    few = NEGLIGIBLE * sum(shares) / len(shares)
    worth = [query for query, share in zip(queries, shares, strict=True) if share >= few]
    told = {name for query in worth for name, _ in query.number.counted_moments}
    if not told >= weights.keys() or len(worth) == len(queries):
        return Sampled(tuple(queries), tuple(shares))
    asked = Sampled(tuple(worth), (1,) * len(worth))
    return Sampled(asked.queries, tuple(least_error_shares(asked, weights)))


def least_error_shares(asked: Sampled, weights: Mapping[Factors, float]) -> list[int]:
    """Whole weights of the queries by which the weighted sum of the moments' variances is nearly least.

    Args:
        weights: of the moments; those that are not named count nothing.
    """
    reader = MomentEstimator.of(asked)
    at = {name: place for place, name in enumerate(reader.moments.names)}
    importance = np.zeros(reader.moments.m)
    importance[[at[name] for name in weights]] = list(weights.values())
    query = np.array([part.query for part in reader.query_moments])
    moment = np.array([part.moment for part in reader.query_moments])
    inverse = 1 / coarse(np.array([part.largest for part in reader.query_moments]))
    shares: Floats = np.full(len(asked.queries), 1 / len(asked.queries))
    for _ in range(STEPS):
        precision = np.bincount(moment, shares[query] * inverse, reader.moments.m)
        slope = np.bincount(query, (importance / precision**2)[moment] * inverse, len(shares))
        shares = shares * np.sqrt(slope)
        shares = shares / shares.sum()
    return whole_shares(shares)
