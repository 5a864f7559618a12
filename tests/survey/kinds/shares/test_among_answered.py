"""Shares among the people who answered: of categories that a missing answer counts as one of."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import sordino
from sordino import KeyedSource
from sordino.blocks.block import BlockGroup
from sordino.show.estimate_rows import result_rows
from sordino.survey.kinds.coverage import Coverage

PEOPLE = 20_000
TRUE = {"red": 0.1, "refused": 0.4, "green": 0.3, "blue": 0.2}
COLOUR = {"categories": [*TRUE], "missing": "refused"}


def survey(**attribute):
    return {
        "version": 1,
        "epsilon": "2",
        "attribute": {"colour": {**COLOUR, **attribute}},
        "ask": [{"histogram": "colour"}],
    }


def estimated(tables, given):
    plan = sordino.plan(tables, len(given))
    table = pa.table({"id": list(range(len(given))), "colour": given})
    return sordino.estimate(
        plan,
        sordino.aggregate(plan, sordino.privatize(plan, table, KeyedSource(bytes(32), "answered"), id_column="id")),
    )


def conditional(found):
    return [row for row in result_rows(found.results[0].blocks()) if row.get("kind") == "conditional"]


@pytest.fixture(scope="module")
def found():
    values = np.random.default_rng(5).choice([*TRUE], PEOPLE, p=[*TRUE.values()]).tolist()
    return estimated(survey(), [None if value == "refused" else value for value in values])


def test_shares_are_ratios_of_those_of_all_with_their_intervals(found):
    (result,) = found.results
    told, shares = result.among_asked, result.numbers["estimate"]
    rest = [0, 2, 3]
    np.testing.assert_allclose(told.value, shares[rest] / (1 - shares[1]))
    truth = np.array([*TRUE.values()])[rest] / 0.6
    assert ((told.low < truth) & (truth < told.high)).all()
    # A ratio is less certain than the share over the same number.
    assert (told.stderr > result.stderr[rest]).all()
    assert replace(result, coverage=Coverage(watched=True)).among_asked is None


def test_rows_name_the_values_and_among_whom(found):
    rows = conditional(found)
    assert [(row["attribute"], row["value"], row["given"]) for row in rows] == [
        ("colour", value, {"colour": "answered"}) for value in ("red", "green", "blue")
    ]
    titles = [group.title for group in found.results[0].blocks() if isinstance(group, BlockGroup)]
    assert titles[-1] == "Among those who answered other than 'refused'"


def test_one_answer_beside_a_missing_one_has_no_shares():
    (result,) = estimated(survey(categories=["yes", "refused"]), ["yes", None] * 500).results
    assert result.among_asked is None


def test_who_was_not_asked_is_left_out_as_before():
    tables = survey(only_if={"x": "yes"})
    tables["attribute"]["x"] = {"categories": ["yes", "no"]}
    plan = sordino.plan(tables, 1000)
    table = pa.table({"id": list(range(1000)), "x": ["yes", "no"] * 500, "colour": ["red", None] * 500})
    reports = sordino.privatize(plan, table, KeyedSource(bytes(32), "asked"), id_column="id")
    rows = conditional(sordino.estimate(plan, sordino.aggregate(plan, reports)))
    assert {row["value"]: row["given"] for row in rows} == {name: {"colour": "asked"} for name in TRUE}
