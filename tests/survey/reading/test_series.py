"""Series of surveys: which periods there are, what cannot be one, and how a plan says it."""

import json
from datetime import date, datetime, timedelta

import pytest

from sordino import Plan, SordinoErrors, Survey, explain
from sordino.domain.calendar import LENGTHS, MOST_PERIODS, Series
from sordino.survey.planning.plan_fields import dump, seal
from sordino.words.explain_questionnaire import missing_words, questionnaire_paragraphs

WEEKS = {"periods": 52, "every": "week", "start": date(2026, 1, 5)}
SMOKER = {"categories": ["yes", "no"]}


def survey(series=WEEKS, **tables):
    asked = {"smoker": SMOKER}
    return {
        "version": 1,
        "epsilon": "1",
        "attribute": asked,
        "ask": [{"histogram": "smoker"}],
        "series": series,
        **tables,
    }


def plan_of(series=WEEKS, people=10_000, **tables):
    return Plan.of(Survey.read(survey(series, **tables)), people)


def mistakes(series=WEEKS, **tables):
    with pytest.raises(SordinoErrors) as raised:
        Survey.read(survey(series, **tables))
    return str(raised.value)


def test_the_period_is_the_last_public_column_of_the_plan():
    plan = plan_of(public={"region": {"categories": ["north", "south"]}})
    document = json.loads(plan.bytes)
    assert document["series"] == {"periods": 52, "every": "week", "start": "2026-01-05"}
    period = document["public"][-1]
    assert period == {"name": "period", "columns": ["period"], "labels": plan.series.labels}
    assert period["labels"][:2] == ["2026-01-05", "2026-01-12"]
    assert plan.cells.names == ("region", "period")
    # The mechanisms are those of a survey at one time: nothing is paid for the periods.
    alone = survey()
    del alone["series"]
    once = Plan.of(Survey.read(alone), 10_000)
    assert once.series is None
    assert plan.document.queries == once.document.queries
    assert plan.hash != once.hash


def test_every_setting_of_a_series_is_under_the_hash(tmp_path):
    others = [{"periods": 51}, {"every": "day"}, {"start": "2026-01-06"}, {"season": 13}, {}]
    assert len({plan_of({**WEEKS, **other}).hash for other in others}) == len(others)
    plan = plan_of({**WEEKS, "season": 13})
    plan.save(tmp_path / "plan.json")
    assert Plan.load(tmp_path / "plan.json").series == Series(52, "week", date(2026, 1, 5), 13) == plan.series


@pytest.mark.parametrize("every", LENGTHS)
@pytest.mark.parametrize("start", [date(2024, 2, 28), date(2025, 11, 1), date(2026, 1, 5)])
def test_periods_follow_each_other_without_a_gap(every, start):
    """Against counting days one by one, by the calendar's own rules."""
    series = Series(30, every, start)
    day, found = start, 0
    while found < 30:
        assert series.at(day) == found
        if day == series.starts(found):
            assert series.label(found) == day.isoformat()
        following = day + timedelta(days=1)
        since = (following.year - start.year) * 12 + following.month - start.month
        begins = {
            "day": True,
            "week": (following - start).days % 7 == 0,
            "month": following.day == start.day,
            "quarter": following.day == start.day and since % 3 == 0,
            "year": following.day == start.day and since % 12 == 0,
        }[every]
        if begins:
            assert series.ends(found) == day
            found += 1
        day = following
    assert series.at(day) is None
    assert series.at(start - timedelta(days=1)) is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"periods": 1}, "at least 2 and at most 1,000; found 1: leave [series] out"),
        ({"periods": MOST_PERIODS + 1}, "at most 1,000; found 1001: take longer periods"),
        ({"periods": True}, "series.periods must be a whole number"),
        ({"periods": 52.0}, "series.periods must be a whole number"),
        ({"every": "weeks"}, "every must be one of day, week, month, quarter, year"),
        ({"start": "2026-1-5"}, "start must be a date; found '2026-1-5'"),
        ({"start": "20260105"}, "start must be a date"),
        ({"start": "2026-02-30"}, "start must be a date"),
        ({"start": "2026-W02-1"}, "start must be a date"),
        ({"start": 20260105}, "start must be a date"),
        ({"start": datetime(2026, 1, 5)}, "start must be a date"),  # noqa: DTZ001 - as TOML gives it
        ({"start": "9999-12-01"}, "must end before the year 10000"),
        ({"every": "year", "start": "9990-01-01"}, "must end before the year 10000"),
        ({"every": "month", "start": "2026-01-29"}, "from 1 to 28; found 29"),
        ({"season": 27}, "come at least twice"),
        ({"season": 1}, "season must be at least 2 periods"),
        ({"season": 0}, "season must be at least 2 periods"),
        ({"seasons": 13}, "did you mean 'season'"),
    ],
)
def test_what_is_no_series_is_refused(changes, said):
    assert said in mistakes({**WEEKS, **changes})


def test_a_series_needs_all_three_settings():
    for name in WEEKS:
        assert f"series.{name} must be given" in mistakes({key: own for key, own in WEEKS.items() if key != name})


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"public": {"Period": SMOKER}}, "public.Period must not be named 'period'"),
        ({"public": {"wave": {**SMOKER, "column": " PERIOD"}}}, "public.wave must not be named 'period', nor read"),
        ({"attribute": {"smoker": SMOKER, "period": SMOKER}}, "attribute.period must not be named 'period'"),
        ({"attribute": {"smoker": {**SMOKER, "column": "period"}}}, "nor read that column"),
        ({"dependence": {"file": "statement.json"}}, "its bounds are about the time of its sample"),
        ({"about": {"title": "T", "until": date(2027, 1, 2)}}, "before the last period ends, on 2027-01-03"),
        ({"section": [{"attributes": ["period", "smoker"]}]}, "period"),
    ],
)
def test_what_cannot_go_with_a_series_is_refused(tables, said):
    assert said in mistakes(**tables)
    without = {"public": {"region": SMOKER}} if "public" in tables else {}
    assert Survey.read(survey(**without)).series is not None


def test_a_plan_whose_public_column_is_not_its_periods_is_none():
    content = {name: part for name, part in dump(plan_of().document).items() if name != "hash"}
    period = content["public"][-1]
    wrong = [
        {"public": [{**period, "labels": period["labels"][1:]}]},
        {"public": [{**period, "labels": [*period["labels"][1:], period["labels"][0]]}]},
        {"public": [{**period, "name": "wave"}]},
        {"public": [{**period, "missing": period["labels"][0]}]},
        {"public": [{**period, "weights": ["2"] * 52}]},
        {"public": [period, {"name": "region", "labels": ["a"], "columns": ["region"]}]},
        {"public": None},
        {"series": {**content["series"], "start": "2026-01-12"}},
        {"series": {**content["series"], "start": "2026-1-5 "}},
        {"series": {**content["series"], "periods": 53}},
        {"series": {**content["series"], "end": "2027"}},
        {"words": {"languages": ["en"], "sections": [{"attributes": ["period", "smoker"]}], "attributes": {}}},
    ]
    assert seal(content).series is not None
    for change in wrong:
        with pytest.raises(ValueError):
            seal({name: part for name, part in {**content, **change}.items() if part is not None})


def test_explain_says_who_answers_when():
    lines = [str(sentence) for sentence in explain(plan_of({**WEEKS, "season": 13}))]
    assert "Each person answers once, in one of 52 weeks, drawn without looking at the answers" in lines[0]
    assert any("from 2026-01-05 to 2027-01-03 (days of UTC), with a season of 13." in line for line in lines)
    assert any("whatever the answers were in all other periods" in line for line in lines)
    assert not any("answers in other periods, which may depend" in line for line in lines)
    numbers = {"smoker": {**SMOKER, "delta": "0.5"}, "age": {"number": {"low": 18, "high": 90}}}
    asks = [{"histogram": "smoker"}, {"mean": ["age"]}]
    tables = {"attribute": numbers, "ask": asks, "dependence": {"rest": {"smoker": 0.1}}}
    lines = [str(sentence) for sentence in explain(plan_of(**tables))]
    assert "Bounds on dependence must hold in each period." in lines[0]
    assert any("about answers in other periods" in line for line in lines)
    assert any("may differ, in total variation, between two of its values, in each period." in line for line in lines)


def test_nobody_is_asked_for_their_period():
    plan = plan_of(about={"title": "How we live"}, public={"region": {"categories": ["a", "b"]}})
    shown = [line for paragraph in questionnaire_paragraphs(plan) for line in paragraph.lines]
    assert not [line for line in shown if "period" in line]
    assert [line for line in shown if "region" in line]
    assert "period" not in " ".join(missing_words(plan))
