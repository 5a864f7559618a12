"""Messages say how many rows are wrong, what they share, and which columns there are: never a value."""

import csv
import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sordino import Plan, SordinoError, SordinoErrors, Survey
from sordino.survey.planning.questions_for_sample import questions_for_sample
from sordino.tables.public_sample import tally_table_of_sample
from sordino.tables.release import Release
from sordino.tables.reports import privatize_table, tally_table

POINT = "numbers with a decimal point where names are whole numbers"


def refused(plan, data, tmp_path):
    with pytest.raises(SordinoError) as caught:
        privatize_table(plan, data, tmp_path / "r.csv")
    assert not (tmp_path / "r.csv").exists()
    return caught.value


def column(path, values):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([["value", "n"], *((value, "1") for value in values)])
    return path


NAMES = ["1", "2", "3", "Very much", "Tr\u00e8s bien"]
NAMED = {
    "pandas": (["1", "2.0", "3.0", "1.00"], f"a wrong value in 3 of 4 rows ({POINT}): write them without it"),
    "case and spaces": (["1", " 2", "very much", "VERY MUCH "], "3 of 4 rows (differing from a name only by case or"),
    "accents": (
        ["1", "Tre\u0300s bien", "tre\u0300s Bien"],
        "in 2 of 3 rows (differing from a name only in how accents are",
    ),
    "empty": (["1", " "], "a wrong value in 1 of 2 rows (empty): correct it; nothing was written"),
    "other": (["1", "7731", "Zebra7731"], "a wrong value in 2 of 3 rows (other names): correct it"),
    "not ours": (["1", "9.0"], "a wrong value in 1 of 2 rows (other names)"),
    "mixed": (["2.0", "3.0", "7731"], f"a wrong value in 3 of 3 rows (2 {POINT}, 1 other names)"),
    "a missing one below": (["2.0", ""], f"a wrong value in 1 of 2 rows ({POINT})"),
    "missing": (["", "2.0", ""], "a missing one in 2 of 3 rows: fill it in, or declare"),
}
WHOLE = {
    "beyond": (["3", "7731", "-1"], "a wrong value in 2 of 3 rows (beyond 0..9): correct it; nothing"),
    "fraction": (["3", "2.5"], "numbers with a fraction where whole ones are asked"),
    "text": (["Zebra7731", "2"], "a wrong value in 1 of 2 rows (text)"),
    "not finite": (["1", "nan", "-Infinity", "1e999"], "a wrong value in 3 of 4 rows (not finite)"),
    "underscore": (["1", "1_0"], "numbers with other signs beside them"),
}
NUMBER = {
    "beyond": (["3", "7731"], "(beyond the range): correct it, or set clip = true in the survey; nothing was written"),
    "text": (["Zebra7731", "2"], "a wrong value in 1 of 2 rows (text): correct it; nothing was written"),
    "comma": (["3", "2,5"], "(numbers with a decimal comma): write a point; nothing"),
    "thousands or not": (
        ["3", "12,345", "1,234,567"],
        "of decimals or of thousands): write 12.345 or 12345, whichever",
    ),
    "no thousands": (["3", "1234,5", "0,125", "2,50"], "3 of 4 rows (numbers with a decimal comma): write a point"),
    "per cent": (["3", "7731 %"], "(numbers with other signs beside them): write the numbers alone; nothing"),
    "money": (["3", "$7,731.00"], "(numbers with other signs beside them)"),
    "dates": (
        ["3", "2024-07-31", "7.7.1931", "7/31/77 10:00"],
        "a wrong value in 3 of 4 rows (dates): write numbers, or declare two dates as its ends in the survey; nothing",
    ),
    "not finite": (["3", "inf"], "(not finite): correct it; nothing"),
    "empty": (["3", "  "], "(empty): correct it; nothing"),
    "missing": (["3", "", ""], "a missing one in 2 of 3 rows: fill it in, or declare the share"),
}
CLIPPED = {"text": (["Zebra7731", "7731"], "a wrong value in 1 of 2 rows (text): correct it; nothing was written")}


def number_plan(*, clip):
    attribute = {"number": {"low": 0, "high": 10, "clip": clip}}
    tables = {"version": 1, "epsilon": "1", "attribute": {"value": attribute}, "ask": [{"mean": "value"}]}
    return Plan.of(Survey.read(tables), 1000)


PLANS = {
    "names": (lambda make: make({"categories": NAMES}), NAMED),
    "whole": (lambda make: make({"categories": 10}), WHOLE),
    "number": (lambda _: number_plan(clip=False), NUMBER),
    "clipped": (lambda _: number_plan(clip=True), CLIPPED),
}


@pytest.mark.parametrize("kind", PLANS)
def test_wrong_rows_are_counted_and_their_cause_is_named(tmp_path, make_plan, kind):
    plan_of, cases = PLANS[kind]
    plan = plan_of(make_plan)
    for name, (values, words) in cases.items():
        error = refused(plan, column(tmp_path / "people.csv", values), tmp_path)
        assert words in str(error), name
        assert not any(secret in str(error) for secret in ("7731", "Zebra")), name


def test_wrong_rows_of_all_batches_count(tmp_path, numbered, write_rows, ending):
    rows = 300_000
    values = ["3"] * rows
    for i in range(5, rows, 1000):
        values[i] = "x"
    error = refused(numbered, write_rows(tmp_path / f"people{ending}", {"value": values}), tmp_path)
    assert "row 6, value" in error.rule
    assert error.found == "a wrong value in 300 of 300,000 rows (text)"


def test_floats_of_a_parquet_file_are_named(tmp_path, make_plan):
    pq.write_table(pa.table({"value": [1.0, 2.0, None]}), tmp_path / "people.parquet")
    error = refused(make_plan({"categories": ["1", "2"]}), tmp_path / "people.parquet", tmp_path)
    assert error.found == f"a wrong value in 2 of 3 rows ({POINT})"


def test_positions(tmp_path, grid):
    for rows, words in {
        "1,-1\n7731,2\n": "a wrong value in 1 of 2 rows (outside the map): correct it",
        'x,-1\n"1,5",-1\n': "a wrong value in 2 of 2 rows (1 text, 1 numbers with a decimal comma)",
        "1,-1\n1,nan\n": "a wrong value in 1 of 2 rows (not finite)",
    }.items():
        (tmp_path / "people.csv").write_text("latitude,longitude\n" + rows)
        assert words in str(refused(grid, tmp_path / "people.csv", tmp_path))


def test_a_public_sample_is_told_the_same(tmp_path):
    tables = {"version": 1, "epsilon": "1", "ask": [{"mean": "n"}, {"histogram": "value"}]}
    attributes = {"value": {"categories": NAMES}, "n": {"number": {"low": 0, "high": 10}}}
    asked = questions_for_sample(Survey.read(tables | {"attribute": attributes}))
    for text, words in {
        "value,n\n1,1\n3.0,1\n": f"1 of 2 rows ({POINT}): write them without it, as text or as whole numbers; a",
        "value,n\n1,1\n3,11\n": "in 1 of 2 rows (beyond the range): correct it, or set clip = true in the survey",
    }.items():
        (tmp_path / "sample.csv").write_text(text)
        with pytest.raises(SordinoError) as caught:
            tally_table_of_sample(asked, tmp_path / "sample.csv")
        assert words in str(caught.value)


def write_reports(path, rows):
    text = "plan,code\n" + "".join(f"{tag},{code}\n" for tag, code in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.fixture
def two_digits(make_plan):
    """A plan whose codes have two digits."""
    return make_plan({"categories": 20}, epsilon="4")


REPORTS = {
    "another plan's": (
        lambda tag: [(tag, "01"), (tag + 1, "01"), (5, "02")],
        "the tag of a different plan in 2 of 3 rows: agg",
    ),
    "rounded tags": (
        lambda _: [("1.2345E+19", "01")],
        "the tag of a different plan in 1 of 1 rows (numbers with a decimal point",
    ),
    "short codes": (
        lambda tag: [(tag, "1"), (tag, "12")],
        "an unknown code in 1 of 2 rows (without their leading zeros",
    ),
    "pointed codes": (
        lambda tag: [(tag, "1.0"), (tag, "12.0")],
        "an unknown code in 2 of 2 rows (with a decimal point",
    ),
    "beyond": (lambda tag: [(tag, "01"), (tag, "99")], "an unknown code in 1 of 2 rows: get the file again"),
}


@pytest.mark.each_value
@pytest.mark.parametrize(("rows", "words"), REPORTS.values(), ids=REPORTS)
@pytest.mark.parametrize("name", ["r.csv", "r.csv.gz"])
def test_wrong_reports_are_counted_too(tmp_path, two_digits, rows, words, name):
    with pytest.raises(SordinoError) as caught:
        tally_table(two_digits, [write_reports(tmp_path / name, rows(two_digits.tag))])
    assert words in str(caught.value)
    assert "the survey" not in str(caught.value)


COLUMNS = {
    "another case": (
        "VALUE,n\nZebra7731,1\n",
        "found 2 columns, but not value: did you mean 'VALUE'? Otherwise name",
    ),
    "another separator": (
        "n;value;Zebra7731\n1;2;3\n",
        "must have the column value; found 1 column, but not value: separate columns by commas; name them in its first",
    ),
    "no header": ("Zebra7731,value 7\n1,2\n", "found 2 columns, but not value: name them in its first line, or set"),
}


@pytest.mark.parametrize(("text", "words"), COLUMNS.values(), ids=COLUMNS)
def test_a_first_line_that_may_be_values_is_not_told(tmp_path, numbered, text, words):
    (tmp_path / "people.csv").write_text(text)
    error = str(refused(numbered, tmp_path / "people.csv", tmp_path))
    assert words in error
    assert "7731" not in error


def test_columns_that_are_there_are_listed(tmp_path, make_plan_of):
    plan = make_plan_of({"income": {"categories": 3}, "region": {"categories": 3}})
    (tmp_path / "people.csv").write_text("incom,region,x\n1,2,3\n")
    words = "found 3 columns, but not income, only incom, region, x: did you mean 'incom'? Otherwise name them"
    assert words in str(refused(plan, tmp_path / "people.csv", tmp_path))
    pq.write_table(pa.table({f"c\n{i}": [1] for i in range(50)}), tmp_path / "people.parquet")
    error = str(refused(plan, tmp_path / "people.parquet", tmp_path))
    assert "found 50 columns, but not income, region, only c\\n0, c\\n1, c\\n2," in error
    assert "...: name them in its first line" in error
    assert "\n" not in error


def test_columns_of_reports(tmp_path, numbered):
    (tmp_path / "r.csv").write_text("plan,Code\n1,2\n")
    with pytest.raises(SordinoError, match="found 2 columns, but not code, only plan, Code: did you mean") as caught:
        tally_table(numbered, [tmp_path / "r.csv"])
    assert "give a file that `sordino.privatize` wrote" in str(caught.value)


def test_the_mistakes_of_all_columns_are_told_at_once(tmp_path, make_plan_of, write_rows, listing, ending):
    plan = make_plan_of(
        {"job": {"categories": ["red", "blue"]}, "visits": {"categories": 3}, "right": {"categories": 2}}
    )
    columns = {"job": ["red", "Red", "blue"], "visits": ["x", "2", None], "right": ["1", "0", "1"]}
    data = write_rows(tmp_path / f"people{ending}", columns)
    before = listing()
    with pytest.raises(SordinoErrors) as caught:
        privatize_table(plan, data, tmp_path / "r.csv", release=Release(key=tmp_path / "key", id_column="job"))
    job, visits = map(str, caught.value.errors)
    assert "row 2, job: a value must be one of the survey's; found a wrong value in 1 of 3 rows" in job
    assert "row 1, visits: a value must be one of the survey's; found a wrong value in 1 of 3 rows (text)" in visits
    assert str(caught.value).startswith(f"{data} has 2 mistakes:\n")
    assert listing() == before
