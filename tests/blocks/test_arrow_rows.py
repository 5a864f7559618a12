"""Rows of results: other libraries take a result as it is, in their types or in those that they ask for."""

import warnings

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import sordino
from sordino import SordinoWarning
from sordino.blocks.arrow_rows import NUMBER, TEXT, ArrowRows, rows_table


class Rows(ArrowRows):
    def to_arrow(self):
        return rows_table({"name": TEXT, "number": NUMBER}, {"name": ["a", None], "number": np.array([1.5, np.nan])})


def test_what_is_missing_is_null():
    assert Rows().to_arrow().to_pylist() == [{"name": "a", "number": 1.5}, {"name": None, "number": None}]


def test_libraries_take_a_result_as_it_is():
    found = Rows()
    assert pa.table(found).equals(found.to_arrow())
    assert pl.DataFrame(found).equals(found.to_polars())
    assert found.to_polars().rows() == [("a", 1.5), (None, None)]
    assert found.to_pandas()["number"].tolist()[0] == 1.5
    assert duckdb.sql("select max(number) from found").fetchall() == [(1.5,)]


def test_columns_are_cast_to_the_types_that_are_requested():
    wanted = pa.schema([("name", pa.large_string()), ("number", pa.float32())])
    read = pa.RecordBatchReader.from_stream(Rows(), wanted)
    assert read.schema == wanted
    assert read.read_all()["number"].to_pylist() == [1.5, None]


def test_a_result_is_read_as_often_as_anybody_likes():
    found = Rows()
    assert pl.DataFrame(found).equals(pl.DataFrame(found))


def test_each_warning_is_of_one_class(tables):
    asked = tables({"smoker": {"categories": ["yes", "no"]}}, "0.01")
    with pytest.warns(SordinoWarning, match="NOTHING is learned"):
        sordino.plan(asked, people=10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SordinoWarning)
        sordino.plan(asked, people=10)
