"""A plan with a series: each period's own estimates, the curve through them, lasting changes, and every output."""

import json
from datetime import date

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import csv, parquet
from tests.commands import run_here

from sordino import aggregate, estimate, plan, privatize
from sordino.blocks.block import Plot, blocks_of
from sordino.blocks.charts import SeriesChart
from sordino.blocks.tables import TextTable
from sordino.estimation.lasting_change import lasting_change
from sordino.estimation.smooth_series import smooth_series
from sordino.show.terminal import PrintedLines, terminal_parts
from sordino.views.plan_series import series_chart

WEEKS, LAST, GAP, FEW = 16, 12, 4, 7
SURVEY = {
    "version": 1,
    "epsilon": "4",
    "series": {"periods": WEEKS, "every": "week", "start": date(2026, 1, 5), "season": 2},
    "attribute": {"smoker": {"categories": ["yes", "no"]}, "age": {"number": {"low": 0, "high": 100, "bins": 8}}},
    "ask": [{"histogram": "smoker"}, {"mean": "age"}, {"distribution": "age", "quantiles": ["0.5"]}],
}


def people_of(frozen, n=24_000, after=0.6, seed=1):
    """Twelve weeks, one of them without anybody and one with few; from the ninth on more people smoke."""
    draw = np.random.default_rng(seed)
    week = draw.integers(0, LAST, n)
    week[week == GAP] = 0
    week[np.flatnonzero(week == FEW)[50:]] = 0
    labels = np.array(frozen.series.labels)
    smokes = draw.random(n) < np.where(week < 8, 0.3, after)
    return pa.table({"period": labels[week], "smoker": np.where(smokes, "yes", "no"), "age": draw.uniform(20, 80, n)})


@pytest.fixture(scope="module")
def reports():
    frozen = plan(SURVEY, people=24_000)
    return frozen, pa.table(privatize(frozen, people_of(frozen)))


@pytest.fixture(scope="module")
def found(reports):
    frozen, sent = reports
    return estimate(frozen, aggregate(frozen, sent))


def of(found, question, label):
    return next(
        one
        for asked in found.views["series"].questions
        if asked.name == question
        for one in (*asked.readable, *asked.others)
        if one.label == label
    )


def test_each_period_has_what_its_reports_say_alone(reports, found):
    frozen, sent = reports
    smokers = of(found, "smoker", "yes")
    for period in (0, 9):
        own = sent.filter(pc.equal(sent["period"], frozen.series.label(period)))
        row = next(iter(estimate(frozen, aggregate(frozen, own)).results[0].rows()))
        at = smokers.periods.tolist().index(period)
        assert row["value"] == "yes"
        for name in ("estimate", "stderr", "low", "high"):
            assert getattr(smokers, name)[at] == pytest.approx(row[name])


def test_periods_without_enough_reports_are_gaps_and_those_to_come_are_not_shown(found):
    smokers = of(found, "smoker", "yes")
    assert smokers.periods.tolist() == [week for week in range(LAST) if week not in (GAP, FEW)]
    assert found.views["series"].gaps == tuple(found.plan.series.label(week) for week in (GAP, FEW))
    assert [group.label for group in found.views["series"].groups.groups] == found.plan.series.labels[:LAST]
    assert len(smokers.curve.value) == LAST
    chart = series_chart(found.views["series"], smokers)
    assert np.flatnonzero(np.isnan(chart.estimates[0])).tolist() == [GAP, FEW]
    assert np.isfinite(chart.curve).all()


def test_the_curve_and_the_change_are_those_of_the_estimates(found):
    smokers = of(found, "smoker", "yes")
    columns = np.full((2, LAST), np.nan)
    columns[:, smokers.periods] = smokers.estimate, smokers.errors
    smooth, change = smooth_series(*columns, 2), lasting_change(smokers.estimate, smokers.errors)
    each = smokers.reports * smokers.stderr**2
    assert smokers.errors == pytest.approx(np.sqrt(np.average(each, weights=smokers.reports) / smokers.reports))
    assert smokers.curve.value == pytest.approx(smooth.value)
    low, high = smooth.interval(0.95)
    assert smokers.band == (pytest.approx(np.maximum(low, 0)), pytest.approx(np.minimum(high, 1)))
    assert smokers.since == smokers.periods[change.since] == 8
    assert smokers.limits == change.interval(1 - 0.05 / 2)
    assert smokers.has_changed
    assert smokers.limits[0] < 0.3 < smokers.limits[1]


def test_what_stays_is_not_said_to_change_and_quantiles_have_errors(found):
    mean, median = of(found, "mean of age", "age"), of(found, "age", "quantile 0.5")
    assert not mean.has_changed
    assert np.isnan(median.stderr).all()
    assert (median.errors > 0).all()
    assert median.curve.value == pytest.approx(np.full(LAST, 50), abs=8)


def test_rows_are_those_of_every_output(tmp_path, found):
    said = found.views["series"].json()["series"]
    assert json.loads(json.dumps(said, allow_nan=False)) == said
    assert [one["estimated"] for one in said["periods"]].count(False) == 2
    first = next(row for row in said["smoothed"] if row["value"] == "yes")
    assert first["period"] == "2026-01-05"
    (changed,) = (row for row in said["changed"] if row["sure"] and row["value"] == "yes")
    assert (changed["since"], changed["change"] > 0.2) == ("2026-03-02", True)
    found.save(tmp_path / "all.csv")
    table = csv.read_csv(tmp_path / "all.csv")
    periods = set(table["period"].to_pylist())
    assert {str(one) for one in periods - {None}} == set(found.plan.series.labels[:LAST])
    assert {"smoothed", "change since", "share"} <= set(table["kind"].to_pylist())
    smoothed = found.to_arrow().filter(pc.equal(found.to_arrow()["kind"], "smoothed"))
    assert set(smoothed["question"].to_pylist()) == {"smoker", "mean of age", "age"}


def test_people_read_it_in_the_terminal_and_on_the_page(tmp_path, found):
    blocks = list(found.views["series"].blocks())
    assert len(list(blocks_of(TextTable, blocks))) == 3
    charts = [plot.chart() for plot in blocks_of(Plot, blocks)]
    assert all(isinstance(chart, SeriesChart) for chart in charts)
    # Of two shares one; the median before the bins.
    assert [chart.name for chart in charts][:2] == ["smoker: yes", "mean of age"]
    lines = [text for part in terminal_parts(blocks) if isinstance(part, PrintedLines) for text in part.texts]
    assert any(
        text.startswith("Since 2026-03-02 the share of yes (smoker) has been higher than before, by") for text in lines
    )
    assert any(": noise alone can explain all changes (95 % confidence" in text for text in lines)
    assert any(text.startswith("Fewer than 100 reports, so no estimate: 2026-02-02, 2026-02-23") for text in lines)
    found.page(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Curve with its band: smoker: yes by week, 10 of 12 estimated." in page
    assert "Since 2026-03-02 the share of yes (smoker) has been higher" in page
    assert "smoker by week" in found._repr_html_()


def test_limits_that_hold_together_are_wider_and_watched_ones_have_no_curve(reports):
    frozen, sent = reports
    tally = aggregate(frozen, sent)
    alone, together = estimate(frozen, tally), estimate(frozen, tally, simultaneous=True)
    one, other = (of(found, "smoker", "yes") for found in (alone, together))
    assert (other.band[1] - other.band[0] > 1.3 * (one.band[1] - one.band[0])).all()
    assert other.curve.value == pytest.approx(one.curve.value)
    watched = of(estimate(frozen, tally, watched=True), "smoker", "yes")
    assert watched.curve is None
    assert watched.change is None
    assert (watched.high - watched.low > one.high - one.low).all()
    assert "series" not in estimate(frozen, tally, forged=3).views


def test_few_periods_have_estimates_and_no_curve(reports):
    frozen, sent = reports
    own = sent.filter(pc.less(sent["period"], frozen.series.label(3)))
    found = estimate(frozen, aggregate(frozen, own))
    smokers = of(found, "smoker", "yes")
    assert smokers.curve is None
    assert smokers.change is not None
    said = [
        text for block in blocks_of(TextTable, found.views["series"].blocks()) for row in block.rows for text in row
    ]
    assert frozen.series.label(2) in said
    assert frozen.series.label(3) not in said
    only = sent.filter(pc.equal(sent["period"], frozen.series.label(0)))
    first = of(estimate(frozen, aggregate(frozen, only)), "smoker", "yes")
    assert (first.change, first.has_changed, first.rows(str)) == (None, False, [])


def test_a_plan_without_a_series_is_estimated_as_before():
    alone = {name: value for name, value in SURVEY.items() if name != "series"}
    frozen = plan(alone, people=3000)
    people = people_of(plan(SURVEY, people=3000), 3000).drop_columns("period")
    found = estimate(frozen, aggregate(frozen, privatize(frozen, people)))
    assert "series" not in found.views
    assert set(found.to_tidy()["period"].to_pylist()) == {None}


def test_the_command_says_it(tmp_path, reports):
    frozen, sent = reports
    frozen.save(tmp_path / "plan.json")
    parquet.write_table(sent, tmp_path / "reports.parquet")
    files = tmp_path / "plan.json", tmp_path / "reports.parquet"
    code, out, err = run_here("estimate", *files, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["series"]["every"] == "week"
    code, out, err = run_here("estimate", *files)
    assert (code, err) == (0, "")
    assert "yes by week" in out
    assert "gap" in out
