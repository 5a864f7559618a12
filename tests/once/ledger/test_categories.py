"""Ledgers over categories: deltas of attributes, checked by brute force over all records and beliefs within q."""

from itertools import product
from math import exp, log

import numpy as np
import pytest

from sordino import Ledger, RefusedError, SordinoError, ask
from sordino.once.ledger.ledger_query import AskedQuery
from sordino.once.ledger.ledger_terms import LedgerTerms
from sordino.once.ledger.person_record import PersonRecord
from sordino.once.ledger.transcript import export_transcript, import_transcript

TABLES = {
    "version": 1,
    "epsilon": "1",
    "attribute": {
        "region": {"categories": ["north", "south", "west"]},
        "smoker": {"categories": ["yes", "no"], "delta": "0.3"},
    },
    "dependence": {"rest": {"smoker": 0.2}},
}


@pytest.fixture(params=["ldp", "deltas"])
def terms(request):
    tables = dict(TABLES)
    if request.param == "ldp":
        tables = {"version": 1, "epsilon": "1", "attribute": dict.fromkeys(("region", "smoker"))}
        for name in tables["attribute"]:
            tables["attribute"][name] = {"categories": TABLES["attribute"][name]["categories"]}
    return LedgerTerms.read(tables)


@pytest.fixture
def ledger(tmp_path, terms):
    return Ledger.make(tmp_path / "me.ledger", terms)


def about(terms, name, attribute, epsilon):
    tables = {"version": 1, "id": name, "collector": "c", "epsilon": str(epsilon), "category": attribute}
    return AskedQuery.read(tables, terms)


def person(terms, smoker="yes", region="west"):
    return PersonRecord.read({"version": 1, "record": {"smoker": smoker, "region": region}}, terms)


def likelihood(terms, entries):
    """Pr(all answers | record) for each record, shape (3, 2), by the definition of randomized response."""
    total = np.ones((3, 2))
    for entry in entries:
        epsilon = float(eval(entry.query.document["epsilon"]))  # noqa: S307 - a quotient of whole numbers
        name = entry.query.document["category"]
        k = {"region": 3, "smoker": 2}[name]
        column = np.full(k, 1 / (exp(epsilon) + k - 1))
        column[entry.code] *= exp(epsilon)
        total *= column[:, None] if name == "region" else column[None, :]
    return total


def smoker_loss(table, q=0.2):
    """The most that the odds of the smoker's answer can move for beliefs that move the region by q at most."""
    worst = 0.0
    for a, b in ((0, 1), (1, 0)):
        for u, w, v in product(range(3), repeat=3):
            heavy = (1 - q) * table[u, a] + q * table[w, a]
            light = (1 - q) * table[u, b] + q * table[v, b]
            worst = max(worst, log(heavy / light))
    return worst


@pytest.mark.first_cases(1)
def test_the_promise_holds_for_each_attribute(ledger, terms, tmp_path):
    values, refused = person(terms), 0
    # What is lost goes up and down with the answers: sooner or later it is too much for one more.
    for place in range(400):
        name = "smoker" if place % 3 == 0 else "region"
        try:
            ask(ledger, about(terms, f"q{place}", name, "0.2"), values, lambda _: None)
        except RefusedError:
            refused += 1
        table = likelihood(terms, ledger.entries().by_id.values())
        assert log(table.max() / table.min()) <= 1 + 1e-9
        if terms.deltas:
            assert smoker_loss(table) <= 0.3 + 1e-9
        if refused > 3:
            break
    assert refused
    assert len(ledger.entries().by_id) > 1
    export_transcript(ledger, tmp_path / "t.jsonl")
    copy = import_transcript(tmp_path / "t.jsonl", tmp_path / "copy.ledger")
    assert copy.balance().joint.remaining == ledger.balance().joint.remaining


def test_what_binds_is_named(ledger, terms):
    ask(ledger, about(terms, "q", "smoker", "0.29" if terms.deltas else "0.9"), person(terms), lambda _: None)
    binding = ledger.balance().joint.worst.binding
    assert ("smoker" in binding.about) == bool(terms.deltas)


def test_a_changed_record_is_offered_under_ldp_only(ledger, terms):
    ask(ledger, about(terms, "a", "region", "0.6"), person(terms), lambda _: None)
    before = ledger.contents()
    if terms.deltas:
        with pytest.raises(SordinoError, match="changed record is not covered"):
            ask(ledger, about(terms, "b", "region", "0.1"), person(terms, region="north"), print)
        assert ledger.contents() == before
        return
    with pytest.raises(RefusedError):
        ask(ledger, about(terms, "b", "region", "0.5"), person(terms, region="north"), print)
    ask(ledger, about(terms, "b", "region", "0.3"), person(terms, region="north"), lambda _: None)
    assert ledger.balance().joint.spent == pytest.approx(0.9)


def test_open_answers_of_three_categories_count_as_any(ledger, terms, stop_at, stopped):
    with pytest.raises(stopped):
        ask(Ledger(ledger.path, step=stop_at("stored")), about(terms, "q", "region", "0.2"), person(terms), print)
    assert len(ledger.balance().joint.ways) == 3
