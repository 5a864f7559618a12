"""Check-ins are counted where they are, positions off the map are left out, and mistakes are told without values."""

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sordino import Grid, SordinoError
from sordino.papers.context_aware.table1 import read_checkins

pytestmark = pytest.mark.long

GRID = Grid(25, 50, -130, -60, 5, 7)
"""Cells of 5 x 10 degrees."""


@pytest.fixture
def read(tmp_path):
    def read(text, name="checkins.csv"):
        (tmp_path / name).write_bytes(text.encode())
        return read_checkins(tmp_path / name, GRID)

    return read


def test_each_row_is_a_person_without_counts(read):
    found = read("latitude,longitude\n26,-129\n26,-121\n29,-125\n49,-61\n")
    assert (found.people.nonzero()[0].tolist(), found.people[[0, 34]].tolist()) == ([0, 34], [3, 1])
    assert found.people.dtype == np.int64


def test_counts_are_added_and_other_columns_ignored(read):
    found = read("note,count,longitude,latitude\nx,3,-129,26\n,0,-61,49\ny,4e0,-129,26\n")
    assert (found.people[0], found.people.sum(), found.outside) == (7, 7, 0)


def test_edges_belong_to_the_map_and_what_lies_beyond_is_left_out(read):
    inside = "25,-130\n50,-60\n25,-60\n50,-130\n"
    found = read("latitude,longitude\n" + inside + "24.999,-100\n50.001,-100\n40,-130.001\n40,-59.999\n0,0\n")
    assert (found.people.sum(), found.outside) == (4, 5)
    assert found.people[[0, 6, 28, 34]].tolist() == [1, 1, 1, 1]


def test_many_rows_are_counted_as_one_by_one(read):
    rng = np.random.default_rng(5)
    rows = np.column_stack([rng.uniform(20, 55, 200_000), rng.uniform(-140, -50, 200_000), rng.integers(0, 9, 200_000)])
    text = "".join(f"{a!r},{b!r},{int(c)}\n" for a, b, c in rows.tolist())
    found = read("latitude,longitude,count\n" + text)
    edges = [np.linspace(25, 50, 6), np.linspace(-130, -60, 8)]
    expected = np.histogram2d(rows[:, 0], rows[:, 1], edges, weights=rows[:, 2])[0].ravel()
    assert np.array_equal(found.people, expected)
    assert found.outside == rows[:, 2].sum() - expected.sum()


def test_packed_and_parquet_tables(read, tmp_path):
    text = b"latitude,longitude,count\n26,-129,3\n"
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text))
    table = pa.table(
        {"latitude": pa.array([26], pa.int8()), "longitude": [-129.0], "count": pa.array([3], pa.uint64())}
    )
    pq.write_table(table, tmp_path / "a.parquet")
    for name in ("a.csv.gz", "a.parquet"):
        assert read_checkins(tmp_path / name, GRID).people[0] == 3


MISTAKES = {
    "nothing": ("", ["must hold data", "empty"]),
    "no longitude": ("latitude,count\n26,3\n", ["longitude"]),
    "no header": ("26.25,-129\n26,-129\n", ["latitude, longitude"]),
    "another case": ("Latitude,Longitude\n26,-129\n", ["did you mean", "latitude"]),
    "counts in another case": ("latitude,longitude,Count\n26,-129,3\n", ["count", "spelling"]),
    "counts after a blank": ("latitude,longitude, count\n26,-129,3\n", ["count", "spelling"]),
    "counts twice": ("latitude,longitude,count,Count\n26,-129,3,4\n", ["more than once"]),
    "no rows": ("latitude,longitude\n", ["no rows"]),
    "nobody on the map": ("latitude,longitude\n51,-100\n", ["25 to 50 N", "130 to 60 W", "none"]),
    "counts of zero": ("latitude,longitude,count\n26,-129,0\n", ["25 to 50 N", "none"]),
    "a word": ("latitude,longitude\n26,-129\nZebra7731,-100\n", ["row 2, latitude", "a number"]),
    "a missing position": ("latitude,longitude\n26,\n", ["row 1, longitude", "a number"]),
    "not a number": ("latitude,longitude\nnan,-100\n", ["row 1, latitude", "a number"]),
    "infinity": ("latitude,longitude\n26,-inf\n", ["row 1, longitude", "a number"]),
    "a missing count": ("latitude,longitude,count\n26,-129,\n", ["row 1, count", "a number"]),
    "a negative count": ("latitude,longitude,count\n26,-129,1\n26,-129,-7731\n", ["row 2, count", "negative"]),
    "a negative count off the map": ("latitude,longitude,count\n0,0,-7731\n", ["row 1, count", "negative"]),
    "a broken count": ("latitude,longitude,count\n26,-129,7731.5\n", ["row 1, count", "whole"]),
    "an absurd count": ("latitude,longitude,count\n26,-129,7731e300\n", ["row 1, count", "at most"]),
    "too many": ("latitude,longitude,count\n" + "26,-129,4294967296\n" * 2, ["at most 4,294,967,296", "8,589,934,592"]),
    "a blank line": ("latitude,longitude\n26,-129\n\n26,-129\n", ["blank", "line 3"]),
    "a row too long": ("latitude,longitude\n26,-129\n26,-129,7731\n", ["columns", "line 3"]),
}


@pytest.mark.parametrize(("text", "signs"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_names_its_place_and_never_a_value(read, text, signs):
    with pytest.raises(SordinoError) as error:
        read(text)
    assert [sign for sign in signs if sign not in str(error.value)] == []
    assert "7731" not in str(error.value)


def test_no_file_another_format_and_dates(read, tmp_path):
    with pytest.raises(SordinoError, match="nothing there"):
        read_checkins(tmp_path / "none.csv", GRID)
    with pytest.raises(SordinoError, match="must end in"):
        read("latitude,longitude\n26,-129\n", "checkins.txt")
    column = pa.array([True, False])
    pq.write_table(pa.table({"latitude": column, "longitude": column}), tmp_path / "a.parquet")
    with pytest.raises(SordinoError, match="row 1, latitude: must be a number"):
        read_checkins(tmp_path / "a.parquet", GRID)
