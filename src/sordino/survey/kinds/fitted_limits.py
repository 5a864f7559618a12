"""Intervals of what is fitted: how they are named, and in words what they are, or why a question has none."""

from sordino.estimation.intervals.nearest_limits import FEWEST_REPORTS, MOST_VALUES
from sordino.estimation.share_estimate import Estimate

FITTED_LIMITS = ("fitted_low", "fitted_high")
"""Their columns."""

GIVEN = "Intervals of fitted shares hold for each value by itself; they use that no share is negative."

TOGETHER = (
    "Fitted shares have no interval here: how far a fit to several tables is off depends on how attributes depend on"
    " each other, which no resampling of it shows."
)
CURVE = (
    "The fitted curve has no interval of its own: how far it is off depends on how smooth the distribution is, which no"
    " resampling of it shows."
)
OTHER = (
    "Fitted shares have no interval here: only the nearest distribution (simplex) of at most {values} values, from"
    " {reports} reports or more, has one that is known to hold."
)
"""Why there is none."""


def fitted_limits_in_words(estimate: Estimate, *, are_given: bool) -> str:
    """What the intervals of fitted shares are, or why there is none.

    Args:
        estimate: that something is fitted to.
        are_given: whether there are intervals.
    """
    if are_given:
        return GIVEN
    return TOGETHER if estimate.method == "joint" else OTHER.format(values=MOST_VALUES, reports=FEWEST_REPORTS)
