"""The option that shows what a plan asks by its public groups: neither a survey nor a plan can ask for it."""

from shlex import quote

from sordino.survey.planning.plan import Plan


def group_option(plan: Plan) -> str:
    """The option `--by` of `sordino estimate` with the first public column, and the others' names; empty without any.

    The period of a series, its last public column, is shown over time as it is.
    """
    parts = plan.cells.parts if plan.series is None else plan.cells.parts[:-1]
    first, *others = [quote(part.name) for part in parts] or [""]
    more = f" (or {', '.join(others)}; several with commas between)" if others else ""
    return first and f"--by {first}{more}"
