"""What tasks read of files: every row once, of files that stay what they were, on whatever machine."""

import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sordino import SordinoError, privatize
from sordino.tables.release import Release, Released
from sordino.tables.reports import privatize_table
from sordino.tables.spark import ids, tasks
from sordino.tables.spark import task_input as parts
from sordino.tables.spark.task_failure import TaskError
from sordino.tables.spark.task_input import FileParts
from sordino.tables.spark.tasks import SentPlan, Work, release_batches, store_reports, tally_reports
from sordino.tables.table_file import file_state
from surveys import planned


@pytest.fixture
def files(table, tmp_path, monkeypatch):
    """People in files of several row groups, one of which has none."""
    monkeypatch.setattr(parts, "LEAST", 400)
    for module in (ids, tasks):
        monkeypatch.setattr(module, "partition", lambda: 0)
    for name, rows in {"a": table.slice(0, 1000), "b": table.slice(0, 0), "c": table.slice(1000)}.items():
        pq.write_table(rows, tmp_path / f"{name}.parquet", row_group_size=300)
    return {path: file_state(path) for path in sorted(tmp_path.iterdir())}


def numbers(*pieces):
    return iter([pa.record_batch([pa.array(pieces, pa.int64())], names=["piece"])])


def test_each_row_is_in_one_piece(files, monkeypatch):
    for cores, most, count in ((1, 1 << 20, 5), (100, 1 << 20, 6), (1, 1, 11)):
        monkeypatch.setattr(parts, "MOST", most)
        cut = FileParts.cut(files, cores)
        places = {}
        for file, rows in cut.pieces:
            assert len(rows) > 0
            places.setdefault(file.name, []).extend(rows)
        assert places == {"a.parquet": list(range(1000)), "c.parquet": list(range(2000))}
        assert len(cut.pieces) == count, (cores, most)


def test_pieces_have_the_reports_of_the_whole_table_and_their_tally(plan, key, table, files, tmp_path):
    cut = FileParts.cut(files, 1)
    sent = SentPlan(type("Sent", (), {"value": plan.bytes}), plan.hash, plan.sampled.fingerprint)
    work = Work(sent, cut, "who", key.of_plan(plan.hash).handed_over())
    found = pa.Table.from_batches(
        [one for piece in range(len(cut.pieces)) for one in release_batches(work, numbers(piece))]
    )
    expected = privatize(plan, table, key, id_column="who")
    assert found.column("code").to_pylist() == expected.column("code").to_pylist()
    (tmp_path / "reports").mkdir()
    pq.write_table(expected, tmp_path / "reports" / "all.parquet", row_group_size=1000)
    path = tmp_path / "reports" / "all.parquet"
    reports = FileParts.cut({path: file_state(path)}, 1)
    counts = plan.sampled.tally(expected.column("code").to_numpy().astype(np.uint64)).counts
    total = np.zeros_like(counts)
    for piece in range(len(reports.pieces)):
        for batch in tally_reports(Work(sent, reports), numbers(piece)):
            total += np.frombuffer(batch.column("counters")[0].as_py(), dtype="<i8")
    assert len(reports.pieces) > 1
    assert np.array_equal(total, counts)


def test_numbers_are_clipped_in_as_many_rows_as_in_the_whole_table(key, table, files, tmp_path):
    ages = {"age": {"number": {"low": 20, "high": 50, "clip": True}}}
    plan = planned({"version": 1, "epsilon": "1", "attribute": ages, "ask": [{"mean": "age"}]})
    pq.write_table(table, tmp_path / "all.parquet")
    release = Release("who", key)
    whole = privatize_table(plan, tmp_path / "all.parquet", tmp_path / "reports.parquet", release=release)
    sent = SentPlan(type("Sent", (), {"value": plan.bytes}), plan.hash, plan.sampled.fingerprint)
    cut = FileParts.cut(files, 1)
    work = Work(sent, cut, "who", key.of_plan(plan.hash).handed_over())
    done = [
        row
        for piece in range(len(cut.pieces))
        for one in store_reports(work, tmp_path, numbers(piece))
        for row in one.to_pylist()
    ]
    assert all(row["clipped"] == ["age"] for row in done)
    assert whole == Released(sum(row["people"] for row in done), {"age": sum(row["rows"][0] for row in done)})
    assert 0 < whole.clipped["age"] < whole.n


def test_a_bad_row_is_named_by_its_file_and_its_place_in_it(plan, key, table, files):
    path = list(files)[-1]
    ages = table.column("age").to_pylist()[1000:]
    ages[1700] = 500.0
    bad = table.slice(1000).set_column(table.column_names.index("age"), "age", pa.array(ages))
    pq.write_table(bad, path, row_group_size=300)
    cut = FileParts.cut({path: file_state(path)}, 1)
    sent = SentPlan(type("Sent", (), {"value": plan.bytes}), plan.hash, plan.sampled.fingerprint)
    work = Work(sent, cut, "id", key.of_plan(plan.hash).handed_over())
    with pytest.raises(TaskError, match=r"c.parquet, row 1701, age: a value must be a number from 0 to 120"):
        list(release_batches(work, numbers(*range(len(cut.pieces)))))


def test_a_file_that_became_another_is_refused_by_whoever_reads_it(files):
    cut = FileParts.cut(files, 1)
    state = file_state(cut.pieces[0][0])
    os.utime(cut.pieces[0][0], ns=(0, state[-1]))
    assert len(list(cut.of(numbers(0), 0))) == 1
    os.utime(cut.pieces[0][0], ns=(0, state[-1] + 1))
    with pytest.raises(SordinoError, match="must not change while it is read"):
        list(cut.of(numbers(0), 0))


def test_a_file_is_the_same_on_machines_that_call_its_disk_otherwise(files, monkeypatch):
    cut = FileParts.cut(files, 1)
    monkeypatch.setattr(parts, "file_state", lambda file: (7, 8, *file_state(file)[2:]))
    assert len(list(cut.of(numbers(*range(len(cut.pieces))), 0))) == len(cut.pieces)
