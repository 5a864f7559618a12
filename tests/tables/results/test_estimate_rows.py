"""Estimates as a table: names that a spreadsheet would run are texts in a CSV file, and exact in a Parquet file."""

import csv
import gzip
import re
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from pyarrow import parquet

from sordino import Plan, Survey
from sordino.show import estimate_rows as cells
from sordino.show.estimate_rows import tables_of
from sordino.survey.results.result import results
from sordino.tables.results.spreadsheet_cells import as_cell
from sordino.tables.results.tidy import COLUMNS as FILE_COLUMNS
from sordino.tables.results.tidy import table_of, write_tidy

COLUMNS = ("attribute", "value", "estimate", "stderr", "low", "high", "fitted", "kind")

FORMULAS = [
    *(
        "=1+1",
        "=cmd|' /C calc'!A0",
        "+1",
        "+49 30 1",
        "-1+1",
        "-A1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "-",
        "=",
        "--5",
    ),
    *(" =1+1", "\u00a0=1+1", "\ufeff=1+1", "\uff1d1+1", "a;=1+1", "a\t+1", "a; -1"),
    *("-71.1,42.3,A1", "-1e5+A1", "-5%", "- 5", "'=1", "''+x"),
]
TEXTS = [
    "-5",
    "-0.25",
    "-1e-5",
    "-71.1,42.3",
    "-71.1, -42.3",
    "5",
    "a=b",
    "a;b",
    "a; b=c",
    "it's",
    "'tis",
    "1-2",
    "",
    "München",
    "a@b",
]


def test_formulas_become_texts_and_numbers_stay():
    assert [as_cell(text) for text in FORMULAS] == [f"'{text}" for text in FORMULAS]
    assert [as_cell(text) for text in TEXTS] == TEXTS


def test_each_name_can_be_told_from_its_cell():
    names = [text for base in (*FORMULAS, *TEXTS) for text in (base, f"'{base}", f"''{base}")]
    assert len({as_cell(name) for name in names}) == len(set(names))


@pytest.fixture
def found():
    labels = [text for text in dict.fromkeys((*FORMULAS, *TEXTS)) if text]
    survey = {"version": 1, "epsilon": "1", "ask": [{"histogram": "=A1"}]}
    plan = Plan.of(Survey.read(survey | {"attribute": {"=A1": {"categories": labels}}}), 1000)
    return results(plan, plan.sampled.tally(plan.sampled.privatize([np.arange(1000) % len(labels)])))


def tables(found):
    return [table for result in found for table in tables_of(result.blocks())]


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_a_table_of_estimates_runs_nothing(tmp_path, found, ending):
    path = tmp_path / f"table{ending}"
    write_tidy(tables(found), (), 0.95, path)
    names = [str(row["value"]) for result in found for row in result.rows()]
    if ending == ".parquet":
        assert parquet.read_table(path).column("term").to_pylist() == names
        return
    content = gzip.decompress(path.read_bytes()) if ending == ".csv.gz" else path.read_bytes()
    rows = list(csv.DictReader(StringIO(content.decode(), newline="")))
    assert [row["term"] for row in rows] == [f"'{name}" if name in FORMULAS else name for name in names]
    for row in rows:
        for cell in row.values():
            assert not re.match(r"[=+@\t\r\n]|-(?![0-9.e, -]+$)", cell)
    assert {row["attribute"] for row in rows} == {"'=A1"}


@pytest.mark.parametrize("at_a_time", [1, 7, 1 << 15])
def test_a_table_has_the_rows_of_its_results(found, monkeypatch, at_a_time):
    """Written by columns, some rows at a time; what was fitted is null where nothing was."""
    monkeypatch.setattr(cells, "ROWS", at_a_time)
    rows = [{"fitted": None, "kind": "share"} | row for result in found for row in result.rows()]
    assert table_of(tables(found)).to_pylist() == [{name: row[name] for name in COLUMNS} for row in rows]
    without = [replace(found[0], estimate=replace(found[0].estimate, fitted=None))]
    assert table_of(tables([*found, *without])).column("fitted").null_count == len(rows)


@pytest.mark.parametrize("at_a_time", [2, 1 << 15])
def test_what_is_made_of_estimates_stands_behind_them(tmp_path, found, monkeypatch, at_a_time):
    """Names of values are whatever a survey's author chose, in every column."""
    monkeypatch.setattr(cells, "ROWS", at_a_time)
    head = {"attribute": "=A1", "value": "+1", "estimate": 0.25, "stderr": None, "low": 0.0, "high": 1.0}
    made = [{**head, "kind": "difference", "question": "=Q1", "given": "@a", "within": "=w", "minus": "-x"}] * 3
    write_tidy(tables(found), made, 0.95, tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["kind"] for row in rows] == ["share"] * found[0].count + ["difference"] * 3
    assert list(rows[-1]) == list(FILE_COLUMNS)
    assert [rows[-1][name] for name in ("question", "given", "within", "minus")] == ["'=Q1", "'@a", "'=w", "'-x"]
    assert rows[-1]["std.error"] == rows[-1]["fitted"] == rows[0]["given"] == ""


def test_rows_of_a_table_are_not_made_one_by_one(tmp_path, found, monkeypatch):
    monkeypatch.setattr(type(found[0]), "row", None)
    write_tidy(tables(found), (), 0.95, tmp_path / "table.csv")
