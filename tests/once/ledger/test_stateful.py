"""Any sequence of queries, crashes, retries and changed records: answers stay, and the budget is never passed."""

import tempfile
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from sordino import Ledger, RefusedError, SordinoError, ask
from sordino.once.ledger.transcript import export_transcript, import_transcript

MODELS = st.sampled_from(["sleep", "against", "age", "both"])


class Device(RuleBasedStateMachine):
    terms = record = question = told = stopped = points = None
    """Given by fixtures."""

    @initialize()
    def begin(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "me.ledger"
        Ledger.make(self.path, self.terms)
        self.values, self.count = self.record(), 0
        self.queries, self.arrived, self.codes = {}, defaultdict(set), {}

    def steps(self):
        """Where a device can stop, or nowhere."""
        return st.sampled_from([None, None, *self.points])

    def ask(self, query, point):
        def step(name):
            if name == point:
                raise self.stopped

        def send(report):
            self.arrived[query.id].add(report.code)

        with suppress(self.stopped):
            ask(Ledger(self.path, step=step), query, self.values, send)
        if query.id in Ledger(self.path).entries().by_id:
            self.queries[query.id] = query

    @rule(model=MODELS, epsilon=st.sampled_from(["0.1", "0.3", "0.5"]), data=st.data())
    def new_query(self, model, epsilon, data):
        # What is drawn never depends on the answers, whose randomness is fresh: examples can be repeated.
        point = data.draw(self.steps())
        self.count += 1
        query = self.question(f"q{self.count}", model, epsilon)
        before = Ledger(self.path).contents()
        accepted = Ledger(self.path).decide(query, self.values).accepted
        if accepted:
            self.ask(query, point)
            return
        with pytest.raises(RefusedError):
            self.ask(query, None)
        assert Ledger(self.path).contents() == before

    @rule(place=st.integers(0, 13), data=st.data())
    def again(self, place, data):
        point = data.draw(self.steps())
        if not self.queries:
            return
        query = self.queries[sorted(self.queries)[place % len(self.queries)]]
        entry = Ledger(self.path).entries().by_id[query.id]
        versions = Ledger(self.path).entries().versions
        known = Ledger(self.path).contents().meta["key"]
        same = versions[-1].digest == self.values.digest(bytes.fromhex(known))
        if entry.code is None and not (entry.record == versions[-1].number and same):
            with pytest.raises(SordinoError, match="that it was reserved for"):
                self.ask(query, None)
            return
        self.ask(query, point)

    @rule(age=st.sampled_from([44, 45, 80]))
    def change(self, age):
        self.values = self.record(age=age)

    @rule(model=MODELS)
    def decide_from_the_transcript(self, model):
        text, copied = (Path(self.folder.name) / name for name in ("t.jsonl", "copy.ledger"))
        export_transcript(Ledger(self.path), text)
        copy = import_transcript(text, copied)
        query = self.question("probe", model, "0.3")
        decisions = [each.decide(query) for each in (Ledger(self.path), copy)]
        assert decisions[0].accepted == decisions[1].accepted
        assert decisions[0].loss == decisions[1].loss
        text.unlink()
        copied.unlink()

    @invariant()
    def what_was_answered_stays(self):
        if not hasattr(self, "path"):
            return
        entries = Ledger(self.path).entries().by_id
        for name, entry in entries.items():
            assert self.codes.setdefault(name, entry.code) in (None, entry.code)
            self.codes[name] = entry.code
        for name, codes in self.arrived.items():
            assert codes == {entries[name].code}
        assert self.told(entries.values()) <= 1 + 1e-9

    def teardown(self):
        if hasattr(self, "folder"):
            self.folder.cleanup()


@pytest.fixture
def machine(terms, record, question, told, stopped, points):
    """The rules, with the fixtures that they need."""
    functions = {"record": record, "question": question, "told": told}
    given = {name: staticmethod(function) for name, function in functions.items()}
    return type("Device", (Device,), {"terms": terms, "stopped": stopped, "points": points, **given})


@pytest.mark.parametrize("examples", [5, pytest.param(150, marks=pytest.mark.long)])
def test_a_device_keeps_its_promise(machine, examples):
    case = machine.TestCase
    case.settings = settings(max_examples=examples, stateful_step_count=14, deadline=None, derandomize=True)
    case("runTest").runTest()
