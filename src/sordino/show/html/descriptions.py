"""What a figure shows, in words: for those who do not see it, with its names and numbers."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sordino.audit.region import ErrorRegion
from sordino.blocks.charts import LossChart, SeriesChart, Shares
from sordino.blocks.digits import in_percent, round_dates, round_row
from sordino.domain.grid import Grid
from sordino.show.html.figures.lettering import in_print, percent
from sordino.show.html.figures.matrices import correlation, short, short_strength

FEW = 8
"""Values that are named one by one at most."""
PLACES = 3
"""Cells of a map that are named."""


def shares_in_words(labels: Sequence[str], shares: Shares) -> str:
    r"""The largest shares with their intervals.

    Example:
        >>> half = np.array([0.25, 0.75])
        >>> shares_in_words(["no", "yes"], Shares(half, half - 0.04, half + 0.04, half))
        'Bars of 2 shares. The largest: yes 75.0\xa0% (71.0\xa0% to 79.0\xa0%), no 25.0\xa0% (21.0\xa0% to 29.0\xa0%).'
    """
    order = _order(shares)[:FEW]
    named = [labels[value] for value in order]
    return f"Bars of {len(labels):,} shares. The largest: {_with_intervals(named, shares.of(order))}."


def columns_in_words(name: str, shares: Shares, labels: Sequence[str] | None = None) -> str:
    """Where a histogram is highest, and between what numbers the middle half of the people are.

    Args:
        name: of the attribute.
        shares: of its values in their order.
        labels: their names; 0..k-1 by default.
    """
    labels = [str(value) for value in range(len(shares.estimate))] if labels is None else labels
    order = _order(shares)[:PLACES]
    among = np.cumsum(np.maximum(shares.best_known, 0))
    quarter, half, most = (int(np.searchsorted(among, part * among[-1])) for part in (0.25, 0.5, 0.75))
    half_of_all = f" Half of the people are from {labels[quarter]} to {labels[most]}, the median is {labels[half]}."
    highest = _with_intervals([labels[value] for value in order], shares.of(order))
    return (
        f"Columns of the shares of {name} from {labels[0]} to {labels[-1]}. The highest:"
        f" {highest}.{half_of_all if among[-1] > 0 else ''}"
    )


def map_in_words(grid: Grid, title: str, shares: NDArray[np.float64], least: float) -> str:
    """How many cells have people, and where most people are.

    Args:
        grid: of the map.
        title: what the shares are.
        shares: of people in each cell, shape (k,).
        least: the share of one person.
    """
    finite = np.where(np.isfinite(shares), shares, 0)
    somebody = int(((finite > 0) & (finite >= least * (1 - 1e-9))).sum())
    start = f"Map, {title}: {somebody:,} of {grid.k:,} cells have people"
    if not somebody:
        return f"{start}."
    top = np.argsort(-finite, kind="stable")[: min(PLACES, somebody)]
    places = [f"{grid.place(int(cell))} with {share}" for cell, share in zip(top, _percents(finite[top]), strict=True)]
    return f"{start}; most are at {', '.join(places)}."


def losses_in_words(chart: LossChart) -> str:
    """The most that a report can reveal of each row; of many rows those where least is left of the bound."""
    with np.errstate(divide="ignore", invalid="ignore"):
        used = np.nan_to_num(chart.losses / chart.bounds, nan=0.0, posinf=np.inf)
    order = np.sort(np.argsort(-used, kind="stable")[:FEW]).tolist()
    rest = f"; of {len(chart.labels):,}, those nearest to their bounds" if len(chart.labels) > FEW else ""
    named = "; ".join(f"{chart.labels[row]} ({chart.texts[row]})" for row in order)
    return f"The most that a report can reveal, beside its bound{rest}: {named}."


def points_in_words(what: str, labels: Sequence[str], rows: Sequence[dict[str, str]]) -> str:
    """Each number with its interval, in its own unit.

    Args:
        what: the numbers are.
        labels: one for each row.
        rows: with `estimate`, `low` and `high`, rounded.
    """
    named = [
        f"{label} {row['estimate']} ({row['low']} to {row['high']})"
        for label, row in zip(labels[:FEW], rows[:FEW], strict=True)
    ]
    rest = f" and {len(labels) - FEW} more" if len(labels) > FEW else ""
    return f"Points of {what}: {', '.join(named)}{rest}."


def changes_in_words(labels: Sequence[str], texts: Sequence[str], sure: Sequence[bool]) -> str:
    r"""What changed beyond noise, and what else is shown.

    Example:
        >>> changes_in_words(["no", "yes", "perhaps"], ["+2.1", "-2.0", "-0.1"], [True, True, False])
        'Changes of 3 numbers. Beyond noise: no +2.1, yes -2.0. Within noise: perhaps -0.1.'
    """
    said = f"Changes of {len(labels):,} numbers."
    for kind, wanted in (("Beyond noise", True), ("Within noise", False)):
        named = [f"{labels[i]} {texts[i]}" for i in range(len(labels)) if sure[i] == wanted]
        rest = f" and {len(named) - FEW} more" if len(named) > FEW else ""
        said += f" {kind}: {', '.join(named[:FEW])}{rest}." if named else ""
    return said


def correlations_in_words(names: Sequence[str], covariance: NDArray[np.float64]) -> str:
    """The strongest correlations.

    Example:
        >>> correlations_in_words(["age", "pulse"], np.array([[4.0, 3.0], [3.0, 9.0]]))
        'Correlations of 2 numbers. The strongest: age and pulse .50.'
    """
    values = np.triu(correlation(covariance), 1)
    finite = np.where(np.isfinite(values), values, 0)
    order = np.argsort(-np.abs(finite), axis=None, kind="stable")[:FEW]
    pairs = [(int(at) // len(names), int(at) % len(names)) for at in order]
    named = [f"{names[i]} and {names[j]} {short(finite[i, j])}" for i, j in pairs if finite[i, j] != 0]
    strongest = f" The strongest: {', '.join(named)}." if named else " None is seen."
    return f"Correlations of {len(names):,} numbers.{strongest}"


def associations_in_words(names: Sequence[str], strengths: NDArray[np.float64], sure: NDArray[np.bool_]) -> str:
    """The strongest associations that are sure.

    Example:
        >>> strengths = np.array([[np.nan, 0.25], [0.25, np.nan]])
        >>> associations_in_words(["age", "smoker"], strengths, strengths > 0)
        "Cramér's V of 2 attributes. Independence is ruled out for 1 pair: age and smoker .25."
    """
    values = np.where(np.triu(sure, 1), strengths, 0)
    count = np.count_nonzero(np.triu(sure, 1))
    order = np.argsort(-values, axis=None, kind="stable")[: min(count, FEW)]
    pairs = [(int(at) // len(names), int(at) % len(names)) for at in order]
    named = ", ".join(f"{names[i]} and {names[j]} {short_strength(values[i, j])}" for i, j in pairs)
    pairs_in_words = f"{count:,} pair" + ("s, the strongest" if count > FEW else "s" if count > 1 else "")
    ruled_out = f"for {pairs_in_words}: {named}" if count else "for none"
    return f"Cramér's V of {len(names):,} attributes. Independence is ruled out {ruled_out}."


def region_in_words(allowed: ErrorRegion, reached: ErrorRegion | None, value: str, other: str) -> str:
    """How often a test errs that errs equally often in either way."""
    least = f"errs at least {_evenly(allowed)} of the time"
    best = f"; the best test of a report errs {_evenly(reached)} of the time" if reached is not None else ""
    return (
        f"Error rates of tests that distinguish {value!r} from {other!r} by one report. By the promise, a test"
        f" that errs equally often in both ways {least}{best}."
    )


def _evenly(region: ErrorRegion) -> str:
    """The rate at which both errors are equal: one rises where the other falls, so that they meet once."""
    apart = region.false_alarm - region.missed
    rate = np.interp(0, apart, region.false_alarm)
    return percent(float(rate), 1)


def _order(shares: Shares) -> NDArray[np.intp]:
    return np.argsort(-shares.best_known, kind="stable")


def _with_intervals(labels: Sequence[str], shares: Shares) -> str:
    rows = [{name: in_print(text) for name, text in row.items()} for row in shares.percentages()]
    return ", ".join(
        f"{label} {row['estimate']} ({row['low']} to {row['high']})" for label, row in zip(labels, rows, strict=True)
    )


def _percents(values: NDArray[np.float64]) -> list[str]:
    """Percentages with as many decimals as give the largest three digits: of maps, whose cells have no errors."""
    largest = float(100 * np.abs(values).max())
    decimals = 1 if largest == 0 else int(np.clip(2 - np.floor(np.log10(largest)), 1, 6))
    return [percent(value, decimals) for value in values]


def series_in_words(chart: SeriesChart) -> str:
    """A number over time: how many periods, its first and last value, and since when it is otherwise.

    Args:
        chart: of it.
    """
    curved = chart.curve is not None and chart.band is not None
    columns = (chart.curve, *chart.band) if chart.curve is not None and chart.band is not None else chart.estimates
    known = np.flatnonzero(np.isfinite(columns[0]))
    rounded = in_percent if chart.is_share else round_dates if chart.is_date else round_row
    ends = []
    for at in dict.fromkeys((int(known[0]), int(known[-1]))):
        numbers = zip(("estimate", "low", "high"), (float(column[at]) for column in columns), strict=True)
        text = rounded(dict(numbers))
        ends.append(f"{chart.periods[at]}: {text['estimate']} ({text['low']} to {text['high']})")
    estimated = int(np.isfinite(chart.estimates[0]).sum())
    since = "" if chart.since is None else f" The clearest change is at {chart.periods[chart.since]}."
    what = "Curve with its band" if curved else "Estimates with their intervals"
    of = f"{chart.name} by {chart.every}, {estimated} of {len(chart.periods)} estimated"
    return f"{what}: {of}. {'; '.join(ends)}.{since}"
