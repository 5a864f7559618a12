"""What one engine takes for a value the other takes for the same, and what one refuses the other refuses."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sordino import SordinoError, privatize
from sordino import plan as plan_of

pytestmark = pytest.mark.spark

ROWS = 60
NAMES = ["red", "green", "dark, blue", "weiß"]


def people(**columns):
    """A few people; columns may be others, or more, or none (None)."""
    numbers = np.arange(ROWS)
    own = {
        "value": pa.array(numbers % 10),
        "age": pa.array(numbers % 50 + 0.5),
        "name": pa.array([NAMES[i % 4] for i in range(ROWS)]),
        "who": pa.array([f"person {i}" for i in range(ROWS)]),
    } | columns
    return pa.table({name: column for name, column in own.items() if column is not None})


def put(values, place, value):
    return [*values[:place], value, *values[place + 1 :]]


def odd():
    """People in types that are seldom seen, beside columns that nobody asked for."""
    whos = ["a", "a\0", "a\0\0", "A", "17", "017", "-17", "-0", "x" * 100_000, "ü", "u\u0308", "\x7f", " "]
    decimals = [Decimal(i % 50) + Decimal("0.25") for i in range(ROWS)]
    return people(
        value=pa.array([str(i % 10) for i in range(ROWS)], pa.large_string()),
        age=pa.array(decimals, pa.decimal128(12, 2)),
        name=people().column("name").dictionary_encode(),
        who=pa.array([*whos, *(f"person {i}" for i in range(ROWS - len(whos)))]).dictionary_encode(),
        at=pa.array(range(ROWS), pa.timestamp("us", "Europe/Berlin")),
        parts=pa.array([{"value": [i]} for i in range(ROWS)]),
        nothing=pa.nulls(ROWS, pa.int8()),
    )


def test_odd_columns_give_the_same_reports(plan, key, spark, tmp_path):
    table = odd()
    pq.write_table(table, tmp_path / "all.parquet", row_group_size=7)
    expected = privatize(plan, tmp_path / "all.parquet", key, id_column="who").column("code").to_pylist()
    (tmp_path / "days" / "VALUE=1").mkdir(parents=True)
    pq.write_table(table.slice(0, 25), tmp_path / "days" / "VALUE=1" / "a.parquet", row_group_size=7)
    pq.write_table(table.slice(25), tmp_path / "days" / "b.parquet", row_group_size=7)
    pq.write_table(table.slice(0, 0), tmp_path / "days" / "c.parquet")
    for given in (tmp_path / "all.parquet", tmp_path / "days"):
        found = privatize(plan, given, key, id_column="who", engine="spark").toArrow()
        assert found.column("code").to_pylist() == expected, given
        name = f"{given.name}-reports"
        assert privatize(plan, given, key, id_column="who", engine="spark", output=tmp_path / name) == ROWS
        assert pq.read_table(tmp_path / name).column("code").to_pylist() == expected
    for ansi in ("true", "false"):
        spark.conf.set("spark.sql.ansi.enabled", ansi)
        try:
            frame = spark.read.parquet(str(tmp_path / "all.parquet"))
            found = privatize(plan, frame, key, id_column="who").toArrow()
            assert found.column("code").to_pylist() == expected, ansi
        finally:
            spark.conf.unset("spark.sql.ansi.enabled")


WHO = [f"person {i}" for i in range(ROWS)]
VALUES = [i % 10 for i in range(ROWS)]
AGES = [float(i % 50) for i in range(ROWS)]
WRONG = {
    "another case": people(value=None, VALUE=pa.array(VALUES)),
    "two cases": people(AGE=pa.array(AGES)),
    "no value": people(value=pa.array(put(VALUES, 30, None))),
    "beyond": people(value=pa.array(put(VALUES, 59, 10))),
    "a fraction": people(value=pa.array(put(AGES, 59, 0.5))),
    "not a number": people(age=pa.array(put(AGES, 31, float("nan")))),
    "infinite": people(age=pa.array(put(AGES, 31, float("inf")))),
    "underscore": people(age=pa.array(put(list(map(str, AGES)), 1, "1_0"))),
    "another name": people(name=pa.array(put([NAMES[0]] * ROWS, 58, "red "))),
    "dates as numbers": people(age=pa.array(VALUES, pa.date32())),
    "truth values as numbers": people(value=pa.array([True, False] * (ROWS // 2))),
    "times as names": people(name=pa.array(VALUES, pa.timestamp("us", "UTC"))),
    "lists as names": people(name=pa.array([[name] for name in NAMES] * (ROWS // 4))),
    "no id": people(who=pa.array(put(WHO, 41, None))),
    "an empty id": people(who=pa.array(put(WHO, 41, ""))),
    "an id twice": people(who=pa.array(put(WHO, 41, "person 2"))),
    "an id twice that ends in a zero byte": people(who=pa.array(put(put(WHO, 41, "a\0"), 3, "a\0"))),
    "fractions as ids": people(who=pa.array(AGES)),
    "bytes as ids": people(who=pa.array([who.encode() for who in WHO])),
    "dates as ids": people(who=pa.array(range(ROWS), pa.date32())),
    "no ids": people(who=None),
    "nobody": people().slice(0, 0),
}
OTHER_WORDS = {"no id", "an empty id", "an id twice", "an id twice that ends in a zero byte"}
"""Ids of all partitions are counted; a row is named where one table is read from its beginning to its end."""


def refusal(plan, given, key, output, **options):
    with pytest.raises(SordinoError) as raised:
        privatize(plan, given, key, id_column="who", output=output, **options)
    assert not output.exists()
    return type(raised.value), raised.value.rule, raised.value.found


def test_what_is_refused_is_refused_alike(plan, key, spark, tmp_path):
    for name, table in WRONG.items():
        path = tmp_path / f"{name}.parquet"
        pq.write_table(table, path, row_group_size=20)
        expected = refusal(plan, path, key, tmp_path / "none.parquet")
        found = refusal(plan, path, key, tmp_path / "none", engine="spark")
        assert found[0] is expected[0], name
        if name in OTHER_WORDS:
            assert found[1] == f"{path}, who: each row must have a different id"
            assert "each row must have a different id" in expected[1], name
        else:
            assert found[1:] == expected[1:], name
        # Of two names that differ in case only Spark itself makes no frame.
        if name != "two cases":
            refusal(plan, spark.read.parquet(str(path)), key, tmp_path / "none")


def test_files_of_a_folder_that_differ_are_refused(plan, key, spark, tmp_path):
    own = people()
    others = {
        "another type": people(value=pa.array(VALUES, pa.int32())),
        "another order": own.select(["age", "value", "name", "who"]),
        "another case": own.rename_columns(["value", "AGE", "name", "who"]),
        "one less": own.drop_columns(["name"]),
    }
    for name, other in others.items():
        folder = tmp_path / name
        folder.mkdir()
        pq.write_table(own.slice(0, 30), folder / "a.parquet")
        pq.write_table(other.slice(30), folder / "b.parquet")
        with pytest.raises(SordinoError, match=r"b\.parquet must have the columns of .*a\.parquet"):
            privatize(plan, folder, key, id_column="who", engine="spark", output=tmp_path / "reports")
    assert not (tmp_path / "reports").exists()


@pytest.fixture(params=["true", "false"], ids=["adaptive", "as planned"])
def adaptive(spark, request):
    """Whether Spark joins small partitions as it goes, as it does by default."""
    before = spark.conf.get("spark.sql.adaptive.enabled")
    spark.conf.set("spark.sql.adaptive.enabled", request.param)
    yield
    spark.conf.set("spark.sql.adaptive.enabled", before)


@pytest.mark.usefixtures("adaptive")
def test_an_id_that_stands_in_two_files_is_refused(plan, key, spark, tmp_path):
    (tmp_path / "days").mkdir()
    for name, rows in {"a": people().slice(0, 30), "b": people().slice(29)}.items():
        pq.write_table(rows, tmp_path / "days" / f"{name}.parquet")
    _, rule, found = refusal(plan, tmp_path / "days", key, tmp_path / "none", engine="spark")
    assert rule == f"{tmp_path / 'days'}, who: each row must have a different id"
    assert found == "1 that stands in several of 61 rows"


def test_files_that_change_before_a_lazy_frame_is_read_are_refused(plan, key, spark, tmp_path):
    """Ids were compared in other files: two of these could share their noise."""
    path = tmp_path / "people.parquet"
    pq.write_table(people(), path)
    reports = privatize(plan, path, key, id_column="who", engine="spark")
    assert reports.count() == ROWS
    pq.write_table(people(who=pa.array(put(WHO, 41, "person 2"))), path)
    with pytest.raises(Exception, match="must not change while it is read"):
        reports.toArrow()


def test_lists_and_what_is_not_asked_are_read_alike(key, spark, tmp_path):
    """Categories of which several apply, and those that earlier answers decide: of a frame and of a file."""
    why = {"categories": ["fun", "stress", "friends"], "several": 2, "only_if": {"smoker": "yes"}}
    packs = {"categories": ["1", "2"], "only_if": {"smoker": "yes"}}
    attributes = {"smoker": {"categories": ["yes", "no"]}, "packs": packs, "why": why}
    asks = [{"histogram": "packs"}, {"several": "why"}]
    asked = plan_of({"version": 1, "epsilon": "2", "attribute": attributes, "ask": asks}, 1000)
    answers = [("yes", "1", ["stress", "fun"]), ("yes", "2", []), ("no", None, None)]
    rows = [(f"person {i}", *answers[i % 3]) for i in range(ROWS)]
    table = pa.Table.from_pylist([dict(zip(("who", "smoker", "packs", "why"), row, strict=True)) for row in rows])
    expected = privatize(asked, table, key, id_column="who").column("code").to_pylist()
    frame = spark.createDataFrame(rows, "who string, smoker string, packs string, why array<string>")
    pq.write_table(table, tmp_path / "people.parquet")
    for given in (frame, tmp_path / "people.parquet"):
        found = privatize(asked, given, key, id_column="who", engine="spark").toArrow()
        assert sorted(found.column("code").to_pylist()) == sorted(expected)
