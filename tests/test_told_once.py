"""Of a run in several processes nothing is kept back but that a part of a test went well."""

import pytest

from told_once import telling_less, worth_telling


@pytest.mark.parametrize("when", ["setup", "call", "teardown"])
@pytest.mark.parametrize("outcome", ["passed", "failed", "skipped"])
def test_every_result_and_every_failure_is_told(when, outcome):
    told = worth_telling("testreport", {"data": {"when": when, "outcome": outcome}})
    assert told == (when == "call" or outcome != "passed")


@pytest.mark.parametrize("name", ["collectionfinish", "runtest_protocol_complete", "warning_recorded"])
def test_all_else_is_told(name):
    assert worth_telling(name, {"ids": ["a"]})


def test_what_is_told_is_told_as_it_is():
    sent = []
    tell = telling_less(lambda name, **facts: sent.append((name, facts)))
    tell("logstart", nodeid="a", location=None)
    tell("testreport", data={"when": "call", "outcome": "passed"})
    assert sent == [("testreport", {"data": {"when": "call", "outcome": "passed"}})]
