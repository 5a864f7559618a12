"""What a page shows of a number's distribution: its histogram, its distribution function, quantiles and ranges."""

import numpy as np

from sordino.domain.bins import plain
from sordino.page.figures.distribution import curve, density
from sordino.page.figures.lettering import percent
from sordino.page.page import Figure, PageTable, Section
from sordino.survey.results.distribution import DistributionResult
from sordino.words.coverage import coverage_in_words

DECILES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""That words say where a survey asks for no quantiles."""


def distribution_sections(result: DistributionResult) -> list[Section]:
    """The figures and tables of a distribution."""
    name, edges = result.question.name, np.array(result.question.domain.edges)
    shares = result.estimate.shares.value if result.fitted is None else result.fitted
    how = "The unbiased shares" if result.fitted is None else f"Fitted by {result.estimate.method}; the unbiased shares"
    fitted = f"{how} of the bins, with their intervals, stand in the table that `sordino estimate` writes."
    sections = [
        Section(
            f"Histogram of {name}",
            (Figure(density(edges, shares, name), _density_in_words(result), note=fitted, wide=True),),
        ),
        Section(f"Distribution function of {name}", (_curve(result), *_quantiles(result))),
    ]
    return [*sections, Section(f"Ranges of {name}", _ranges(result))] if result.ranges else sections


def _curve(result: DistributionResult) -> Figure:
    edges = np.array(result.question.domain.edges)
    quantiles = [(float(text), *numbers) for text, *numbers in result.quantiles]
    drawing = curve(edges, result.estimate.fitted_function, result.band, quantiles, result.question.name)
    coverage = result.coverage
    note = f"With {100 * coverage.confidence:.15g}% confidence the whole function lies within the band."
    note += "" if coverage.watched else " That is for one look, not for many while reports come in."
    return Figure(drawing, _curve_in_words(result), note=note, wide=True)


def _quantiles(result: DistributionResult) -> tuple[PageTable, ...]:
    if not result.quantiles:
        return ()
    rows = tuple((text, *(_short(number) for number in numbers)) for text, *numbers in result.quantiles)
    said = coverage_in_words("quantile", result.coverage, result.together)
    note = f"A quantile is the least number that this part of the people do not exceed; the curve tells it. {said}"
    return (PageTable(("quantile", result.question.name, "from", "to"), rows, note),)


def _ranges(result: DistributionResult) -> tuple[PageTable, ...]:
    named = {"estimate": "estimate", "stderr": "std. error", "low": "from", "high": "to", "fitted": "fitted"}
    named |= {"moved": "moved at most"}
    keys = [key for key in named if key in result.ranges[0]]
    rows = tuple(
        (f"{plain(float(row['from']))} to {plain(float(row['to']))}", *(f"{row[key]:z.5f}" for key in keys))
        for row in result.ranges
    )
    note = coverage_in_words("range", result.coverage, result.together)
    return (PageTable((result.question.name, *(named[key] for key in keys)), rows, note),)


def _density_in_words(result: DistributionResult) -> str:
    """Where most people are."""
    bins = result.question.domain
    by = result.estimate.shares.value if result.fitted is None else result.fitted
    top = int(np.argmax(by / bins.widths))
    return f"Histogram of {result.question.name} in {bins.k:,} bins; the densest is {bins.label(top)}."


def _curve_in_words(result: DistributionResult) -> str:
    """Where the curve passes some quantiles."""
    asked = [float(text) for text, *_ in result.quantiles] or list(DECILES)
    told = [(part, result.quantile(part)) for part in asked]
    said = [
        f"{percent(part, 0)} at {_short(value)} ({_short(low)} to {_short(high)})" for part, (value, low, high) in told
    ]
    return f"Distribution function of {result.question.name}: {', '.join(said)}."


def _short(number: float) -> str:
    """In six digits."""
    return plain(float(f"{number:.6g}"))
