"""A number whose ends are dates reads ISO dates: of files, frames, samples and records, each as its day."""

from datetime import UTC, date, datetime, time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sordino
from sordino import SordinoError, SordinoErrors
from sordino.survey.answering.report_draw import read_record
from sordino.survey.planning.questions_for_sample import questions_for_sample
from sordino.tables.frame import Frame
from sordino.tables.public_sample import tally_table_of_sample
from sordino.tables.values import read_values

LOW, HIGH = date(1920, 1, 1), date(2010, 12, 31)
SURVEY = {
    "version": 1,
    "epsilon": "2",
    "attribute": {"born": {"number": {"low": LOW, "high": HIGH}}, "age": {"number": {"low": 0, "high": 120}}},
    "ask": [{"mean": ["born"]}, {"mean": ["age"]}],
}
DAYS = [date(1920, 1, 1), date(1969, 12, 31), date(1970, 1, 1), date(1980, 2, 29), date(2010, 12, 31)]
NUMBERS = [(day - date(1970, 1, 1)).days for day in DAYS]


@pytest.fixture(scope="module")
def plan():
    return sordino.plan(SURVEY, 1000)


def days_of(plan, table):
    """The first question's numbers, in days."""
    (read,) = read_values(plan, table)
    low, high = ((end - date(1970, 1, 1)).days for end in (LOW, HIGH))
    return np.rint((read[0][:, 0] + 1) / 2 * (high - low) + low).astype(int).tolist()


TIMES = [datetime.combine(day, time(23, 59)) for day in DAYS]
COLUMNS = {
    "dates": pa.array(DAYS),
    "date64": pa.array(DAYS, pa.date64()),
    **{f"times in {unit}": pa.array(TIMES, pa.timestamp(unit)) for unit in ("s", "ms", "us", "ns")},
    "texts": pa.array([day.isoformat() for day in DAYS]),
    "large texts": pa.array([day.isoformat() for day in DAYS], pa.large_string()),
    "texts of times": pa.array([f"{day}T23:59:00Z" for day in DAYS]),
    "texts of times and blanks": pa.array([f"{day} 23:59:00.5" for day in DAYS]),
    "numbers": pa.array(NUMBERS),
    "texts of numbers": pa.array(list(map(str, NUMBERS))),
    "both": pa.array([str(DAYS[0]), str(NUMBERS[1]), *map(str, DAYS[2:])]),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_a_column_of_dates_is_read_as_their_days(tmp_path, plan, column):
    table = pa.table({"born": column, "age": [30] * len(DAYS)})
    pq.write_table(table, tmp_path / "people.parquet")
    assert days_of(plan, tmp_path / "people.parquet") == NUMBERS
    assert days_of(plan, Frame.of(table, {"born", "age"})) == NUMBERS


def test_a_csv_file_with_dates_is_read(tmp_path, plan):
    lines = ["born,age", "1920-01-01,5", "-1,5", '"1970-01-01",5', "1980-02-29 12:30,5", "2010-12-31T00:00:00Z,5"]
    (tmp_path / "people.csv").write_text("\n".join([*lines, ""]))
    assert days_of(plan, tmp_path / "people.csv") == NUMBERS


def test_frames_of_pandas_and_polars_with_dates_are_read(plan):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    ages = [30] * len(DAYS)
    frames = (
        pandas.DataFrame({"born": pandas.to_datetime([str(day) for day in DAYS]), "age": ages}),
        pandas.DataFrame({"born": DAYS, "age": ages}),
        polars.DataFrame({"born": DAYS, "age": ages}),
        polars.DataFrame({"born": TIMES, "age": ages}),
    )
    for frame in frames:
        assert days_of(plan, Frame.of(frame, {"born", "age"})) == NUMBERS


def test_a_sample_for_bounds_reads_dates_too(tmp_path):
    survey = sordino.Survey.read({**SURVEY, "dependence": {"rest": 0.5}})
    asked = questions_for_sample(survey)
    rows = {"born": [*DAYS, *DAYS], "age": list(range(10))}
    by_date = tally_table_of_sample(asked, Frame.of(pa.table(rows), {"born", "age"}))
    by_day = tally_table_of_sample(asked, Frame.of(pa.table({**rows, "born": NUMBERS * 2}), {"born", "age"}))
    assert by_date.n == by_day.n == 10
    assert repr(by_date) == repr(by_day)


WRONG = {
    "beyond": (["1980-05-01", "1919-12-31"], "row 2, born: a value must be a date from 1920-01-01 to 2010-12-31"),
    "in another order": (["01/05/1980"], "(dates): write dates as 1980-05-31"),
    "no such day": (["1981-02-29"], "(dates): write dates as 1980-05-31"),
    "text": (["yesterday"], "(text): correct it"),
    "before all years": (["0000-01-01"], "(beyond the range)"),
}


@pytest.mark.parametrize(("born", "said"), WRONG.values(), ids=WRONG)
def test_what_is_no_date_of_the_survey_is_refused_without_it(tmp_path, plan, born, said):
    (tmp_path / "people.csv").write_text("\n".join(["born,age", *(f"{day},5" for day in born), ""]))
    with pytest.raises(SordinoError) as caught:
        days_of(plan, tmp_path / "people.csv")
    assert said in str(caught.value)
    assert born[-1] not in str(caught.value)


def test_types_that_hold_no_day_or_no_number_are_named(plan):
    zoned = pa.array(TIMES, pa.timestamp("us", "UTC"))
    for column, said in ((zoned, "without a time zone"), (pa.array([True] * 5), "write dates there")):
        with pytest.raises(SordinoError, match="must have numbers or dates in born, age; found born of type") as caught:
            days_of(plan, Frame.of(pa.table({"born": column, "age": [1] * 5}), {"born", "age"}))
        assert said in str(caught.value)
    with pytest.raises(SordinoError, match="declare two dates as the ends of the number"):
        days_of(plan, Frame.of(pa.table({"born": DAYS, "age": DAYS}), {"born", "age"}))


def test_dates_where_numbers_are_asked_say_how_to_declare_them(tmp_path, plan):
    (tmp_path / "people.csv").write_text("born,age\n1980-01-01,1980-01-01\n")
    with pytest.raises(SordinoError, match="write numbers, or declare two dates as its ends in the survey"):
        days_of(plan, tmp_path / "people.csv")


@given(st.dates(LOW, HIGH))
def test_a_record_reads_a_date_as_its_day(plan, day):
    days = (day - date(1970, 1, 1)).days
    read = [read_record(plan, {"version": 1, "record": {"born": own, "age": 5}}) for own in (day, str(day), days)]
    assert [one["born"] for one in read] == [days] * 3


def test_a_record_file_with_a_date_gives_a_report(tmp_path, plan):
    (tmp_path / "me.toml").write_text("version = 1\n[record]\nborn = 1980-05-01\nage = 46\n")
    assert 0 <= sordino.report(plan, tmp_path / "me.toml").document["question"] <= 1


BAD_RECORDS = {
    "too late": (date(2011, 1, 1), "must lie between 1920-01-01 and 2010-12-31; found a date out of range"),
    "a time": (datetime(1980, 5, 1, tzinfo=UTC), "must be a date; found a value of a different type: write it as"),
    "a text": ("1.5.1980", "must be a date; found a value of a different type: write it as 1980-05-31"),
    "a truth value": (True, "must be a date"),
}


@pytest.mark.parametrize(("born", "said"), BAD_RECORDS.values(), ids=BAD_RECORDS)
def test_a_record_with_no_such_date_is_refused_without_it(plan, born, said):
    with pytest.raises(SordinoErrors) as caught:
        sordino.report(plan, {"version": 1, "record": {"born": born, "age": 5}})
    assert said in str(caught.value)
    assert str(born) not in str(caught.value)


def test_a_date_where_a_number_is_asked_is_refused(plan):
    with pytest.raises(SordinoErrors, match="'age' must be a number"):
        sordino.report(plan, {"version": 1, "record": {"born": 5, "age": date(1980, 5, 1)}})


def test_edges_ranges_and_thresholds_of_dates_are_dates_too():
    edges = [LOW, date(1950, 1, 1), date(1980, 1, 1), HIGH]
    ranges = [[LOW, date(1980, 1, 1)]]
    number = {"low": LOW, "high": HIGH, "edges": edges}
    asks = [{"distribution": "born", "ranges": ranges}, {"above": "born", "threshold": date(1980, 1, 1)}]
    tables = {"version": 1, "epsilon": "2", "attribute": {"born": {"number": number}}, "ask": asks}

    def in_days(given):
        if isinstance(given, list):
            return list(map(in_days, given))
        if isinstance(given, dict):
            return {name: in_days(own) for name, own in given.items()}
        return (given - date(1970, 1, 1)).days if isinstance(given, date) else given

    by_number = in_days(tables)
    by_number["attribute"]["born"]["input"] = "date"
    for ask in asks:
        one, other = ({**own, "ask": [each]} for own, each in ((tables, ask), (by_number, in_days(ask))))
        assert sordino.plan(one, 1000).hash == sordino.plan(other, 1000).hash
    # Of another number a date is none.
    with pytest.raises(SordinoErrors, match="1980-01-01"):
        sordino.plan({**SURVEY, "ask": [{"mean": "born"}, {"above": "age", "threshold": date(1980, 1, 1)}]}, 1000)
