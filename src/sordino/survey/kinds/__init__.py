"""The kinds of question that a survey can ask: a kind is one file of this room and its line here."""

from collections.abc import Mapping
from typing import Any

from sordino.homes import Homes
from sordino.survey.kinds.kind import AnyKind

KINDS: Homes[AnyKind] = Homes(
    {
        "histogram": "survey.kinds.histogram:HISTOGRAM",
        "table": "survey.kinds.table:TABLE",
        "mean": "survey.kinds.mean:MEAN",
        "covariance": "survey.kinds.covariance:COVARIANCE",
        "regression": "survey.kinds.regression:REGRESSION",
        "distribution": "survey.kinds.distribution:DISTRIBUTION",
        "above": "survey.kinds.above:ABOVE",
        "several": "survey.kinds.several:SEVERAL",
    }
)
"""By the first word of each, in the order in which messages name them; a plan loads those that it asks."""


def name_asked(document: Mapping[str, Any]) -> str:
    """Which kind of question a part of a plan's document is, unchecked; empty if none.

    What is about several numbers says what is `asked` of them; all else has a field of its kind's name.
    """
    asked = document.get("asked") if "numbers" in document else None
    return next((name for name in KINDS if name == asked or name in document), "")
