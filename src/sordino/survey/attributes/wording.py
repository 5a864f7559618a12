"""How people are asked for an attribute, as a survey file writes it.

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
from typing import Any

from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.survey.frozen.parts import Part
from sordino.survey.frozen.questionnaire_part import DAYS, MOST_STEPS, are_days, is_step

INPUTS = ("text", "slider", "date")
"""How a number can be given."""


class WordingTable(Part):
    """The settings of an attribute that say how people are asked for it; texts are looked at with all others.

    Attributes:
        text: the question as people read it; the attribute's name by default.
        help: what makes it easier to answer.
        labels: of values, by their names.
        unit: of a number.
        input: how a number is given: "text", "slider" or "date".
        step: of a slider, 1 by default.
    """

    text: Any = None
    help: Any = None
    labels: Any = None
    unit: Any = None
    input: Any = None
    step: float | None = None

    @property
    def slider_step(self) -> float:
        """Of a slider."""
        return 1.0 if self.step is None else self.step

    def input_mistakes(self, ends: tuple[float, float] | None) -> Iterator[SordinoError]:
        """What is wrong with how the attribute is given.

        Args:
            ends: of a number; None for all other attributes.
        """
        if ends is None:
            for setting in ("unit", "input", "step"):
                if getattr(self, setting) is not None:
                    step = "leave it out, or declare a number"
                    yield SordinoError(f"{setting} must be of a number", found="another attribute", step=step)
            return
        if self.input is not None and self.input not in INPUTS:
            rule = 'input must be "text", "slider" or "date"'
            yield SordinoError(rule, found=shown(self.input), step="take one of these, or leave it out")
        if self.step is not None and self.input != "slider":
            step = 'write input = "slider", or leave step out'
            yield SordinoError("step must be that of a slider", found=f"step = {self.step:g}", step=step)
        elif self.input == "slider" and not is_step(self.slider_step, *ends):
            rule = f"a slider must go from {ends[0]:g} to {ends[1]:g} in 1 to {MOST_STEPS:,} whole steps"
            yield SordinoError(rule, found=f"steps of {self.slider_step:g}", step="write step = ... so that it does")
        if self.input == "date" and not are_days(*ends):
            step = f"write dates, as low = 1930-01-01, or whole days since 1970-01-01 from {DAYS[0]} to {DAYS[1]}"
            yield SordinoError("the ends of a date must be days", found=f"{ends[0]:g} and {ends[1]:g}", step=step)
