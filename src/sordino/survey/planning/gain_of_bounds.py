"""What the smallest delta costs a survey without bounds on dependence, and what such a bound would buy it."""

import json
from fractions import Fraction

from sordino.blocks.digits import to_span
from sordino.domain.categories import few
from sordino.domain.condition import related_attributes
from sordino.exact.amount_text import loss_text
from sordino.exact.nats import outward
from sordino.survey.planning.plan import Plan
from sordino.survey.planning.plan_design import design_questions
from sordino.survey.reading.survey_file import Survey
from sordino.survey.schema.dependence_bounds import DependenceTable

EXAMPLE = Fraction(1, 10)
"""The bound of the example, in total variation."""

SHOWN = 2
"""Attributes with the smallest delta that are named."""

BETTER = 0.995
"""Part of a standard error, below which another is better."""


def what_a_bound_buys(survey: Survey, plan: Plan) -> tuple[str, ...]:
    """What the smallest delta costs, and a sentence for each question that a bound would make more exact.

    Nothing where a bound is declared, or where neither another delta nor a bound is of use.

    Args:
        survey: whose plan it is.
        plan: made of the survey.
    """
    if plan.promise is None or plan.document.dependence is not None:
        return ()
    cost, (offer, *better) = _cost_of_smallest_delta(survey, plan), _gains(survey, plan)
    if not (cost or better):
        return ()
    smallest = f"No bound on dependence is declared, so every answer keeps the smallest delta{cost or '.'}"
    return (f"{smallest} {offer}".strip(), *better)


def _cost_of_smallest_delta(survey: Survey, plan: Plan) -> str:
    """Whose delta is the smallest, and the standard errors with the next smallest in its place; empty of no use."""
    deltas = {name: survey.delta(name) for name in survey.attribute}
    least, *larger = sorted(set(deltas.values()))
    if not larger:
        return ""
    own = [name for name, delta in deltas.items() if delta == least]
    changed = {name: survey.attribute[name].replace(delta=larger[0]) for name in own}
    ratios = _ratios(survey.replace(attribute=dict(survey.attribute) | changed), plan)
    if min(ratios) >= BETTER:
        return ""
    titles = [plan.attributes[name].quoted_title for name in own]
    whose = " and ".join(titles) if len(titles) <= SHOWN else f"{len(titles):,} attributes"
    times = to_span([f"{ratio:.2g}" for ratio in (min(ratios), max(ratios))])
    return (
        f", {loss_text(least)} of {whose}. With the next smallest in place of it, {loss_text(larger[0])}, standard"
        f" errors would be {times} times as large."
    )


def _ratios(survey: Survey, plan: Plan) -> list[float]:
    """Of each question the standard error if the survey were this one, as a part of the plan's."""
    chosen = design_questions(survey, plan.people)
    others = plan.questions_asked_by(chosen.queries, chosen.protects)
    return [then.typical_error / now.typical_error for now, then in zip(plan.questions, others, strict=True)]


def _gains(survey: Survey, plan: Plan) -> tuple[str, ...]:
    """The bound that is proposed, and a sentence for each question that it would make more exact; one empty of none."""
    related = set(related_attributes({name: survey.attribute_named(name) for name in survey.attribute}))
    boundable = [name for name in survey.attribute if name not in related]
    if not boundable:
        return ("",)
    rest = dict.fromkeys(boundable, EXAMPLE) if related else EXAMPLE
    ratios = _ratios(survey.replace(dependence=DependenceTable(rest=rest)), plan)
    better = [
        f"{question.title}: {ratio:.2f} times the standard error."
        for question, ratio in zip(plan.questions, ratios, strict=True)
        if ratio < BETTER
    ]
    if not better:
        return ("",)
    bound = outward(EXAMPLE, 3, up=True)
    each, setting = "each", str(bound)
    if related:
        # Of what decides whether another is asked, and of that, nothing can be declared.
        each = f"each of {few(boundable)}"
        setting = f"{{ {', '.join(f'{json.dumps(name)} = {bound}' for name in boundable)} }}"
    start = (
        f"If all other attributes together depended on {each} by at most {bound} in total variation"
        f" ([dependence] rest = {setting}), it would buy:"
    )
    return (start, *better)
