"""How people are asked for an attribute, as a survey file writes it; its texts are looked at with all others.

[attribute.smoker]
text = { en = "Do you smoke?", de = "Rauchen Sie?" }            # the question, once or by language
help = "E-cigarettes count too."
labels = { yes = "Yes", no = "No", refused = "Prefer not to say" }
[attribute.weight]
text = "How much do you weigh?"
unit = "kg"
input = "slider"
step = 0.5
"""

from collections.abc import Iterator
from typing import Any, Protocol

from sordino.domain.answers.days import DAYS
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.survey.frozen.questionnaire_part import MOST_STEPS, are_days, is_step

INPUTS = ("text", "slider", "date")
"""How a number can be given."""


class Wording(Protocol):
    """The settings that say how a number is given."""

    @property
    def unit(self) -> Any:
        """Of the number."""

    @property
    def input(self) -> Any:
        """One of `INPUTS`."""

    @property
    def step(self) -> float | None:
        """Of a slider."""


def slider_step(step: float | None) -> float:
    """Of a slider: 1 by default."""
    return 1.0 if step is None else step


def input_mistakes(table: Wording, ends: tuple[float, float] | None) -> Iterator[SordinoError]:
    """What is wrong with how an attribute is given.

    Args:
        table: of the attribute.
        ends: of a number; None for all other attributes.
    """
    if ends is None:
        for setting in ("unit", "input", "step"):
            if getattr(table, setting) is not None:
                step = "leave it out, or declare a number"
                yield SordinoError(f"{setting} must be of a number", found="an attribute without one", step=step)
        return
    if table.input is not None and table.input not in INPUTS:
        rule = 'input must be "text", "slider" or "date"'
        yield SordinoError(rule, found=shown(table.input), step="take one of these, or leave it out")
    by = slider_step(table.step)
    if table.step is not None and table.input != "slider":
        step = 'write input = "slider", or leave step out'
        yield SordinoError("step must be that of a slider", found=f"step = {by:g}", step=step)
    elif table.input == "slider" and not is_step(by, *ends):
        rule = f"a slider must go from {ends[0]:g} to {ends[1]:g} in 1 to {MOST_STEPS:,} whole steps"
        yield SordinoError(rule, found=f"steps of {by:g}", step="write step = ... so that it does")
    if table.input == "date" and not are_days(*ends):
        step = f"write dates, as low = 1930-01-01, or whole days since 1970-01-01 from {DAYS[0]} to {DAYS[1]}"
        yield SordinoError("the ends of a date must be days", found=f"{ends[0]:g} and {ends[1]:g}", step=step)
