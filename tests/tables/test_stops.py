"""An interrupt within DuckDB, wherever it comes, is an interrupt: no table is left, and no library's words are said."""

import signal
import sys
from contextlib import contextmanager, suppress

import duckdb
import pyarrow as pa
import pytest

from sordino import SordinoError
from sordino.process import interrupt_at_stops
from sordino.tables.damage import require_not_stopped
from sordino.tables.duckdb import header, read_batches, write_table
from sordino.tables.frame import Frame

SCHEMA = pa.schema([("a", pa.int64())])
TABLE = pa.table({"a": [1, 2, 3]})


@contextmanager
def interrupted(number):
    """Raise an interrupt at a call; how many there were."""
    count = 0

    def look(_, event, function):
        nonlocal count
        count += event in ("call", "c_call") and function is not sys.setprofile
        if count == number:
            sys.setprofile(None)
            raise KeyboardInterrupt

    sys.setprofile(look)
    try:
        yield lambda: count
    finally:
        sys.setprofile(None)


def write(folder):
    write_table(folder / "new.csv", SCHEMA, iter(TABLE.to_batches()))


def read(_):
    assert pa.Table.from_batches(read_batches(Frame.of(TABLE, ["a"]), {"a": "a"}, ["a"])) == TABLE


def look_at(_):
    assert header(Frame.of(TABLE, ["a"])) == [("a", "BIGINT")]


# A file that an interrupt leaves open is closed by Python, which notes it.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("work", [write, read, look_at])
def test_an_interrupt_at_any_call_is_one(tmp_path, work, step):
    (tmp_path / "first").mkdir()
    with interrupted(None) as count:
        work(tmp_path / "first")
    last = count()
    assert last > 50
    for number in range(1, last, step):
        folder = tmp_path / str(number)
        folder.mkdir()
        with suppress(KeyboardInterrupt), interrupted(number):
            work(folder)
        assert [path.name for path in folder.iterdir()] in ([], ["new.csv"]), number


@pytest.mark.parametrize("error", [RuntimeError("anything"), duckdb.IOException("anything"), ValueError("anything")])
def test_what_a_library_says_after_a_stop_was_asked_for_is_a_stop(error):
    require_not_stopped(error)
    with interrupt_at_stops():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            require_not_stopped(error)


def test_a_row_that_speaks_of_an_interrupt_is_none(tmp_path):
    words = "Query interrupted", "Invalid Input Error: reading the object registered as 'b' failed: KeyboardInterrupt"
    (tmp_path / "people.csv").write_text("a,b\n" + "".join(f'"{text}"\n' for text in words))
    with pytest.raises(SordinoError, match="another number of columns"):
        list(read_batches(tmp_path / "people.csv", {"a": "a"}, ["a"]))
