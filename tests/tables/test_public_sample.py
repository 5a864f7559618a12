"""Samples in tables, tallied as arrays of the same records are; bad rows are named, never their values."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sordino import Categories, Grid, Interval, SordinoError
from sordino.design.from_sample import state_dependence, tally_sample
from sordino.design.sample_questions import SampleNumber, SampleQuestions
from sordino.domain.attribute import Attribute
from sordino.tables import public_sample as module
from sordino.tables.public_sample import tally_table_of_sample

LABELS = ["yes", 'no, "never"', "weiß"]
ASKED = SampleQuestions(
    (
        Attribute("smoker", Categories(LABELS), missing="weiß"),
        Attribute("visits", Categories(range(4)), ("how often",)),
        Attribute("home", Grid(0, 4, 0, 8, 2, 2), ("lat", "lon")),
        Attribute("cell", Grid(0, 4, 0, 8, 2, 2), ("cell",)),
        SampleNumber("age", Interval(0, 100), edges=(0, 30, 100)),
    ),
    ((0,), (1,), (2,), (3,), (4,), (4, 4)),
)
N = 300


@pytest.fixture
def columns():
    rng = np.random.default_rng(2)
    smoker, visits, home, cell = (rng.integers(0, k, N) for k in (3, 4, 4, 4))
    return [smoker, visits, home, cell, rng.integers(0, 101, N) * 1.0]


@pytest.fixture
def table(columns):
    smoker, visits, home, cell, age = columns
    texts = [None if index == 2 else LABELS[index] for index in smoker]
    places = {"lat": home // 2 * 2 + 1.0, "lon": home % 2 * 4 + 1.0}
    rest = {"how often": visits, "cell": cell, "age": age, "other": np.zeros(N)}
    return {"smoker": texts, **{name: values.tolist() for name, values in (places | rest).items()}}


def same(found, expected):
    return state_dependence(ASKED, found, "0.9") == state_dependence(ASKED, expected, "0.9")


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_a_table_is_tallied_as_its_records_are(tmp_path, write_rows, columns, table, ending):
    path = write_rows(tmp_path / f"sample{ending}", table)
    found = tally_table_of_sample(ASKED, path)
    assert (found.n, same(found, tally_sample(ASKED, columns))) == (N, True)


def test_batches_add_up(tmp_path, write_rows, columns, table, monkeypatch):
    monkeypatch.setattr("sordino.tables.duckdb.ROWS", 37)
    seen = []
    found = tally_table_of_sample(ASKED, write_rows(tmp_path / "sample.csv", table), seen.append)
    assert sum(seen) == N
    assert len(seen) > 1
    assert same(found, tally_sample(ASKED, columns))


def test_memory_does_not_grow_with_the_sample(tmp_path, monkeypatch):
    path = tmp_path / "sample.parquet"
    asked = SampleQuestions((Attribute("a", Categories(range(2))), Attribute("b", Categories(range(2)))), ((0,),))
    rows = 1_000_000
    pq.write_table(pa.table({"a": np.arange(rows) % 2, "b": np.arange(rows) // 2 % 2}), path)
    largest = []
    tally = module.tally_sample
    monkeypatch.setattr(module, "tally_sample", lambda asked, c: largest.append(len(c[0])) or tally(asked, c))
    assert tally_table_of_sample(asked, path).n == rows
    assert max(largest) < rows / 5


SPOILED = {
    "a missing number": ("age", None, "row 8, age", "a missing one"),
    "a number beyond the end": ("age", 101, "row 8, age", "must be"),
    "not a number": ("age", "nan", "row 8, age", "must be"),
    "a word as number": ("age", "many", "row 8, age", "must be"),
    "another label": ("smoker", "secret", "row 8, smoker", "must be"),
    "a missing index": ("how often", None, "row 8, how often", "a missing one"),
    "an index beyond the end": ("how often", 4, "row 8, how often", "must be"),
    "half an index": ("how often", 1.5, "row 8, how often", "must be"),
    "a place outside": ("lat", 4.5, "row 8, lat and lon", "must be"),
    "a missing place": ("lon", None, "row 8, lat and lon", "a missing one"),
    "a cell beyond the end": ("cell", -1, "row 8, cell", "must be"),
}


@pytest.mark.parametrize(("column", "value", "where", "what"), SPOILED.values(), ids=SPOILED)
def test_a_record_that_does_not_count_is_refused(tmp_path, write_rows, table, column, value, where, what):
    table[column][7] = value
    with pytest.raises(SordinoError) as error:
        tally_table_of_sample(ASKED, write_rows(tmp_path / "sample.csv", table))
    said = str(error.value).replace(str(tmp_path), "")
    assert where in said
    assert what in said
    for secret in ("secret", "many", "101", "4.5"):
        assert secret not in said


def test_a_missing_label_without_a_category_of_its_own_is_refused(tmp_path, write_rows):
    asked = SampleQuestions((Attribute("x", Categories(["a", "b"])), Attribute("y", Categories(["a", "b"]))), ((0,),))
    path = write_rows(tmp_path / "sample.csv", {"x": ["a", "b"], "y": ["a", ""]})
    with pytest.raises(SordinoError, match="row 2, y: a value must be given"):
        tally_table_of_sample(asked, path)


def test_clipped_numbers_are_read_as_the_ends(tmp_path, write_rows):
    plain, clipping = (
        SampleQuestions((Attribute("x", Categories(range(2))), SampleNumber("y", Interval(0, 1), clip=clip)), ((1,),))
        for clip in (False, True)
    )
    inside = tally_table_of_sample(plain, write_rows(tmp_path / "a.csv", {"x": [0, 1, 1], "y": [0, 1, 0.5]}))
    beyond = tally_table_of_sample(clipping, write_rows(tmp_path / "b.csv", {"x": [0, 1, 1], "y": [-7, 9, 0.5]}))
    assert (beyond.tables[0, (1,)] == inside.tables[0, (1,)]).all()
    for value in ("inf", "nan"):
        with pytest.raises(SordinoError, match="row 1, y"):
            tally_table_of_sample(clipping, write_rows(tmp_path / f"{value}.csv", {"x": [0], "y": [value]}))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("smoker,age\nyes,1\n", "how often"),
        ("x,y\n", "no rows"),
        ("x,y\n1,0\n\n0,1\n", "line 3"),
        ("x,y\n1,0\n0\n", "number of columns"),
        ("", "empty file"),
    ],
)
def test_tables_that_are_no_samples_are_refused(tmp_path, text, words):
    bits = SampleQuestions((Attribute("x", Categories(range(2))), Attribute("y", Categories(range(2)))), ((0,),))
    (tmp_path / "sample.csv").write_text(text)
    with pytest.raises(SordinoError, match=words):
        tally_table_of_sample(ASKED if "smoker" in text else bits, tmp_path / "sample.csv")


def test_truth_values_are_no_numbers(tmp_path):
    bits = SampleQuestions((Attribute("x", Categories(range(2))), Attribute("y", Categories(range(2)))), ((0,),))
    pq.write_table(pa.table({"x": [True, False], "y": [0, 1]}), tmp_path / "sample.parquet")
    with pytest.raises(SordinoError, match="must have numbers in x"):
        tally_table_of_sample(bits, tmp_path / "sample.parquet")
