"""Several epsilons of a survey in one table: what each reveals at most, and how exact the estimates are."""

from collections.abc import Callable, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from sordino.cli.output import print_table
from sordino.cli.progress import progress
from sordino.cli.say import say
from sordino.survey.planning.plan import Plan
from sordino.survey.reading.survey_file import Survey
from sordino.verbs.make_plan import make_plan
from sordino.verbs.plan_forecast import PlanForecast
from sordino.words.odds import PRIOR, beliefs, factor


class Tried(NamedTuple):
    """A survey's plan with one of several epsilons."""

    epsilon: str
    forecast: PlanForecast

    def json(self) -> dict[str, Any]:
        """For programs."""
        widest, width = self.forecast.widest()
        plan = self.forecast.plan
        # Of the attribute with the largest epsilon of its own, unless what a report reveals depends on the values.
        amount = plan.epsilon
        learned = (
            None
            if amount is None or is_by_distance(plan) or is_by_value(plan)
            else {"factor": factor(amount), "most": beliefs(amount)[0]}
        )
        return {
            "epsilon": self.epsilon,
            "people": self.forecast.plan.people,
            "half_width": width,
            "widest": widest.question.name,
            "reveals": learned,
            "warnings": list(self.forecast.warnings),
        }


def try_epsilons(
    survey_at: Callable[[str], Survey],
    epsilons: Sequence[str],
    people: int | None,
    accuracy: float | None = None,
    confidence: float = 0.95,
    expect: Path | None = None,
) -> list[Tried]:
    """The plans of a survey with each of some epsilons."""
    tried = []
    with progress("plans", len(epsilons)) as advance:
        for epsilon in epsilons:
            tried.append(Tried(epsilon, make_plan(survey_at(epsilon), people, accuracy, confidence, expect)))
            advance(1)
    return tried


def print_epsilons(tried: Sequence[Tried], confidence: float = 0.95) -> None:
    """A row for each epsilon: what it reveals at most, and how exact the widest interval is."""
    found = [one.json() for one in tried]
    rows = []
    for one in found:
        learned = one["reveals"]
        odds = ("by values", "") if learned is None else (f"x {learned['factor']}", f"{learned['most']} %")
        width = f"{one['half_width']:.3g}" if isfinite(one["half_width"]) else "nothing"
        rows.append((one["epsilon"], *odds, f"{one['people']:,}", width, one["widest"]))
    interval = f"widest {100 * confidence:.15g} % interval, \N{PLUS-MINUS SIGN}"
    header = ("epsilon", "odds change by", f"{PRIOR} % becomes", "people", interval, "of")
    print_table("What each epsilon reveals at most, and how exact it is", header, rows)
    # Most warnings are those of all: each is said once, of the epsilons that it is about.
    for line in dict.fromkeys(line for one in found for line in one["warnings"]):
        about = [one["epsilon"] for one in found if line in one["warnings"]]
        say(f"WARNING, at epsilon {', '.join(about)}: {line}", bold=True)


def is_by_value(plan: Plan) -> bool:
    """Whether some values of an attribute are protected less than others, as blocks or sensitive values are."""
    protects = [own.protect for own in plan.document.attributes.values()]
    return any(own is not None and (own.blocks is not None or own.sensitive is not None) for own in protects)


def is_by_distance(plan: Plan) -> bool:
    """Whether the survey's epsilon is the loss for a unit of distance, of some attribute."""
    protects = [own.protect for own in plan.document.attributes.values()]
    return any(own is not None and (own.metric is not None or own.bounds is not None) for own in protects)
