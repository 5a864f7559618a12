"""From how many reports on a question may be expected to be told, where so far they are too few.

Nothing but the plan is asked: people are taken to be as its forecasts take them, and to lack what may be missing as
often as the survey says. Whoever waits learns no more from such a number than the plan tells.
"""

from collections.abc import Callable
from dataclasses import replace
from math import sqrt

import numpy as np

from sordino.design.numbers.numbers_accuracy import RARELY
from sordino.estimation.distributions.subpopulation import Subpopulation
from sordino.estimation.estimated_moments import read_moments
from sordino.estimation.missing.complete_cases import CERTAIN
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.survey.planning.plan import MOST_PEOPLE
from sordino.survey.questions.distribution import DistributionQuestion
from sordino.survey.questions.numbers import NumbersQuestion

Errors = Callable[[int], float]
"""How many standard errors limits are from an estimate, by the number of reports."""


def distribution_awaited(question: DistributionQuestion, errors: Errors) -> int | None:
    """Reports that are expected to tell that somebody has the number; None where no number of them is."""
    likely = Subpopulation(question.mechanism, question.mechanism.forward(question.expected()), question.domain.k)
    return _least(lambda n: likely.tells(errors(n), n))


def means_awaited(question: NumbersQuestion, place: int, errors: Errors) -> int | None:
    """Reports that are expected to tell that somebody has a number of the question, which may be missing."""
    one = replace(question, people=1).forecast()
    error = one.stderr[len(question.asked) + list(question.missing).index(place)]
    return _least(lambda n: (1 - question.missing[place]) * sqrt(n) > errors(n) * error)


def numbers_awaited(question: NumbersQuestion) -> int | None:
    """Reports of which rarely none is about some moment, and among which a regression is rarely refused.

    Of complete cases also as many as tell that there are any.
    """
    told = MomentEstimator.of(question.query)
    share = np.zeros(told.moments.m)
    np.add.at(share, [part.moment for part in told.query_moments], [part.share for part in told.query_moments])
    nobody = 1 - np.minimum(share, 1.0)
    fewest = read_moments(question.told_by).moments.m
    # As many complete cases as tell that there are any; where everybody is one, nobody has to.
    complete = question.complete_share(question.unknown) or 1.0
    error = sqrt(question.likely.complete or 0.0) if question.of_complete else 0.0
    answered = _least(
        lambda n: n >= fewest and float((nobody**n).sum()) <= RARELY and complete * sqrt(n) > CERTAIN * error
    )
    if answered is None or question.part.asked != "regression":
        return answered
    varying = question.rarely_refused
    return None if varying is None else max(answered, varying)


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
