"""The same of a store of answers and of a ledger, beside a store or alone: drawn once, stored, sent, taken back."""

import json
import os
import random
import shutil
import signal
import sqlite3
from contextlib import closing, suppress
from datetime import date, timedelta

import pytest

from commands import in_child
from sordino import Ledger, Plan, RefusedError, SordinoError, Survey
from sordino.errors import UnavailableError
from sordino.once.agent.answer import answer, take_back
from sordino.once.agent.answer_store import AnswerStore
from sordino.once.agent.turn import own_turn
from sordino.once.journal.journal import Journal
from sordino.once.ledger.transcript import transcript
from waits import ended, kill_after

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

WORD = {"word": {"categories": 100}}
TERMS = {"version": 1, "epsilon": "3", "attribute": WORD}
RECORD = {"version": 1, "record": {"word": 73}}
COLLECTOR = "https://c.example"
SAME = ("https://C.Example:8443", "http://c.example", "c.example.", "https://c.example/plans/sha256:00")
"""The collector's host in other addresses."""

OTHERS = ("https://b.example", "https://c.example.evil", "https://b.c.example", "https://me.example@b.example", "c")
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

    def answer(self, point=None, fetch=None, **more):
        def step(name):
            if name == point:
                os.kill(os.getpid(), signal.SIGKILL)

        journal, beside = self.journals(step)
        given = {"collector": COLLECTOR, "beside": beside, **more}
        fetch = fetch or (lambda: (self.asked, RECORD))
        return answer(journal, self.asked.hash, fetch, self.hear, **given)

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


@pytest.mark.parametrize("kills", [2, pytest.param(300, marks=pytest.mark.long)])
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


@pytest.mark.parametrize("is_lost", [True, False])
def test_an_answer_goes_to_the_host_that_it_is_reserved_for_and_to_no_other(device, is_lost, monkeypatch):
    heard = []

    def hear(body):
        heard.append(body)
        if is_lost:
            raise UnavailableError("the collector must be ready", found="no answer")

    monkeypatch.setattr(device, "hear", hear)
    with suppress(UnavailableError):
        device.answer()
    stored = device.journal.find_answer(ASKED.hash)
    words = "must go to the collector that it is reserved for, and to no other; found one for 'https://c.example'"
    for other in OTHERS:
        with pytest.raises(RefusedError, match=words) as caught:
            device.answer(collector=other)
        with pytest.raises(RefusedError, match=words):
            take_back(device.journal, ASKED.hash, pytest.fail, collector=other)
        assert json.loads(stored.upload)["reports"][0]["id"] not in str(caught.value)
    assert not device.journal.is_taken_back(ASKED.hash)
    for same in SAME:
        with suppress(UnavailableError):
            assert device.answer(collector=same).again
    assert heard == [stored.upload] * (1 + is_lost * len(SAME))
    with suppress(UnavailableError):
        take_back(device.journal, ASKED.hash, hear, collector=SAME[0])
    assert device.journal.is_taken_back(ASKED.hash)


def test_a_kill_at_each_step_gives_the_answer_to_one_collector(device):
    for number, point in enumerate((*EARLIER[device.kind], *POINTS)):
        own = Device(device.folder / f"{number}", device.kind)
        assert os.WTERMSIG(ended(in_child(lambda: own.answer(point)))) == signal.SIGKILL  # noqa: B023 - runs at once
        is_reserved = own.journal.find_collector(ASKED.hash) is not None
        assert is_reserved == (point == "reserved" or point in POINTS[0 if device.kind != "store" else 3 :])
        if is_reserved:
            before = own.heard
            with pytest.raises(RefusedError, match="and to no other"):
                own.answer(collector="https://b.example", fetch=pytest.fail)
            assert own.heard == before
            own.answer()
        else:
            own.answer(collector="https://b.example")
            with pytest.raises(RefusedError, match=r"and to no other; found one for 'https://b\.example'"):
                own.answer()
        assert len(set(own.heard)) == 1


@pytest.mark.parametrize("races", [5, pytest.param(100, marks=pytest.mark.long)])
def test_of_two_collectors_at_once_one_gets_the_answer(device, races):
    for number in range(races):
        heard = []
        for name in ("a", "b", "a", "b"):
            own = Device(device.folder / f"{number}", device.kind)
            own.heard_at = own.folder / f"heard by {name}"
            heard.append((own, f"https://{name}.example"))
        children = [in_child(lambda: own.answer(collector=name)) for own, name in heard]  # noqa: B023 - runs at once
        for child in children:
            ended(child)
        got = [own.heard_at.exists() and {*own.heard} for own, _ in heard[:2]]
        assert sorted(len(bodies or ()) for bodies in got) == [0, 1]
        kept = heard[0][0].journal.find_collector(ASKED.hash)
        assert kept == heard[0 if got[0] else 1][1]


def test_what_is_reserved_while_another_collector_is_asked_for_the_plan_goes_nowhere_else(device, unreachable):
    def fetch():
        with pytest.raises(UnavailableError):
            device.answer()
        return ASKED, RECORD

    with pytest.raises(RefusedError, match=r"and to no other; found one for 'https://c\.example'"):
        device.answer(collector="https://b.example", fetch=fetch)
    assert len(unreachable) == 1


def test_what_is_stored_while_an_answer_is_looked_for_goes_nowhere_else(device, unreachable, monkeypatch):
    find, looked = Journal.find_answer, []

    def find_late(self, name):
        if not looked:
            looked.append(name)
            with pytest.raises(UnavailableError):
                device.answer()
        return find(self, name)

    monkeypatch.setattr(Journal, "find_answer", find_late)
    with pytest.raises(RefusedError, match=r"and to no other; found one for 'https://c\.example'"):
        device.answer(collector="https://b.example")
    assert len(unreachable) == 1


def test_what_may_be_on_its_way_by_an_invitation_is_taken_back_by_it(device, unreachable):
    def take(**more):
        take_back(device.journal, ASKED.hash, device.hear, collector=COLLECTOR, **more)

    for is_invited in (False, True):
        with pytest.raises(UnavailableError):
            device.answer(is_invited=is_invited)
    for _ in range(2):
        with pytest.raises(RefusedError, match="by an invitation must be taken back by it"):
            take()
        assert len(unreachable) == 2
        assert not device.journal.is_taken_back(ASKED.hash)
    # Noted as taken back, it may still arrive: the collector was not reached.
    with pytest.raises(UnavailableError):
        take(is_invited=True)
    assert device.journal.is_taken_back(ASKED.hash)
    with pytest.raises(RefusedError, match="found an address without an invitation: give the whole link"):
        take()
    with pytest.raises(UnavailableError):
        take(is_invited=True)
    assert len(unreachable) == 4


def test_what_is_sent_by_an_invitation_while_it_is_taken_back_needs_it(device, unreachable, monkeypatch):
    with pytest.raises(UnavailableError):
        device.answer()
    note = Journal.note_taken_back

    def note_late(self, plan):
        with pytest.raises(UnavailableError):
            device.answer(is_invited=True)
        note(self, plan)

    monkeypatch.setattr(Journal, "note_taken_back", note_late)
    with pytest.raises(RefusedError, match="give the whole link"):
        take_back(device.journal, ASKED.hash, pytest.fail, collector=COLLECTOR)
    assert device.answer(is_invited=True).taken_back
    assert len(unreachable) == 2


def test_what_a_collector_acknowledged_is_taken_back_without_its_invitation(device):
    device.answer(is_invited=True)
    for _ in range(2):
        take_back(device.journal, ASKED.hash, device.hear, collector=COLLECTOR)
    assert len(device.heard) == 3


def test_what_was_taken_back_before_it_arrived_is_never_sent_again_and_counts_as_seen(device, unreachable):
    with pytest.raises(UnavailableError):
        device.answer()
    for _ in range(2):
        with pytest.raises(UnavailableError):
            take_back(device.journal, ASKED.hash, device.hear, collector=COLLECTOR)
    made = device.answer()
    assert (made.taken_back, made.again) == (True, True)
    assert (len(unreachable), len(set(unreachable))) == (3, 1)
    assert device.journal.contents().damage == ()
    if device.kind != "store":
        # Somebody may have seen it. As an answer that waits it would be in the way of others for ever.
        assert device.journal.balance().joint.open_names == ()
        assert '"sent"' in transcript(device.journal)
        assert device.journal.find(ASKED.hash).state == "sent"


@pytest.mark.parametrize(
    "damage",
    ["UPDATE meta SET value = '9' WHERE name = 'head'", "DELETE FROM events WHERE event NOT IN ('drawn')"],
    ids=["number of lines", "all other lines"],
)
def test_a_damaged_journal_sends_what_is_whole_and_takes_it_back(device, unreachable, damage):
    with pytest.raises(UnavailableError):
        device.answer()
    other = plan_of(1001)
    with closing(sqlite3.connect(device.path)) as connection:
        connection.execute(damage)
        # A store of answers alone has no other line.
        connection.execute("UPDATE meta SET value = '9' WHERE name = 'head'")
        connection.commit()
    with pytest.raises(UnavailableError):
        device.answer()
    with pytest.raises(RefusedError, match="and to no other"):
        device.answer(collector="https://b.example")
    with pytest.raises(UnavailableError):
        take_back(device.journal, ASKED.hash, device.hear, collector=COLLECTOR)
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
