"""What the intervals of a result promise, of whom it is, and when one may be expected that is not told yet."""

from collections.abc import Iterator

from sordino.estimation.missing.complete_cases import COMPLETE
from sordino.survey.results.coverage import Coverage
from sordino.survey.results.questions.numbers import NumbersResult
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


def complete_cases_in_words(result: NumbersResult) -> Iterator[str]:
    """Of whom a result is, and of how many; nothing where it is of everybody, or of each number by itself."""
    if result.complete is not None:
        low, high = (100 * result.numbers[end][-1] for end in ("low", "high"))
        yield (
            f"All of this is of those who have all these numbers, {low:.1f} to {high:.1f} % of the people (the row"
            f" {COMPLETE!r}), and says nothing of the others."
        )


def untold_in_words(result: Untold) -> str:
    """Why, what to do, and how many reports are expected to tell it where that is known."""
    if result.awaited is None:
        return str(result.why)
    # Forecasts are loaded where something is not told.
    from sordino.survey.planning.forecast import in_two_digits

    reports = f"About {in_two_digits(result.awaited)} reports"
    if result.awaited <= result.n:
        return f"{result.why} {reports} were expected to, if people were as the plan's forecasts take them."
    return (
        f"{result.why} {reports} are expected to, if people are as the plan's forecasts take them: of others more may."
    )
