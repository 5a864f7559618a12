"""Tables in and out by DuckDB: CSV, Parquet and frames, streamed as Arrow batches in bounded memory.

Every CSV column is read as text, so that nothing is guessed from the data; what DuckDB says about a bad row is put in
words that hold no value of the row. An output appears whole or not at all.
"""

import csv
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from difflib import get_close_matches
from functools import cache
from pathlib import Path

import duckdb
import pyarrow as pa

from sordino.document.files import replace_whole
from sordino.errors import SordinoError, UnavailableError
from sordino.survey.schema.own_columns import fold_name
from sordino.tables.csv_file import CsvFile, require_file, require_plain, table_format
from sordino.tables.damage import damage_error, require_not_stopped, system_reason
from sordino.tables.frame import Frame, PathOrFrame, expecting_kind
from sordino.tables.table_file import has_types

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

OTHER_SEPARATORS = set(";\t|")
"""What some programs write between columns in place of a comma."""

WHOLE = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"})
"""Types of whole numbers."""

PARQUET = "read_parquet(?, hive_partitioning = false)"
"""A folder called `x=1` is no column."""

WIDE = 100
"""Expressions of a query from which on DuckDB searches none of them for parts that they share: the search takes time
that grows with the square of their number (4 of 5 processor seconds of 500), and changes no value."""

FRAME = "frame"
"""What a table in memory is called in queries."""

ROW = "file_row_number"
"""What DuckDB calls the place of a row in a Parquet file."""

TEXT = "VARCHAR"
"""The type of every column of a CSV file, and of texts in a Parquet file."""


def read_batches(
    table: PathOrFrame, select: Mapping[str, str], columns: Sequence[str], rows: range | None = None
) -> Iterator[pa.RecordBatch]:
    """Stream expressions over some columns of a table, in the order of its rows.

    Args:
        table: a CSV or Parquet file, or a frame.
        select: SQL expressions by the name of their result; columns are quoted names.
        columns: the columns that the expressions need.
        rows: of a Parquet file, by their places; all by default. Row groups without any of them are not read.

    Raises:
        SordinoError: no such file or column, or a file that is damaged (with the line, never its contents).
    """
    query = ", ".join(f"{expression} AS {quote(name)}" for name, expression in select.items())
    with _open_table(table) as whole, _readable(whole, columns) as (connection, read, parameters):
        source = read + _within(rows)
        _share_parts(connection, len(select))
        try:
            relation = connection.sql(f"SELECT {query} FROM {source}", params=parameters)  # noqa: S608 - names are quoted
            yield from relation.to_arrow_reader(ROWS)
        except (duckdb.Error, pa.ArrowException, OSError, RuntimeError) as error:
            require_not_stopped(error)
            raise damage_error(table, error) from None


def count_where(
    table: PathOrFrame, conditions: Sequence[str], columns: Sequence[str], rows: range | None = None
) -> list[int]:
    """In how many rows of a table each of some SQL conditions over some columns holds.

    Of a Parquet file also among some rows alone, by their places.

    Raises:
        SordinoError: no such file or column, or a file that is damaged.
    """
    counts = ", ".join(f"count(*) FILTER (WHERE {condition})" for condition in conditions)
    with _open_table(table) as whole, _readable(whole, columns) as (connection, read, parameters):
        source = read + _within(rows)
        _share_parts(connection, len(conditions))
        try:
            found = connection.execute(f"SELECT {counts} FROM {source}", parameters).fetchone()  # noqa: S608 - names are quoted
        except (duckdb.Error, OSError, RuntimeError) as error:
            require_not_stopped(error)
            raise damage_error(table, error) from None
    return [int(count) for count in found or ()]


def _share_parts(connection: duckdb.DuckDBPyConnection, count: int) -> None:
    """Let DuckDB search the next query's expressions, so many, for parts that they share; not where it is wide."""
    connection.execute(f"SET disabled_optimizers = '{'' if count < WIDE else 'common_subexpressions'}'")


def _within(rows: range | None) -> str:
    return "" if rows is None else f" WHERE {ROW} >= {rows.start} AND {ROW} < {rows.stop}"


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
    require_plain(path)
    options = "FORMAT parquet, COMPRESSION snappy" if table_format(path) == ".parquet" else "FORMAT csv, HEADER"
    if table_format(path) == ".csv.gz":
        options += ", COMPRESSION gzip"
    raised: list[BaseException] = []

    def keep_error() -> Iterator[pa.RecordBatch]:
        # DuckDB reports an error of its input in its own words; ours is kept and raised as it was.
        try:
            yield from batches
        except BaseException as error:
            raised.append(error)
            raise

    with replace_whole(path, overwrite=overwrite) as temporary, _without_progress_bar(_database()) as connection:
        target = str(temporary.absolute()).replace("'", "''")
        try:
            connection.register("batches", pa.RecordBatchReader.from_batches(schema, keep_error()))
            connection.execute(f"COPY (SELECT {select} FROM batches) TO '{target}' ({options})")  # noqa: S608 - select is ours, the path is quoted
        except (duckdb.Error, pa.ArrowException, RuntimeError) as error:
            if raised:
                raise raised[0] from None
            require_not_stopped(error)
            raise UnavailableError(
                f"{path} must be possible to write",
                found=system_reason(error),
                step="look for room on the disk and rights on the folder",
            ) from None


def whole_type(kind: str) -> bool:
    """Whether a column of this type has whole numbers: as decimals too, for engines that lack unsigned ones."""
    return kind in WHOLE or (kind.startswith("DECIMAL(") and kind.endswith(",0)"))


def quote(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def number(name: str) -> str:
    """The number in a column, as SQL; NULL for a text that only Python and DuckDB take for one: 1_0 is not 10."""
    column = quote(name)
    spelt = f"typeof({column}) = '{TEXT}' AND contains(CAST({column} AS {TEXT}), '_')"
    return f"CASE WHEN {spelt} THEN NULL ELSE TRY_CAST({column} AS DOUBLE) END"


A_DAY = r"\d{4}-\d{2}-\d{2}([ T].*)?"
"""A date, or a time of that day."""


def days(name: str) -> str:
    """The number of days since 1970-01-01 in a column of dates, times, texts of either, or numbers, as SQL."""
    text = f"CAST({quote(name)} AS {TEXT})"
    since = f"date_diff('day', DATE '1970-01-01', TRY_CAST({text}[:10] AS DATE))"
    is_day = f"regexp_full_match({text}, {literal(A_DAY)})"
    return f"CASE WHEN {is_day} THEN CAST({since} AS DOUBLE) ELSE {number(name)} END"


def index_below(name: str, k: int) -> str:
    """The whole number below k in a column, as SQL; -1 for whatever else stands there."""
    column, read = quote(name), number(name)
    inside = f"{read} >= 0 AND {read} < {k} AND {read} = floor({read})"
    other = f"coalesce(TRY_CAST(CASE WHEN {inside} THEN {read} END AS INTEGER), -1)"
    # Types are known before a row is read: of whole numbers nothing is worked out in floats.
    kinds, whole = ", ".join(map(literal, sorted(WHOLE))), f"TRY_CAST({column} AS INTEGER)"
    own = f"CASE WHEN {whole} >= 0 AND {whole} < {k} THEN {whole} ELSE -1 END"
    return f"CASE WHEN typeof({column}) IN ({kinds}) THEN {own} ELSE {other} END"


def header(table: PathOrFrame) -> list[tuple[str, str]]:
    """Name and type of each of a table's columns, of those that are read if it is in memory.

    Raises:
        SordinoError: no such file, a name that DuckDB would take for a pattern, or a damaged file.
    """
    names = table.table.column_names if isinstance(table, Frame) else _names(table)
    if isinstance(table, CsvFile) or not has_types(table):
        return [(name, TEXT) for name in names]
    try:
        with _without_progress_bar(_read_with(os.getpid())) as connection:
            source, parameters = _typed_source(connection, table)
            described = connection.execute(f"DESCRIBE FROM {source}", parameters).fetchall()
    except (duckdb.Error, OSError, RuntimeError) as error:
        require_not_stopped(error)
        raise damage_error(table, error) from None
    return [(name, kind) for name, (_, kind, *_) in zip(names, described, strict=True)]


def begins_with(path: Path, names: Sequence[str]) -> bool:
    """Whether a file is a table whose first columns have these names."""
    try:
        return [name for name, _ in header(path)][: len(names)] == [*names]
    except SordinoError:
        return False


@contextmanager
def opened_table(table: PathOrFrame) -> Iterator[PathOrFrame]:
    """A table of people to be read in the block, where it is open if it is a CSV file.

    Raises:
        SordinoError: no such file, one of another kind, or one that cannot be read.
    """
    with ExitStack() as stack:
        with expecting_kind(table, "table"):
            whole = stack.enter_context(_open_table(table))
        yield whole


@contextmanager
def _open_table(table: PathOrFrame) -> Iterator[PathOrFrame]:
    if not isinstance(table, Path) or has_types(table):
        yield table
        return
    try:
        file = CsvFile(table)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        raise damage_error(table, error) from None
    with file:
        yield file


def _names(table: PathOrFrame) -> list[str]:
    """The names of a table's columns as it has them: DuckDB renames those that differ in case only."""
    if not isinstance(table, Path):
        return list(table.names)
    if not has_types(table):
        with _open_table(table) as file:
            return _names(file)
    from pyarrow import parquet

    require_file(table)
    try:
        return list(parquet.read_schema(table).names)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise damage_error(table, error) from None


def _database(_: int = 0) -> duckdb.DuckDBPyConnection:
    """A database in memory. One takes 40 ms: a process reads with one, and writes with others, which wait for it."""
    return duckdb.connect(config=SETTINGS)


_read_with = cache(_database)  # by the process's number: a forked one is without its threads


def read_alone() -> None:
    """In a process that is one of several at work: read with one thread, and leave the other cores to them."""
    _read_with(os.getpid()).execute("SET threads = 1")


def _without_progress_bar(database: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """DuckDB draws a bar of its own on the output where a query takes seconds: not here."""
    return database.cursor().execute("SET enable_progress_bar = false")


@contextmanager
def _readable(table: PathOrFrame, columns: Sequence[str]) -> Iterator[tuple[duckdb.DuckDBPyConnection, str, list[str]]]:
    """A database whose queries can read a table, what they read, and what parameters they have; its columns checked."""
    _require_readable(table, columns)
    with _without_progress_bar(_read_with(os.getpid())) as connection:
        if not isinstance(table, CsvFile):
            yield connection, *_typed_source(connection, table)
            return
        try:
            with table.pipe() as name:
                yield connection, _csv_source(table, columns), [name]
        except (OSError, EOFError, zlib.error) as error:
            raise damage_error(table, error) from None


def _typed_source(connection: duckdb.DuckDBPyConnection, table: Path | Frame) -> tuple[str, list[str]]:
    if not isinstance(table, Frame):
        return PARQUET, [str(table.absolute())]
    try:
        connection.register(FRAME, table.table)
    except duckdb.Error as error:
        require_not_stopped(error)
        raise damage_error(table, error) from None
    return FRAME, []


def _csv_source(table: CsvFile, columns: Sequence[str]) -> str:
    # Names of columns that are not read do not matter, but must differ from each other and from those that are.
    other = "_" * (1 + max(map(len, columns)))
    unique = [name if name in columns else f"{other}{i}" for i, name in enumerate(table.names)]
    types = ", ".join(f"{literal(name)}: '{TEXT}'" for name in unique)
    options = f"compression = '{table.compression}', hive_partitioning = false, {CSV_OPTIONS}"
    return f"read_csv(?, columns = {{{types}}}, {options})"


def _require_readable(table: PathOrFrame, columns: Sequence[str]) -> None:
    """Refuse a table that has not each of some columns once.

    Raises:
        SordinoError: no columns, or one of these missing or repeated.
    """
    names = _names(table)
    if not names:
        raise SordinoError(
            f"{table} must hold data",
            found="no columns" if has_types(table) else "an empty file",
            step="name its columns in a first line, with a row for each person below",
        )
    _require_columns(table, names, columns, "name them in its first line")
    matched = [fold_name(name) for name in names]
    repeated = [name for name in columns if matched.count(fold_name(name)) > 1]
    if repeated:
        raise SordinoError(
            f"{table} must have each column once",
            found=f"{', '.join(repeated)} more than once (case does not count)",
            step="rename one of them",
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
    known = named or has_types(table) or len(missing) < len(columns)
    count = f"{len(names)} column{'' if len(names) == 1 else 's'}"
    found = f"{count}, but not {', '.join(missing)}"
    if known:
        found += f", only {', '.join(names)}"
    spelt = [repr(name) for name in names if fold_name(name.strip()) in [fold_name(one.strip()) for one in missing]]
    close = [repr(name) for one in missing for name in get_close_matches(one, names, 1) if known]
    if spelt or close:
        step = f"did you mean {', '.join(dict.fromkeys(spelt or close))}? Otherwise {step}"
    elif not known and len(names) == 1 and set(names[0]) & OTHER_SEPARATORS:
        step = f"separate columns by commas; {step}"
    rule = f"must have the column{'' if len(columns) == 1 else 's'} {', '.join(columns)}"
    raise SordinoError(f"{table} {rule}", found=found, step=step)


def literal(value: str) -> str:
    """A text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"
