"""What a page shows of a number's distribution: its histogram, its distribution function, quantiles and ranges."""

from collections.abc import Sequence
from itertools import islice

import numpy as np

from sordino.domain.bins import plain
from sordino.page.figures.distribution import curve, density
from sordino.page.figures.lettering import percent
from sordino.page.page import Figure, PageTable, Section
from sordino.query.bin import MISSING
from sordino.survey.results.questions.distribution import DistributionResult, Row
from sordino.words.coverage import coverage_in_words, quantiles_in_words
from sordino.words.digits import rounded, rounded_share

DECILES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""That words say where a survey asks for no quantiles."""


def distribution_sections(result: DistributionResult) -> list[Section]:
    """The figures and tables of a distribution."""
    name, edges = result.question.whose, np.array(result.question.domain.edges)
    shares = result.estimate.of_bins.value if result.fitted is None else result.fitted
    how = "Unbiased shares" if result.fitted is None else f"Fitted by {result.estimate.method}"
    # Of many bins each is mostly noise: parts of the range are told with their intervals.
    rest = "; the unbiased shares of all bins stand in the table that `sordino estimate` writes" if result.parts else ""
    figure = Figure(density(edges, shares, name), _density_in_words(result), note=f"{how}{rest}.", wide=True)
    rows = result.parts or list(islice(result.rows(), result.question.domain.k))
    sections = [
        Section(f"Histogram of {name}", (figure, _shares(result, rows))),
        Section(f"Distribution function of {name}", (_curve(result), *_quantiles(result))),
        *([Section(f"Who lacks {result.question.name}", _missing(result))] if result.missing else []),
    ]
    return [*sections, Section(f"Ranges of {name}", (_shares(result, result.ranges),))] if result.ranges else sections


def _curve(result: DistributionResult) -> Figure:
    edges = np.array(result.question.domain.edges)
    quantiles = [(float(text), *numbers) for text, *numbers in result.quantiles]
    whose, found = result.question.whose, result.estimate
    drawing = curve(edges, found.fitted_function, result.band, quantiles, whose, steps=found.spikes)
    coverage = result.coverage
    note = f"With {100 * coverage.confidence:.15g}% confidence the whole function lies within the band."
    note += "" if coverage.watched else " That is for one look, not for many while reports come in."
    return Figure(drawing, _curve_in_words(result), note=note, wide=True)


def _quantiles(result: DistributionResult) -> tuple[PageTable, ...]:
    if not result.quantiles:
        return ()
    rows = tuple((text, *_short(*numbers)) for text, *numbers in result.quantiles)
    said = coverage_in_words("quantile", result.coverage, result.together)
    note = f"{quantiles_in_words(result)} {said}"
    return (PageTable(("quantile", result.question.name, "from", "to"), rows, note),)


def _shares(result: DistributionResult, rows: Sequence[Row]) -> PageTable:
    """Shares of ranges of the number."""
    labels = [f"{plain(float(row['from']))} to {plain(float(row['to']))}" for row in rows]
    note = coverage_in_words("range", result.coverage, result.together)
    return _table(result.question.name, labels, rows, note)


def _missing(result: DistributionResult) -> tuple[PageTable, ...]:
    note = coverage_in_words("share", result.coverage, result.together)
    rows = [result.missing] if result.missing else []
    return (_table("of all people", [f"{result.question.name} {MISSING}"] * len(rows), rows, note),)


def _table(about: str, labels: Sequence[str], rows: Sequence[Row], note: str) -> PageTable:
    """Shares with their limits."""
    named = {"estimate": "estimate", "stderr": "std. error", "low": "from", "high": "to", "fitted": "fitted"}
    named |= {"moved": "moved at most"}
    keys = [key for key in named if key in rows[0]]
    lines = tuple((label, *rounded_share(row, keys)) for label, row in zip(labels, rows, strict=True))
    return PageTable((about, *(named[key] for key in keys)), lines, note)


def _density_in_words(result: DistributionResult) -> str:
    """Where most people are."""
    bins = result.question.domain
    by = result.estimate.of_bins.value if result.fitted is None else result.fitted
    top = int(np.argmax(by / bins.widths))
    return f"Histogram of {result.question.whose} in {bins.k:,} bins; the densest is {bins.label(top)}."


def _curve_in_words(result: DistributionResult) -> str:
    """Where the curve passes some quantiles."""
    asked = [float(text) for text, *_ in result.quantiles] or list(DECILES)
    told = [(part, result.quantile(part)) for part in asked]
    texts = [(percent(part, 0), *_short(*numbers)) for part, numbers in told]
    said = [f"{part} at {value} ({low} to {high})" for part, value, low, high in texts]
    return f"Distribution function of {result.question.whose}: {', '.join(said)}."


def _short(value: float, low: float, high: float) -> tuple[str, ...]:
    """A quantile and its limits."""
    return tuple(rounded({"estimate": value, "low": low, "high": high}).values())
