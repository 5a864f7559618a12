"""Names of tables' files, and a CSV file that is opened once: the names of its columns, and its lines for their reader.

A thread copies the lines into a pipe, from which DuckDB reads. So the bytes that are looked at for names and blank
lines are the ones that are read as rows, a table may come through a pipe itself, and a second reading goes back to the
start of the same file. Whole lines alone are handed on: where a file breaks off, no part of a value is taken for a
value. Where pipes have no names, as on Windows, all lines are looked at first, and DuckDB opens the file itself.
Cost: one copy in memory of what is read, `PIECE` bytes and the longest line at a time.
"""

import csv
import gzip
import io
import os
import select
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from gzip import GzipFile
from itertools import chain
from pathlib import Path
from threading import Thread, current_thread, main_thread
from typing import Any, BinaryIO, Self, cast

import numpy as np

from sordino.errors import SordinoError
from sordino.process import STOPS

NAMED_PIPES = hasattr(select, "poll") and Path("/dev/fd").is_dir()
"""Whether another library can open a pipe of this process by a name."""

HEAD = 1 << 16
"""Bytes that are read for the names of the columns; more where these are longer."""

PIECE = 1 << 18
"""Bytes that are looked at together: they stay in the processor's cache."""

LONGEST = 1 << 22
"""Bytes after which a line is handed on before it ends: DuckDB refuses lines of half as many."""

ROOM = 1 << 20
"""Bytes that a pipe is asked to hold on Linux: by itself it holds a sixteenth."""

BLANK = 'take it out; if it is an empty cell of a table with one column, write "" there'
"""What to do about a blank line."""

FORMATS = (".csv", ".csv.gz", ".parquet")

PANDAS = {".sav": "read_spss", ".dta": "read_stata", ".xlsx": "read_excel", ".ods": "read_excel"}
"""What reads tables of other formats."""

WILDCARDS = frozenset("*?[]{}")
"""In a path DuckDB would take them for a pattern, and could read another file."""


class CsvFile:
    """An open CSV file, or a pipe of such lines, for a `with` statement.

    Attributes:
        path: under which it was found.
        format: `.csv` or `.csv.gz`.
        names: of its columns, as they stand in its first line; none of an empty file.
    """

    def __init__(self, path: Path) -> None:
        """Open a file, and read its first line.

        Raises:
            SordinoError: no such file, or a blank first line.
            OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error: it cannot be read, or is no text.
        """
        self.path, self.format = path, require_file(path)
        self._feed: _Feed | None = None
        self._is_read = False
        self._file = path.open("rb", buffering=0)
        try:
            if not self.can_be_read_again:
                self._wake.hear_signals()
            raw: Any = self._file if self.can_be_read_again else _Awaited(self._file, self._wake)
            self._bytes: Any = GzipFile(fileobj=raw, mode="rb") if self.format == ".csv.gz" else raw
            head = _Head(self._bytes)
            with io.TextIOWrapper(io.BufferedReader(head), encoding="utf-8-sig", newline="") as text:
                self.names = tuple(next(csv.reader(text, strict=True), []))
            self._head = bytes(head.held)
            if not self.names:
                next(whole_lines(self, iter([self._head])), None)
        except BaseException:
            self.close()
            raise

    def __str__(self) -> str:
        return str(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def can_be_read_again(self) -> bool:
        """Whether it has a start to go back to: a file, not a pipe."""
        return self._file.seekable()

    @property
    def rows_expected(self) -> int | None:
        """About how many rows it has, by its size and its first ones; None where that cannot be told."""
        lines = self._head.count(b"\n")
        if not lines or self.format == ".csv.gz" or not self.can_be_read_again:
            return None
        return os.fstat(self._file.fileno()).st_size * lines // len(self._head)

    @property
    def compression(self) -> str:
        """Of what `pipe` names, as DuckDB calls it."""
        return "gzip" if self.format == ".csv.gz" and not NAMED_PIPES else "none"

    @cached_property
    def _wake(self) -> "_Wake":
        return _Wake()

    @contextmanager
    def pipe(self) -> Iterator[str]:
        """The name of a pipe that gives all lines from the first one on, while the block runs.

        A reading that is under way ends, and must not go on: there is one at a time.

        Raises:
            SordinoError: a blank line, with its number; or a second reading of a pipe.
            OSError, EOFError, zlib.error: the file cannot be read to its end.
            KeyboardInterrupt: a signal that stops came.
            RuntimeError: it went on once another one had begun.
        """
        self._stop()
        if not self.can_be_read_again and (self._is_read or not NAMED_PIPES):
            raise SordinoError(
                f"{self} is a pipe, which cannot be read again", step="write it to a file, and give that"
            )
        if not NAMED_PIPES:
            for _ in self._lines():
                pass
            yield str(self.path.absolute())
            return
        feed = self._feed = _Feed(self._lines(), self._wake)
        try:
            yield f"/dev/fd/{feed.end}"
            feed.finish()
        except Exception:
            # What DuckDB says of a file that breaks off is only what follows from it.
            if feed.error is not None:
                raise feed.error from None
            raise
        finally:
            if self._feed is feed:
                self._stop()
        if feed.error is not None:
            raise feed.error

    def close(self) -> None:
        """End what reads it, and close it."""
        self._stop()
        if "_wake" in vars(self):
            self._wake.close()
        self._file.close()

    def _stop(self) -> None:
        if self._feed is not None:
            self._feed.stop()
            self._feed = None

    def _lines(self) -> Iterator[bytes]:
        before = [self._head]
        if self._is_read:
            self._bytes.seek(0)
            before = []
        self._is_read = True
        lines = whole_lines(self, chain(before, iter(lambda: self._bytes.read(PIECE), b"")))
        return (line.replace(b"\r\n", b"\n") for line in lines) if self._is_mixed else lines

    @property
    def _is_mixed(self) -> bool:
        """Whether some of the first lines end in a carriage return and others do not, which DuckDB refuses.

        Programs write such files that put a header of their own before another one's rows.
        """
        returns = self._head.count(b"\r\n")
        return 0 < returns < self._head.count(b"\n")


def whole_lines(table: object, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The bytes of a CSV file as pieces that end where a line does, but for the last one and for very long lines.

    Raises:
        SordinoError: a line that has nothing, with its number: neither skipping nor guessing is what a table may leave
            open. Of its piece nothing is given.
    """
    lines, start, begun = 0, b"\n", b""
    for piece in pieces:
        text = begun + piece
        end = text.rfind(b"\n") + 1 if len(text) <= LONGEST else len(text) - text.endswith(b"\r")
        whole, begun = text[:end], text[end:]
        if not whole:
            continue
        signs = np.frombuffer(start + whole, dtype=np.uint8)
        ends = signs == ord("\n")
        # After a line's end another one, with a carriage return between or without.
        blank = ends[:-1] & ends[1:]
        if b"\r" in whole:
            blank[:-1] |= ends[:-2] & (signs[1:-1] == ord("\r")) & ends[2:]
        if blank.any():
            line = lines + np.count_nonzero(ends[1 : np.argmax(blank) + 1]) + 1
            raise SordinoError(f"{table} must have no blank lines", found=f"line {line}", step=BLANK)
        lines += int(np.count_nonzero(ends[1:]))
        start = whole[-1:]
        yield whole
    if begun:
        yield begun


class _Feed:
    """A thread that fills a pipe until all is read, or nobody wants more.

    Attributes:
        end: of the pipe, to be read.
        error: why it ended before all was read; known before the pipe ends.
    """

    def __init__(self, pieces: Iterator[bytes], wake: "_Wake") -> None:
        self._pieces, self._wake = pieces, wake
        self.error: BaseException | None = None
        self.end, self._other = os.pipe()
        self._is_stopped = False
        os.set_blocking(self._other, False)
        if sys.platform == "linux":
            import fcntl

            with suppress(OSError):
                fcntl.fcntl(self._other, fcntl.F_SETPIPE_SZ, ROOM)
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def finish(self) -> None:
        """Look at what nobody has read, to the end.

        Raises:
            RuntimeError: it was stopped before.
        """
        if self._is_stopped:
            raise RuntimeError("a reading of a table must not go on once another one has begun")
        while os.read(self.end, PIECE):
            pass

    def stop(self) -> None:
        """End it, wherever it is."""
        self._is_stopped = True
        self._wake.up()
        self._thread.join()
        self._wake.forget()
        os.close(self.end)

    def _run(self) -> None:
        try:
            for piece in self._pieces:
                rest = memoryview(piece)
                while rest:
                    self._wake.wait(self._other, select.POLLOUT)
                    with suppress(BlockingIOError):
                        rest = rest[os.write(self._other, rest) :]
        except _StoppedError:
            pass
        except BaseException as error:  # noqa: BLE001 - raised where the pipe is read
            self.error = error
        finally:
            os.close(self._other)


class _StoppedError(Exception):
    """Nobody wants more."""


class _Wake:
    """What ends a thread's waiting: a pipe of its own, into which signals may be written too."""

    def __init__(self) -> None:
        self._end, self._other = os.pipe()
        os.set_blocking(self._end, False)
        os.set_blocking(self._other, False)
        self._before: int | None = None

    def hear_signals(self) -> None:
        """Be woken by a signal: Python hears of it only once DuckDB, which waits for the pipe, comes back."""
        if current_thread() is main_thread():
            self._before = signal.set_wakeup_fd(self._other, warn_on_full_buffer=False)

    def up(self) -> None:
        """End a waiting."""
        with suppress(BlockingIOError):
            os.write(self._other, b"\0")

    def forget(self) -> None:
        """As if nothing had come."""
        with suppress(BlockingIOError):
            while os.read(self._end, HEAD):
                pass

    def wait(self, file: int, event: int) -> None:
        """Wait until a file can be read or written.

        Raises:
            _StoppedError: it was woken by `up`.
            KeyboardInterrupt: it was woken by a signal that stops.
        """
        poll = select.poll()
        poll.register(file, event)
        poll.register(self._end, select.POLLIN)
        while True:
            ready = [number for number, _ in poll.poll()]
            if self._end in ready:
                with suppress(BlockingIOError):
                    woken = set(os.read(self._end, HEAD))
                    if woken & set(STOPS):
                        raise KeyboardInterrupt
                    if 0 in woken:
                        raise _StoppedError
            if file in ready:
                return

    def close(self) -> None:
        """Let signals go to whoever heard them before."""
        if self._before is not None and current_thread() is main_thread():
            signal.set_wakeup_fd(self._before)
        os.close(self._end)
        os.close(self._other)


class _Awaited(io.RawIOBase):
    """A pipe that is read as soon as something stands in it; waiting for it can be ended."""

    def __init__(self, file: io.FileIO, wake: _Wake) -> None:
        self._file, self._wake = file, wake

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._wake.wait(self._file.fileno(), select.POLLIN)
        return self._file.readinto(buffer)


class _Head(io.RawIOBase):
    """The first bytes of a file, which are kept.

    Attributes:
        held: what was read.
    """

    def __init__(self, file: Any) -> None:
        self._file, self._at = file, 0
        self.held = bytearray()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._at == len(self.held):
            self.held += self._file.read(HEAD)
        some = self.held[self._at : self._at + len(buffer)]
        buffer[: len(some)] = some
        self._at += len(some)
        return len(some)


def ending_of(path: Path, endings: Sequence[str]) -> str | None:
    """The first of some endings that a file's name has, whatever its case; None without any."""
    return next((ending for ending in endings if path.name.lower().endswith(ending)), None)


def table_format(path: Path) -> str:
    """The format that a file's name tells; a pipe without any of their endings is a CSV table.

    Raises:
        SordinoError: another ending.
    """
    if ending := ending_of(path, FORMATS):
        return ending
    if path.is_fifo():
        return ".csv"
    step = "name it so, or convert it"
    if (read := PANDAS.get(path.suffix.lower())) and path.is_file():
        convert = f"pandas.{read}({str(path)!r}).to_csv({str(path.with_suffix('.csv'))!r}, index=False)"
        step = f"make a CSV file of it, in Python: {convert}"
    raise SordinoError(f"a table's name must end in {', '.join(FORMATS)}", found=repr(path.name), step=step)


def require_file(path: Path) -> str:
    """The format of a table that is there, under a name that means only itself: a file, or a pipe of CSV.

    Raises:
        SordinoError: nothing of that name, a folder, or another ending.
    """
    kind = table_format(path)
    if not path.is_file() and (kind == ".parquet" or not path.is_fifo()):
        raise SordinoError(
            f"{path} must be a file",
            found="a folder" if path.is_dir() else "a pipe" if path.is_fifo() else "nothing there",
            step="look at the name and the folder",
        )
    require_plain(path)
    return kind


def require_plain(path: Path) -> None:
    """Refuse a name that could mean other files too."""
    if WILDCARDS & set(str(path)):
        raise SordinoError(f"{path} must have no {' '.join(sorted(WILDCARDS))} in its path", step="choose another name")


def require_name(path: Path) -> None:
    """Refuse a name under which no table can be written."""
    table_format(path)
    require_plain(path)


def open_table(path: Path) -> BinaryIO:
    """The bytes of a CSV file, unpacked."""
    return cast("BinaryIO", gzip.open(path, "rb")) if table_format(path) == ".csv.gz" else path.open("rb")
