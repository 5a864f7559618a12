"""How far forged reports can move means, covariances and coefficients: bounds that hold for any such reports.

A mean moves by what one report can weigh in it, times their number. What is made of means moves within what these
leave: a covariance by the products' bounds; the solution t of normal equations A t = b, whose entries move by E and f
at most, by (I - |A^-1| E)^-1 |A^-1| (E |t| + f) in absolute value. Source of the latter: Higham 2002, section 7.2.
"""

from collections.abc import Sequence

import numpy as np

from sordino.domain.ranges import Ranges
from sordino.errors import SordinoError
from sordino.estimation.estimated_moments import AboutNumbers, EstimatedMoments, read_moments
from sordino.estimation.moments import covariance_statistics
from sordino.estimation.regression import coefficient_units, normal_equations, regression_statistics
from sordino.exact.arrays import Floats
from sordino.mechanism.aggregate import Aggregate


def moved_means(asked: AboutNumbers, aggregate: Aggregate, ranges: Ranges, forged: int) -> tuple[Floats, float]:
    """How far each attribute's mean can have moved, shape (a,), in its own unit; and the part that may be forged.

    Raises SordinoError: as many reports about a number as may be forged.
    """
    places = range(ranges.d)
    _, moved, part = _move_limits(asked, aggregate, ranges, [(j,) for j in places], forged)
    return ranges.half * moved, part


def moved_covariances(asked: AboutNumbers, aggregate: Aggregate, ranges: Ranges, forged: int) -> tuple[Floats, float]:
    """How far each entry of the covariance matrix can have moved, shape (a, a), and the part that may be forged.

    Raises SordinoError: as many reports about a number, or a product, as may be forged.
    """
    places = list(range(ranges.d))
    told, moved, part = _move_limits(asked, aggregate, ranges, covariance_statistics(places), forged)
    second, single = told.second(places, places), told.singles(places)
    size, single_moved = np.abs(told.means[single]), moved[single]
    seen = np.abs(told.covariance[np.ix_(single, single)])
    products = np.outer(size, single_moved)
    bound = second.slopes[0] * moved[second.at[0]] + products + products.T + np.outer(single_moved, single_moved)
    # So does the covariance of two means, which is taken off: by that of the forged reports, and since there are fewer.
    bound += (seen + np.outer(single_moved, single_moved) / forged) / (1 - part) ** 3 - seen
    return np.outer(ranges.half, ranges.half) * bound, part


def moved_coefficients(asked: AboutNumbers, aggregate: Aggregate, ranges: Ranges, forged: int) -> tuple[Floats, float]:
    """How far the intercept and the slopes can have moved, shape (a,): of the last attribute on all others."""
    target, features = ranges.d - 1, list(range(ranges.d - 1))
    told, moved, part = _move_limits(asked, aggregate, ranges, regression_statistics(target, features), forged)
    normal, right = normal_equations(told, target, features)
    single = told.singles(features)
    squares, products = told.second(features, features), told.second(features, [target])
    loose = np.zeros_like(normal)
    loose[0, 1:] = loose[1:, 0] = moved[single]
    loose[1:, 1:] = squares.slopes[0] * moved[squares.at[0]]
    right_loose = np.concatenate([moved[[told.place[(target,)]]], moved[products.at[0, :, 0]]])
    inverse = np.abs(np.linalg.inv(normal))
    turned = inverse @ loose
    if np.abs(np.linalg.eigvals(turned)).max() >= 1:
        rule = "features must stay distinct whatever the forged reports say"
        raise SordinoError(rule, found="more forged reports than that", step="ask more people, or bound them tightly")
    solution = np.linalg.solve(normal, right)
    bound = np.linalg.solve(np.eye(len(normal)) - turned, inverse @ (loose @ np.abs(solution) + right_loose))
    unit, _ = coefficient_units(target, features, ranges)
    return np.abs(unit) @ bound, part


def _move_limits(
    asked: AboutNumbers, aggregate: Aggregate, ranges: Ranges, names: Sequence[tuple[int, ...]], forged: int
) -> tuple[EstimatedMoments, Floats, float]:
    """The scaled means, how far each can have moved, and the largest part of the weight that may be forged."""
    estimator = read_moments(asked)
    told = EstimatedMoments.of(asked, aggregate, names, ranges.names)
    at = [estimator.moments.names.index(name) for name in names]
    swing, weight = (column[at] for column in estimator.leverage(aggregate))
    part = forged * float(weight.max())
    if part >= 1:
        rule = f"there must be more reports about each number than the {forged:,} that may be forged"
        raise SordinoError(rule, found="fewer", step="ask more people, or bound the forged ones more tightly")
    return told, forged * swing, part
