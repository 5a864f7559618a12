"""The same of a store of answers and of a ledger, beside a store or alone: drawn once, stored, sent, taken back."""

import os
import random
import shutil
import signal
import sqlite3
from contextlib import closing
from datetime import date, timedelta

import pytest

from commands import in_child
from sordino import Ledger, Plan, RefusedError, SordinoError, Survey
from sordino.errors import UnavailableError
from sordino.once.agent.answer import answer, take_back
from sordino.once.agent.answer_store import AnswerStore
from sordino.once.agent.turn import own_turn
from sordino.once.ledger.transcript import transcript
from waits import ended, kill_after

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

WORD = {"word": {"categories": 100}}
TERMS = {"version": 1, "epsilon": "3", "attribute": WORD}
RECORD = {"version": 1, "record": {"word": 73}}
KINDS = ("store", "ledger", "ledger beside a store")
POINTS = ("drawing", "drawn", "storing", "stored", "settled", "sending", "delivered", "noting", "noted")
EARLIER = {"store": (), "ledger": ("reserving", "reserved")}
EARLIER["ledger beside a store"] = ("ledger noted", *EARLIER["ledger"])
LONGEST = 0.05
"""Seconds within which an undisturbed answer is over, more or less."""


def plan_of(people, **more):
    survey = {"version": 1, "epsilon": "1", "attribute": WORD, "ask": [{"histogram": "word"}], **more}
    return Plan.of(Survey.read(survey), people)


ASKED = plan_of(1000)


class Device:
    """One person's journals, and what a collector hears."""

    def __init__(self, folder, kind, asked=ASKED):
        self.folder, self.kind, self.asked, self.heard_at = folder, kind, asked, folder / "heard"
        folder.mkdir(exist_ok=True)
        self.heard_at.touch()
        if kind != "store" and not self.path.exists():
            Ledger.make(self.path, TERMS)

    @property
    def path(self):
        return self.folder / ("answers.sqlite" if self.kind == "store" else "me.ledger")

    def journals(self, step=lambda name: None):
        beside = AnswerStore.open(self.folder / "answers.sqlite", step) if self.kind != "ledger" else None
        return (beside if self.kind == "store" else Ledger(self.path, step=step)), beside

    @property
    def journal(self):
        return self.journals()[0]

    def answer(self, point=None, **more):
        def step(name):
            if name == point:
                os.kill(os.getpid(), signal.SIGKILL)

        journal, beside = self.journals(step)
        given = {"collector": "https://c.example", "beside": beside, **more}
        return answer(journal, self.asked.hash, lambda: (self.asked, RECORD), self.hear, **given)

    def hear(self, body):
        with self.heard_at.open("ab", buffering=0) as file:
            file.write(body + b"\n")

    @property
    def heard(self):
        return self.heard_at.read_bytes().splitlines()


@pytest.fixture(params=KINDS)
def device(request, tmp_path):
    return Device(tmp_path / "own", request.param)


@pytest.fixture
def unreachable(device, monkeypatch):
    """What a collector hears arrives, and is not acknowledged."""
    heard = []

    def lose(body):
        heard.append(body)
        raise UnavailableError("the collector must be ready", found="no answer")

    monkeypatch.setattr(device, "hear", lose)
    return heard


def test_a_kill_at_each_step_is_resumed_there(device):
    points = (*EARLIER[device.kind], *POINTS)
    for number, point in enumerate(points):
        own = Device(device.folder / f"{number}", device.kind)
        assert os.WTERMSIG(ended(in_child(lambda: own.answer(point)))) == signal.SIGKILL  # noqa: B023 - runs at once
        stored = own.journal.find_answer(ASKED.hash)
        assert (stored is not None) == (point in POINTS[3:])
        assert len(own.heard) == (point in POINTS[6:])
        assert own.answer().again == (stored is not None)
        assert own.journal.find_answer(ASKED.hash).sent
        assert len(set(own.heard)) == 1
        assert stored is None or {stored.upload} == set(own.heard)


@pytest.mark.parametrize("kills", [5, pytest.param(300, marks=pytest.mark.long)])
def test_kills_at_any_time_give_no_two_answers(device, kills):
    dice, killed, number = random.Random(kills), 0, 0
    while killed < kills:
        own = Device(device.folder / f"{number}", device.kind)
        number += 1
        stored = None
        while stored is None or not stored.sent:
            child = in_child(own.answer)
            killed += os.WIFSIGNALED(kill_after(child, dice.uniform(0, LONGEST)))
            stored = own.journal.find_answer(ASKED.hash)
            assert own.journal.contents().damage == ()
            assert set(own.heard) <= ({stored.upload} if stored else set())


def test_an_answer_is_in_the_file_itself_before_it_is_sent(device, tmp_path):
    """As long as somebody has the file open the log stays, and can be lost with all that is in it."""
    device.journals()
    with closing(sqlite3.connect(device.path)) as reader:
        reader.execute("SELECT * FROM meta").fetchall()
        assert os.WTERMSIG(ended(in_child(lambda: device.answer("sending")))) == signal.SIGKILL
        (tmp_path / "copy").mkdir()
        shutil.copy(device.path, tmp_path / "copy")
    copy = Device(tmp_path / "copy", device.kind)
    assert copy.journal.contents().damage == ()
    stored = copy.journal.find_answer(ASKED.hash)
    assert copy.answer().again
    assert copy.heard == [stored.upload]


def test_what_was_taken_back_before_it_arrived_is_never_sent_again_and_counts_as_seen(device, unreachable):
    with pytest.raises(UnavailableError):
        device.answer()
    for _ in range(2):
        with pytest.raises(UnavailableError):
            take_back(device.journal, ASKED.hash, device.hear)
    made = device.answer()
    assert (made.taken_back, made.again) == (True, True)
    assert (len(unreachable), len(set(unreachable))) == (3, 1)
    assert device.journal.contents().damage == ()
    if device.kind != "store":
        # Somebody may have seen it. As an answer that waits it would be in the way of others for ever.
        assert device.journal.standing().joint.open_names == ()
        assert '"sent"' in transcript(device.journal)
        assert device.journal.find(ASKED.hash).state == "sent"


def test_a_damaged_journal_sends_what_is_whole_and_takes_it_back(device, unreachable):
    with pytest.raises(UnavailableError):
        device.answer()
    other = plan_of(1001)
    with closing(sqlite3.connect(device.path)) as connection:
        connection.execute("UPDATE meta SET value = '9' WHERE name = 'head'")
        connection.commit()
    with pytest.raises(UnavailableError):
        device.answer()
    with pytest.raises(UnavailableError):
        take_back(device.journal, ASKED.hash, device.hear)
    assert (len(unreachable), len(set(unreachable))) == (3, 1)
    device.asked = other
    with pytest.raises(SordinoError, match="must be whole before anything new is asked"):
        device.answer()


@pytest.mark.parametrize("days", [-1, 0, 6, 7])
def test_a_series_is_answered_in_the_own_period_alone(device, days):
    asked = plan_of(10**6, series={"periods": 52, "every": "week", "start": date(2026, 1, 5)})
    device.asked = asked
    journal, beside = device.journals()
    turn = own_turn(beside or journal, asked, None)
    today = asked.series.starts(turn.period) + timedelta(days=days)
    if days not in range(7):
        with pytest.raises(SordinoError, match="in the period that is its own"):
            device.answer(today=lambda: today)
        assert journal.find_answer(asked.hash) is None
        return
    device.answer(today=lambda: today)
    assert f'"public": {{"period": "{turn.label}"}}'.encode() in device.heard[0]
    assert own_turn(beside or journal, asked, None) == turn
    assert device.answer(today=lambda: today + timedelta(days=400)).again
    with pytest.raises(RefusedError, match="was chosen before"):
        own_turn(beside or journal, asked, asked.series.label((turn.period + 1) % 52))


def test_a_refused_plan_is_as_if_never_asked(tmp_path):
    device = Device(tmp_path / "own", "ledger beside a store", plan_of(1000, epsilon="3.5"))
    for _ in range(2):
        with pytest.raises(RefusedError, match="nothing was drawn or sent"):
            device.answer()
    journal, beside = device.journals()
    assert journal.contents().events == ()
    beside.require_place(device.asked.hash, None)
    device.kind = "store"
    assert not device.answer().again


@pytest.mark.parametrize("plans", [5, pytest.param(100, marks=pytest.mark.long)])
def test_a_plan_is_drawn_in_one_file_alone_whoever_is_killed(tmp_path, plans):
    """A store and two ledgers beside it at once on one plan, some of which are killed at any step."""
    dice, own = random.Random(plans), tmp_path / "own"
    for number in range(plans):
        asked = plan_of(2000 + number)
        devices = [Device(own, "store", asked)]
        for name in ("one", "two"):
            devices.append(Device(own, "ledger beside a store", asked))
            path = own / f"{name}-{number}.ledger"
            Ledger.make(path, TERMS)
            devices[-1].journals = lambda step=lambda name: None, path=path: (
                Ledger(path, step=step),
                AnswerStore.open(own / "answers.sqlite", step),
            )
        points = [*EARLIER["ledger beside a store"], *POINTS[:5], None, None, None]
        if number == 0:
            # The first is certain: a ledger that reserved and was killed keeps the plan.
            ended(in_child(lambda: devices[1].answer("reserved")))  # noqa: B023 - runs at once
            with pytest.raises(RefusedError, match="answered through"):
                devices[0].answer()
        children = [
            in_child(lambda: one.answer(dice.choice(points)))  # noqa: B023 - runs at once
            for one in dice.sample(devices * 2, 4)
        ]
        for child in children:
            ended(child)
        drawn = [one for one in devices if one.journals()[0].find_answer(asked.hash) is not None]
        assert len(drawn) <= 1
        reserved = [one for one in devices[1:] if one.journals()[0].find(asked.hash) is not None]
        assert len({id(one) for one in drawn + reserved}) <= 1
    assert len(set(devices[0].heard)) <= plans
