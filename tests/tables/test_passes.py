"""How often a table is read: once, also where its ids are compared."""

import pytest

from sordino import SordinoError
from sordino.tables import duckdb
from sordino.tables.release import Release
from sordino.tables.reports import privatize_table, tally_people, tally_table
from sordino.tables.values import read_values
from surveys import planned

NAMES = ["red", "green", "dark, blue"]
ATTRIBUTES = {"value": {"categories": 10}, "age": {"number": {"low": 0, "high": 120}}, "name": {"categories": NAMES}}


@pytest.fixture
def plan():
    asks = [{"histogram": "value"}, {"mean": "age"}, {"histogram": "name"}]
    tables = {"version": 1, "epsilon": "1", "attribute": ATTRIBUTES, "ask": asks}
    return planned(tables)


@pytest.fixture
def people(tmp_path, write_rows, ending):
    """Write people, whose last age is given; returns the file."""

    def write(last=5):
        columns = {
            "value": [i % 10 for i in range(3000)],
            "age": [i % 100 for i in range(2999)] + [last],
            "name": [NAMES[i % 3] for i in range(3000)],
            "who": [f"person {i}" for i in range(3000)],
        }
        return write_rows(tmp_path / f"people{ending}", columns)

    return write


@pytest.fixture
def readings(monkeypatch):
    """The columns of each query that reads a table."""
    real, seen = duckdb._require_readable, []

    def source(table, columns):
        seen.append(set(columns))
        return real(table, columns)

    monkeypatch.setattr(duckdb, "_require_readable", source)
    return seen


VALUES = set(ATTRIBUTES)


def test_people_are_read_once(tmp_path, plan, people, readings, ending):
    data = people()
    privatize_table(plan, data, tmp_path / f"r{ending}")
    assert readings == [VALUES]
    readings.clear()
    list(read_values(plan, data))
    tally_people(plan, data)
    assert readings == [VALUES, VALUES]


def test_with_ids_too_which_are_compared_as_they_are_read(tmp_path, plan, people, readings):
    data = people()
    for i, key in enumerate((None, tmp_path / "key", tmp_path / "key")):
        readings.clear()
        privatize_table(plan, data, tmp_path / f"r{i}.csv", release=Release("who", key))
        assert readings == [{*VALUES, "who"}]


def test_reports_are_read_once_at_most(tmp_path, plan, people, readings, ending):
    privatize_table(plan, people(), tmp_path / f"r{ending}")
    readings.clear()
    tally_table(plan, [tmp_path / f"r{ending}"])
    # What we write as CSV needs no parser of tables.
    assert readings == ([{"plan", "code"}] if ending == ".parquet" else [])


def test_a_bad_value_in_the_last_row_leaves_no_reports_and_no_new_key(tmp_path, plan, people, listing, ending):
    data = people(last=121)
    before = listing()
    for key in (None, tmp_path / "key"):
        with pytest.raises(SordinoError, match="row 3000, age"):
            privatize_table(plan, data, tmp_path / f"r{ending}", release=Release("who", key))
        assert listing() == before


def test_a_key_that_was_there_stays(tmp_path, plan, people):
    privatize_table(plan, people(), tmp_path / "r.csv", release=Release("who", tmp_path / "key"))
    key = (tmp_path / "key").read_bytes()
    with pytest.raises(SordinoError, match="row 3000, age"):
        privatize_table(plan, people(last=-1), tmp_path / "s.csv", release=Release("who", tmp_path / "key"))
    assert (tmp_path / "key").read_bytes() == key
