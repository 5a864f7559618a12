"""Empty cells of numbers: missing where the survey says that they may be, refused where it does not."""

import numpy as np
import pyarrow as pa
import pytest

from sordino import KeyedSource, Plan, SordinoError, Survey, privatize
from sordino.survey.answering.report_draw import draw_report
from sordino.tables.release import Release, Released
from sordino.tables.reports import privatize_table
from sordino.tables.values import read_values

ENDINGS = (".csv", ".csv.gz", ".parquet")

TABLES = {
    "version": 1,
    "epsilon": "2",
    "attribute": {
        "income": {"number": {"low": 0, "high": 1000, "clip": True}, "missing": "0.1"},
        "age": {"number": {"low": 0, "high": 100}},
    },
    "ask": [{"mean": ["income", "age"]}],
}


@pytest.fixture(scope="module")
def plan():
    return Plan.of(Survey.read(TABLES), 10_000)


@pytest.mark.parametrize("ending", ENDINGS)
def test_empty_cells_are_missing_where_they_may_be(tmp_path, plan, write_rows, ending):
    path = write_rows(tmp_path / f"p{ending}", {"income": [None, 250.0, 5000.0], "age": [50.0, 75.0, 100.0]})
    ((records,),) = read_values(plan, path)
    np.testing.assert_array_equal(records, [[np.nan, 0.0], [-0.5, 0.5], [1.0, 1.0]])
    assert privatize_table(plan, path, tmp_path / f"r{ending}") == Released(3, {"income": 1})


def test_whether_all_are_missing_changes_no_refusal(plan):
    """A column without any number has a type of its own in a frame."""
    for income in (pa.nulls(2), pa.array([None, None], pa.float64()), pa.array([None, 3.0])):
        assert privatize(plan, pa.table({"income": income, "age": [50.0, 60.0]})).num_rows == 2
    with pytest.raises(SordinoError, match="row 1, age: a value must be given; found a missing one in 2 of 2 rows"):
        privatize(plan, pa.table({"income": [1.0, 2.0], "age": pa.nulls(2)}))


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    ("column", "cells", "found"),
    [
        ("age", [50.0, None, 50.0], "row 2, age: a value must be given"),
        ("income", [None, float("nan"), 5.0], "row 2, income: a value must be a number"),
        ("income", [None, 5.0, float("inf")], "row 3, income: a value must be a number"),
    ],
)
def test_all_else_is_refused(tmp_path, plan, write_rows, ending, column, cells, found):
    path = write_rows(tmp_path / f"p{ending}", {"income": [1.0, 2.0, 3.0], "age": [1.0, 2.0, 3.0]} | {column: cells})
    with pytest.raises(SordinoError, match=found):
        privatize_table(plan, path, tmp_path / "r.csv")
    assert not (tmp_path / "r.csv").exists()


def test_a_word_for_what_is_missing_is_not_taken_for_it(tmp_path, plan):
    (tmp_path / "p.csv").write_text("income,age\n,50\nunknown,50\n")
    said = r"row 2, income: a value must be a number from 0 to 1000; found a wrong value in 1 of 2 rows \(text\): leave"
    with pytest.raises(SordinoError, match=said):
        privatize_table(plan, tmp_path / "p.csv", tmp_path / "r.csv")


def test_a_key_repeats_reports_of_who_is_missing(tmp_path, plan, write_rows):
    columns = {"who": [1, 2, 3], "income": [None, 250.0, None], "age": [50.0, 75.0, 100.0]}
    made = []
    for ending in ENDINGS:
        path, key = write_rows(tmp_path / f"p{ending}", columns), KeyedSource(bytes(32), "task")
        privatize_table(plan, path, tmp_path / f"r{ending}.csv", release=Release("who", key))
        made.append((tmp_path / f"r{ending}.csv").read_bytes())
    assert made[0] == made[1] == made[2]


def test_a_device_leaves_out_what_its_person_does_not_have(plan):
    for record in ({"age": 44}, {"age": 44, "income": 10}):
        assert draw_report(plan, {"version": 1, "record": record}).code < plan.sampled.outputs
    for record in ({"income": 10}, {"age": 44, "income": "none"}, {"age": 44, "income": float("nan")}):
        with pytest.raises(SordinoError):
            draw_report(plan, {"version": 1, "record": record})
