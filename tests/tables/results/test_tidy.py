"""Tidy tables and maps: the rows of frames under constant names, in each kind of file, and cells where they lie."""

import json

import numpy as np
import pyarrow as pa
import pyreadstat
import pytest
from pyarrow import csv, parquet

from sordino import SordinoError, aggregate, estimate, plan, privatize
from sordino.tables.results.geojson import is_map
from sordino.tables.results.spreadsheet_cells import as_cell
from sordino.tables.results.tidy import COLUMNS, SCHEMA, is_tidy

GRID = {"south": 40, "north": 42, "west": -75, "east": -71, "rows": 2, "columns": 4}
SURVEY = {
    "version": 1,
    "epsilon": "4",
    "attribute": {"home": {"grid": GRID}, "=x": {"categories": ["a", "-b"]}, "y": {"categories": ["u", "v", "w"]}},
    "ask": [{"histogram": "home"}, {"table": ["=x", "y"]}, {"histogram": "=x"}],
}


@pytest.fixture(scope="module")
def found():
    n = np.arange(6000)
    people = {"latitude": 40.5 + n % 2, "longitude": -74.5 + n % 4, "=x": np.array(["a", "-b"])[n % 2]}
    frozen = plan(SURVEY, people=6000)
    return estimate(frozen, aggregate(frozen, privatize(frozen, pa.table({**people, "y": np.array([*"uvw"])[n % 3]}))))


def read(path):
    match path.suffix:
        case ".csv":
            return csv.read_csv(path, convert_options=csv.ConvertOptions(column_types=SCHEMA, strings_can_be_null=True))
        case ".parquet":
            return parquet.read_table(path)
        case ".arrow":
            return pa.ipc.open_file(path).read_all()


def test_rows_are_those_of_frames_under_constant_names(found):
    tidy, rows = found.to_tidy(), found.to_arrow(derived=True)
    assert tidy.column_names == list(COLUMNS)
    for name, own in COLUMNS.items():
        if own in rows.column_names and name != "question":
            assert tidy[name].to_pylist() == rows[own].to_pylist()
    assert set(tidy["conf.level"].to_pylist()) == {0.95}
    assert tidy["question"].null_count == 0
    assert tidy["group"].null_count == len(tidy)
    assert {*tidy["kind"].to_pylist()} == {
        "share",
        "cell",
        "margin",
        "conditional",
        "difference",
        "pooled",
        "association",
    }


def test_columns_are_the_same_whatever_was_asked():
    survey = {
        "version": 1,
        "epsilon": "2",
        "attribute": {"n": {"number": {"low": 0, "high": 1}}},
        "ask": [{"mean": "n"}],
    }
    frozen = plan(survey, people=5000)
    found = estimate(frozen, aggregate(frozen, privatize(frozen, pa.table({"n": np.linspace(0, 1, 5000)}))))
    assert found.to_tidy().schema == SCHEMA


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".arrow"])
def test_a_file_holds_the_same_rows(found, tmp_path, ending):
    path = tmp_path / f"t{ending}"
    found.save(path)
    again, own = read(path), found.to_tidy()
    assert is_tidy(path)
    for field in SCHEMA:
        texts = field.type == pa.string() and ending == ".csv"
        expected = [as_cell(one) if texts and one is not None else one for one in own[field.name].to_pylist()]
        assert again[field.name].to_pylist() == expected


def test_spss_reads_names_numbers_and_labels(found, tmp_path):
    found.save(tmp_path / "t.sav")
    frame, meta = pyreadstat.read_sav(tmp_path / "t.sav")
    own = found.to_tidy()
    assert list(frame.columns) == list(COLUMNS)
    assert frame["term"].tolist() == own["term"].to_pylist()
    np.testing.assert_array_equal(frame["std.error"], own["std.error"].to_numpy())
    assert meta.column_labels[list(COLUMNS).index("std.error")] == "Standard error"
    assert is_tidy(tmp_path / "t.sav")


def test_a_map_has_a_feature_for_each_cell(found, tmp_path):
    found.save(tmp_path / "m.geojson")
    assert is_map(tmp_path / "m.geojson")
    features = json.loads((tmp_path / "m.geojson").read_text())["features"]
    rows = [row for row in found.to_arrow().to_pylist() if row["attribute"] == "home"]
    assert [one["properties"]["estimate"] for one in features] == [row["estimate"] for row in rows]
    assert [one["properties"]["conf.high"] for one in features] == [row["high"] for row in rows]
    (ring,) = features[5]["geometry"]["coordinates"]
    assert ring == [[-74, 41], [-73, 41], [-73, 42], [-74, 42], [-74, 41]]


def test_what_has_no_map_is_refused(tmp_path):
    survey = {"version": 1, "epsilon": "2", "attribute": {"x": {"categories": 2}}, "ask": [{"histogram": "x"}]}
    frozen = plan(survey, people=100)
    found = estimate(frozen, aggregate(frozen, privatize(frozen, pa.table({"x": [0, 1] * 50}))))
    with pytest.raises(SordinoError, match="a map must be estimated"):
        found.save(tmp_path / "m.geojson")
    with pytest.raises(SordinoError, match=r"must end in .*\.sav"):
        found.save(tmp_path / "m.xlsx")
    assert list(tmp_path.iterdir()) == []
