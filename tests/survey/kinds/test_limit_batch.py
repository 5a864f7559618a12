"""Limits that are looked for together are those that each question has by itself."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import sordino
from sordino import KeyedSource, Plan, Survey
from sordino.estimation.intervals.quotient import QuotientRows, likely_limits, likely_limits_of
from sordino.survey.kinds import limit_batch
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.shares.shares_result import HistogramResult

ATTRIBUTES = {
    "sex": {"categories": ["female", "male"]},
    **{name: {"categories": ["a", "b", "c"], "only_if": {"sex": "female"}} for name in ("x", "y", "z")},
    "w": {"categories": ["a", "b", "c", "d", "e"], "only_if": {"sex": "male"}},
    **{name: {"number": {"low": 0, "high": 10 + place}, "missing": 0.3} for place, name in enumerate(("m", "n"))},
}
ASKED = {
    "version": 1,
    "epsilon": "2",
    "attribute": ATTRIBUTES,
    "ask": [{"mean": [name]} if "number" in own else {"histogram": name} for name, own in ATTRIBUTES.items()],
}
PEOPLE = 1400


def people(count):
    rng = np.random.default_rng(1)
    sex = rng.choice(["female", "male"], count)
    columns = {"sex": sex.tolist()}
    for name, labels, asks in (*((n, "abc", "female") for n in "xyz"), ("w", "abcde", "male")):
        drawn = rng.choice(list(labels), count)
        columns[name] = [str(one) if own == asks else None for one, own in zip(drawn, sex, strict=True)]
    for name in "mn":
        columns[name] = [None if rng.random() < 0.3 else float(rng.uniform(0, 10)) for _ in range(count)]
    return columns


@pytest.fixture(scope="module")
def reported():
    """The plan, and a tally of its reports."""
    plan, table = Plan.of(Survey.read(ASKED), PEOPLE), pa.table(people(PEOPLE) | {"id": list(range(PEOPLE))})
    reports = sordino.privatize(plan, table, KeyedSource(bytes([1] * 32), "batch"), id_column="id")
    return plan, sordino.aggregate(plan, reports)


@pytest.fixture
def estimated(reported):
    return sordino.estimate(*reported)


def shown(result):
    if isinstance(result, HistogramResult):
        among = result.among_asked
        return [] if among is None else [among.low, among.high, among.stderr]
    return [*result.interval, result.stderr]


def test_all_questions_have_the_limits_that_each_has_by_itself(estimated, monkeypatch):
    calls, own = [], limit_batch.likely_limits_of
    monkeypatch.setattr(limit_batch, "likely_limits_of", lambda asked: calls.append(len(asked)) or own(asked))
    together = [shown(replace(result, batch=result.batch)) for result in estimated.results]
    # Once for all: three of three values, one of five, two means.
    assert calls == [6]
    alone = [shown(replace(result, batch=None)) for result in estimated.results]
    assert sum(map(len, together)) == 18
    for one, other in zip(together, alone, strict=True):
        for found, expected in zip(one, other, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


def test_another_coverage_is_looked_for_by_itself(estimated, monkeypatch):
    monkeypatch.setattr(limit_batch, "likely_limits_of", lambda _: pytest.fail("looked for together"))
    wide = Coverage(0.999)
    for result in estimated.results:
        found, expected = (shown(replace(result, coverage=wide, batch=batch)) for batch in (result.batch, None))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)


def test_limits_are_found_once_however_often_they_are_asked_for(estimated):
    batch = next(result.batch for result in estimated.results if result.question.name == "x")
    found, own = [], batch._find_others
    batch._find_others = lambda: found.append(1) or own()
    for _ in range(2):
        for result in estimated.results:
            shown(result.with_coverage(result.coverage))
    assert len(found) == 1


@pytest.mark.parametrize("most", [1, 40, 1 << 18])
def test_few_at_a_time_are_as_many_together(reported, estimated, most, monkeypatch):
    monkeypatch.setattr(limit_batch, "MOST_TOGETHER", most)
    again = sordino.estimate(*reported)
    for one, other in zip(again.results, estimated.results, strict=True):
        for found, expected in zip(shown(one), shown(other), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


def test_rows_of_several_kinds_come_back_in_their_order():
    rng = np.random.default_rng(3)

    def rows(shares, codes, error, *, own):
        law = rng.dirichlet(np.ones(codes), shares if own else None)
        limits = np.full(shares, 0.4), np.full(shares, 0.5)
        # Of every code about as much as makes a share of 0.45.
        wholes = rng.uniform(0.5, 1.5, (shares, codes))
        parts = 0.45 * wholes + rng.choice([-0.4, 0.4], (shares, codes))
        return QuotientRows(limits, parts, wholes, law, rng.integers(5, 50, shares) * 1.0 if own else 20, error)

    asked = [rows(2, 3, 0.05, own=False), rows(3, 4, 0.05, own=True), rows(1, 3, 0.05, own=True)]
    asked += [rows(2, 3, 0.01, own=True), rows(0, 3, 0.05, own=True), rows(2, 4, 0.05, own=False)]
    for one, found in zip(asked, likely_limits_of(asked), strict=True):
        for limit, expected in zip(found, likely_limits(*one), strict=True):
            np.testing.assert_allclose(limit, expected, rtol=1e-12)
    # Some widen.
    assert any((found[0] < one.limits[0]).any() for one, found in zip(asked, likely_limits_of(asked), strict=True))
    assert likely_limits_of([]) == []
