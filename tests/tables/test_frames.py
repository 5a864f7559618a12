"""Frames are read for the columns that are asked; one that cannot be read is named, and never quoted. Other formats."""

import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sordino
from sordino import SordinoError
from sordino.tables.frame import Frame

SURVEY = {
    "version": 1,
    "epsilon": "2",
    "attribute": {"smoker": {"categories": ["yes", "no"]}, "age": {"number": {"low": 0, "high": 120}}},
    "ask": [{"histogram": "smoker"}, {"mean": "age"}],
}
MIXED = [1.5, "a secret", 3]


@pytest.fixture(scope="module")
def plan():
    return sordino.plan(SURVEY, 1000)


def people(**more):
    return {"smoker": ["yes", "no", "no"], "age": [20, 30, 40]} | more


def large_integers():
    """Integers of 128 bits, which the oldest polars does not have: objects there."""
    return pl.Series([1, 2, 3], dtype=getattr(pl, "Int128", pl.Object))


UNREAD = {
    "pandas, mixed": lambda: pd.DataFrame(people(z=MIXED)),
    "pandas, complex": lambda: pd.DataFrame(people(z=[1j, 2j, 3j])),
    "pandas, a mixed index": lambda: pd.DataFrame(people(), index=pd.Index(MIXED, name="z")),
    "polars, objects": lambda: pl.DataFrame(people(z=pl.Series(MIXED, dtype=pl.Object))),
    "polars, 128 bits": lambda: pl.DataFrame(people(z=large_integers())),
    "lists": lambda: people(z=MIXED),
    "pyarrow": lambda: pa.table(people(z=pa.array(np.array([1.5, 2, 3], np.float16)))),
}


@pytest.mark.parametrize("make", UNREAD.values(), ids=UNREAD)
def test_a_column_that_is_not_asked_need_not_be_readable(plan, make):
    assert sordino.aggregate(plan, sordino.privatize(plan, make())).n == 3


def test_a_lazy_frame_works_out_only_what_is_asked(plan):
    read = []
    lazy = pl.LazyFrame(people()).with_columns(
        pl.col("age").map_elements(lambda age: read.append(age) or age, return_dtype=pl.Int64).alias("z")
    )
    reports = sordino.privatize(plan, lazy)
    assert isinstance(reports, pl.LazyFrame)
    # What was drawn is drawn once, however often it is collected.
    assert reports.collect().equals(reports.collect())
    assert read == []


def test_pandas_names_that_are_no_texts_and_an_index_are_read(plan):
    survey = {**SURVEY, "attribute": {"0": {"categories": ["a", "b"]}}, "ask": [{"histogram": "0"}]}
    numbered = sordino.plan(survey, 1000)
    assert len(sordino.privatize(numbered, pd.DataFrame([["a", 1.5], ["b", "x"]]))) == 2
    frame = pd.DataFrame(people()).set_index("smoker")
    assert Frame.of(frame, {"smoker", "age"}).table.column_names == ["age", "smoker"]
    assert len(sordino.privatize(plan, frame)) == 3


WRONG = {
    "pandas, mixed": lambda: pd.DataFrame(people(age=MIXED)),
    "pandas, complex": lambda: pd.DataFrame(people(age=[1j, 2j, 3j])),
    "pandas, large": lambda: pd.DataFrame(people(age=[2**70, 1, 2])),
    "pandas, half": lambda: pd.DataFrame(people(age=np.array([1, 2, 3], np.float16))),
    "polars, objects": lambda: pl.DataFrame(people(age=pl.Series(MIXED, dtype=pl.Object))),
    "polars, 128 bits": lambda: pl.DataFrame(people(age=large_integers())),
    "polars, lazy": lambda: pl.LazyFrame(people(age=large_integers())),
    "lists, mixed": lambda: people(age=MIXED),
    "a text for a list": lambda: people(age="123"),
    "pyarrow, half": lambda: pa.table(people(age=pa.array(np.array([1.5, 2, 3], np.float16)))),
    "pyarrow, wide": lambda: pa.table(people(age=pa.array([decimal.Decimal(1)] * 3, pa.decimal256(50, 2)))),
}


@pytest.mark.parametrize("make", WRONG.values(), ids=WRONG)
def test_a_column_that_cannot_be_read_is_named_without_its_values(plan, make):
    with pytest.raises(
        SordinoError, match=r"must be possible to read; found age, of types that are not: give"
    ) as caught:
        sordino.privatize(plan, make())
    assert "secret" not in str(caught.value)
    assert "smoker" not in str(caught.value)
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_lists_of_different_lengths_are_refused(plan):
    with pytest.raises(SordinoError, match="and all the same length"):
        sordino.privatize(plan, people(age=[1, 2]))


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, dict], ids=["pandas", "polars", "lazy", "lists"]
)
def test_a_missing_column_is_said_with_those_that_are_there(plan, make):
    with pytest.raises(SordinoError, match=r"found 2 columns, but not age, only smoker, Age: did you mean 'Age'"):
        sordino.privatize(plan, make({"smoker": ["yes"], "Age": [3]}))


def test_lists_hold_tags_of_64_bits():
    tags = {"plan": [2**64 - 1, 1], "code": [0, 1]}
    assert Frame.of(tags, tags).table["plan"].to_pylist() == tags["plan"]


def test_what_is_no_table_is_refused_with_what_is_one(plan):
    for given in (5, [{"smoker": "yes", "age": 3}], None):
        with pytest.raises(SordinoError, match="lists by name, or the path of a file"):
            sordino.privatize(plan, given)


@pytest.mark.parametrize(
    ("name", "reader"), [("a.sav", "read_spss"), ("b.DTA", "read_stata"), ("c c.xlsx", "read_excel")]
)
def test_a_table_of_another_program_is_told_how_to_make_a_csv_file_of_it(plan, tmp_path, name, reader):
    given = tmp_path / name
    given.write_bytes(b"x")
    said = f"in Python: pandas.{reader}({str(given)!r}).to_csv({str(given.with_suffix('.csv'))!r}, index=False)"
    with pytest.raises(SordinoError) as caught:
        sordino.privatize(plan, given)
    assert said in str(caught.value)
    given.unlink()
    with pytest.raises(SordinoError, match="name it so, or convert it"):
        sordino.privatize(plan, given)
