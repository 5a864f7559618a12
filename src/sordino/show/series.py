"""Blocks of a series: every number over time as a curve with its band, what changed for good, and rows for programs."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from sordino.blocks.block import Block, BlockGroup, Plot
from sordino.blocks.charts import SeriesChart
from sordino.blocks.digits import in_percent, round_dates, round_row
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import QuantityTable, TextTable
from sordino.exact.arrays import Floats
from sordino.show.groups import grouped_tables
from sordino.survey.results.over_time.plan_series import PlanSeries, SeriesQuestion
from sordino.survey.results.over_time.quantity_series import QuantitySeries

MOST_PANELS = 6
"""Numbers of a question that are drawn; files and JSON have all."""

TWO = 2

MOST_GAPS = 8
"""Periods with too few reports that are named."""

OWN_PERIOD = "Each {every} is estimated from its own reports alone; they are of different people."
CURVE = "A smoothed number borrows from other {every}s; its band holds in each {every} by itself."
WATCHED_CURVE = (
    "Each estimate's own interval holds at all times together; the curve's band holds for one look, at a time chosen"
    " beforehand, such as the end of a {every}. Changes are tested once: by an estimate of its own, or in the JSON"
    " estimates."
)
PLACE = "The date is where the means before and after differ most clearly: a change can be older, newer or gradual."
NO_CURVE = "Not smoothed: that takes six {every}s with an estimate, and intervals for one look at the reports."


def series_blocks(found: PlanSeries) -> Iterator[Block]:
    """All that is shown over time."""
    every = found.series.every
    for question in found.questions:
        shown = panels(question)
        if not shown:
            continue
        plots = tuple(Plot(SeriesChart, partial(series_chart, found, one)) for one in shown)
        more = len(question.readable) - len(shown)
        said = [*changes_in_words(question, found), OWN_PERIOD.format(every=every)]
        said.append((NO_CURVE if shown[0].curve is None else CURVE).format(every=every))
        if shown[0].curve is not None and shown[0].watched:
            said.append(WATCHED_CURVE.format(every=every))
        if more and not _is_complement(question):
            said.append(f"The first {len(shown)} of {len(question.readable):,} numbers; files and JSON have all.")
        said += _gaps(found)
        table = _single_table(found, shown[0]) if len(shown) == 1 else _table(found, shown)
        sentences = (Sentence(text, Purpose.METHOD) for text in said)
        yield BlockGroup(f"{question.name} by {every}", (*plots, *sentences, table))


def series_tables(found: PlanSeries) -> list[QuantityTable]:
    """The estimates of all periods, for frames and files."""
    return grouped_tables(found.groups)


def series_json(found: PlanSeries) -> dict[str, Any]:
    """For programs: the periods with their reports, all numbers of each, the curves, and what changed."""
    rows = [row for _, _, row in found.rows()]
    periods = [
        {"period": group.label, "n": group.n, "estimated": group.results is not None} for group in found.groups.groups
    ]
    estimates = [
        {("period" if name == "group" else name): value for name, value in row.items()}
        for table in series_tables(found)
        for row in table.rows()
    ]
    own = {"every": found.series.every, "season": found.series.season, "periods": periods, "rows": estimates}
    changed = [_without_kind(row) for row in rows if row["kind"] == "change since"]
    return {"series": {**own, "smoothed": [row for row in rows if row["kind"] == "smoothed"], "changed": changed}}


def _without_kind(row: dict[str, Any]) -> dict[str, Any]:
    named = {("since" if name == "period" else name): value for name, value in row.items() if name != "kind"}
    return {("change" if name == "estimate" else name): value for name, value in named.items()}


def panels(question: SeriesQuestion) -> Sequence[QuantitySeries]:
    """The numbers that are drawn: of two shares the second is what the first leaves; quantiles come before bins."""
    if _is_complement(question):
        return question.readable[:1]
    return sorted(question.readable, key=lambda one: one.is_share)[:MOST_PANELS]


def _is_complement(question: SeriesQuestion) -> bool:
    return len(question.readable) == TWO and all(one.is_share and one.kind == "share" for one in question.readable)


def changes_in_words(question: SeriesQuestion, found: PlanSeries) -> Iterator[str]:
    """What changed for good by more than noise explains, the clearest first; or that nothing did."""
    every, sure = found.series.every, f"{100 * found.groups.coverage.confidence:.15g}%"
    if found.groups.coverage.simultaneous and question.readable:
        sure = f"{100 * (1 - (1 - question.readable[0].change_confidence) * _count(question)):.15g}%"
    changed = changed_quantities(question)
    yield from (_change_in_words(one, found, sure) for one in changed)
    if changed:
        yield PLACE
    elif any(one.change is not None for one in _main_quantities(question)):
        together = f"{sure} confidence for all {every}s and its numbers together"
        yield f"{question.name}: noise alone can explain all changes ({together})."


def changed_quantities(question: SeriesQuestion) -> list[QuantitySeries]:
    """What changed for good by more than noise explains."""
    return [one for one in _main_quantities(question) if one.change is not None and one.has_changed]


def _main_quantities(question: SeriesQuestion) -> Sequence[QuantitySeries]:
    """Of two shares that add up to 1 one says all."""
    return panels(question) if _is_complement(question) else question.readable


def _count(question: SeriesQuestion) -> int:
    return len(question.readable) + len(question.others)


def _change_in_words(one: QuantitySeries, found: PlanSeries, sure: str) -> str:
    change, (low, high) = one.change, one.limits
    since = "" if one.since is None else found.series.label(one.since)
    sign = 1.0 if change is not None and change.change > 0 else -1.0
    size = 0.0 if change is None else abs(change.change)
    ends = sorted((sign * low, sign * high))
    scale, unit = (100.0, " percentage points") if one.is_share else (1.0, " days" if one.is_date else "")
    numbers = {"estimate": scale * size, "low": scale * ends[0], "high": scale * ends[1]}
    texts = round_row(numbers)
    of = one.question if one.label in one.question else f"{one.label} of {one.question}"
    about = one.label if one.label in one.question else f"{one.label} ({one.question})"
    what = f"the share of {about}" if one.is_share else of
    side = ("later" if one.is_date else "higher") if sign > 0 else "earlier" if one.is_date else "lower"
    together = f"{sure} interval for all {found.series.every}s and numbers together"
    return (
        f"Since {since} {what} has been {side} than before, by {texts['estimate']}{unit} on average"
        f" ({together} {texts['low']} to {texts['high']})."
    )


def series_chart(found: PlanSeries, one: QuantitySeries) -> SeriesChart:
    """One number over time."""
    count = len(found.groups.groups)

    def spread(first: int, column: Floats) -> Floats:
        whole = np.full(count, np.nan)
        whole[first : first + len(column)] = column
        return whole

    columns = []
    for column in (one.estimate, one.low, one.high):
        whole = np.full(count, np.nan)
        whole[one.periods] = column
        columns.append(whole)
    curve = None if one.curve is None else spread(one.first, one.curve.value)
    band = None if one.curve is None else (spread(one.first, one.band[0]), spread(one.first, one.band[1]))
    return SeriesChart(
        name=_name(one),
        every=found.series.every,
        periods=tuple(found.series.labels[:count]),
        estimates=(columns[0], columns[1], columns[2]),
        curve=curve,
        band=band,
        since=one.since if one.has_changed else None,
        is_share=one.is_share,
        is_date=one.is_date,
    )


def _name(one: QuantitySeries) -> str:
    return one.question if one.label in one.question else f"{one.question}: {one.label}"


def _gaps(found: PlanSeries) -> Iterator[str]:
    if found.gaps:
        rest = f" and {len(found.gaps) - MOST_GAPS:,} more" if len(found.gaps) > MOST_GAPS else ""
        named = ", ".join(found.gaps[:MOST_GAPS])
        yield f"Fewer than {found.groups.least:,} reports, so no estimate: {named}{rest}."


def _single_table(found: PlanSeries, one: QuantitySeries) -> TextTable:
    """One number: its estimates with their intervals, and the curve with its band."""
    sure = f"{100 * one.confidence:.15g}% from"
    header: tuple[str, ...] = (f"{found.series.every} of", "reports", "estimate", sure, "to")
    header = header if one.curve is None else (*header, "smoothed", "band from", "to")
    at = {period: place for place, period in enumerate(one.periods.tolist())}
    rows = []
    for place, group in enumerate(found.groups.groups):
        cells: tuple[str, ...] = ("gap", "", "")
        if place in at:
            cells = _cells(one, *(float(column[at[place]]) for column in (one.estimate, one.low, one.high)))
        if one.curve is not None:
            cells = (*cells, *_curve_cells(one, place))
        rows.append((group.label, f"{group.n:,}", *cells))
    return TextTable(f"{_name(one)} by {found.series.every}", header, tuple(rows))


def _table(found: PlanSeries, shown: Sequence[QuantitySeries]) -> TextTable:
    """Several numbers: of each the curve with half its band, or where there is none the estimate with its interval."""
    header = (f"{found.series.every} of", "reports", *(one.label for one in shown))
    rows = []
    for place, group in enumerate(found.groups.groups):
        cells = []
        for one in shown:
            at = np.flatnonzero(one.periods == place)
            if one.curve is not None:
                own = place - one.first
                is_there = 0 <= own < len(one.curve.value)
                columns = (one.curve.value, *one.whole_band)
            else:
                own, is_there = int(at[0]) if len(at) else 0, len(at) > 0
                columns = (one.estimate, one.low, one.high)
            cells.append(_short_cell(one, *(float(column[own]) for column in columns)) if is_there else "gap")
        rows.append((group.label, f"{group.n:,}", *cells))
    what = "smoothed, ± half its band"
    what = what if shown[0].curve is not None else "estimates, ± half the interval"
    return TextTable(f"{shown[0].question} by {found.series.every}: {what}", header, tuple(rows))


def _curve_cells(one: QuantitySeries, place: int) -> tuple[str, ...]:
    own = place - one.first
    if one.curve is None or not 0 <= own < len(one.curve.value):
        return "", "", ""
    return _cells(one, float(one.curve.value[own]), float(one.band[0][own]), float(one.band[1][own]))


def _short_cell(one: QuantitySeries, value: float, low: float, high: float) -> str:
    """A number with half its interval."""
    scale = 100.0 if one.is_share else 1.0
    rounded = (round_dates if one.is_date else round_row)(
        {"estimate": scale * value, "stderr": scale * (high - low) / 2}
    )
    return f"{rounded['estimate']} ± {rounded['stderr']}{' %' if one.is_share else ''}"


def _cells(one: QuantitySeries, estimate: float, low: float, high: float) -> tuple[str, ...]:
    rounded = in_percent if one.is_share else round_dates if one.is_date else round_row
    return tuple(rounded({"estimate": estimate, "low": low, "high": high}).values())
