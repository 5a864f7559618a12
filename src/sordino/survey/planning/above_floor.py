"""How near a question's channel is to the best there can be, where a bound on all channels is proved.

Of a mean, and of values that are all alike or alike within blocks, the bound is a formula. Where bounds differ from
value to value it is found by a search of seconds: made where somebody asks for it.

A mean of one number: `design.numbers.least_variance`, each at the number that is worst for it. A histogram:
`design.histograms.variance_floor`, at equal shares.
"""

from fractions import Fraction
from math import isfinite

from sordino.audit.answers import level_of
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.design.histograms.variance_floor import definition_floor
from sordino.design.numbers.least_variance import least_variance
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.survey.planning.plan import Question
from sordino.survey.questions.numbers import NumbersQuestion
from sordino.survey.questions.question import SharesQuestion

QUICK = 300
"""Kinds of pairs that a floor may solve for together where somebody waits for it: a second or two."""

QUICK_LISTED = 10
"""Values that all differ of which every extreme column is looked at there: some three seconds."""


def above_floor(question: Question, *, search: bool = False) -> Fraction | None:
    """By how much the variance exceeds the floor, relatively; None where there is none.

    Args:
        question: of a plan.
        search: whether a floor is searched for where no formula has it.
    """
    match question:
        case NumbersQuestion():
            return _mean_above(question)
        case SharesQuestion():
            return _shares_above(question) if search or isinstance(question.definition, LDP | BlockLDP) else None
        case _:
            return None


def quick_floor(k: int, definition: object) -> Fraction | None:
    """The floor of k values under a definition that a plan is held against; None where there is none."""
    return definition_floor(k, definition, QUICK, QUICK_LISTED)


def _shares_above(question: SharesQuestion) -> Fraction | None:
    """That of the variances' sum."""
    floor = quick_floor(question.domain.k, question.definition)
    if not floor or not isfinite(question.expected.total_variance):
        return None
    return Fraction(question.expected.total_variance) / floor - 1


def _mean_above(question: NumbersQuestion) -> Fraction | None:
    """That of the worst variance of a mean."""
    queries = question.query.queries
    if question.part.asked != "mean" or question.missing or len(question.asked) > 1 or len(queries) > 1:
        return None
    (mechanism,) = question.query.mechanisms
    least = least_variance(level_of(mechanism))
    (worst,) = MomentEstimator.of(question.query).largest_variance()
    return None if least is None else Fraction(float(worst)) / Fraction(least) - 1
