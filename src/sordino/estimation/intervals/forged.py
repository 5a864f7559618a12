"""What forged reports could do: how far they move an estimate at most, and intervals that hold in spite of them.

A report adds between the least and the largest of what a code adds, S apart, to a sum over n. So m forged ones move the
mean by at most m S / n, and by that exactly where all honest ones are at the other end: whether they took the place of
honest reports, or came on top. The standard error that honest reports alone would have had is told up to
se^2 + (m S / n)^2 / m, since m of n numbers within S change their mean square difference by m S^2 / n at most; and of
n - m reports it is n / (n - m) times as large.

Not against what is not a report: ids that were made up, and a collector that leaves some out.

How far forged reports can move means, covariances and coefficients: bounds that hold for any such reports.

A mean moves by what one report can weigh in it, times their number. What is made of means moves within what these
leave: a covariance by the products' bounds; the solution t of normal equations A t = b, whose entries move by E and f
at most, by (I - |A^-1| E)^-1 |A^-1| (E |t| + f) in absolute value. Source of the latter: Higham 2002, section 7.2.
"""

from collections.abc import Sequence

import numpy as np

from sordino.domain.scaled import Ranges
from sordino.errors import SordinoError
from sordino.estimation.estimated_moments import AboutNumbers, EstimatedMoments, read_moments
from sordino.estimation.linear_regression import DEPENDENT, coefficient_units, normal_equations, regression_statistics
from sordino.estimation.means_and_covariances import covariance_statistics
from sordino.estimation.solvers import Undetermined, solve_estimate
from sordino.exact.floats import Floats
from sordino.mechanism.channel import Aggregate

Limits = tuple[Floats, Floats]


def require_fewer(forged: int, n: int) -> None:
    if forged >= n:
        rule = f"there must be more reports than the {forged:,} that may be forged"
        raise SordinoError(rule, found=f"{n:,}", step="ask more people, or bound the forged ones more tightly")


def forged_limits(fixed: Limits, value: Floats, stderr: Floats, moved: Floats, *, forged: int, part: float) -> Limits:
    """Limits that hold if at most some reports are forged, from those for honest ones.

    Args:
        fixed: limits of the estimates as if all reports were honest.
        moved: how far the forged reports could have moved each.
        forged: how many there are at most, 1 or more.
        part: the part of all reports, or of their weight, that these are; below 1.
    """
    least = np.maximum(stderr, np.finfo(np.float64).tiny)
    wider = np.sqrt(1 + (moved / least) ** 2 / forged) / (1 - part)
    low, high = fixed
    return (
        np.minimum(low, value - wider * (value - low)) - moved,
        np.maximum(high, value + wider * (high - value)) + moved,
    )


LOOSE = Undetermined(
    "features must stay distinct whatever the forged reports say", "ask more people, or bound the forged ones tightly"
)
"""The refusal where forged reports could make features dependent."""


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
    solved = solve_estimate(normal, np.column_stack([right, np.eye(len(normal))]), DEPENDENT)
    solution, inverse = solved[:, 0], np.abs(solved[:, 1:])
    turned = inverse @ loose
    if np.abs(np.linalg.eigvals(turned)).max() >= 1:
        raise SordinoError(LOOSE.rule, found="more forged reports than that", step=LOOSE.step)
    bound = solve_estimate(np.eye(len(normal)) - turned, inverse @ (loose @ np.abs(solution) + right_loose), LOOSE)
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
