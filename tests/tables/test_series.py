"""Periods in a table of people: by dates, never by numbers, the same in every engine; one report of each person."""

from datetime import date, timedelta

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sordino import KeyedSource, Plan, SordinoError, SordinoErrors, Survey, aggregate, change, estimate, privatize
from sordino.domain.calendar import LENGTHS

KEY = bytes(range(32))


def plan_of(periods=13, every="week", start=date(2026, 1, 5), **tables):
    survey = {"version": 1, "epsilon": "2", "attribute": {"smoker": {"categories": ["yes", "no"]}}}
    series = {"periods": periods, "every": every, "start": start}
    return Plan.of(Survey.read({**survey, "ask": [{"histogram": "smoker"}], "series": series, **tables}), 5000)


def people(periods, **columns):
    n = len(periods)
    return pa.table({"period": periods, "smoker": ["yes", "no"] * (n // 2) + ["yes"] * (n % 2), **columns})


@pytest.mark.parametrize("every", LENGTHS)
@pytest.mark.parametrize("start", [date(2024, 2, 28), date(2026, 1, 5)])
def test_every_day_of_a_series_is_read_as_its_period(every, start):
    """Against the calendar of the plan, in three types of columns."""
    plan = plan_of(5, every, start)
    last = plan.series.ends(4)
    days = [start + timedelta(days=i) for i in range((last - start).days + 1)]
    expected = [plan.series.label(plan.series.at(day)) for day in days]
    for given in (days, [str(day) for day in days], pd.to_datetime(days) + pd.Timedelta("23h59m")):
        assert privatize(plan, people(given))["period"].to_pylist() == expected
    assert privatize(plan, people(plan.series.labels))["period"].to_pylist() == plan.series.labels
    for outside in (start - timedelta(days=1), last + timedelta(days=1)):
        with pytest.raises(
            SordinoError, match=f"row 1, period: a value must be a day of the series, {start} to {last}"
        ):
            privatize(plan, people([outside]))


@pytest.mark.parametrize(
    "wrong",
    [
        "1",
        "12",
        "13",
        "-1",
        "1.0",
        "2026-13-01",
        "2026-02-30",
        "week 1",
        "",
        "5/1/2026",
        "infinity",
        "epoch",
        "20260105",
    ],
)
def test_what_is_no_period_is_refused_without_its_value(wrong):
    plan = plan_of()
    with pytest.raises(SordinoError) as raised:
        privatize(plan, people(["2026-01-05", wrong]))
    assert "row 2, period" in str(raised.value)
    assert wrong not in str(raised.value) or wrong in ("1", "12", "13", "")


@pytest.mark.parametrize("numbers", [[0, 1, 2], [1, 2, 3], [13, 12, 1], [-1], [1.5], [None], [True], [20260105]])
def test_numbers_are_no_periods(numbers):
    """A file that counts weeks from 1 would be read a week late, without a word."""
    for given in (numbers, [str(number) for number in numbers]):
        with pytest.raises(SordinoError, match=r"row 1, period.*a number for none|period.*must be given"):
            privatize(plan_of(), people(given))


def test_a_missing_column_is_named():
    with pytest.raises((SordinoError, SordinoErrors), match="period"):
        privatize(plan_of(), pa.table({"smoker": ["yes"]}))


def test_periods_go_from_files_to_estimates(tmp_path):
    plan = plan_of(4)
    n = 4000
    draw = np.random.default_rng(1)
    day = [str(date(2026, 1, 5) + timedelta(days=int(d))) for d in draw.integers(0, 28, n)]
    period = np.array([plan.series.at(date.fromisoformat(one)) for one in day])
    smoker = np.where(draw.random(n) < 0.1 + 0.2 * period, "yes", "no")
    frame = pd.DataFrame({"period": day, "smoker": smoker})
    frame.to_csv(tmp_path / "people.csv", index=False)
    found = aggregate(plan, privatize(plan, tmp_path / "people.csv"))
    again = aggregate(plan, privatize(plan, frame.assign(period=pd.to_datetime(frame["period"]))))
    assert {cell: own.sum() for cell, own in found.cells.items()} == {c: own.sum() for c, own in again.cells.items()}
    groups = estimate(plan, found, by="period").views["groups"].groups
    assert [group.label for group in groups] == plan.series.labels
    assert sum(group.tally.n for group in groups) == n


def test_a_person_who_answers_in_two_periods_is_refused():
    """A second answer is a second release, whatever its period."""
    plan = plan_of()
    table = people(["2026-01-05", "2026-01-12", "2026-01-05"], id=["a", "a", "b"])
    with pytest.raises(SordinoError, match="id"):
        privatize(plan, table, KeyedSource(KEY, "t"), id_column="id")
    once = people(["2026-01-05", "2026-01-12", "2026-01-05"], id=["a", "c", "b"])
    reports = privatize(plan, once, KeyedSource(KEY, "t"), id_column="id")
    # The same words whatever the period.
    other = people(["2026-01-12", "2026-01-05", "2026-01-12"], id=["a", "c", "b"])
    assert privatize(plan, other, KeyedSource(KEY, "t"), id_column="id")["code"].equals(reports["code"])


def test_reports_of_two_wordings_are_of_two_series():
    texts = ("Do you smoke?", "Do you smoke now?")
    first, second = (
        plan_of(attribute={"smoker": {"categories": ["yes", "no"], "text": text}}, about={"title": "Health"})
        for text in texts
    )
    table = people([str(date(2026, 1, 5 + i % 7)) for i in range(400)])
    reports = privatize(first, table)
    for job in (lambda: aggregate(second, reports), lambda: estimate(second, reports)):
        with pytest.raises(SordinoError, match="plan"):
            job()
    with pytest.raises(SordinoError, match="series"):
        change(first, reports, second, privatize(second, table))
