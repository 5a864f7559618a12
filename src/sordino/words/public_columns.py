"""What a plan's reports say in clear, in plain words, and what that means for its promise."""

from collections.abc import Iterator

from sordino.survey.planning.plan import Plan


def public_summary(plan: Plan) -> str:
    """That public values are sent as they are; nothing of a plan without any."""
    names = [part.name for part in plan.document.asked_public]
    if not names:
        return ""
    *some, last = map(plan.quoted_title, names)
    several = bool(some)
    subject = f"{', '.join(some)} and {last}" if several else last
    within = " Bounds on dependence must hold among people with the same values of these." if _has_bounds(plan) else ""
    return (
        f"{subject} {'are' if several else 'is'} sent as {'they are' if several else 'it is'}, beside the report, and"
        f" {'are' if several else 'is'} no part of what is protected.{within}"
    )


def _has_bounds(plan: Plan) -> bool:
    return plan.document.dependence is not None


def public_sentences(plan: Plan) -> Iterator[str]:
    """What is sent in clear, and what the promise is about then."""
    for part in plan.cells.parts:
        missing = f"; no value counts as {part.missing!r}" if part.missing is not None else ""
        shown = plan.quoted_title(part.name)
        yield f"Every report shows {shown}, one of {len(part.labels):,} values, as it is{missing}."
    if plan.cells.parts:
        yield (
            "Whatever these values are, reports are drawn in the same way: to somebody who knows them already, a report"
            " reveals no more than is promised here."
        )
        yield (
            "What these values themselves reveal about the other answers, to somebody who knows how they go together,"
            " is no part of the promise; few people with the same values are few among whom a report may be looked for."
        )
    if plan.cells.parts and _has_bounds(plan):
        yield (
            "Bounds on dependence must hold among the people of each combination of public values, since everybody"
            " sees which one a report is of."
        )
