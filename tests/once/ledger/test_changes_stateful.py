"""A hostile collector, crashes, a record that changes: the promise between histories holds, by other arithmetic."""

import tempfile
from collections import defaultdict
from contextlib import suppress
from functools import cache
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from chances import chances
from changing import Stopping
from sordino import Ledger, RefusedError, Value, ask
from sordino.once.journal.event import ASKED, RECORD
from sordino.once.ledger.ledger_query import AskedQuery
from sordino.once.ledger.ledger_terms import LedgerTerms
from sordino.once.ledger.person_record import PersonRecord
from sordino.once.ledger.transcript import export_transcript, import_transcript

REGIONS, SMOKERS = ["north", "south", "west"], ["yes", "no"]
AGES = (18, 31, 44, 60, 90)
ATTRIBUTES = {
    "categories": {"region": {"categories": REGIONS}, "smoker": {"categories": SMOKERS}},
    "numbers": {"age": {"number": {"low": 18, "high": 90}}, "smoker": {"categories": SMOKERS}},
}
ASKS = {
    "categories": [{"category": "region"}, {"category": "smoker"}],
    "numbers": [
        {"category": "smoker"},
        {"linear": {"theta": {"age": 1}, "low": 18, "high": 90}},
        {"truncated": {"theta": {"age": -1}, "low": -60, "high": -30}},
        {"logistic": {"theta": {"age": 0.1}, "intercept": -5}},
    ],
}
PEOPLE = {"categories": list(product(range(3), range(2))), "numbers": list(product(AGES, range(2)))}
POINTS = ("reserving", "drawing", "drawn", "storing", "reserved", "settled", "sending", "delivered", "noting", "noted")
QUOTA = {"hostile": "0.5", "others": "0.7"}


@cache
def log_probabilities(channel, kind):
    """ln Pr(code | record) of each code, for some people: of categories for all."""
    people = PEOPLE[kind]
    if isinstance(channel.statistic, Value):
        place = 1 if channel.statistic.attributes[0] == "smoker" else 0
        codes = range(channel.outputs)
        return np.log([[float(channel.mechanism.weight(own[place], code)) for own in people] for code in codes])
    ones = np.array([float(one) for one in chances(channel, np.array([[float(age)] for age, _ in people]))])
    return np.log([1 - ones, ones])


def lost(kind, entries, changes):
    """Nats, from below: of each era between two histories, which are one record from one change to the next."""
    eras, total = defaultdict(list), 0.0
    for entry in entries:
        eras[entry.record].append(entry)
    for own in eras.values():
        tables = [log_probabilities(entry.query.channel, kind) for entry in own]
        ways = [
            range(len(table)) if entry.code is None else [entry.code] for entry, table in zip(own, tables, strict=True)
        ]
        worst = 0.0
        for codes in product(*ways):
            logs = np.array([table[code] for table, code in zip(tables, codes, strict=True)])
            sums = np.concatenate([np.zeros((1, logs.shape[1])), logs.cumsum(axis=0)])
            worst = max(worst, likeliest(sums, changes) + likeliest(-sums, changes))
        total += worst
    return total


def likeliest(sums, changes):
    """The largest sum of a history's logarithms: by where it changes first."""
    last = len(sums) - 1
    best = [float((sums[last] - sums[start]).max()) for start in range(last + 1)]
    for _ in range(changes):
        best = [
            max(float((sums[end] - sums[start]).max()) + best[end] for end in range(start, last + 1))
            for start in range(last + 1)
        ]
    return best[0]


class ChangingLife(RuleBasedStateMachine):
    @initialize(
        kind=st.sampled_from(["categories", "categories", "numbers"]), changes=st.integers(1, 3), quota=st.booleans()
    )
    def begin(self, kind, changes, quota):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "me.ledger"
        tables = {"version": 1, "epsilon": "1", "attribute": ATTRIBUTES[kind], "changes": changes}
        self.kind, self.changes, self.quota = kind, changes, quota
        self.terms = LedgerTerms.read(tables | ({"quota": QUOTA} if quota else {}))
        Ledger.make(self.path, self.terms)
        self.values, self.count, self.queries, self.arrived, self.codes = PEOPLE[kind][0], 0, {}, defaultdict(set), {}
        self.about = {}

    @property
    def record(self):
        first, smoker = self.values
        own = {"region": REGIONS[first]} if self.kind == "categories" else {"age": first}
        return PersonRecord.read({"version": 1, "record": {**own, "smoker": SMOKERS[smoker]}}, self.terms)

    def ask(self, query, point):
        def step(name):
            if name == point:
                raise Stopping

        with suppress(Stopping):
            report = ask(
                Ledger(self.path, step=step), query, self.record, lambda own: self.arrived[query.id].add(own.code)
            )
            assert self.arrived[query.id] == {report.code}
        if query.id in Ledger(self.path).entries().by_id:
            self.queries[query.id] = query
            self.about.setdefault(query.id, self.values)

    @rule(
        place=st.integers(0, 11),
        epsilon=st.sampled_from(["0.05", "0.1", "0.2", "0.4"]),
        other=st.sampled_from([None, 0, 1, 2, 5]),
        who=st.sampled_from(["hostile", "other"]),
        data=st.data(),
    )
    def new_query(self, place, epsilon, other, who, data):
        self.values = self.values if other is None else PEOPLE[self.kind][other]
        # What is drawn never depends on the answers, whose randomness is fresh: examples can be repeated.
        point = data.draw(st.sampled_from([None, None, None, *POINTS]))
        self.count += 1
        words = ASKS[self.kind][place % len(ASKS[self.kind])]
        query = AskedQuery.read(
            {"version": 1, "id": f"q{self.count}", "collector": who, "epsilon": epsilon, **words}, self.terms
        )
        before = Ledger(self.path).contents()
        if Ledger(self.path).decide(query, self.record).accepted:
            self.ask(query, point)
            return
        with pytest.raises(RefusedError, match="must reveal at most"):
            self.ask(query, None)
        assert Ledger(self.path).contents() == before

    @rule(place=st.integers(0, 13), data=st.data())
    def again(self, place, data):
        """Whatever became of the record, an answer stays what it was."""
        self.values = PEOPLE[self.kind][place % len(PEOPLE[self.kind])]
        point = data.draw(st.sampled_from([None, *POINTS]))
        if self.queries:
            self.ask(self.queries[sorted(self.queries)[place % len(self.queries)]], point)

    @rule()
    def decide_from_the_transcript(self):
        text, copied = (Path(self.folder.name) / name for name in ("t.jsonl", "copy.ledger"))
        export_transcript(Ledger(self.path), text)
        copy, own = import_transcript(text, copied).balance(), Ledger(self.path).balance()
        assert copy.version.number == own.version.number
        assert copy.joint.spent == own.joint.spent
        assert copy.joint.remaining == own.joint.remaining
        text.unlink()
        copied.unlink()

    @invariant()
    def eras_begin_after_as_many_changes_as_are_covered(self):
        if not hasattr(self, "path"):
            return
        entries = Ledger(self.path).entries().by_id
        era, changes, last = 1, 0, None
        for name, entry in entries.items():
            values = self.about[name]
            if last is not None and values != last:
                era, changes = (era, changes + 1) if changes < self.changes else (era + 1, 0)
            last = values
            assert entry.record == era
        public = [event for event in Ledger(self.path).contents().events if event.event == RECORD]
        assert len(public) == (era if entries else 0)

    @invariant()
    def histories_are_told_apart_by_no_more_than_is_promised(self):
        if not hasattr(self, "path"):
            return
        entries = list(Ledger(self.path).entries().by_id.values())
        for entry in entries:
            assert entry.code is not None, "what is reserved is drawn"
            assert self.codes.setdefault(entry.query.id, entry.code) == entry.code
        for name, codes in self.arrived.items():
            assert codes == {self.codes[name]}
        total = lost(self.kind, entries, self.changes)
        assert total <= 1 + 1e-9
        assert total <= Ledger(self.path).balance().joint.spent + 1e-9
        if self.quota:
            for who, quota in (("hostile", 0.5), ("other", 0.7)):
                own = [entry for entry in entries if entry.query.collector == who]
                assert lost(self.kind, own, self.changes) <= quota + 1e-9

    def teardown(self):
        if hasattr(self, "folder"):
            assert Ledger(self.path).verify() in ("none", "agrees")
            self.folder.cleanup()


@pytest.mark.parametrize("examples", [4, pytest.param(60, marks=pytest.mark.long)])
def test_a_changing_record_keeps_its_promise(examples):
    case = ChangingLife.TestCase
    case.settings = settings(max_examples=examples, stateful_step_count=20, deadline=None, derandomize=True)
    case("runTest").runTest()


def test_the_other_computation_is_that_of_all_histories():
    """Where a history changes, beside all histories one by one."""
    logs = np.log(np.random.default_rng(1).uniform(0.1, 1, size=(5, 3)))
    sums = np.concatenate([np.zeros((1, 3)), logs.cumsum(axis=0)])
    for changes in range(4):
        paths = [path for path in product(range(3), repeat=5) if sum(a != b for a, b in pairwise(path)) <= changes]
        assert likeliest(sums, changes) == pytest.approx(max(sum(logs[range(5), path]) for path in paths))
        assert likeliest(-sums, changes) == pytest.approx(-min(sum(logs[range(5), path]) for path in paths))


def test_the_secrets_beside_queries_are_the_hashes_of_their_records(tmp_path):
    terms = LedgerTerms.read({"version": 1, "epsilon": "1", "attribute": ATTRIBUTES["numbers"], "changes": 2})
    ledger = Ledger.make(tmp_path / "me.ledger", terms)
    record = PersonRecord.read({"version": 1, "record": {"age": 44.5, "smoker": "no"}}, terms)
    query = AskedQuery.read({"version": 1, "id": "q", "collector": "c", "epsilon": "1", **ASKS["numbers"][1]}, terms)
    ask(ledger, query, record, send=lambda report: None)
    contents = ledger.contents()
    (asked,) = [event for event in contents.events if event.event == ASKED]
    assert asked.secret == record.digest(bytes.fromhex(contents.meta["key"]))
