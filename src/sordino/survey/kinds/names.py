"""Names of attributes as a question lists them."""

from collections.abc import Sequence
from typing import Annotated

from sordino.document.schema.limits import Convert, ValueLimits
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.survey.schema.attribute_part import Text

MOST_NUMBERS = 1000
"""Numbers of one question at most."""


def _as_list(names: object) -> object:
    if not isinstance(names, str | list):
        raise SordinoError(
            "attributes must be named, by one name or a list of names",
            found=shown(names),
            step='write "age", or ["age", "weight"]',
        )
    return [names] if isinstance(names, str) else names


Names = Annotated[list[Text], Convert(_as_list), ValueLimits(min_length=1, max_length=MOST_NUMBERS)]


def require_distinct(setting: str, names: Sequence[str]) -> None:
    """Refuse a list that names an attribute twice.

    Raises:
        SordinoError: with the name.
    """
    repeated = [name for i, name in enumerate(names) if name in names[:i]]
    if repeated:
        raise SordinoError(
            f"{setting} must name each attribute once", found=f"{repeated[0]!r} twice", step="leave it out once"
        )
