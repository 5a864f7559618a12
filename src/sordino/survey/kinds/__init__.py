"""The kinds of question that a survey can ask: each lies whole in a folder of this room, and has its line here."""

from collections.abc import Mapping
from typing import Any

from sordino.homes import Homes
from sordino.survey.kinds.kind import AnyKind

KINDS: Homes[AnyKind] = Homes(
    {
        "histogram": "survey.kinds.shares.histogram_kind:HISTOGRAM",
        "table": "survey.kinds.shares.table_kind:TABLE",
        "mean": "survey.kinds.numbers.mean_kind:MEAN",
        "covariance": "survey.kinds.numbers.covariance_kind:COVARIANCE",
        "regression": "survey.kinds.numbers.regression_kind:REGRESSION",
        "distribution": "survey.kinds.distribution.distribution_kind:DISTRIBUTION",
        "above": "survey.kinds.shares.above_kind:ABOVE",
        "several": "survey.kinds.several.several_kind:SEVERAL",
    }
)
"""By the first word of each, in the order in which messages name them; a plan loads those that it asks."""


def name_asked(document: Mapping[str, Any]) -> str:
    """Which kind of question a part of a plan's document is, unchecked; empty if none.

    What is about several numbers says what is `asked` of them; all else has a field of its kind's name.
    """
    asked = document.get("asked") if "numbers" in document else None
    return next((name for name in KINDS if name == asked or name in document), "")
