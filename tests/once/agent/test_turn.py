"""A person's period: one for ever, drawn or assigned before anything is answered, and no answer in any other one."""

import contextlib
import json
import os
import signal
import sqlite3
from collections import Counter
from datetime import date, timedelta
from multiprocessing import get_context

import numpy as np
import pytest

from sordino import Plan, SordinoError, Survey
from sordino.errors import DamagedError, RefusedError, UnavailableError
from sordino.exact.source import FreshStream
from sordino.once.agent.answer import answer
from sordino.once.agent.answer_store import AnswerStore
from sordino.once.agent.turn import Turn, own_turn
from sordino.survey.answering.plan_report import PlanReport
from sordino.survey.answering.report_draw import draw_period

FORK = get_context("fork")
START = date(2026, 1, 5)


def plan_of(periods=52, every="week", **tables):
    survey = {"version": 1, "epsilon": "1", "attribute": {"word": {"categories": 100}}, "ask": [{"histogram": "word"}]}
    series = {"periods": periods, "every": every, "start": START}
    return Plan.of(Survey.read({**survey, "series": series, **tables}), 1000)


@pytest.fixture(scope="module")
def plan():
    return plan_of()


@pytest.fixture
def store(tmp_path):
    return AnswerStore.open(tmp_path / "own" / "answers.sqlite")


def answering(store, plan, day, tables=None, **more):
    """What was sent on a day."""
    sent = []
    record = {"version": 1, "record": {"word": 73}} if tables is None else tables
    made = answer(
        store, plan.hash, lambda: (plan, record), sent.append, collector="c.example", today=lambda: day, **more
    )
    return made, sent


def public_of(sent):
    return json.loads(sent[0])["reports"][0]["public"]


def test_an_answer_is_drawn_in_the_own_period_and_in_no_other(store, plan):
    turn = own_turn(store, plan, None)
    first, last = plan.series.starts(turn.period), plan.series.ends(turn.period)
    for day, error in ((first - timedelta(days=1), UnavailableError), (last + timedelta(days=1), RefusedError)):
        with pytest.raises(error, match="in the period that is its own"):
            answering(store, plan, day)
        assert store.find_answer(plan.hash) is None
    made, sent = answering(store, plan, last)
    assert not made.again
    assert public_of(sent) == {"period": turn.label}
    # Once it is drawn it may be sent at any time: that is for the collector to judge.
    assert answering(store, plan, last + timedelta(days=400)) == (type(made)(plan.hash, again=True), [])


@pytest.mark.parametrize("day", [START - timedelta(days=9), START + timedelta(days=900)])
def test_looking_often_never_draws_another_period(store, plan, day):
    periods = set()
    for _ in range(20):
        periods.add(own_turn(AnswerStore.open(store.path), plan, None).period)
        with pytest.raises(SordinoError, match="in the period that is its own"):
            answering(store, plan, day)
    assert len(periods) == 1


def test_two_plans_have_two_periods_of_their_own(store):
    plans = [plan_of(periods) for periods in range(900, 906)]
    drawn = [own_turn(store, one, None).period for one in plans]
    assert len(set(drawn)) > 1
    assert drawn == [own_turn(store, one, None).period for one in plans]


def test_an_invitation_names_the_period_and_the_first_one_stays(store, plan):
    label = plan.series.label(7)
    assert own_turn(store, plan, label) == Turn(plan.series, 7)
    assert own_turn(store, plan, None).period == 7
    with pytest.raises(RefusedError, match="was chosen before, and stays: the week of 2026-02-23"):
        own_turn(store, plan, plan.series.label(8))
    assert public_of(answering(store, plan, plan.series.starts(7), period=label)[1]) == {"period": label}


def test_an_invitation_does_not_replace_a_period_that_was_drawn(store, plan):
    drawn = own_turn(store, plan, None).period
    with pytest.raises(RefusedError, match="was chosen before"):
        own_turn(store, plan, plan.series.label((drawn + 1) % 52))
    assert own_turn(store, plan, plan.series.label(drawn)).period == drawn


@pytest.mark.parametrize("day", ["2026-01-06", "2025-12-29", "2027-01-04", "no day", ""])
def test_an_invitation_to_no_period_chooses_none(store, plan, day):
    with pytest.raises(SordinoError, match="must name a period of the plan"):
        own_turn(store, plan, day)
    assert not store.contents().events


def test_a_plan_that_asks_at_one_time_has_no_periods(store):
    survey = {"version": 1, "epsilon": "1", "attribute": {"word": {"categories": 3}}, "ask": [{"histogram": "word"}]}
    once = Plan.of(Survey.read(survey), 1000)
    assert own_turn(store, once, None) is None
    with pytest.raises(SordinoError, match="must name no period"):
        own_turn(store, once, "2026-01-05")


def test_a_record_does_not_say_its_period(store, plan):
    day = plan.series.starts(own_turn(store, plan, None).period)
    for label in (plan.series.label(0), plan.series.label(1)):
        with pytest.raises(SordinoError, match="must not say its period"):
            answering(store, plan, day, {"version": 1, "record": {"word": 1, "period": label}})
    for wrong in ({"version": 1}, {"version": 1, "record": 3}, {"version": 1, "record": {"word": 1, "periods": 2}}):
        with pytest.raises(SordinoError, match="record"):
            answering(store, plan, day, wrong)
    assert store.find_answer(plan.hash) is None


def test_a_period_is_drawn_with_the_same_probability_of_each():
    series = plan_of(5).series
    counts = Counter(draw_period(series) for _ in range(5000))
    assert sum((counts[period] - 1000) ** 2 / 1000 for period in range(5)) < 50  # chance 4e-10
    # By the rule of docs/plan-format.md: the upper half of a word times the periods, without the uneven remainder.
    for number in (0, 1, 2**63, 2**64 - 1, 0x3333333400000000):
        found = draw_period(series, Words([number, 5 << 61]))
        high = number >> 32
        wanted = high * 5 >> 32 if high * 5 % 2**32 >= 2**32 % 5 else 5 * 5 << 29 >> 32
        assert found == wanted, number


class Words:
    """A source of given words."""

    def __init__(self, words):
        self.left = list(words)

    def public(self, count, use):
        assert (count, use) == (1, "period")
        return FreshStream(lambda n: np.array([self.left.pop(0) for _ in range(n)], dtype=np.uint64), count)


def test_a_device_that_stops_anywhere_keeps_its_period_or_has_drawn_none(plan, tmp_path):
    """A kill after each step: what others may have seen stands in the store."""
    for number, step in enumerate(("choosing a period", "period stored")):
        path = tmp_path / str(number) / "answers.sqlite"

        def run(step=step, path=path):
            own = AnswerStore.open(path, lambda name: os.kill(os.getpid(), signal.SIGKILL) if name == step else None)
            own_turn(own, plan, None)

        process = FORK.Process(target=run)
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        kept = [event.body["period"] for event in AnswerStore.open(path).contents().events]
        assert len(kept) == number
        period = own_turn(AnswerStore.open(path), plan, None).period
        assert not kept or kept == [period]


def test_devices_that_start_together_have_one_period(plan, tmp_path):
    path = tmp_path / "answers.sqlite"
    AnswerStore.open(path)
    results = FORK.SimpleQueue()
    together = [
        FORK.Process(target=lambda: results.put(own_turn(AnswerStore.open(path), plan, None).period)) for _ in range(6)
    ]
    for process in together:
        process.start()
    for process in together:
        process.join()
    assert len({results.get() for _ in together}) == 1


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE events SET body = replace(body, ':', ':9')",
        "UPDATE events SET body = '{}'",
        "UPDATE events SET seal = x'00'",
        "DELETE FROM events",
        "UPDATE meta SET value = '0' WHERE name = 'head'",
    ],
)
def test_a_changed_period_is_noticed(store, plan, change):
    own_turn(store, plan, None)
    with contextlib.closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute(change)
    with pytest.raises(DamagedError, match="must be whole before anything new is asked"):
        own_turn(store, plan, None)


def test_a_report_has_its_period_beside_other_public_values(store):
    plan = plan_of(3, "day", public={"region": {"categories": ["north", "south"]}})
    turn = own_turn(store, plan, None)
    record = {"version": 1, "record": {"word": 7, "region": "south"}}
    _, sent = answering(store, plan, plan.series.starts(turn.period), record)
    assert public_of(sent) == {"region": "south", "period": turn.label}
    own = json.loads(sent[0])["reports"][0]
    document = {"format": "sordino report", "version": 1, "plan": plan.hash, "question": 0, **own}
    report = PlanReport.of_document(plan, document)
    assert plan.cells.periods(np.array([report.number], dtype=np.uint64)).tolist() == [turn.period]
