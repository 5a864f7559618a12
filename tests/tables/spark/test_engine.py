"""Spark's reports are DuckDB's: for a key the same ones, however the rows are parted and however often."""

from hashlib import sha256

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sordino import aggregate, estimate, privatize
from sordino.survey.results.aggregate_file import save_aggregate
from sordino.tables.jobs import pieces
from surveys import planned

pytestmark = pytest.mark.spark


def codes_of(reports):
    return np.array([int(code) for code in reports.toArrow().column("code").to_pylist()], dtype=np.uint64)


@pytest.mark.parametrize("ids", ["large", "who"])
def test_reports_are_those_of_the_file_in_the_order_of_its_rows(plan, key, table, frame, ids):
    expected = privatize(plan, table, key, id_column=ids)
    found = privatize(plan, frame, key, id_column=ids).toArrow()
    assert found.column_names == ["plan", "code"]
    assert found.column("code").to_pylist() == expected.column("code").to_pylist()
    assert {int(tag) for tag in found.column("plan").to_pylist()} == {plan.tag}


@pytest.mark.parametrize("ask", [{"distribution": "age"}, {"above": "age", "threshold": 60}], ids=["bins", "above"])
def test_a_number_that_is_corrected_within_its_bin_keeps_its_report(key, table, spark, tmp_path, ask):
    age = {"number": {"low": 0, "high": 120, "bins": 6}}
    plan = planned({"version": 1, "epsilon": "2", "attribute": {"age": age}, "ask": [ask]})
    expected = privatize(plan, table, key, id_column="who").column("code").to_pylist()
    numbers = table.column("age").to_numpy()
    corrected = table.set_column(1, "age", pa.array(numbers // 20 * 20 + 19.5))
    pq.write_table(corrected, tmp_path / "people.parquet", row_group_size=500)
    frame = spark.read.parquet(str(tmp_path / "people.parquet"))
    assert privatize(plan, frame, key, id_column="who").toArrow().column("code").to_pylist() == expected
    moved = table.set_column(1, "age", pa.array((numbers + 60) % 120))
    assert privatize(plan, moved, key, id_column="who").column("code").to_pylist() != expected


def test_one_tally_in_any_engine_and_partitioning(plan, key, people, frame, tmp_path, monkeypatch):
    """The same bytes of an aggregate: DuckDB, two processes of it, and Spark with 1, 7 and 64 partitions."""
    monkeypatch.setattr(pieces, "LEAST", 1000)
    tallies = {}
    for jobs in (1, 2):
        reports = tmp_path / f"reports{jobs}.parquet"
        privatize(plan, people, key, id_column="who", output=reports, jobs=jobs)
        tallies[f"duckdb {jobs}"] = aggregate(plan, reports)
        tallies[f"spark reads duckdb {jobs}"] = aggregate(plan, reports, engine="spark")
    for count in (1, 7, 64):
        parted = frame.repartition(count)
        reports = privatize(plan, parted, key, id_column="who")
        assert reports.rdd.getNumPartitions() == count
        tallies[f"spark {count}"] = aggregate(plan, reports)
    hashes = {}
    for name, tally in tallies.items():
        save_aggregate(plan, tally, tmp_path / f"{name}.json")
        hashes[name] = sha256((tmp_path / f"{name}.json").read_bytes()).hexdigest()
    assert len(hashes) == 7
    assert len(set(hashes.values())) == 1, hashes


def test_two_actions_on_one_lazy_table_release_once(plan, key, frame):
    reports = privatize(plan, frame.repartition(5), key, id_column="id")
    first, second = codes_of(reports), codes_of(reports)
    assert np.array_equal(first, second)
    assert aggregate(plan, reports).counts.sum() == aggregate(plan, reports).counts.sum() > 0


def test_a_folder_of_reports_is_tallied_and_estimated_as_any_other(plan, key, people, tmp_path, spark):
    for day, wave in enumerate(("monday", "tuesday")):
        folder = tmp_path / "reports" / f"day={day}"
        folder.parent.mkdir(exist_ok=True)
        source = type(key)(bytes(32), wave)
        assert privatize(plan, people, source, id_column="id", output=folder, engine="spark") == 3000
    tally = aggregate(plan, tmp_path / "reports", engine="spark")
    files = sorted((tmp_path / "reports").glob("*/part-*.parquet"))
    assert np.array_equal(tally.counts, aggregate(plan, *files).counts)
    assert tally.n == 6000
    assert estimate(plan, tally).n == 6000
    assert sum(pq.read_metadata(file).num_rows for file in files) == 6000
