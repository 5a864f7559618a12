"""What a result's intervals promise, what its quantiles are, of whom it is, and when one may be expected."""

from collections.abc import Iterator

from sordino.estimation.missing.complete_cases import COMPLETE
from sordino.survey.results.coverage import Coverage
from sordino.survey.results.questions.distribution import DistributionResult
from sordino.survey.results.questions.numbers import NumbersResult
from sordino.survey.results.questions.single_moments import SingleMoments
from sordino.survey.results.result import Untold

WATCHED = "at all times together: they may be watched while reports come in, and are wider than those for one time"

POPULATION = (
    "Intervals describe a population from which these people were drawn at random.",
    "For a census they are wider than needed; for quota samples and volunteers they leave out how these differ.",
)
"""Of whom intervals are: what noise adds and what a random draw of people adds are both in every standard error."""


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


def quantiles_in_words(result: DistributionResult) -> str:
    """What a quantile is, and where within a bin it is taken to lie."""
    what = "A quantile is the least number that this part of the people do not exceed"
    if result.estimate.spikes:
        return f"{what}. Where spikes are declared it is the edge at which its bin begins; nothing is interpolated."
    return f"{what}; it is read off the fitted curve."


def complete_cases_in_words(result: NumbersResult) -> Iterator[str]:
    """Of whom a result is, and of how many; nothing where it is of everybody, or of each number by itself."""
    if result.complete is not None:
        low, high = (100 * result.numbers[end][-1] for end in ("low", "high"))
        yield (
            f"All of this is of those who have all these numbers, {low:.1f} to {high:.1f} % of the people (the row"
            f" {COMPLETE!r}), and says nothing of the others."
        )


def instead_in_words(result: SingleMoments) -> str:
    """What is given of a question that is refused, and of whom it is."""
    among = " among those who have all these numbers" if result.question.of_complete else ""
    return f"given instead of the {result.question.name}: each attribute by itself{among}"


def untold_in_words(result: Untold) -> str:
    """Why, what to do, and how many reports are expected to tell it where that is known."""
    if result.awaited is None:
        return str(result.why)
    # Forecasts are loaded where something is not told.
    from sordino.survey.planning.forecast import in_two_digits

    reports, known = f"About {in_two_digits(result.awaited)} reports", result.question.known is not None
    if result.from_reports is not None:
        return f"{result.why} {reports} are expected to, if the features vary as these reports suggest."
    if result.awaited <= result.n:
        people = "people were as the plan expects them" if known else "people were as forecasts take unknown ones"
        return f"{result.why} {reports} were expected to, if {people}."
    people = "people are as the plan expects them" if known else "people are as forecasts take unknown ones"
    return f"{result.why} {reports} are expected to, if {people}: of others more may."
