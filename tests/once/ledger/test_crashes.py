"""Processes that are killed while they answer: no answer is lost, none is drawn twice, the budget is never passed."""

import os
import random
import signal

import pytest

from commands import in_child
from sordino import Ledger, RefusedError, SordinoError, ask
from waits import ended, kill_after

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

LONGEST = 0.03
"""Seconds within which an undisturbed ask is over, more or less."""


class Campaign:
    """Kills, one after the other, in ledgers that are replaced once they are full."""

    def __init__(self, folder, terms, question, record, tools, seed):
        self.folder, self.terms, self.question, self.record = folder, terms, question, record
        self.ask, self.delivered, self.told, self.points = tools
        self.random = random.Random(seed)
        self.kills = self.full = 0
        self.fresh()

    def fresh(self):
        self.path = self.folder / f"{self.full}.ledger"
        Ledger.make(self.path, self.terms)
        self.asked = 0
        self.values = self.record()
        self.next()

    def next(self):
        model, epsilon = self.random.choice(["sleep", "against", "age", "both"]), self.random.choice(["0.2", "0.35"])
        self.query = self.question(f"q{self.asked}", model, epsilon)
        self.asked += 1

    def kill(self):
        """One ask that is killed at a step, or after a while."""
        point = self.random.choice([*self.points, None, None, None])
        status = kill_after(
            in_child(lambda: self.ask(self.path, self.query, self.values, point)),
            None if point else self.random.uniform(0, LONGEST),
        )
        self.kills += os.WIFSIGNALED(status)
        self.check()
        entry = Ledger(self.path).entries().by_id.get(self.query.id)
        if entry is not None and entry.state == "sent":
            self.next()
        elif entry is None and os.WIFEXITED(status) and os.WEXITSTATUS(status):
            # Refused: that only a full ledger does.
            with pytest.raises(RefusedError):
                Ledger(self.path).reserve(self.query, self.values)
            self.full += 1
            self.fresh()
        elif self.random.random() < 0.05:
            # What is open stays open for a while, beside other queries.
            self.next()

    def check(self):
        contents = Ledger(self.path).contents()
        assert contents.damage == ()
        entries = Ledger(self.path).entries().by_id
        for name, codes in self.delivered(self.path).items():
            assert codes == {entries[name].code}, "an answer that arrived is the one that stands in the ledger"
        assert self.told(entries.values()) <= 1 + 1e-9


@pytest.fixture
def campaign(tmp_path, terms, question, record, tools):
    """A function of a seed to a campaign."""
    return lambda seed: Campaign(tmp_path, terms, question, record, tools, seed)


@pytest.fixture
def tools(ask_and_note, delivered, told, points):
    return ask_and_note, delivered, told, points


@pytest.mark.parametrize("kills", [8, *(pytest.param(kills, marks=pytest.mark.long) for kills in (40, 1000))])
def test_kills_lose_nothing_and_ask_nothing_twice(campaign, kills):
    killing = campaign(seed=kills)
    while killing.kills < kills:
        killing.kill()
    assert killing.full or kills < 1000


def test_a_kill_at_each_step_is_resumed_there(tmp_path, ledger, question, record, ask_and_note, points):
    codes = {}
    for place, point in enumerate(points):
        query = question(f"q{place}", "sleep" if place % 2 else "both", "0.01")
        child = in_child(lambda: ask_and_note(ledger.path, query, record(), point))  # noqa: B023 - runs at once
        assert os.WTERMSIG(ended(child)) == signal.SIGKILL
        before = ledger.entries().by_id.get(query.id)
        expected = {"reserving": None}
        expected |= dict.fromkeys(("reserved", "drawing", "drawn", "storing"), "reserved")
        expected |= dict.fromkeys(("stored", "settled", "sending", "delivered", "noting"), "sampled")
        expected |= {"noted": "sent"}
        assert (before and before.state) == expected[point]
        ask_and_note(ledger.path, query, record())
        after = ledger.entries().by_id[query.id]
        assert after.state == "sent"
        if before is not None and before.code is not None:
            assert after.code == before.code
        codes[query.id] = after.code
    assert {name: entry.code for name, entry in ledger.entries().by_id.items()} == codes


def test_an_answer_is_in_the_file_itself_before_it_is_sent(ledger, question, record, ask_and_note):
    """The log can be lost with all that is in it: nothing that was sent is."""
    query = question("q")
    ended(in_child(lambda: ask_and_note(ledger.path, query, record(), "delivered")))
    for ending in ("-wal", "-shm"):
        ledger.path.with_name(ledger.path.name + ending).unlink(missing_ok=True)
    assert ledger.contents().damage == ()
    assert ledger.entries().by_id["q"].state == "sampled"


def test_what_cannot_be_sent_is_sent_later(ledger, question, record):
    def broken(report):
        raise BrokenPipeError

    query = question("q")
    with pytest.raises(BrokenPipeError):
        ask(ledger, query, record(), broken)
    sent = []
    report = ask(ledger, query, record(), sent.append)
    assert report.again
    assert sent == [report]


def test_an_open_answer_counts_as_any_that_it_may_be(ledger, question, record, stop_at, stopped, told):
    for name, point in [("a", "reserved"), ("b", "stored")]:
        stopping = Ledger(ledger.path, step=stop_at(point))
        with pytest.raises(stopped):
            ask(stopping, question(name, "sleep", "0.4"), record(), print)
    assert ledger.balance().joint.open_names == ("a", "b")
    # Answers of 0 and 1 would cancel each other, but nobody has them yet.
    assert ledger.balance().joint.spent == pytest.approx(0.8)
    with pytest.raises(RefusedError):
        ledger.reserve(question("c", "sleep", "0.3"), record())
    with pytest.raises(SordinoError, match=r"up to 1\.1"):
        ledger.reserve(question("c", "sleep", "0.3"), record())
    assert told(ledger.entries().by_id.values()) <= 1
