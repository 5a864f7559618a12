"""What a bound on the dependence between attributes would buy a survey that has none."""

import json
from fractions import Fraction

from sordino.domain.categories import few
from sordino.domain.condition import related_attributes
from sordino.exact.nats import outward
from sordino.survey.planning.plan import Plan
from sordino.survey.planning.plan_design import design_questions
from sordino.survey.reading.survey_file import Survey
from sordino.survey.schema.dependence_bounds import DependenceTable

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
    related = set(related_attributes({name: survey.attribute_named(name) for name in survey.attribute}))
    boundable = [name for name in survey.attribute if name not in related]
    if not boundable:
        return ()
    rest = dict.fromkeys(boundable, EXAMPLE) if related else EXAMPLE
    bounded = survey.replace(dependence=DependenceTable(rest=rest))
    chosen = design_questions(bounded, plan.people)
    others = plan.questions_asked_by(chosen.queries, chosen.protects)
    better = [
        f"{now.name}: {then.typical_error / now.typical_error:.2f} times the standard error."
        for now, then in zip(plan.questions, others, strict=True)
        if then.typical_error < 0.995 * now.typical_error
    ]
    if not better:
        return ()
    bound = outward(EXAMPLE, 3, up=True)
    each, setting = "each", str(bound)
    if related:
        # Of what decides whether another is asked, and of that, nothing can be declared.
        each = f"each of {few(boundable)}"
        setting = f"{{ {', '.join(f'{json.dumps(name)} = {bound}' for name in boundable)} }}"
    start = (
        "No bound on dependence is declared, so every answer keeps the smallest delta. If all other attributes together"
        f" depended on {each} by at most {bound} in total variation ([dependence] rest = {setting}), it would buy:"
    )
    return (start, *better)
