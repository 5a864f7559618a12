"""Public values on Spark: the same reports and the same tallies by cells as on one machine."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sordino import KeyedSource, Plan, Survey, aggregate, estimate, privatize

pytestmark = pytest.mark.spark

REGIONS = ["north", "a `quoted` south"]


@pytest.fixture(scope="module")
def grouped():
    public = {"region": {"categories": REGIONS}, "an arm": {"categories": ["u", "v", "w"], "column": "arm"}}
    survey = {"version": 1, "epsilon": "1", "attribute": {"x": {"categories": 5}}, "ask": [{"histogram": "x"}]}
    return Plan.of(Survey.read({**survey, "public": public}), 3000)


def test_reports_and_tallies_are_those_of_one_machine(grouped, spark, tmp_path):
    n = 3000
    columns = {"region": [REGIONS[i % 7 // 4] for i in range(n)], "arm": ["uvw"[i % 3] for i in range(n)]}
    people = pa.table({**columns, "x": [i % 5 for i in range(n)], "id": range(n)})
    pq.write_table(people, tmp_path / "people.parquet")
    key = KeyedSource(bytes(range(32)), "t")
    expected = privatize(grouped, people, key, id_column="id")
    frame = spark.read.parquet(str(tmp_path / "people.parquet")).repartition(5)
    reports = privatize(grouped, frame, key, id_column="id")
    found = reports.toArrow()
    assert found.column_names == expected.column_names == ["plan", "code", "region", "an arm"]
    names = ("code", "region", "an arm")
    rows = [sorted(zip(*(table[name].to_pylist() for name in names), strict=True)) for table in (found, expected)]
    assert rows[0] == rows[1]
    tally, own = aggregate(grouped, reports), aggregate(grouped, expected)
    assert tally.counts.tolist() == own.counts.tolist()
    assert {cell: counts.tolist() for cell, counts in tally.cells.items()} == {
        cell: counts.tolist() for cell, counts in own.cells.items()
    }
    output, release = tmp_path / "reports", {"key": tmp_path / "key", "task": "t", "id_column": "id"}
    privatize(grouped, tmp_path / "people.parquet", **release, output=output, engine="spark")
    groups = estimate(grouped, aggregate(grouped, output, engine="spark"), by="region").views["groups"].groups
    assert [group.n for group in groups] == [columns["region"].count(region) for region in REGIONS]
