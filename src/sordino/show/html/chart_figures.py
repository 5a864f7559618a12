"""Charts as figures of a page: drawn, and told in words for those who do not see them."""

from collections.abc import Callable
from typing import Any

from sordino.blocks.charts import (
    AssociationChart,
    BarChart,
    ChangeChart,
    Chart,
    ColumnChart,
    CorrelationChart,
    DensityChart,
    FunctionChart,
    LossChart,
    MapChart,
    PointChart,
    SeriesChart,
)
from sordino.blocks.digits import round_dates, round_row
from sordino.show.html.descriptions import (
    associations_in_words,
    changes_in_words,
    columns_in_words,
    correlations_in_words,
    losses_in_words,
    map_in_words,
    points_in_words,
    series_in_words,
    shares_in_words,
)
from sordino.show.html.figures.bars import bars, columns, losses
from sordino.show.html.figures.density import curve, density
from sordino.show.html.figures.intervals import changes, points
from sordino.show.html.figures.lettering import percent
from sordino.show.html.figures.maps import maps
from sordino.show.html.figures.matrices import associations, correlations
from sordino.show.html.figures.series_curve import series_curve
from sordino.show.html.page import Figure


def figures_of(chart: Chart) -> tuple[Figure, ...]:
    """A chart's figures: one, or of a map one for each of its panels."""
    return FIGURES[type(chart)](chart)


def _bars(chart: BarChart) -> tuple[Figure, ...]:
    fitted = "" if chart.shares.fitted is None else "; bars are the fitted shares"
    note = f"The numbers on the right are the estimates, drawn as dots{fitted}."
    words = shares_in_words(chart.labels, chart.shares)
    return (Figure(bars(chart.labels, chart.shares), words, note=note),)


def _columns(chart: ColumnChart) -> tuple[Figure, ...]:
    words = columns_in_words(chart.name, chart.shares, chart.labels)
    return (Figure(columns(chart.shares, chart.name, chart.at), words, wide=True),)


def _density(chart: DensityChart) -> tuple[Figure, ...]:
    words = f"Histogram of {chart.name} in {len(chart.shares):,} bins; the densest is {chart.densest}."
    return (
        Figure(density(chart.edges, chart.shares, chart.name, dates=chart.is_date), words, note=chart.note, wide=True),
    )


def _function(chart: FunctionChart) -> tuple[Figure, ...]:
    rounded = round_dates if chart.is_date else round_row
    texts = [
        (percent(part, 0), *rounded({"estimate": value, "low": low, "high": high}).values())
        for part, value, low, high in chart.described
    ]
    said = ", ".join(f"{part} at {value} ({low} to {high})" for part, value, low, high in texts)
    words = f"Distribution function of {chart.name}: {said}."
    drawing = curve(
        chart.edges,
        chart.function,
        chart.band,
        chart.quantiles,
        chart.name,
        steps=chart.has_steps,
        dates=chart.is_date,
    )
    return (Figure(drawing, words, note=chart.note, wide=True),)


def _maps(chart: MapChart) -> tuple[Figure, ...]:
    drawings = maps(chart.grid, [shares for _, shares in chart.panels], chart.least)
    return tuple(
        Figure(
            drawing,
            map_in_words(chart.grid, title, shares, chart.least),
            title if chart.has_titles else "",
            wide=True,
            is_panel=len(chart.panels) > 1,
        )
        for drawing, (title, shares) in zip(drawings, chart.panels, strict=True)
    )


def _points(chart: PointChart) -> tuple[Figure, ...]:
    rows = chart.texts()
    texts = [row["estimate"] for row in rows]
    drawing = points(
        chart.labels, chart.drawn, chart.unit, texts, scales=chart.scales, zero=chart.has_zero, dates=chart.dates
    )
    return (Figure(drawing, points_in_words(chart.what, chart.labels, rows), note=chart.note),)


def _correlations(chart: CorrelationChart) -> tuple[Figure, ...]:
    words = correlations_in_words(chart.names, chart.covariance)
    return (Figure(correlations(chart.names, chart.covariance), words, note=chart.note),)


def _associations(chart: AssociationChart) -> tuple[Figure, ...]:
    words = associations_in_words(chart.names, chart.strengths, chart.sure)
    return (Figure(associations(chart.names, chart.strengths, chart.sure), words, note=ASSOCIATIONS),)


def _changes(chart: ChangeChart) -> tuple[Figure, ...]:
    sides = chart.sides
    drawing = changes(chart.labels, chart.texts, sides, chart.units, zero=chart.has_zero, numbered=chart.has_numbers)
    return (Figure(drawing, changes_in_words(chart.labels, chart.texts, sides.sure.tolist())),)


def _series(chart: SeriesChart) -> tuple[Figure, ...]:
    return (Figure(series_curve(chart), series_in_words(chart), wide=True),)


def _losses(chart: LossChart) -> tuple[Figure, ...]:
    return (Figure(losses(chart), losses_in_words(chart)),)


ASSOCIATIONS = (
    "Cramér's V of each two attributes, coloured where independence is ruled out, all pairs being looked at. A dash"
    " marks pairs that have too few reports to test."
)
"""Below a matrix of associations."""

FIGURES: dict[type, Callable[[Any], tuple[Figure, ...]]] = {
    AssociationChart: _associations,
    BarChart: _bars,
    ChangeChart: _changes,
    ColumnChart: _columns,
    DensityChart: _density,
    FunctionChart: _function,
    LossChart: _losses,
    MapChart: _maps,
    PointChart: _points,
    SeriesChart: _series,
    CorrelationChart: _correlations,
}
"""One function for each class of charts."""
