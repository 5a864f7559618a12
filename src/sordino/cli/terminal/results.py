"""What commands print of results: shares with their intervals, means, covariances and coefficients."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sordino.cli.output import print_table
from sordino.cli.say import say
from sordino.domain.bins import plain
from sordino.estimation.neighbours.choice import Choice, SmoothingRefusal
from sordino.survey.planning.plan import Question
from sordino.survey.questions.distribution import DistributionQuestion
from sordino.survey.questions.numbers import NumbersQuestion
from sordino.survey.questions.question import TableQuestion
from sordino.survey.results.coverage import Coverage
from sordino.survey.results.pooled import PooledResult
from sordino.survey.results.poststratified import Poststratified
from sordino.survey.results.questions.distribution import DistributionResult
from sordino.survey.results.questions.numbers import NumbersResult
from sordino.survey.results.questions.rows import IN_ORDER, LARGEST
from sordino.survey.results.questions.shares import HistogramResult
from sordino.survey.results.questions.single_moments import SingleMoments
from sordino.survey.results.result import Result, Untold
from sordino.survey.results.table import TOO_FEW_IN_WORDS, TableRow, table_results
from sordino.words.coverage import (
    complete_cases_in_words,
    coverage_in_words,
    instead_in_words,
    quantiles_in_words,
    untold_in_words,
)
from sordino.words.digits import rounded, rounded_share
from sordino.words.smoothing_choice import choice_in_words

FITTED = "fitted: the nearest that some data can have, since noise can make the others impossible."

SHARES = """\
estimate: right on average, with its standard error and interval; noise can take it below 0, where intervals begin.
fitted ({method}): the distribution near it, for maps and sums; its largest shares tend to be too low."""
"""What the columns of a table of shares are."""

SMOOTHED = (
    SHARES[: SHARES.index("\n")] + "\nfitted ({method}): a distribution for maps and sums, made of neighbours too."
)
"""The same where shares are smoothed."""

BINS = """\
estimate: right on average, with its standard error and interval; noise can take it below 0.
fitted ({method}): the distribution near it, by which quantiles are told."""
"""What the columns of a table of bins are."""

NUMBERS = ("estimate", "stderr", "low", "high", "fitted", "moved")
"""Of a share's row."""

MOST_NUMBERS = 100
"""Means, covariances or coefficients of a table for people; files and --json have all."""

TABLE_KINDS = ("margins", "conditional", "differences")

WITHIN = """\
Each row adds up to 100%: every share with its interval, and in brackets what was fitted. Other conditional shares,
differences and margins: --json."""


def result_json(result: Result) -> dict[str, Any]:
    """What a question asked, of how many, how shares were fitted, and why it is not told if it is not."""
    question = result.question
    head = {"attribute": question.name, "asked": _asked(question), "attributes": question.asked, "n": result.n}
    if not isinstance(result, Untold) and result.coverage.simultaneous:
        head |= {"simultaneous": result.together, "each": result.each}
    if isinstance(result, HistogramResult):
        return head | {"method": result.estimate.method} | _choice_json(result.estimate.choice)
    if isinstance(result, DistributionResult):
        return head | {"method": result.estimate.method, "band": _band(result)}
    if isinstance(result, NumbersResult):
        return head | ({"untold": "; ".join(result.notes)} if result.notes else {})
    instead = {} if result.instead is None else {"instead": [single.label for single in result.instead.singles]}
    return head | {"untold": str(result.why)} | instead


def _choice_json(choice: Choice | SmoothingRefusal | None) -> dict[str, Any]:
    """What is expected of smoothed shares, where these were asked for, or why nothing is."""
    if choice is None:
        return {}
    return {"choice": {**asdict(choice), "better": isinstance(choice, Choice) and choice.better}}


def _asked(question: Question) -> str:
    """What kind of question it is."""
    if isinstance(question, NumbersQuestion):
        return question.part.asked
    if isinstance(question, DistributionQuestion):
        return "distribution"
    return "table" if isinstance(question, TableQuestion) else "histogram"


def print_result(result: Result, *, offer: bool = False) -> None:
    """The shares with their intervals, or all means, covariances or coefficients.

    Args:
        result: of a question.
        offer: whether to say that smoothed shares would be nearer to the truth, if they would.
    """
    if isinstance(result, Untold):
        _print_untold(result)
        return
    limits = _limits(result.coverage)
    if isinstance(result, NumbersResult):
        rows = [(str(row["value"]), *rounded(row).values()) for row in result.rows()]
        fitted = [] if result.fitted is None else ["fitted"]
        moved = ["moved at most"] if result.coverage.forged else []
        header = (result.about, result.noun, "std. error", *limits, *fitted, *moved)
        print_table(f"{result.n:,} reports; {result.question.whose}", header, rows[:MOST_NUMBERS])
        if len(rows) > MOST_NUMBERS:
            say(f"The first {MOST_NUMBERS} of {len(rows):,}.", "")
        if any(row[1] != row[5] for row in rows if fitted):
            say(FITTED, "")
        _say_coverage("number", result)
        for sentence in complete_cases_in_words(result):
            say(sentence, "")
        if result.notes:
            say(*result.notes, "")
        return
    if isinstance(result, DistributionResult):
        _print_distribution(result, limits)
        return
    _print_shares(result, limits)
    if result.estimate.choice is not None:
        say(choice_in_words(result.estimate.choice, result.estimate.method), "")
    elif offer and result.offer is not None:
        say(choice_in_words(result.offer, result.estimate.method, asked=False), "")


def print_differences(rows: Sequence[Mapping[str, Any]], confidence: float) -> None:
    """Differences of two shares of a question."""
    limits = _limits(Coverage(confidence))
    for row in rows:
        moved = ["moved at most"] if "moved" in row else []
        header = (row["attribute"], "difference", "std. error", *limits, *moved)
        print_table("", header, [(f"{row['value']} minus {row['minus']}", *rounded(dict(row)).values())])


def print_pooled(result: PooledResult) -> None:
    """The numbers that several questions tell, or of many the largest, and which questions these are."""
    rows = list(result.rows())
    order = list(range(len(rows)))
    if len(rows) > IN_ORDER:
        order = sorted(order, key=lambda place: -result.estimate.value[place])[:LARGEST]
    header = (result.name, "estimate", "std. error", *_limits(result.coverage))
    title = f"{result.estimate.n:,} reports; pooled from {'; '.join(result.questions)}"
    print_table(title, header, [(result.label(place), *rounded(rows[place]).values()) for place in order])


def _print_untold(refused: Untold) -> None:
    """Why a question is refused, and what is given instead: each attribute by itself."""
    say(f"{refused.question.name}: not told by {refused.n:,} reports; {untold_in_words(refused)}")
    result = refused.instead
    if result is None:
        return
    rows = [(result.label(place), *rounded(row).values()) for place, row in enumerate(result.rows())]
    header = ("attribute", "estimate", "std. error", *_limits(result.coverage))
    print_table(f"{result.n:,} reports; {instead_in_words(result)}", header, rows[:MOST_NUMBERS])
    if len(rows) > MOST_NUMBERS:
        say(f"The first {MOST_NUMBERS} of {len(rows):,}.", "")
    _say_coverage("number", result)


def _limits(coverage: Coverage) -> tuple[str, str]:
    """What stands above the limits of intervals."""
    return f"{100 * coverage.confidence:.15g}% from", "to"


def _band(result: DistributionResult) -> dict[str, list[float]]:
    """The distribution function at each edge: fitted, and between which limits it lies everywhere at once."""
    low, high = result.band
    found = {"at": result.question.domain.edges, "fitted": result.estimate.fitted_function, "low": low, "high": high}
    return {name: [float(number) for number in numbers] for name, numbers in found.items()}


def _print_distribution(result: DistributionResult, limits: tuple[str, str]) -> None:
    """Quantiles and ranges where some are asked, and the bins, or parts with many of them each."""
    name, title = result.question.name, f"{result.n:,} reports; the distribution of {result.question.whose}"
    if result.quantiles:
        rows = [
            (text, *rounded({"estimate": value, "low": low, "high": high}).values())
            for text, value, low, high in result.quantiles
        ]
        print_table(title, ("quantile", name, *limits), rows)
        say(quantiles_in_words(result), "")
    k = result.question.domain.k
    whole = [(result.label(place), row) for place, row in enumerate(result.rows()) if "quantile" not in row]
    parts = [(f"{plain(float(row['from']))} to {plain(float(row['to']))}", row) for row in result.parts]
    shares = (f"parts of {k} bins", parts) if parts else (f"all {k} bins", whole[:k])
    asked = k + len(result.ranges)
    for about, told in (("ranges", whole[k:asked]), shares, ("who has no number", whole[asked:])):
        if told:
            header = _header(name, told[0][1], limits)
            print_table(f"{result.n:,} reports; {about}", header, [_share_row(*each) for each in told])
    if result.fitted is not None:
        say(*BINS.format(method=result.estimate.method).split("\n"), "")
    _say_coverage("row", result)


def _share_row(label: str, row: Mapping[str, str | float | list[str]]) -> tuple[str, ...]:
    return (label, *rounded_share(row, NUMBERS))


def _print_shares(result: HistogramResult, limits: tuple[str, str]) -> None:
    """Print the shares in survey order, or the largest of many, and explain the columns."""
    k = result.question.domain.k
    which = f"the largest of {k:,}" if len(result.excerpt) < k else f"all {k}"
    rows = [(result.label(value), result.row(value)) for value in result.excerpt.tolist()]
    header = _header(result.question.name, rows[0][1], limits)
    print_table(f"{result.n:,} reports; {which} values", header, [_share_row(*each) for each in rows])
    if result.fitted is not None:
        lines = SMOOTHED if result.estimate.method == "smoothed" else SHARES
        say(*lines.format(method=result.estimate.method).split("\n"), "")
    _say_coverage("value", result)


def _header(name: str, row: Mapping[str, object], limits: tuple[str, str]) -> tuple[str, ...]:
    """What stands above rows of shares: those that there are of `NUMBERS`."""
    some = {"fitted": "fitted", "moved": "moved at most"}
    return (name, "estimate", "std. error", *limits, *(text for number, text in some.items() if number in row))


def _say_coverage(of: str, result: HistogramResult | NumbersResult | DistributionResult | SingleMoments) -> None:
    """What intervals hold against, where that is more than chance."""
    if result.coverage != Coverage(result.coverage.confidence):
        say(coverage_in_words(of, result.coverage, result.together), "")


def tables_json(results: Sequence[Result]) -> dict[str, list[TableRow]]:
    """For programs: of all tables that are told the rows of each kind; nothing where there is no table."""
    tables = table_results(results)
    found: dict[str, list[TableRow]] = {kind: [] for kind in TABLE_KINDS if tables}
    for table in tables:
        for kind, row in table.rows():
            found[kind].append(row)
    return found


def print_tables(results: Sequence[Result]) -> None:
    """Row percentages of the tables that are few enough to be read."""
    found = [shares for table in table_results(results) if (shares := table.read_across()) is not None]
    for shares in found:
        print_table(f"shares of {shares.of} within {shares.given}", shares.header, shares.cells)
    if found:
        say(*WITHIN.split("\n"), *([TOO_FEW_IN_WORDS] if any(one.has_unknown for one in found) else []), "")


def poststratified_json(known: Sequence[Poststratified]) -> dict[str, Any]:
    """For programs: the rows of all tables by known margins, and why some are not told."""
    rows = [{"table": one.table.attributes, **row} for one in known for row in one.rows()]
    untold = {one.table.question.name: one.why for one in known if one.why}
    return {"poststratified": rows, "poststratified_untold": untold}


def print_poststratified(known: Sequence[Poststratified]) -> None:
    """Tables by known margins: what these do not say of single attributes, and the first cells."""
    for one in known:
        name, margins = one.table.question.name, " and ".join(one.known)
        if one.why:
            say(f"{name}, with {margins} as known: not told; {one.why}")
        else:
            print_table(f"{name}, with {margins} as known", *one.lines(IN_ORDER))
