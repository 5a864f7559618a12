"""Answers to plans through a ledger that are killed: one code for each plan, no budget passed, nothing lost."""

import json
import os
import random
import resource
import shutil
import signal
from collections import defaultdict
from functools import cache

import numpy as np
import pytest

from commands import in_child
from plan_laws import law_of
from plans_through_ledgers import answer_plan, take_plan_back
from sordino import Ledger, RefusedError, SordinoError, plan
from sordino.errors import UnavailableError
from waits import ended, kill_after

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

ATTRIBUTES = {
    "age": {"number": {"low": 18, "high": 90}},
    "smoker": {"categories": ["yes", "no"]},
    "stage": {"categories": ["I", "II", "III"]},
}
TERMS = {"version": 1, "epsilon": "1", "attribute": ATTRIBUTES}
RECORD = {"version": 1, "record": {"age": 44, "smoker": "no", "stage": "II"}}
ASKS = [
    {"histogram": "stage"},
    {"mean": "age"},
    {"table": ["smoker", "stage"]},
    {"regression": {"target": "age", "features": ["smoker"]}},
]
NAMES = [["stage"], ["age"], ["smoker", "stage"], ["age", "smoker"]]
POINTS = ("reserving", "reserved", "drawing", "drawn", "storing", "stored", "settled", "sending", "delivered", "noting")
LONGEST = 0.05
"""Seconds within which an undisturbed answer is over, more or less."""

ROWS = [{"age": age, "smoker": s, "stage": t} for age in (18.0, 40.0, 90.0) for s in range(2) for t in range(3)]


@cache
def plan_of(number, epsilon, people):
    """Plans that differ by how many people they expect have different hashes."""
    asked = {name: ATTRIBUTES[name] for name in NAMES[number]}
    survey = {"version": 1, "epsilon": epsilon, "attribute": asked, "ask": [ASKS[number]]}
    return plan(survey, people=10**6 + people)


def answer(ledger, asked, send, record=RECORD):
    return answer_plan(ledger, asked.hash, "https://c.example", lambda: (asked, record), send)


class AnswerCampaign:
    """Kills of answers, one after the other, in ledgers that are replaced once they are full."""

    def __init__(self, folder, seed):
        self.folder, self.random = folder, random.Random(seed)
        self.kills = self.full = 0
        self.fresh()

    def fresh(self):
        self.path = self.folder / f"{self.full}.ledger"
        Ledger.make(self.path, TERMS)
        self.count = 0
        self.next()

    def next(self):
        kind, epsilon = self.random.randrange(len(ASKS)), self.random.choice(["0.2", "0.35"])
        self.asked = plan_of(kind, epsilon, self.count % 5)
        self.count += 1

    def run(self, point):
        def step(name):
            if name == point:
                os.kill(os.getpid(), signal.SIGKILL)

        handle = os.open(self.path.with_suffix(".arrived"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        line = {"plan": self.asked.hash}
        answer(
            Ledger(self.path, step=step), self.asked, lambda r: os.write(handle, (json.dumps(line | r) + "\n").encode())
        )

    def kill(self):
        """One answer that is killed at a step, or after a while."""
        point = self.random.choice([*POINTS, None, None, None])
        status = kill_after(in_child(lambda: self.run(point)), None if point else self.random.uniform(0, LONGEST))
        self.kills += os.WIFSIGNALED(status)
        self.check()
        entry = Ledger(self.path).entries().by_id.get(self.asked.hash)
        if entry is not None and entry.state == "sent":
            self.next()
        elif entry is None and os.WIFEXITED(status) and os.WEXITSTATUS(status):
            # Refused: that only a full ledger does.
            with pytest.raises(RefusedError, match="is left"):
                answer(Ledger(self.path), self.asked, pytest.fail)
            self.full += 1
            self.fresh()
        elif self.random.random() < 0.05:
            self.next()

    def check(self):
        contents = Ledger(self.path).contents()
        assert contents.damage == ()
        entries = Ledger(self.path).entries().by_id
        arrived = defaultdict(set)
        noted = self.path.with_suffix(".arrived")
        for line in noted.read_text().splitlines() if noted.exists() else []:
            report = json.loads(line)
            arrived[report.pop("plan")].add(json.dumps(report))
        for plan_hash, reports in arrived.items():
            assert reports == {json.dumps(dict(entries[plan_hash].report))}, "one report for each plan, the stored one"
        told = np.zeros(len(ROWS))
        for entry in entries.values():
            if entry.code is not None:
                drawn = entry.query.drawn_query
                told += [np.log(law_of(drawn, row)[entry.code]) for row in ROWS]
        assert np.ptp(told) <= 1 + 1e-9


@pytest.mark.parametrize("kills", [50, pytest.param(1000, marks=pytest.mark.long)])
def test_kills_of_answers_lose_nothing_and_draw_nothing_twice(tmp_path, kills):
    kills_of(tmp_path, kills)


def kills_of(folder, kills):
    killing = AnswerCampaign(folder, seed=kills)
    while killing.kills < kills:
        killing.kill()
    assert killing.full


def test_two_processes_draw_one_answer(tmp_path):
    path, asked = tmp_path / "me.ledger", plan_of(2, "0.35", 0)
    Ledger.make(path, TERMS)

    def run(number):
        with (tmp_path / f"{number}.arrived").open("w") as file:
            answer(Ledger(path), asked, lambda report: file.write(json.dumps(dict(report))))

    children = [in_child(lambda number=number: run(number)) for number in range(4)]
    assert all(os.WEXITSTATUS(ended(child)) == 0 for child in children)
    arrived = {text for number in range(4) if (text := (tmp_path / f"{number}.arrived").read_text())}
    assert len(arrived) == 1
    assert Ledger(path).entries().by_id[asked.hash].state == "sent"


def test_a_full_disk_is_said_in_words_and_nothing_is_sent(tmp_path):
    path, asked = tmp_path / "me.ledger", plan_of(2, "0.35", 0)
    Ledger.make(path, TERMS)
    told = tmp_path / "told"

    def run():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 8192, resource.RLIM_INFINITY))
        try:
            answer(Ledger(path), asked, lambda _: os._exit(7))
        except UnavailableError as error:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            told.write_text(str(error))

    assert os.WEXITSTATUS(ended(in_child(run))) == 0
    assert "check that the disk has room" in told.read_text()
    sent = []
    assert not answer(Ledger(path), asked, sent.append).again
    assert len(sent) == 1


def test_a_copied_ledger_draws_the_same_query_and_says_that_one_is_allowed(tmp_path):
    path, copy, asked = tmp_path / "me.ledger", tmp_path / "copy.ledger", plan_of(3, "0.35", 0)
    Ledger.make(path, TERMS)
    shutil.copy(path, copy)
    copy.chmod(0o600)
    sent = []
    first = answer(Ledger(path), asked, sent.append)
    again = answer(Ledger(copy), asked, sent.append)
    assert first.entry.query.document["question"] == again.entry.query.document["question"]


def test_an_answer_that_is_taken_back_stays_counted(tmp_path):
    path, asked, erased = tmp_path / "me.ledger", plan_of(0, "0.6", 0), []
    Ledger.make(path, TERMS)
    with pytest.raises(SordinoError, match="must be stored in"):
        take_plan_back(Ledger(path), asked.hash, erased.append)
    sent = []
    answer(Ledger(path), asked, sent.append)
    take_plan_back(Ledger(path), asked.hash, erased.append)
    assert erased == sent
    with pytest.raises(RefusedError):
        answer(Ledger(path), plan_of(1, "0.5", 0), sent.append)


def test_a_changed_record_counts_as_another_one(tmp_path):
    path, sent = tmp_path / "me.ledger", []
    Ledger.make(path, TERMS)
    answer(Ledger(path), plan_of(1, "0.35", 0), sent.append)
    changed = {"version": 1, "record": {**RECORD["record"], "age": 45}}
    answer(Ledger(path), plan_of(1, "0.35", 1), sent.append, changed)
    assert Ledger(path).balance().joint.remaining == pytest.approx(0.3, abs=1e-6)
