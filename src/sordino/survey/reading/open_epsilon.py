"""A survey that leaves its epsilon open, for whoever finds it.

Amounts of single attributes (`delta`, an epsilon of `protect`, a matrix) stay what they are: what is open is the
survey's own epsilon alone, for all that has none of its own, and for the whole record.
"""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TypeAlias

from sordino.document.files import read_toml
from sordino.document.kinds import explain_kind
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.survey.reading.mistakes import wrong_epsilon
from sordino.survey.reading.spellings import declared_tables
from sordino.survey.reading.survey_file import Survey

OpenSurvey: TypeAlias = Callable[[str], Survey]
"""The survey with an epsilon, checked."""


def open_survey(given: object) -> OpenSurvey:
    """A survey without an epsilon.

    Args:
        given: its tables, or the path of its file.

    Raises:
        SordinoError: it has an epsilon, or needs none; something else, or an unreadable file.
    """
    if isinstance(given, Survey):
        raise _closed("" if given.epsilon is None else str(given.epsilon))
    if isinstance(given, Path | str):
        path = Path(given)
        with explain_kind(path, "survey"):
            tables, name, folder = read_toml(path), str(path), path.parent
    elif isinstance(given, Mapping):
        tables, name, folder = dict(given), "the survey", Path()
    else:
        return lambda _: Survey.of(given)
    if (epsilon := tables.pop("epsilon", None)) is not None:
        raise _closed(epsilon)
    declared = declared_tables(tables).tables
    if not any(wrong_epsilon(declared)) and isinstance(declared.get("attribute"), dict):
        raise _closed("")

    def read(epsilon: str) -> Survey:
        complete: dict[str, Any] = {**tables, "epsilon": epsilon}
        with explain_kind(Path(given), "survey") if isinstance(given, Path | str) else nullcontext():
            return Survey.read(complete, name, folder)

    return read


def _closed(epsilon: object) -> SordinoError:
    rule = "people and an accuracy together find the survey's epsilon, which must be open"
    if epsilon == "":
        found, step = "each attribute with an amount of its own", "give people or an accuracy, not both"
    else:
        found, step = f"epsilon = {shown(epsilon)}", "leave epsilon out of the survey, or give only one of them"
    return SordinoError(rule, found=found, step=step)
