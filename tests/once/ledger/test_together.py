"""Processes that ask at the same time: together they never pass the budget, and one query has one answer."""

import os
import time
from collections import Counter

import pytest

from commands import in_child
from sordino import Ledger
from waits import ended

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

PROCESSES = 6


def at_once(works):
    """Children that begin together, and how they end."""
    begin = time.monotonic() + 0.3

    def waiting(work):
        def run():
            time.sleep(max(begin - time.monotonic(), 0))
            work()

        return run

    children = [in_child(waiting(work)) for work in works]
    return [os.waitstatus_to_exitcode(ended(child)) for child in children]


def test_open_queries_never_pass_the_budget_together(ledger, question, record, told):
    """Each of them alone is fine, so are two; and nobody knows the answers of the others yet."""

    def reserve(place):
        return lambda: Ledger(ledger.path).reserve(question(f"q{place}", epsilon="0.4"), record())

    codes = at_once([reserve(place) for place in range(PROCESSES)])
    assert Counter(codes) == {0: 2, 1: PROCESSES - 2}
    assert len(ledger.entries().by_id) == 2
    assert told(ledger.entries().by_id.values()) <= 1


def test_answered_queries_never_pass_the_budget_together(ledger, question, record, ask_and_note, told, delivered):
    def work(place):
        return lambda: ask_and_note(
            ledger.path, question(f"q{place}", ["sleep", "against"][place % 2], "0.4"), record()
        )

    codes = at_once([work(place) for place in range(PROCESSES)])
    entries = ledger.entries().by_id
    assert 2 <= codes.count(0) == len(entries)
    assert told(entries.values()) <= 1 + 1e-9
    assert delivered(ledger.path) == {name: {entry.code} for name, entry in entries.items()}


def test_one_query_has_one_answer_whoever_asks(ledger, question, record, ask_and_note, delivered):
    """Forks share the state of their parent's random source, and may not share a draw; here only one of them draws."""
    for place in range(2):
        query = question(f"q{place}", epsilon="0.01")
        codes = at_once([lambda: ask_and_note(ledger.path, query, record())] * PROCESSES)  # noqa: B023
        assert codes == [0] * PROCESSES
        assert delivered(ledger.path)[query.id] == {ledger.entries().by_id[query.id].code}
    drawn = Counter(event.id for event in ledger.contents().events if event.event == "drawn")
    assert set(drawn.values()) == {1}


@pytest.mark.long
def test_forked_devices_draw_each_for_itself(tmp_path, terms, question, record, ask_and_note):
    """Ledgers of several people in children of one process, which has drawn already: their answers differ."""
    parent = Ledger.make(tmp_path / "parent.ledger", terms)
    ask_and_note(parent.path, question("q", epsilon="0.01"), record())
    ledgers = [Ledger.make(tmp_path / f"{place}.ledger", terms) for place in range(3)]
    queries = [question(f"q{i}", epsilon="0.01") for i in range(34)]

    def work(ledger):
        return lambda: [ask_and_note(ledger.path, query, record()) for query in queries]

    assert at_once([work(ledger) for ledger in ledgers]) == [0] * 3
    answers = {tuple(entry.code for entry in ledger.entries().by_id.values()) for ledger in ledgers}
    assert len(answers) == 3, "by chance two of them agree once in 5 billion runs"
