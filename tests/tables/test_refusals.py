"""A value outside the survey is refused by row and column; the value is told to nobody, and nothing is left behind."""

import json

import pytest

from sordino import Plan, SordinoError, Survey
from sordino.tables.reports import privatize_table

MARKER = "Zebra7731"
ROWS = 140_000  # more than a batch
POSITIONS = {"first": 1, "beyond a batch": 135_000, "last": ROWS}


@pytest.mark.each_value
@pytest.mark.parametrize("row", POSITIONS.values(), ids=POSITIONS)
def test_a_bad_value_is_named_by_row_and_column_only(tmp_path, make_plan, write_rows, run, listing, ending, row):
    plan = make_plan({"categories": ["yes", "no"], "column": "my answer"})
    plan.save(tmp_path / "plan.json")
    values = ["yes", "no"] * (ROWS // 2)
    values[row - 1] = MARKER
    data = write_rows(tmp_path / f"people{ending}", {"my answer": values, "name": [MARKER] * ROWS})
    before = listing()
    code, out, err = run("privatize", tmp_path / "plan.json", data, "-o", tmp_path / f"r{ending}")
    assert (code, out) == (2, "")
    assert f"row {row}, my answer:" in err
    assert MARKER not in err
    assert listing() == before


@pytest.mark.each_value
@pytest.mark.parametrize("row", POSITIONS.values(), ids=POSITIONS)
def test_a_bad_number_is_named_by_row(tmp_path, numbered, write_rows, listing, ending, row):
    values = [7] * ROWS
    values[row - 1] = 7731
    data = write_rows(tmp_path / f"people{ending}", {"value": values})
    before = listing()
    with pytest.raises(SordinoError, match=f"row {row}, value:") as caught:
        privatize_table(numbered, data, tmp_path / "r.csv")
    assert "7731" not in str(caught.value)
    assert listing() == before


def refused(plan, path, reports, listing):
    before = listing()
    with pytest.raises(SordinoError) as caught:
        privatize_table(plan, path, reports)
    assert listing() == before
    return str(caught.value)


NUMBERS = ["3.5", "-1", "10", "1e1", "9.0001", "x", "nan", "-nan", "inf", "-inf", "1e400", "0x3", "1_0", "NULL", "true"]
NUMBERS += ["1_0e-1", "0_3", "3_.0", "3;4", "\u0663", "18446744073709551615", "-0.5", "99999999999999999999999999"]


@pytest.mark.parametrize("value", NUMBERS)
def test_a_numbered_attribute_holds_whole_numbers_below_k(tmp_path, numbered, listing, value):
    (tmp_path / "people.csv").write_text(f"value\n1\n{value}\n2\n", encoding="utf-8")
    text = refused(numbered, tmp_path / "people.csv", tmp_path / "r.csv", listing)
    assert "row 2, value: a value must be one of the survey's; found a wrong value" in text


@pytest.mark.parametrize(
    "value", ["Yes", "yes ", " yes", "ye", "yes,no", "0", "NULL", "NA", "u\u0308", "yes\x00", MARKER * 1000]
)
def test_a_named_attribute_holds_its_names_letter_by_letter(tmp_path, make_plan, write_rows, listing, value):
    plan = make_plan({"categories": ["yes", "no", "\u00fc"], "missing": "no"})
    path = write_rows(tmp_path / "people.csv", {"value": ["yes", value]})
    text = refused(plan, path, tmp_path / "r.csv", listing)
    assert "row 2, value: a value must be one of the survey's; found a wrong value" in text
    assert MARKER not in text


POSITIONS_OUTSIDE = {
    "south": ("-0.0001", "-5"),
    "north": ("10.0001", "-5"),
    "west": ("5", "-10.0001"),
    "east": ("5", "0.0001"),
    "swapped": ("-5", "5"),
    "latitude nan": ("nan", "-5"),
    "longitude inf": ("5", "-inf"),
    "too large": ("5", "1e999"),
    "word": ("north", "-5"),
    "degrees": ("5\u00b0", "-5"),
}


@pytest.mark.parametrize(("latitude", "longitude"), POSITIONS_OUTSIDE.values(), ids=POSITIONS_OUTSIDE)
def test_a_position_lies_on_the_map(tmp_path, grid, write_rows, listing, latitude, longitude):
    path = write_rows(tmp_path / "people.csv", {"latitude": ["5", latitude], "longitude": ["-5", longitude]})
    text = refused(grid, path, tmp_path / "r.csv", listing)
    assert "row 2, latitude and longitude: a value must be one of the survey's" in text


@pytest.mark.parametrize(("latitude", "longitude"), [("", "-5"), ("5", ""), ("", "")])
def test_a_position_has_both_numbers(tmp_path, grid, write_rows, listing, latitude, longitude):
    path = write_rows(tmp_path / "people.csv", {"latitude": ["5", latitude], "longitude": ["-5", longitude]})
    text = refused(grid, path, tmp_path / "r.csv", listing)
    assert "row 2, latitude and longitude: a value must be given; found a missing one" in text


MISSING = {"numbered": [1, None], "named": [" none", None], "grid": [0.0, None]}


@pytest.mark.each_value
@pytest.mark.parametrize("kind", MISSING)
def test_a_missing_value_is_refused(tmp_path, request, write_rows, listing, ending, kind):
    plan = request.getfixturevalue(kind)
    columns = dict.fromkeys(plan.questions[0].attribute.columns, MISSING[kind])
    path = write_rows(tmp_path / f"people{ending}", {**columns, "id": [1, 2]})
    text = refused(plan, path, tmp_path / "r.csv", listing)
    assert "row 2" in text
    assert "a value must be given; found a missing one" in text
    assert ("missing` in the survey" in text) == (kind != "grid")


@pytest.mark.parametrize(
    "values", [[1.0, 3.5], [1.0, -1.0], [1, 10], [1, -1], [1.0, float("inf")], [1.0, float("nan")], ["1", "x"]], ids=str
)
def test_parquet_numbers_are_checked_too(tmp_path, numbered, write_rows, listing, values):
    path = write_rows(tmp_path / "people.parquet", {"value": values})
    assert "row 2, value: a value must be one" in refused(numbered, path, tmp_path / "r.csv", listing)


def test_the_first_bad_row_is_named(tmp_path, numbered, write_rows, listing):
    path = write_rows(tmp_path / "people.csv", {"value": [1, 2, 77, 3, 88]})
    assert "row 3, value" in refused(numbered, path, tmp_path / "r.csv", listing)


def test_an_error_in_json_mode_tells_no_value_either(tmp_path, numbered, write_rows, run, listing):
    numbered.save(tmp_path / "plan.json")
    path = write_rows(tmp_path / "people.csv", {"value": ["1", MARKER]})
    before = listing()
    code, out, err = run("privatize", tmp_path / "plan.json", path, "-o", tmp_path / "r.csv", "--json")
    assert code == 2
    assert "row 2" in json.loads(out)["error"]["rule"]
    assert MARKER not in out + err
    assert "row 2" in err
    assert listing() == before
    assert json.loads((tmp_path / "plan.json").read_bytes())["hash"] == numbered.hash


@pytest.mark.each_value
@pytest.mark.parametrize("clip", [False, True])
def test_an_underscore_is_no_digit(tmp_path, write_rows, listing, ending, clip):
    """Python and DuckDB read 1_0 as ten; whoever wrote it meant something else."""
    attributes = {"value": {"number": {"low": 9, "high": 11, "clip": clip}}}
    tables = {"version": 1, "epsilon": "1", "attribute": attributes, "ask": [{"mean": ["value"]}]}
    plan = Plan.of(Survey.read(tables), 1000)
    path = write_rows(tmp_path / f"people{ending}", {"value": ["10", "1_0", "10"]})
    assert "row 2, value: a value must be a number" in refused(plan, path, tmp_path / "r.csv", listing)
