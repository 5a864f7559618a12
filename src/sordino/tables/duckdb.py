"""Tables in and out by DuckDB: CSV, Parquet and frames, streamed as Arrow batches in bounded memory.

Every CSV column is read as text, so that nothing is guessed from the data; what DuckDB says about a bad row is put in
words that hold no value of the row. An output appears whole or not at all.
"""

import csv
import gzip
import os
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cache
from pathlib import Path

import duckdb
import pyarrow as pa
from pyarrow import parquet

from sordino.document.files import cannot, written
from sordino.errors import DamagedError, SordinoError, UnavailableError
from sordino.survey.frozen.own_columns import alike
from sordino.tables.frame import Frame, PathOrFrame

ROWS = 1 << 17
"""Rows of a batch."""

SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "memory_limit": "512MB",
    "temp_directory": "",
    "async_threads": 0,
}
"""Streams need little; nothing is spilled to disk, where values could be left behind; and DuckDB 2.0's asynchronous
Parquet writer can hang for ever when it is interrupted."""

CSV_OPTIONS = "header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"', strict_mode = true"

FORMATS = (".csv", ".csv.gz", ".parquet")

OTHER_SEPARATORS = set(";\t|")
"""What some programs write between columns in place of a comma."""

COLUMNS, BYTES = "another number of columns", "bytes that are not UTF-8 text"
AGAIN = "get the file again"
STEPS = {
    COLUMNS: f"put values that hold a comma in double quotes, or {AGAIN}",
    BYTES: f"save it as UTF-8, or {AGAIN}",
}
"""What to do about a table that cannot be read to its end."""

INTERRUPTED = "Query interrupted"
"""All that DuckDB says of an interrupt where it has no error of its own for it."""

WILDCARDS = frozenset("*?[]{}")
"""In a path DuckDB would take them for a pattern, and could read another file."""

WHOLE = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"})
"""Types of whole numbers."""

PARQUET = "read_parquet(?, hive_partitioning = false)"
"""A folder called `x=1` is no column."""

FRAME = "frame"
"""What a table in memory is called in queries."""

TEXT = "VARCHAR"
"""The type of every column of a CSV file, and of texts in a Parquet file."""


def table_format(path: Path) -> str:
    """The format that a file's name tells.

    Raises:
        SordinoError: another ending.
    """
    for ending in FORMATS:
        if path.name.lower().endswith(ending):
            return ending
    raise SordinoError(f"a table's name must end in {', '.join(FORMATS)}", found=repr(path.name))


def typed(table: PathOrFrame) -> bool:
    """Whether a table's columns have names and types of their own: all but those of a CSV file, which are texts."""
    return isinstance(table, Frame) or table_format(table) == ".parquet"


def read_batches(table: PathOrFrame, select: Mapping[str, str], columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Stream expressions over some columns of a table, in the order of its rows.

    Args:
        table: a CSV or Parquet file, or a frame.
        select: SQL expressions by the name of their result; columns are quoted names.
        columns: the columns that the expressions need.

    Raises:
        SordinoError: no such file or column, or a file that is damaged (with the line, never its contents).
    """
    source = _source(table, columns)
    query = ", ".join(f"{expression} AS {quoted(name)}" for name, expression in select.items())
    with _opened(table) as (connection, parameters):
        try:
            relation = connection.sql(f"SELECT {query} FROM {source}", params=parameters)  # noqa: S608 - names are quoted
            yield from relation.to_arrow_reader(ROWS)
        except (duckdb.Error, pa.ArrowException, OSError, RuntimeError) as error:
            _require_not_stopped(error)
            raise _damaged(table, error) from None


def holds_everywhere(table: PathOrFrame, condition: str, columns: Sequence[str]) -> bool:
    """Whether an SQL condition over some columns holds in every row of a table that can be read and has a row."""
    try:
        rows, holding = count_where(table, ["true", condition], columns)
    except SordinoError:
        # Reading the rows one by one tells what is wrong.
        return False
    return rows == holding > 0


def count_where(table: PathOrFrame, conditions: Sequence[str], columns: Sequence[str]) -> list[int]:
    """In how many rows of a table each of some SQL conditions over some columns holds.

    Raises:
        SordinoError: no such file or column, or a file that is damaged.
    """
    source = _source(table, columns)
    counts = ", ".join(f"count(*) FILTER (WHERE {condition})" for condition in conditions)
    with _opened(table) as (connection, parameters):
        try:
            found = connection.execute(f"SELECT {counts} FROM {source}", parameters).fetchone()  # noqa: S608 - names are quoted
        except (duckdb.Error, OSError, RuntimeError) as error:
            _require_not_stopped(error)
            raise _damaged(table, error) from None
    return [int(count) for count in found or ()]


def count_rows(path: Path) -> int | None:
    """How many rows a file has: exactly for Parquet, by size and first rows for CSV; None where it cannot be told."""
    try:
        kind = table_format(path)
        if kind == ".parquet":
            return int(parquet.read_metadata(path).num_rows)
        if kind == ".csv":
            with path.open("rb") as file:
                sample = file.read(1 << 16)
            lines = sample.count(b"\n")
            return path.stat().st_size * lines // len(sample) if lines else None
    except (OSError, pa.ArrowException, SordinoError):
        # Whoever reads the table says what is wrong with it.
        return None
    return None


def write_table(
    path: Path, schema: pa.Schema, batches: Iterator[pa.RecordBatch], select: str = "*", *, overwrite: bool = False
) -> None:
    """Stream batches into a CSV or Parquet file, which appears only when it is whole.

    Args:
        path: the file.
        schema: of the batches.
        batches: made while they are written; an error in making them leaves no file.
        select: SQL expressions over the schema's columns.
        overwrite: whether an existing file may be replaced.
    """
    _require_plain(path)
    options = "FORMAT parquet, COMPRESSION snappy" if table_format(path) == ".parquet" else "FORMAT csv, HEADER"
    if table_format(path) == ".csv.gz":
        options += ", COMPRESSION gzip"
    raised: list[BaseException] = []

    def watched() -> Iterator[pa.RecordBatch]:
        # DuckDB reports an error of its input in its own words; ours is kept and raised as it was.
        try:
            yield from batches
        except BaseException as error:
            raised.append(error)
            raise

    with written(path, overwrite=overwrite) as temporary, _connected(_database()) as connection:
        connection.register("batches", pa.RecordBatchReader.from_batches(schema, watched()))
        target = str(temporary.absolute()).replace("'", "''")
        try:
            connection.execute(f"COPY (SELECT {select} FROM batches) TO '{target}' ({options})")  # noqa: S608 - select is ours, the path is quoted
        except (duckdb.Error, pa.ArrowException, RuntimeError) as error:
            _require_not_stopped(error)
            if raised:
                raise raised[0] from None
            raise UnavailableError(f"{path} must be possible to write", found=_system_reason(error)) from None


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def number(name: str) -> str:
    """The number in a column, as SQL; NULL for a text that only Python and DuckDB take for one: 1_0 is not 10."""
    column = quoted(name)
    spelt = f"typeof({column}) = '{TEXT}' AND contains(CAST({column} AS {TEXT}), '_')"
    return f"CASE WHEN {spelt} THEN NULL ELSE TRY_CAST({column} AS DOUBLE) END"


def header(table: PathOrFrame) -> list[tuple[str, str]]:
    """Name and type of each of a table's columns, of those that are read if it is in memory.

    Raises:
        SordinoError: no such file, a name that DuckDB would take for a pattern, or a damaged file.
    """
    names = table.table.column_names if isinstance(table, Frame) else _names(table)
    if not typed(table):
        return [(name, TEXT) for name in names]
    try:
        with _opened(table) as (connection, parameters):
            source = FRAME if isinstance(table, Frame) else PARQUET
            described = connection.execute(f"DESCRIBE FROM {source}", parameters).fetchall()
    except (duckdb.Error, OSError) as error:
        raise _damaged(table, error) from None
    return [(name, kind) for name, (_, kind, *_) in zip(names, described, strict=True)]


def _names(table: PathOrFrame) -> list[str]:
    """The names of a table's columns as it has them: DuckDB renames those that differ in case only."""
    if isinstance(table, Frame):
        return list(table.names)
    path, kind = table, _require_file(table)
    try:
        if kind == ".parquet":
            return list(parquet.read_schema(path).names)
        opener = gzip.open if kind == ".csv.gz" else open
        with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
            return next(csv.reader(file, strict=True), [])
    except (pa.ArrowException, OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        raise _damaged(path, error) from None


def _database(_: int = 0) -> duckdb.DuckDBPyConnection:
    """A database in memory. One takes 40 ms: a process reads with one, and writes with others, which wait for it."""
    return duckdb.connect(config=SETTINGS)


_read_with = cache(_database)  # by the process's number: a forked one is without its threads


def _connected(database: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """DuckDB draws a bar of its own on the output where a query takes seconds: not here."""
    return database.cursor().execute("SET enable_progress_bar = false")


@contextmanager
def _opened(table: PathOrFrame) -> Iterator[tuple[duckdb.DuckDBPyConnection, list[str]]]:
    """A database whose queries can read a table, and what parameters they have."""
    with _connected(_read_with(os.getpid())) as connection:
        parameters = [] if isinstance(table, Frame) else [str(table.absolute())]
        yield connection.register(FRAME, table.table) if isinstance(table, Frame) else connection, parameters


def _source(table: PathOrFrame, columns: Sequence[str]) -> str:
    """What reads a table in memory, or a file whose path is the query's parameter, its columns checked."""
    names = _names(table)
    if not names:
        raise SordinoError(f"{table} must hold data", found="no columns" if typed(table) else "an empty file")
    _require_columns(table, names, columns, "name them in its first line")
    matched = [alike(name) for name in names]
    repeated = [name for name in columns if matched.count(alike(name)) > 1]
    if repeated:
        raise SordinoError(
            f"{table} must have each column once", found=f"{', '.join(repeated)} more than once (case does not count)"
        )
    if isinstance(table, Frame):
        return FRAME
    if typed(table):
        return PARQUET
    # Names of columns that are not read do not matter, but must differ from each other and from those that are.
    other = "_" * (1 + max(map(len, columns)))
    unique = [name if name in columns else f"{other}{i}" for i, name in enumerate(names)]
    types = ", ".join(f"{_text(name)}: '{TEXT}'" for name in unique)
    compression = "gzip" if table_format(table) == ".csv.gz" else "none"
    return (
        f"read_csv(?, columns = {{{types}}}, compression = '{compression}', hive_partitioning = false, {CSV_OPTIONS})"
    )


def require_columns(table: PathOrFrame, columns: Sequence[str], step: str, *, named: bool = False) -> None:
    """Refuse a table that lacks a column.

    Args:
        table: a file or a frame.
        columns: their names.
        step: what to do about one that is missing, and is not there in another spelling.
        named: whether the first line is known to be one of names.

    Raises:
        SordinoError: with the names that are there, where they are known to be names.
    """
    if names := _names(table):
        _require_columns(table, names, columns, step, named=named)


def _require_columns(
    table: PathOrFrame, names: Sequence[str], columns: Sequence[str], step: str, *, named: bool = False
) -> None:
    missing = [name for name in columns if name not in names]
    if not missing:
        return
    # A CSV file without a header has somebody's values in its first line. Where a column is found they are names.
    known = named or typed(table) or len(missing) < len(columns)
    count = f"{len(names)} column{'' if len(names) == 1 else 's'}"
    found = f"{count}, but not {', '.join(missing)}"
    if known:
        found += f", only {', '.join(names)}"
    spelt = [repr(name) for name in names if alike(name.strip()) in [alike(one.strip()) for one in missing]]
    close = [repr(name) for one in missing for name in get_close_matches(one, names, 1) if known]
    if spelt or close:
        step = f"did you mean {', '.join(dict.fromkeys(spelt or close))}? Otherwise {step}"
    elif not known and len(names) == 1 and set(names[0]) & OTHER_SEPARATORS:
        step = f"separate columns by commas; {step}"
    rule = f"must have the column{'' if len(columns) == 1 else 's'} {', '.join(columns)}"
    raise SordinoError(f"{table} {rule}", found=found, step=step)


def refuse_blank_lines(table: PathOrFrame) -> None:
    """DuckDB skips a blank line, or takes it for a missing value: neither is what a table may leave open."""
    if isinstance(table, Frame) or _require_file(table) == ".parquet":
        return
    path = table
    opener = gzip.open if table_format(path) == ".csv.gz" else open
    lines, tail = 0, b"\n"
    try:
        with opener(path, "rb") as file:
            while chunk := file.read(1 << 20):
                text = tail + chunk
                found = min((at for at in (text.find(b"\n\n"), text.find(b"\n\r\n")) if at >= 0), default=-1)
                if found >= 0:
                    line = lines + text.count(b"\n", 0, found) + 1
                    raise SordinoError(f"{path} must have no blank lines", found=f"line {line}", step="take it out")
                tail = text[-2:]
                lines += text.count(b"\n") - tail.count(b"\n")
    except (OSError, EOFError, zlib.error) as error:
        raise _damaged(path, error) from None


def _require_file(path: Path) -> str:
    """The format of a table that is there, under a name that means only itself."""
    kind = table_format(path)
    if not path.is_file():
        raise SordinoError(f"{path} must be a file", found="a folder" if path.is_dir() else "nothing there")
    _require_plain(path)
    return kind


def _require_plain(path: Path) -> None:
    if WILDCARDS & set(str(path)):
        raise SordinoError(f"{path} must have no {' '.join(sorted(WILDCARDS))} in its path", step="choose another name")


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _damaged(table: PathOrFrame, error: Exception) -> SordinoError:
    """A reading error without the contents that DuckDB quotes: only the lines in its own words are looked at."""
    if isinstance(error, OSError) and error.strerror:
        return cannot("read", Path(str(table)), error)
    text = str(error)
    line = re.search(r"CSV Error on Line: (\d+)", text)
    where = f" in line {line[1]}" if line else ""
    known = {
        "Expected Number of Columns: ": COLUMNS,
        "Value with unterminated quote found.": "a quotation mark that is not closed",
        "Invalid unicode": BYTES,
        "Maximum line size": "a line that is too long",
    }
    # DuckDB quotes the bad row in the lines after "Original Line:", so each sign must begin a line of its own.
    signs = [what for sign, what in known.items() if any(part.startswith(sign) for part in text.splitlines()[1:])]
    if isinstance(error, UnicodeDecodeError):
        signs = [known["Invalid unicode"]]
    found = (signs or ["a damaged or cut file"])[0] + where
    step = STEPS.get(signs[0], AGAIN) if signs else AGAIN
    if isinstance(table, Frame):
        return DamagedError(f"{table} must be a whole table", found="columns that cannot be read", step="make it again")
    return DamagedError(f"{table} must be a whole {table_format(table)} table", found=found, step=step)


def _require_not_stopped(error: Exception) -> None:
    """A user's interrupt comes back from DuckDB as an error of its own, or as a plain RuntimeError.

    Both are told by their types: the text of any other error can quote a row that says "interrupted".
    """
    if isinstance(error, duckdb.InterruptException) or (
        type(error) is RuntimeError and str(error).startswith(INTERRUPTED)
    ):
        raise KeyboardInterrupt from None


def _system_reason(error: Exception) -> str:
    """Why the system refused to write, without paths or contents."""
    reason = re.search(r"No space left on device|File too large|Permission denied|Disk quota exceeded", str(error))
    return reason[0].lower() if reason else "a refusal of the system"
