"""Tests of equality over groups are made where counts are large enough for them, and not where a few would decide."""

import numpy as np
import pyarrow as pa
import pytest

from sordino import KeyedSource, Plan, Survey, estimate, privatize

SHARES = [0.9, 0.05, 0.02, 0.01, 0.01, 0.01]


def group_tests(epsilon, south):
    survey = {
        "version": 1,
        "epsilon": epsilon,
        "attribute": {"x": {"categories": list("abcdef")}},
        "public": {"region": {"categories": ["north", "south"]}},
        "ask": [{"histogram": "x"}],
    }
    plan, north = Plan.of(Survey.read(survey), 1000), 2000
    n = north + south
    values = np.random.default_rng(1).choice(list("abcdef"), n, p=SHARES)
    people = pa.table({"x": values, "region": ["north"] * north + ["south"] * south, "id": range(n)})
    reports = privatize(plan, people, KeyedSource(bytes(32), "t"), id_column="id")
    return estimate(plan, reports, by="region").views["groups"].tests


@pytest.mark.parametrize(("epsilon", "south", "tested"), [("8", 100, False), ("8", 2000, True), ("2", 120, True)])
def test_a_rare_value_in_a_small_group_is_not_tested_where_nothing_hides_it(epsilon, south, tested):
    assert len(group_tests(epsilon, south)) == tested
