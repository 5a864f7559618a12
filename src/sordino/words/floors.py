"""How near a question's channel is to the best there can be, where a bound on all channels is proved.

A mean of one number: `design.numbers.least_variance`. A histogram: `design.histograms.variance_floor`, at equal shares.
Percentages round against the channel.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import isfinite

from sordino.audit.answers import level_of
from sordino.design.histograms.variance_floor import definition_floor
from sordino.design.numbers.least_variance import least_variance
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.exact.nats import outward
from sordino.survey.planning.plan import Plan
from sordino.survey.questions.numbers import NumbersQuestion
from sordino.survey.questions.question import HistogramQuestion
from sordino.words.sentence import Purpose, Sentence

ROUNDING = Fraction(1, 10**9)
"""A variance that lies above its floor by no more, relatively, is the floor."""


def floor_sentences(plan: Plan) -> Iterator[Sentence]:
    """A sentence for each question whose floor is known."""
    for question in plan.questions:
        if isinstance(question, NumbersQuestion) and (above := _above(question)) is not None:
            yield Sentence(
                f"The {question.name} is told with a variance at most {outward(100 * above, 2, up=True)} % above the"
                " least that any way of asking has that reveals as little, each at the number that is worst for it.",
                Purpose.FLOOR,
            )
        if isinstance(question, HistogramQuestion) and (more := shares_above(question)) is not None:
            told = f"a summed variance at most {outward(100 * more, 2, up=True)} % above the least"
            yield Sentence(
                f"The {question.name} is told with {told if more > ROUNDING else 'the least summed variance'} that any"
                " way of asking has that keeps the promise, if all values are equally common.",
                Purpose.FLOOR,
            )


def shares_above(question: HistogramQuestion) -> Fraction | None:
    """By how much the summed variance exceeds the floor, relatively, at equal shares; None where there is none."""
    floor = definition_floor(question.domain.k, question.definition)
    if not floor or not isfinite(question.expected.total_variance):
        return None
    return Fraction(question.expected.total_variance) / floor - 1


def _above(question: NumbersQuestion) -> Fraction | None:
    """By how much the worst variance of a mean exceeds the floor, relatively; None where there is none."""
    queries = question.query.queries
    if question.part.asked != "mean" or len(question.asked) > 1 or len(queries) > 1:
        return None
    (mechanism,) = question.query.mechanisms
    least = least_variance(level_of(mechanism))
    (worst,) = MomentEstimator.of(question.query).largest_variance()
    return None if least is None else Fraction(float(worst)) / Fraction(least) - 1
