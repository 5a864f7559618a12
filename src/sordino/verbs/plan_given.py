"""What verbs take for a plan: itself, or the path of its file."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sordino.errors import SordinoError
from sordino.exact.messages import kind

# Plans are large to load: arrays do not wait for them.
if TYPE_CHECKING:
    from sordino.survey.planning.plan import Plan

PlanLike: TypeAlias = "Plan | Path | str"
"""A plan, or the path of its file."""


def read_plan(given: object, verb: str, progress: Callable[[int], None] = lambda _: None) -> "Plan":
    """A plan, or that of a file.

    Args:
        given: to the verb.
        verb: its name, for messages.
        progress: called with the number of questions certified since the last call, as a file is read.
    """
    from sordino.survey.planning.plan import Plan
    from sordino.survey.reading.survey_file import Survey

    if isinstance(given, Plan):
        return given
    if isinstance(given, Path | str):
        return Plan.load(given, progress)
    step = f"give a plan, the path of one, or a mechanism to {verb}"
    if isinstance(given, Survey | Mapping):
        step = "freeze it first: sordino.plan(survey, people)"
    raise SordinoError(f"{verb} takes a plan or a mechanism", found=kind(given), step=step)
