"""Which statistics to draw, how often and at which level: second moments and regression under Bayesian coordinate DP.

Guarantee: each person answers one statistic, once, drawn without looking; the statistic s is answered at the level
eps_s = min(epsilon, min_i largest level of delta_i under q_i(s)), so the report is delta-Bayesian-coordinate-DP within
the dependence bounds and epsilon-LDP for everybody. q_i(s) is that of the statistic s itself, 1 where s is about the
attribute i: a product has a bound of its own, or that of all other attributes together, and never one made of bounds
for pairs of attributes. The sampling rule says it again of the finished channel, from the integers of its coins.

Shares: with p_s the draw's probability, a mean's n Var is about C_s^2 / p_s, C_s = coth(eps_s / 2). So p_s in
proportion to C_s sqrt(w_s) makes the least of any sum of variances with weights w_s. For moments w_s = 1. For a
regression w_s says how much an error of s adds to the squared error of the prediction, expected before the data: the
features independent and uniform, the slopes and the intercept independent and of the lengths below.
"""

from collections.abc import Sequence

import numpy as np

from sordino.definition.bounded_dependence import Dependence
from sordino.definition.bounds import read_epsilon
from sordino.design.numbers.drawn_answers import one_bit_each, require_deltas, whole_shares
from sordino.design.numbers.level_limits import LevelLimits
from sordino.domain.moment import Moment
from sordino.errors import SordinoError
from sordino.estimation.linear_regression import read_features, regression_statistics
from sordino.estimation.means_and_covariances import covariance_statistics
from sordino.exact.floats import Floats
from sordino.exact.messages import checked, shown
from sordino.exact.nats import Nats, NatsLike
from sordino.query.sampled import Sampled

SLOPES = 0.5
"""Expected squared length of the scaled slopes: uniform features then explain half of a uniform target's variance."""

INTERCEPT = 1 / 12
"""Expected squared intercept: the target's mean lies anywhere in the middle half of its range."""

VARIANCE = 1 / 3

LEAST_LEVEL = 1e-15
"""In nats: below it a coin on 64-bit words is too coarse, and an answer would weigh 2e15 people."""


@checked
def sampled_moments(
    deltas: Sequence[NatsLike],
    epsilon: NatsLike,
    dependence: Dependence,
    pairs: Sequence[tuple[int, int]] | None = None,
    target: int | None = None,
    features: Sequence[int] | None = None,
) -> Sampled:
    """The queries that are drawn from, one statistic for each person, for second moments or for a regression.

    Source: BCDP paper, Section 5, read per statistic, in place of its Algorithm 3.

    Args:
        deltas: for each attribute, the bound of Bayesian coordinate DP; none above epsilon.
        epsilon: the LDP level of every report.
        dependence: bounds for the statistics or for all other attributes together; what is not declared is 1.
        pairs: the products that are asked, (j, j) for a square; with the numbers that they are made of. All by default.
        target: the attribute that a regression predicts, instead of pairs.
        features: of the regression; all other attributes by default.

    Raises:
        SordinoError: deltas that are negative or above epsilon, or not one for each attribute; pairs and a target both;
            unknown attributes; a statistic of which nothing may be told.

    Example:
        >>> asked = sampled_moments(["0.5", "2", "2"], "2", Dependence.bounded(["0.2", 1, 1]), target=2)
        >>> [query.statistic.parameters for query in asked.queries[2:5]]
        ['number 2 2', 'product 0 0', 'product 0 1']
    """
    bound, amounts = read_epsilon(epsilon), read_deltas(deltas, epsilon)
    if not isinstance(dependence, Dependence):
        raise SordinoError(
            "dependence must be a Dependence", found=type(dependence).__name__, step="use Dependence.bounded"
        )
    if dependence.d != len(amounts):
        raise SordinoError(f"dependence must be about {len(amounts)} attributes", found=shown(dependence.d))
    names, importance = _statistics_and_weights(len(amounts), pairs, target, features)
    levels = statistic_levels(names, amounts, bound, dependence)
    spread = np.array([1 / np.tanh(level.floor() / 2) for level in levels])
    asked = one_bit_each(names, levels, whole_shares(spread * np.sqrt(importance)))
    require_deltas(asked, amounts, bound, dependence)
    return asked


def read_deltas(deltas: Sequence[NatsLike], epsilon: NatsLike) -> tuple[Nats, ...]:
    """One bound for each attribute."""
    bound, amounts = read_epsilon(epsilon), tuple(read_epsilon(delta) for delta in deltas)
    if isinstance(deltas, str) or not amounts:
        raise SordinoError("there must be one delta for each attribute", found=shown(deltas))
    for i, delta in enumerate(amounts):
        if delta > bound:
            rule = f"the delta of attribute {i} must not exceed epsilon = {bound}"
            raise SordinoError(rule, found=shown(delta), step="lower it or raise epsilon")
    return amounts


def statistic_levels(
    names: Sequence[Moment], deltas: Sequence[Nats], epsilon: Nats, dependence: Dependence
) -> tuple[Nats, ...]:
    """The highest level at which each statistic may be answered."""
    levels = LevelLimits(deltas, epsilon, dependence).of_statistics(names)
    for name, level in zip(names, levels, strict=True):
        if level.floor() < LEAST_LEVEL:
            raise SordinoError(
                "a question must be allowed to reveal something",
                found=f"a level of {level.floor():.1g} for {name}, an attribute or a product of two",
                step="raise the smallest delta, leave it out, or declare that it does not depend on that attribute",
            )
    return levels


def _statistics_and_weights(
    d: int, pairs: Sequence[tuple[int, int]] | None, target: int | None, features: Sequence[int] | None
) -> tuple[tuple[Moment, ...], Floats]:
    """The statistics, and how much the variance of each matters."""
    if target is not None:
        if pairs is not None:
            raise SordinoError("moments or a regression must be asked, not both", found="pairs and a target")
        asked = read_features(d, target, features)
        names = regression_statistics(target, asked)
        return names, np.array([_importance(name, target, len(asked)) for name in names])
    if features is not None:
        found = f"{shown(features)} without a target"
        raise SordinoError("features must come with a target", found=found, step="name the target, or leave them out")
    names = covariance_statistics(range(d)) if pairs is None else _of_pairs(d, pairs)
    return names, np.ones(len(names))


def _of_pairs(d: int, pairs: Sequence[tuple[int, int]]) -> tuple[Moment, ...]:
    """The products asked and the numbers that they are made of."""
    products = {(min(pair), max(pair)) for pair in pairs}
    if not products or not all(0 <= j <= k < d for j, k in products):
        raise SordinoError(f"pairs must be of the attributes 0..{d - 1}", found=shown(list(pairs)))
    singles = {(place,) for pair in products for place in pair}
    return (*sorted(singles), *sorted(products))


def _importance(name: Moment, target: int, p: int) -> float:
    """What a unit of a statistic's variance adds to the expected squared error of the prediction.

    With r = b - A t the error of the normal equations, the prediction's is r' A^-1 r; A is 1 for the intercept and a
    third for each slope.
    """
    slope, steep = SLOPES / p, 1 / VARIANCE
    if len(name) == 1:
        # The target's mean stands in the intercept's equation; a feature's in its own too.
        return 1.0 if name[0] == target else slope + INTERCEPT * steep
    if target in name:
        return steep
    # A product stands in two equations, a square in one and by half of its statistic.
    return slope * steep / 4 if name[0] == name[1] else 2 * slope * steep
