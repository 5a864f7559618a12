"""What commands print of results: the largest shares with their intervals, means, covariances and coefficients."""

from typing import Any

from sordino.cli.output import print_table
from sordino.cli.say import say
from sordino.survey.questions.numbers import NumbersQuestion
from sordino.survey.results.result import HistogramResult, NumbersResult, Result, Untold
from sordino.words.digits import rounded

LARGEST = 15
"""Rows of a table for people; files and --json have all."""


FITTED = "fitted: the nearest that some data can have, since noise can make the others impossible."

SHARES = """\
estimate: right on average, with its standard error and interval; noise can take it below 0, where intervals begin.
fitted ({method}): the distribution near it, for maps and sums; its largest shares tend to be too low."""
"""What the columns of a table of shares are."""

NUMBERS = ("estimate", "stderr", "low", "high", "fitted")
"""Of a share's row."""


def result_json(result: Result) -> dict[str, Any]:
    """What a question asked, of how many, how shares were fitted, and why it is not told if it is not."""
    question = result.question
    asked = question.part.asked if isinstance(question, NumbersQuestion) else "histogram"
    head = {"attribute": question.name, "asked": asked, "attributes": question.asked, "n": result.n}
    if isinstance(result, HistogramResult):
        return head | {"method": result.estimate.method}
    return head | ({"untold": str(result.why)} if isinstance(result, Untold) else {})


def print_result(result: Result) -> None:
    """The largest shares with their intervals, or all means, covariances or coefficients."""
    if isinstance(result, Untold):
        say(f"{result.question.name}: not told by {result.n:,} reports; {result.why}")
        return
    limits = (f"{100 * result.confidence:.15g}% from", "to")
    if isinstance(result, NumbersResult):
        rows = [(str(row["value"]), *rounded(row).values()) for row in result.rows()]
        fitted = [] if result.fitted is None else ["fitted"]
        header = (result.about, result.noun, "std. error", *limits, *fitted)
        print_table(f"{result.n:,} reports; {result.question.name}", header, rows[:LARGEST])
        if any(row[1] != row[-1] for row in rows if fitted):
            say(FITTED, "")
        return
    _print_shares(result, limits)


def _print_shares(result: HistogramResult, limits: tuple[str, str]) -> None:
    """The largest, and what the columns are."""
    k, fitted = result.question.domain.k, result.fitted is not None
    largest = f"the largest of {k:,}" if k > LARGEST else f"all {k}"
    header = (result.question.name, "estimate", "std. error", *limits, *(["fitted"] if fitted else []))
    rows = []
    for value in result.largest(LARGEST).tolist():
        row = result.row(value)
        rows.append((str(row["value"]), *(f"{row[key]:z.5f}" for key in NUMBERS if key in row)))
    print_table(f"{result.n:,} reports; {largest} values", header, rows)
    if fitted:
        say(*SHARES.format(method=result.estimate.method).split("\n"), "")
