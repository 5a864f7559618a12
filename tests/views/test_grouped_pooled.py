"""What several questions say together of a group is what its own reports say together, in every output."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from sordino import aggregate, estimate, plan, privatize
from sordino.blocks.block import blocks_of
from sordino.blocks.tables import QuantityTable

YES, AGE = {"categories": ["yes", "no"]}, {"number": {"low": 0, "high": 100}}
SURVEY = {
    "version": 1,
    "epsilon": "4",
    "public": {"region": {"categories": ["north", "south", "far"]}},
    "attribute": {"smoker": YES, "vegan": YES, "age": AGE, "height": {"number": {"low": 100, "high": 220}}},
    "ask": [
        {"histogram": "smoker"},
        {"table": ["smoker", "vegan"]},
        {"mean": "age"},
        {"covariance": ["age", "height"]},
    ],
}


@pytest.fixture(scope="module")
def reports():
    n, draw = 6000, np.random.default_rng(1)
    region = np.array(["north", "south"])[draw.integers(0, 2, n)]
    region[:20] = "far"
    people = {
        "region": region,
        "smoker": np.where(draw.random(n) < np.where(region == "north", 0.5, 0.2), "yes", "no"),
        "vegan": np.where(draw.random(n) < 0.3, "yes", "no"),
        "age": draw.uniform(20, 80, n),
        "height": draw.uniform(150, 190, n),
    }
    frozen = plan(SURVEY, people=n)
    return frozen, privatize(frozen, pa.table(people))


@pytest.fixture(scope="module")
def found(reports):
    frozen, sent = reports
    return estimate(frozen, aggregate(frozen, sent), by="region")


def rows_alone(reports, region):
    """What the reports of one region say together, without any others."""
    frozen, sent = reports
    table = pa.table(sent)
    own = table.filter(pc.equal(table["region"], region))
    return [row for result in estimate(frozen, aggregate(frozen, own)).views["pooled"].each for row in result.rows()]


def test_a_group_has_what_its_reports_say_together(reports, found):
    for group in found.views["groups"].groups:
        told = [row for result in group.pooled for row in result.rows()]
        assert told == ([] if group.label == "far" else rows_alone(reports, group.label))
    names = {result.name for group in found.views["groups"].groups for result in group.pooled}
    assert names == {"smoker", "mean of age"}


def test_every_output_has_it(reports, found):
    told = json.loads(json.dumps(found.views["groups"].json()))["group_pooled"]
    alone = [{**row, "group": region} for region in ("north", "south") for row in rows_alone(reports, region)]
    assert told == alone
    frame = [row for row in found.to_arrow().to_pylist() if row["kind"] == "pooled" and row["group"]]
    assert [(row["group"], row["value"], row["estimate"]) for row in frame] == [
        (row["group"], row["value"], row["estimate"]) for row in alone
    ]
    assert {row["attribute"] for row in frame} == {"smoker", "mean of age"}
    tables = [one for one in blocks_of(QuantityTable, found.views["groups"].blocks()) if one.kind(0) == "pooled"]
    assert [table.about for table in tables] == ["smoker", "mean of age"]
    assert [tables[0].group(place) for place in range(tables[0].count)] == ["north", "north", "south", "south"]
