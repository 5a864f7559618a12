"""Folders of Parquet files: whole ones are read, and new ones appear whole or not at all."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sordino import SordinoError
from sordino.errors import DamagedError, UnavailableError
from sordino.tables.spark.folders import (
    equal_files,
    parquet_files,
    require_new_folder,
    require_one_schema,
    require_written,
    take_files,
    written_folder,
)

TABLE = pa.table({"plan": [1, 2], "code": [3, 4]})


@pytest.fixture
def folder(tmp_path):
    """Days of reports, one written by Spark, one by hand, and what is nobody's."""
    for name in ("monday/part-0.parquet", "monday/part-1.parquet", "day=2/all.PARQUET", "_left/x.parquet"):
        path = tmp_path / "days" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(TABLE, path)
    (tmp_path / "days" / "monday" / "_SUCCESS").touch()
    (tmp_path / "days" / "monday" / ".part-0.parquet.crc").touch()
    return tmp_path / "days"


def test_files_of_a_folder_and_its_folders(folder):
    names = [str(path.relative_to(folder)) for path in parquet_files(folder)]
    assert names == ["day=2/all.PARQUET", "monday/part-0.parquet", "monday/part-1.parquet"]
    assert parquet_files(folder / "day=2" / "all.PARQUET") == [folder / "day=2" / "all.PARQUET"]


def test_folders_that_nobody_finished(folder):
    (folder / "monday" / "_SUCCESS").unlink()
    with pytest.raises(DamagedError, match="written to its end") as raised:
        parquet_files(folder)
    assert raised.value.found == "no _SUCCESS"
    (folder / "monday" / "_SUCCESS").touch()
    (folder / "_temporary").mkdir()
    with pytest.raises(DamagedError, match="written to its end") as raised:
        parquet_files(folder)
    assert raised.value.found == "_temporary"


def test_other_files_and_none(folder):
    (folder / "notes.csv").write_text("plan,code\n")
    with pytest.raises(SordinoError, match=r"notes.csv must be a Parquet file or a folder of them"):
        parquet_files(folder)
    (folder / "empty").mkdir()
    with pytest.raises(SordinoError, match="empty must hold Parquet files"):
        parquet_files(folder / "empty")
    with pytest.raises(SordinoError, match="must be a file"):
        parquet_files(folder / "none.parquet")


def test_files_of_one_folder_have_one_schema(folder):
    files = parquet_files(folder)
    require_one_schema(files)
    pq.write_table(TABLE.select(["code"]), files[2])
    with pytest.raises(SordinoError, match=r"part-1.parquet must have the columns of .*all.PARQUET"):
        require_one_schema(files)
    files[2].write_bytes(b"PAR1")
    with pytest.raises(DamagedError):
        require_one_schema(files)


def test_a_folder_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "reports"

    def write(error=None):
        with written_folder(path) as (writing, done):
            for name in ("part-0-lost.parquet", "part-0.parquet"):
                (writing / name).touch()
            take_files(["part-0.parquet"], writing, done)
            # A try that was given up writes on.
            (writing / "part-1-late.parquet").touch()
            if error is not None:
                raise error

    with pytest.raises(SordinoError):
        write(SordinoError("a value must be given"))
    with pytest.raises(KeyboardInterrupt):
        write(KeyboardInterrupt())
    assert list(tmp_path.iterdir()) == []
    write()
    assert sorted(found.name for found in path.iterdir()) == ["_SUCCESS", "part-0.parquet"]
    with pytest.raises(SordinoError, match="must not exist"):
        write()
    assert list(tmp_path.iterdir()) == [path]


def test_names_at_which_no_folder_can_be_written(tmp_path):
    (tmp_path / "there").mkdir()
    for name, rule in {
        "there": "must not exist: privatizing the same people again is a second release",
        "reports.csv": "must be a folder of Parquet files",
        "nowhere/reports": "must be a folder",
        "reports*": "must have no",
    }.items():
        with pytest.raises(SordinoError, match=rule):
            require_new_folder(tmp_path / name)


def test_a_folder_holds_as_many_reports_as_there_are_people(folder):
    monday = folder / "monday"
    require_written(monday, 4)
    with pytest.raises(UnavailableError, match="all machines must write into one folder") as raised:
        require_written(monday, 5)
    assert raised.value.found == "4 of 5 reports in it"
    (monday / "_SUCCESS").unlink()
    with pytest.raises(UnavailableError):
        require_written(monday, 4)


def test_files_of_the_same_bytes_are_found(folder, tmp_path):
    monday = folder / "monday"
    assert equal_files([monday / "part-0.parquet", tmp_path / "days" / "day=2" / "all.PARQUET"]) == [
        [monday / "part-0.parquet", folder / "day=2" / "all.PARQUET"]
    ]
    pq.write_table(pa.table({"plan": [1, 2], "code": [4, 3]}), monday / "part-1.parquet")
    assert equal_files([monday / "part-0.parquet", monday / "part-1.parquet"]) == []
    for name in ("none", "neither"):
        pq.write_table(TABLE.slice(0, 0), folder / f"{name}.parquet")
    assert equal_files([folder / "none.parquet", folder / "neither.parquet"]) == []


def test_a_file_of_another_machine_that_is_not_there_is_no_part_of_a_folder(tmp_path):
    path = tmp_path / "reports"

    def write():
        with written_folder(path) as (writing, done):
            take_files(["part-0.parquet"], writing, done)

    with pytest.raises(UnavailableError, match="all machines must write into one folder"):
        write()
    assert list(tmp_path.iterdir()) == []


def test_what_is_left_of_a_driver_that_was_killed_is_no_folder_of_reports(tmp_path):
    """At any moment: while tasks write, and between taking one of their files and the last."""
    with written_folder(tmp_path / "reports") as (writing, done):
        for name in ("part-0.parquet", "part-1.parquet"):
            pq.write_table(TABLE, writing / name)
        for folder in (writing, done):
            with pytest.raises((DamagedError, SordinoError)):
                parquet_files(folder)
        (writing / "part-0.parquet").rename(done / "part-0.parquet")
        for folder in (writing, done):
            with pytest.raises(DamagedError, match="written to its end"):
                parquet_files(folder)
        (done / "part-0.parquet").rename(writing / "part-0.parquet")
        take_files(["part-0.parquet", "part-1.parquet"], writing, done)
