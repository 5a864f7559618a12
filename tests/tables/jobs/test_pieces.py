"""Pieces of a Parquet file: runs of row groups, each read by itself as it stands in the whole file."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sordino import Plan, SordinoError, Survey, privatize
from sordino.tables.frame import Frame
from sordino.tables.jobs import pieces
from sordino.tables.jobs.pieces import pieces_of
from sordino.tables.values import read_people

ATTRIBUTES = {"value": {"categories": 10}, "age": {"number": {"low": 0, "high": 120}}}


@pytest.fixture(scope="module")
def plan():
    tables = {"version": 1, "epsilon": "1", "attribute": ATTRIBUTES, "ask": [{"histogram": "value"}, {"mean": "age"}]}
    return Plan.of(Survey.read(tables), 1000)


def write(path, groups, **more):
    rows = sum(groups)
    columns = {"value": np.arange(rows) % 10, "age": np.arange(rows) % 100 + 0.5, "id": np.arange(rows)} | more
    table = pa.table(columns)
    with pq.ParquetWriter(path, table.schema) as writer:
        first = 0
        for size in groups:
            writer.write_table(table.slice(first, size), row_group_size=max(size, 1))
            first += size
    return path


@pytest.mark.parametrize(
    ("groups", "ends"), [([40] * 5, [120, 200]), ([99, 1, 300, 7], [100, 400, 407]), ([30], [30]), ([0], [0])]
)
def test_pieces_are_runs_of_row_groups_one_after_the_other(tmp_path, monkeypatch, groups, ends):
    monkeypatch.setattr(pieces, "LEAST", 100)
    file, found = pieces_of(write(tmp_path / "p.parquet", groups))
    assert file == tmp_path / "p.parquet"
    assert found == [range(first, end) for first, end in zip([0, *ends], ends, strict=False)]


def test_a_piece_is_read_as_its_rows_of_the_whole_file(tmp_path, plan):
    path = write(tmp_path / "p.parquet", [30, 40, 50])
    for piece in (range(30, 70), range(65, 71), range(120)):
        read = list(read_people(plan, path, "id", piece))
        assert [row for (values, _), *_ in read for row in values] == [row % 10 for row in piece]
        assert [age for (_, ages), *_ in read for age in ages.numbers[0]] == [row % 100 + 0.5 for row in piece]
        assert [row for _, ids, *_ in read for row in ids.low] == list(piece)


def test_a_bad_value_is_named_by_its_row_of_the_whole_file(tmp_path, plan):
    ages = np.full(120, 50.0)
    ages[73] = 121
    path = write(tmp_path / "p.parquet", [30, 40, 50], age=ages)
    with pytest.raises(SordinoError, match=r"row 74, age: .* in 1 of 120 rows"):
        list(read_people(plan, path, None, range(70, 120)))


MISSING_IDS = {"of a piece": (range(70, 120), [30, 40, 50], 73), "beyond a batch": (None, [300_000], 270_000)}


@pytest.mark.parametrize(("piece", "groups", "place"), MISSING_IDS.values(), ids=MISSING_IDS)
def test_a_missing_id_is_named_by_its_row_of_the_whole_file(tmp_path, plan, piece, groups, place):
    ids = [None if row == place else row for row in range(sum(groups))]
    path = write(tmp_path / "p.parquet", groups, id=ids)
    with pytest.raises(SordinoError, match=rf"row {place + 1}, id: each row must have a different id"):
        list(read_people(plan, path, "id", piece))


def test_fewer_rows_than_were_counted_are_a_file_that_changed(tmp_path, plan):
    path = write(tmp_path / "p.parquet", [30])
    with pytest.raises(SordinoError, match="must not change while it is read"):
        list(read_people(plan, path, None, range(20, 31)))


def test_other_tables_have_no_pieces(tmp_path):
    (tmp_path / "p.csv").write_text("value,age\n1,2\n")
    frame = Frame.of(pa.table({"value": [1]}), {"value"})
    for table, found in ((tmp_path / "p.csv", ".csv"), (frame, "a table in memory")):
        with pytest.raises(SordinoError, match="must be a Parquet file to be read by several jobs") as raised:
            pieces_of(table)
        assert raised.value.found == found
        assert raised.value.step == "write it as one, or leave jobs out"
    named = write(tmp_path / "p.parquet", [3], File_Row_Number=[5, 6, 7])
    with pytest.raises(SordinoError, match="must have no column file_row_number"):
        pieces_of(named)
    named.write_bytes(named.read_bytes()[:-9])
    with pytest.raises(SordinoError, match=r"must be a whole \.parquet table"):
        pieces_of(named)


@pytest.mark.parametrize("jobs", [0, -1, 257, True])
def test_jobs_are_a_whole_number(plan, jobs):
    with pytest.raises(SordinoError, match="jobs must be a whole number from 1 to 256"):
        privatize(plan, pa.table({"value": [1], "age": [2.0]}), jobs=jobs)
