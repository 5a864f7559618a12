"""What a bound on the dependence between attributes would buy a survey that has none."""

from fractions import Fraction

from sordino.estimation.moment_estimator import MomentEstimator
from sordino.exact.nats import outward
from sordino.survey.frozen.dependence_bounds import DependenceTable
from sordino.survey.planning.plan import Plan, Question
from sordino.survey.questions.distribution import DistributionQuestion
from sordino.survey.questions.numbers import NumbersQuestion
from sordino.survey.reading.schema import Survey

EXAMPLE = Fraction(1, 10)
"""The bound of the example, in total variation."""


def what_a_bound_buys(survey: Survey, plan: Plan) -> tuple[str, ...]:
    """A sentence for each question that would be told better; nothing where a bound is declared, or no use.

    Args:
        survey: whose plan it is.
        plan: made of the survey.
    """
    if plan.promise is None or plan.document.dependence is not None:
        return ()
    bounded = survey.model_copy(update={"dependence": DependenceTable(rest=EXAMPLE)})
    other = Plan.of(bounded, plan.people)
    better = [
        f"{now.name}: {_error(then) / _error(now):.2f} times the standard error."
        for now, then in zip(plan.questions, other.questions, strict=True)
        if _error(then) < 0.995 * _error(now)
    ]
    if not better:
        return ()
    bound = outward(EXAMPLE, 3, up=True)
    start = (
        "No bound on dependence is declared, so every answer keeps the smallest delta. If all other attributes together"
        f" depended on each by at most {bound} in total variation ([dependence] rest = {bound}), it would buy:"
    )
    return (start, *better)


def _error(question: Question) -> float:
    """The root mean square of the expected standard errors, each in a unit of its own."""
    if isinstance(question, NumbersQuestion):
        noise = MomentEstimator.of(question.query).noise() / question.people
        return float((noise.mean()) ** 0.5)
    if isinstance(question, DistributionQuestion):
        return float((question.errors() ** 2).mean() ** 0.5)
    return question.expected.stderr
