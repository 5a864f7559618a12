"""What the intervals of a result promise, and when one may be expected that is not told yet, in a sentence or two."""

from sordino.survey.results.coverage import Coverage
from sordino.survey.results.result import Untold

WATCHED = "at all times together: they may be watched while reports come in, and are wider than those for one time"


def coverage_in_words(of: str, coverage: Coverage, together: str) -> str:
    """What the intervals of a table promise.

    Args:
        of: what each is about.
        coverage: what they hold against.
        together: how they are made to hold together, if they do.

    Example:
        >>> print(coverage_in_words("value", Coverage(0.9), "Bonferroni"))
        Intervals hold for each value by itself with 90% confidence.
        >>> print(coverage_in_words("value", Coverage(simultaneous=True, forged=20), "max-|z|"))
        Intervals hold for all values together with 95% confidence (max-|z|), even if up to 20 reports are forged.
    """
    which = f"for all {of}s together" if coverage.simultaneous else f"for each {of} by itself"
    how = f" ({together})" if coverage.simultaneous else ""
    said = f"Intervals hold {which} with {100 * coverage.confidence:.15g}% confidence{how}"
    if coverage.watched:
        said += f", {WATCHED}"
    if coverage.forged:
        reports = "report is" if coverage.forged == 1 else "reports are"
        said += f", even if up to {coverage.forged:,} {reports} forged"
    return f"{said}."


def untold_in_words(result: Untold) -> str:
    """Why, what to do, and how many reports are expected to tell it where that is known."""
    if result.awaited is None:
        return str(result.why)
    # Forecasts are loaded where something is not told.
    from sordino.survey.planning.forecast import in_two_digits

    when = f"About {in_two_digits(result.awaited)} reports are expected to"
    return f"{result.why} {when}, if people are as the plan's forecasts take them: of others more may."
