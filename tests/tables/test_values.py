"""A table's values become the indices of the survey's, whatever wrote the table and however its columns are called."""

import gzip
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sordino import SordinoError
from sordino.tables import columns
from sordino.tables.values import read_values


def indices(plan, path):
    return np.concatenate([values for (values,) in read_values(plan, path)]).tolist()


TEXTS = {
    "plain": b"value\n3\n0\n9\n",
    "no line feed at the end": b"value\n3\n0\n9",
    "carriage returns": b"value\r\n3\r\n0\r\n9\r\n",
    "byte order mark": b"\xef\xbb\xbfvalue\n3\n0\n9\n",
    "byte order mark and quotes": b'\xef\xbb\xbf"value"\r\n"3"\r\n"0"\r\n"9"\r\n',
    "other columns": b"id,value,note\n1,3,\n2,0,x\n3,9,y\n",
    "quoted others": b'note,value\n"a, b",3\n"line\nfeed",0\n"say ""hi""",9\n',
    "others of one name": b"id,id,value\n1,1,3\n2,2,0\n3,3,9\n",
    "others without a name": b",value,\n1,3,1\n2,0,2\n3,9,3\n",
    "others not numbers": b"value,plan\n3,\xc3\xa4\n0,NULL\n9,nan\n",
    "numbers in other forms": b"value\n3.0\n0e0\n+9\n",
    "leading zeros": b"value\n03\n00\n09\n",
}


@pytest.mark.parametrize("content", TEXTS.values(), ids=TEXTS)
def test_csv_as_others_write_it(tmp_path, numbered, content):
    (tmp_path / "people.csv").write_bytes(content)
    (tmp_path / "people.csv.gz").write_bytes(gzip.compress(content))
    (tmp_path / "PEOPLE.CSV").write_bytes(content)
    for name in ("people.csv", "people.csv.gz", "PEOPLE.CSV"):
        assert indices(numbered, tmp_path / name) == [3, 0, 9]


NUMBERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "string"]


@pytest.mark.parametrize("kind", NUMBERS)
def test_parquet_numbers_of_each_type(tmp_path, numbered, kind):
    column = pa.array([3, 0, 9]).cast(getattr(pa, kind)())
    pq.write_table(pa.table({"value": column, "other": ["x", "y", "z"]}), tmp_path / "people.parquet")
    assert indices(numbered, tmp_path / "people.parquet") == [3, 0, 9]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())], ids=str)
def test_parquet_texts_of_each_type(tmp_path, named, kind):
    column = pa.array([" none", "red, dark", " none"]).cast(kind)
    pq.write_table(pa.table({"value": column}), tmp_path / "people.parquet")
    assert indices(named, tmp_path / "people.parquet") == [3, 0, 3]


def test_labels_with_commas_quotes_blanks_and_letters_of_any_script(tmp_path, named, write_rows, ending):
    labels = [" none", "gr\u00fcn \u2603", 'the "blue"', "red, dark"]
    write_rows(tmp_path / f"people{ending}", {"value": labels * 2})
    assert indices(named, tmp_path / f"people{ending}") == [3, 2, 1, 0] * 2


NAMES = [
    "two words",
    'a "quoted" name',
    "it's",
    "a,b",
    "gr\u00f6\u00dfe",
    "select",
    "a;b",
    "$1",
    "?",
    "a.b",
    "{x}",
    "a\\b",
    "100%",
    "missing",
    "index",
    "label",
    "latitude",
    "column 1",
    "VALUE",
]


@pytest.mark.parametrize("name", NAMES)
def test_columns_of_unusual_names(tmp_path, make_plan, write_rows, name):
    for i, ending in enumerate((".csv", ".parquet")):
        path = write_rows(tmp_path / f"people{ending}", {"id": [7, 8, 9], name: [i, 2, 1], "x": [9, 9, 9]})
        assert indices(make_plan({"categories": 3, "column": name}), path) == [i, 2, 1]


@pytest.mark.each_value
@pytest.mark.parametrize("kind", ["names", "numbers", "cells"])
def test_two_columns_of_a_grid_or_one_of_its_cells(tmp_path, make_plan, write_rows, ending, kind):
    grid = {"south": 0, "north": 10, "west": -10, "east": 0, "rows": 5, "columns": 5}
    column = {"names": ["my lat", "my lon"], "numbers": ["1", "2"], "cells": "cell"}[kind]
    data = {"cell": [0, 24]} if kind == "cells" else {column[1]: [-10.0, 0.0], column[0]: [0.0, 10.0]}
    path = write_rows(tmp_path / f"people{ending}", data)
    assert indices(make_plan({"grid": grid, "column": column}), path) == [0, 24]


def cell(latitude, longitude, south, north, west, east, rows, columns):
    """The cell by comparing with each edge, in fractions; a position on an inner edge belongs to the north and east."""
    edges = [
        [low + (high - low) * Fraction(i, parts) for i in range(1, parts)]
        for low, high, parts in ((Fraction(south), Fraction(north), rows), (Fraction(west), Fraction(east), columns))
    ]
    row, column = (
        sum(Fraction(place) >= edge for edge in inner)
        for place, inner in zip((latitude, longitude), edges, strict=True)
    )
    return row * columns + column


@pytest.mark.each_value
@pytest.mark.parametrize("rows", [1, 5, 16])
def test_positions_are_counted_from_the_south_west_corner(tmp_path, make_plan, write_rows, ending, rows):
    frame = {"south": -4, "north": 12, "west": -10, "east": 6, "rows": rows, "columns": 8}
    rng = np.random.default_rng(rows)
    latitude, longitude = rng.uniform(-4, 12, 500), rng.uniform(-10, 6, 500)
    # Corners and, where they are exact, the edges between cells.
    latitude[:5], longitude[:5] = [-4, -4, 12, 12, 4], [-10, 6, -10, 6, -2]
    path = write_rows(tmp_path / f"p{ending}", {"latitude": latitude.tolist(), "longitude": longitude.tolist()})
    expected = [cell(*place, **frame) for place in zip(latitude.tolist(), longitude.tolist(), strict=True)]
    assert indices(make_plan({"grid": frame}), path) == expected


@pytest.mark.parametrize(
    "content",
    [b"value,id\nyes,1\n,2\nno,3\n", b'value,id\nyes,1\n"",2\nno,3\n', b'value\nyes\n""\nno\n'],
    ids=["empty", "quoted", "alone"],
)
def test_a_missing_value_is_a_declared_category(tmp_path, make_plan, content):
    (tmp_path / "people.csv").write_bytes(content)
    plan = make_plan({"categories": ["yes", "no", "silent"], "missing": "silent"})
    assert indices(plan, tmp_path / "people.csv") == [0, 2, 1]


@pytest.mark.parametrize("kind", [pa.string(), pa.dictionary(pa.int8(), pa.string())], ids=str)
def test_a_null_is_a_declared_category(tmp_path, make_plan, kind):
    column = pa.array(["yes", None, "no"]).cast(kind)
    pq.write_table(pa.table({"value": column}), tmp_path / "people.parquet")
    plan = make_plan({"categories": ["yes", "no", "silent"], "missing": "silent"})
    assert indices(plan, tmp_path / "people.parquet") == [0, 2, 1]


def test_values_keep_the_order_of_the_rows(tmp_path, numbered, write_rows, ending):
    values = np.random.default_rng(1).integers(10, size=400_000).tolist()
    path = write_rows(tmp_path / f"people{ending}", {"value": values})
    assert indices(numbered, path) == values


@pytest.mark.parametrize("file", ["value=3/people.csv", "value=3/people.parquet", "it's/people.csv", "a b/\u00e9.csv"])
def test_a_folders_name_is_no_value(tmp_path, numbered, write_rows, file):
    path = tmp_path / file
    path.parent.mkdir()
    assert indices(numbered, write_rows(path, {"value": [1, 2]})) == [1, 2]


NAMES = ["it's", 'a "word"', "a", "A", " a", "a, b", "NULL", "\u00e9", "e\u0301", "null\0", "1"]


@pytest.mark.parametrize("missing", [None, "NULL"])
@pytest.mark.parametrize("listed", [len(NAMES), len(NAMES) - 1], ids=["told by SQL", "told here"])
def test_names_are_told_apart_by_every_byte_wherever_they_are_told(tmp_path, make_plan, monkeypatch, listed, missing):
    monkeypatch.setattr(columns, "LISTED", listed)
    plan = make_plan({"categories": NAMES} | ({} if missing is None else {"missing": missing}))
    given = NAMES + ([] if missing is None else [None])
    pq.write_table(pa.table({"value": given}), tmp_path / "people.parquet")
    assert indices(plan, tmp_path / "people.parquet") == [*range(len(NAMES)), 6][: len(given)]
    for other in ("B", "a ", "e", "1.0", "null"):
        pq.write_table(pa.table({"value": [*NAMES, other]}), tmp_path / "people.parquet")
        with pytest.raises(SordinoError, match=f"row {len(NAMES) + 1}, value: a value must be one"):
            indices(plan, tmp_path / "people.parquet")
