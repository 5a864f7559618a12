"""What is given to Spark in a wrong way: one clear error on the driver, and nothing is written."""

import json
import shutil
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sordino import Plan, SordinoError, Survey, aggregate, privatize
from sordino.errors import DamagedError

pytestmark = pytest.mark.spark


def refused(plan, frame, folder, **given):
    """The error of a release into a folder, which holds nothing afterwards."""
    output = folder / "reports"
    given = {"id_column": "id", "key": folder / "key"} | given
    with pytest.raises(SordinoError) as raised:
        privatize(plan, frame, output=output, engine="spark", **given)
    assert list(folder.iterdir()) == []
    assert "Traceback" not in str(raised.value)
    return raised.value


def test_frames_without_what_is_asked(plan, frame, tmp_path):
    assert "must have the columns value, age, name" in refused(plan, frame.drop("age"), tmp_path).rule
    assert "must have the column who is it" in refused(plan, frame, tmp_path, id_column="who is it").rule
    assert "needs a key" in refused(plan, frame, tmp_path, key=None).rule
    assert "needs the ids" in refused(plan, frame, tmp_path, id_column=None).rule
    assert "no rows" in refused(plan, frame.limit(0), tmp_path).found
    assert "jobs are DuckDB's" in refused(plan, frame, tmp_path, jobs=2).rule
    twice = frame.select("*", frame.age.alias("AGE"))
    assert "each column once" in refused(plan, twice, tmp_path).rule
    timed = frame.withColumn("name", frame.id.cast("timestamp"))
    assert refused(plan, timed, tmp_path).found == "type timestamp"
    fractions = frame.withColumn("id", frame.id.cast("double"))
    assert refused(plan, fractions, tmp_path).found == "type DOUBLE"


@pytest.mark.parametrize("ids", ["id", "who"])
def test_ids_that_stand_twice_across_partitions(plan, frame, tmp_path, ids):
    twice = frame.union(frame.where("id % 1000 = 1")).repartition(5)
    error = refused(plan, twice, tmp_path, id_column=ids)
    assert "each row must have a different id" in error.rule
    assert error.found == "3 that stand in several of 3,003 rows"


def test_ids_that_are_missing(plan, frame, tmp_path):
    from pyspark.sql import functions as f

    none = frame.withColumn("who", f.when(frame.id == -3000, "").when(frame.id == 4919, None).otherwise(frame.who))
    assert "none in 2 of 3,000 rows" in refused(plan, none, tmp_path, id_column="who").found


def test_a_bad_value_in_any_partition_leaves_nothing(plan, frame, tmp_path):
    from pyspark.sql import functions as f

    bad = frame.withColumn("age", f.when(frame.id == 2500 * 7919 - 3000, 500.0).otherwise(frame.age))
    error = refused(plan, bad.coalesce(1), tmp_path)
    assert error.rule == "the frame (partition 0), row 2501, age: a value must be a number from 0 to 120"
    assert error.found == "a wrong value in 1 of 3,000 rows (beyond the range)"


def test_an_output_that_exists(plan, frame, key, tmp_path):
    (tmp_path / "reports").mkdir()
    with pytest.raises(SordinoError, match="must not exist"):
        privatize(plan, frame, key, id_column="id", output=tmp_path / "reports")
    assert list(tmp_path.iterdir()) == [tmp_path / "reports"]
    assert not list((tmp_path / "reports").iterdir())


def test_a_plan_that_changes_under_a_running_job(plan, frame, tmp_path):
    """The work goes on by the plan that was read, and nothing appears, since it is not known which one was meant."""
    other = Plan.of(Survey.read({"version": 1, "epsilon": "2", **_asked(plan)}), 3000)
    folder, path = tmp_path / "there", tmp_path / "plan.json"
    folder.mkdir()
    plan.save(path)
    content = other.bytes

    def change(batches):
        path.write_bytes(content)
        yield from batches

    error = refused(path, frame.mapInArrow(change, frame.schema), folder)
    assert error.rule == f"{path} must not change while it is used"
    assert error.found == "a different plan"


def _asked(plan):
    return {
        "attribute": {"value": {"categories": 10}, "age": {"number": {"low": 0, "high": 120}}},
        "ask": [{"histogram": "value"}, {"mean": "age"}],
    }


def test_reports_of_another_plan_and_codes_of_none(plan, spark, table):
    (code,) = privatize(plan, table.slice(0, 1)).column("code").to_pylist()

    def tallied(tag, code):
        return aggregate(plan, spark.createDataFrame([(Decimal(tag), code)], "plan decimal(20,0), code bigint"))

    assert tallied(plan.tag, code).n == 1
    with pytest.raises(SordinoError, match="a report must belong to the plan"):
        tallied(plan.tag - 1, code)
    with pytest.raises(DamagedError, match="a code must be one of the plan's"):
        tallied(plan.tag, 10**6)
    with pytest.raises(SordinoError, match="an aggregate needs reports"):
        aggregate(plan, spark.createDataFrame([], "plan decimal(20,0), code bigint"))
    with pytest.raises(SordinoError, match="must have the columns plan, code"):
        aggregate(plan, spark.createDataFrame([(1,)], "code bigint"))


def test_a_file_and_its_copy_in_another_folder(plan, table, tmp_path, spark):
    for day in ("monday", "tuesday"):
        (tmp_path / day).mkdir()
    privatize(plan, table, output=tmp_path / "monday" / "reports.parquet")
    shutil.copy(tmp_path / "monday" / "reports.parquet", tmp_path / "tuesday" / "again.parquet")
    with pytest.raises(SordinoError, match=r"tuesday/again.parquet must hold other reports than .*monday/reports"):
        aggregate(plan, tmp_path, engine="spark")


def test_commands_from_a_folder_of_people_to_an_estimate(plan, table, people, tmp_path, monkeypatch, run, spark):
    monkeypatch.chdir(tmp_path)
    plan.save("plan.json")
    Path("people").mkdir()
    for day in ("monday", "tuesday"):
        Path("people", day).mkdir()
    shutil.copy(people, "people/monday/all.parquet")

    more = table.set_column(table.column_names.index("id"), "id", pa.array(range(10**9, 10**9 + len(table))))
    pq.write_table(more, "people/tuesday/all.parquet")
    words = ["privatize", "plan.json", "people", "-o", "reports", "--engine", "spark", "--key", "key", "--id", "id"]
    code, out, err = run(*words, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["n"] == 6000
    code, out, err = run("aggregate", "plan.json", "reports", "-o", "tally.json", "--engine", "spark")
    assert (code, err) == (0, "")
    code, out, err = run("estimate", "plan.json", "tally.json", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["n"] == 6000
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert "reports must not exist" in err
    # What a writer that was killed has left.
    Path("reports/_SUCCESS").unlink()
    code, out, err = run("aggregate", "plan.json", "reports", "-o", "other.json", "--engine", "spark")
    assert (code, out) == (4, "")
    assert "must be a folder that was written to its end" in err
    assert not Path("other.json").exists()
