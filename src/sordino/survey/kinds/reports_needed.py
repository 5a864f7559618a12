"""From how many reports on a question may be expected to be answered, where so far they are too few.

A regression that was refused is expected to be answered as its own reports say, where they say anything of how the
features vary. In all other cases the plan is asked, whose forecasts rest on the same people.
"""

from collections.abc import Callable
from math import ceil, sqrt

import numpy as np

from sordino.design.numbers.numbers_accuracy import RARELY
from sordino.errors import SordinoError
from sordino.estimation.complete_cases import CERTAIN
from sordino.estimation.estimated_moments import EstimatedMoments, read_moments
from sordino.estimation.linear_regression import DISTINCT, distinctness, regression_statistics
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.estimation.subpopulation import Subpopulation
from sordino.mechanism.channel import Aggregate
from sordino.survey.kinds.distribution.distribution_question import DistributionQuestion
from sordino.survey.kinds.numbers.numbers_question import NumbersQuestion
from sordino.survey.schema.attribute_part import MOST_PEOPLE

CONVINCING = 2.0
"""Standard errors by which features that vary were found to: fewer are noise."""

RARE_ERRORS = 1.645
"""Standard errors that noise takes off in one of twenty surveys."""

Errors = Callable[[int], float]
"""How many standard errors limits are from an estimate, by the number of reports."""


def reports_for_distribution(question: DistributionQuestion, errors: Errors) -> int | None:
    """Reports that are expected to tell that somebody has the number; None where no number of them is."""
    likely = Subpopulation(
        question.mechanism, question.mechanism.forward(question.expected_errors()), question.domain.k
    )
    return _least(lambda n: likely.tells(errors(n), n))


def reports_for_means(question: NumbersQuestion, place: int, errors: Errors) -> int | None:
    """Reports that are expected to tell that somebody has a number of the question, which may be missing."""
    error = question.missing_error(place)
    return _least(lambda n: (1 - question.expected_missing[place]) * sqrt(n) > errors(n) * error)


def reports_for_numbers(question: NumbersQuestion) -> int | None:
    """Reports of which rarely none is about some moment, and among which a regression is rarely refused.

    Of complete cases also as many as tell that there are any.
    """
    told = MomentEstimator.of(question.query)
    share = np.zeros(told.moments.m)
    np.add.at(share, [part.moment for part in told.query_moments], [part.share for part in told.query_moments])
    nobody = 1 - np.minimum(share, 1.0)
    fewest = read_moments(question.told_by).moments.m
    # As many complete cases as tell that there are any; where everybody is one, nobody has to.
    error = sqrt(question.likely.complete or 0.0) if question.of_complete else 0.0
    answered = _least(
        lambda n: n >= fewest and float((nobody**n).sum()) <= RARELY and question.complete * sqrt(n) > CERTAIN * error
    )
    varying = None if answered is None else question.rarely_refused
    return None if answered is None or varying is None else max(answered, varying)


def reports_for_regression(question: NumbersQuestion, aggregate: Aggregate) -> int | None:
    """Reports of which a regression is rarely refused if the features vary as these say; None where they say nothing.

    Args:
        question: a regression.
        aggregate: the tally of its reports.
    """
    features = range(question.ranges.d - 1)
    names = regression_statistics(question.ranges.d - 1, features)
    try:
        told = EstimatedMoments.of(question.told_by, aggregate, names, question.ranges.names)
    except SordinoError:
        return None
    found = distinctness(told, features)
    if not found >= CONVINCING:
        return None
    return ceil(aggregate.n * (max(DISTINCT + RARE_ERRORS, found) / found) ** 2)


def _least(told: Callable[[int], bool]) -> int | None:
    """The least number of reports that is enough, if more always are; None beyond all that a plan can have."""
    low, high = 0, 1
    while not told(high):
        if high > MOST_PEOPLE:
            return None
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if told(middle) else (middle, high)
    return high
