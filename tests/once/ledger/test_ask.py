"""Answers are drawn by the query's own channel: their law is that of its integers, and the report says no more."""

import numpy as np
import pytest

from sordino import Ledger, Report, ask
from sordino.once.ledger.explain_ledger import ledger_sentences
from sordino.once.ledger.ledger_query import AskedQuery
from sordino.once.ledger.ledger_terms import LedgerTerms
from sordino.once.ledger.person_record import PersonRecord


class Words:
    """A source that gives some words, and then zeros."""

    def __init__(self, *words):
        self.words = [*words, 0, 0, 0]

    def stream(self, values):
        return self

    def next(self):
        return np.array([self.words.pop(0)], dtype=np.uint64)

    def take(self, rows):
        return self


@pytest.fixture
def person():
    """Terms, an empty-handed maker of ledgers' queries, and a record."""
    ages = {"age": {"number": {"low": 18, "high": 90}}}
    terms = LedgerTerms.read({"version": 1, "epsilon": "4", "attribute": ages})
    model = {"linear": {"theta": {"age": 1}, "low": 18, "high": 90}}

    def query(name):
        return AskedQuery.read({"version": 1, "id": name, "collector": "c", "epsilon": "1", **model}, terms)

    return terms, query, PersonRecord.read({"version": 1, "record": {"age": 36}}, terms)


def test_the_answer_is_the_comparison_with_the_channels_integers(tmp_path, person):
    """First at which end the record is read, a quarter of the way; then whether that is told."""
    terms, query, record = person
    ledger = Ledger.make(tmp_path / "me.ledger", terms)
    threshold, upper, arrived = query("x").channel.mechanism.threshold, 2**63 + 2**62, []
    for name, words in {
        "upper": (upper - 1,),
        "lower": (upper,),
        "told": (upper, threshold - 1),
        "turned": (upper, threshold),
    }.items():
        ask(ledger, query(name), record, arrived.append, Words(*words))
    assert [report.code for report in arrived] == [1, 0, 0, 1]


def test_a_report_holds_what_the_collector_may_know(person):
    _, query, _ = person
    for again in (False, True):
        document = Report(query("q"), 1, again).json()
        assert document == {"id": "q", "collector": "c", "query": query("q").hash, "code": "1"}


def test_explanations_name_what_is_promised_and_left(tmp_path, person):
    terms, query, record = person
    ledger = Ledger.make(tmp_path / "me.ledger", terms)
    text = " ".join(ledger_sentences(ledger))
    assert "54.6" in text, "e^4, rounded up"
    assert "So far 0 queries" in text
    ask(ledger, query("q"), record, lambda _: None)
    ledger.reserve(query("r"), record)
    text = " ".join(ledger_sentences(ledger))
    assert "So far 2 queries" in text
    assert "1 answers may not have been sent" in text


def test_explanations_name_each_delta(tmp_path):
    tables = {"a": {"categories": ["x", "y"], "delta": "ln 2"}, "b": {"categories": ["x", "y"]}}
    terms = LedgerTerms.read({"version": 1, "epsilon": "ln 8", "attribute": tables, "dependence": {"rest": 0.1}})
    text = " ".join(ledger_sentences(Ledger.make(tmp_path / "me.ledger", terms)))
    assert "About 'a': a factor of at most 2," in text
    assert "About 'b': a factor of at most 8," in text
