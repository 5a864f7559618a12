"""Reports: privatize a table of people into a file or a frame, and tally them. Bounded memory, whole files or none.

A row is one report: the plan's tag, a code, and the values of the plan's public columns, if it has any. In CSV tag and
code have a constant number of digits, so that no length tells anything and a cut row is seen.

A file that is a copy of another is noticed: its reports would count twice. Two files of a few reports may be equal by
chance, and so may two that somebody sorted. But where a code is followed by a smaller one at t places that do not
overlap, swapping any of these pairs gives 2^t orders, all of them as likely for people who come in no particular order:
the chance that another file has just this one is at most 2^-t.

Rows of a CSV file have one width (tag, comma, code with all digits, line feed), so that they are read and written as
columns of bytes, many digits at a time. What stands otherwise is not judged by bytes: whoever reads the file as a table
says what is wrong with it, or finds that nothing is.
"""

import secrets
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from gzip import GzipFile
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sordino.document.files import replace_whole, require_new
from sordino.errors import DamagedError, SordinoError
from sordino.exact.keyed import KEY_BYTES, KeyedSource
from sordino.exact.source import Words
from sordino.mechanism.channel import Aggregate
from sordino.survey.planning.plan import Plan
from sordino.tables.columns import AttributeColumns
from sordino.tables.csv_file import open_table, require_plain, table_format
from sordino.tables.duckdb import (
    ROWS,
    count_where,
    header,
    opened_table,
    quote,
    read_batches,
    require_columns,
    whole_type,
    write_table,
)
from sordino.tables.frame import PathOrFrame, array_of, column_of, expecting_kind
from sordino.tables.jobs.drawn import Drawn, draw_reports
from sordino.tables.jobs.pieces import pieces_of
from sordino.tables.key import open_key
from sordino.tables.records import IdComparison
from sordino.tables.release import PLAIN, Release, Released
from sordino.tables.table_file import change_error, file_state, has_types, require_unchanged
from sordino.tables.values import read_people, require_people
from sordino.tables.weighted_rows import CountColumn, sorted_codes

COLUMNS = ("plan", "code")

HASH = b"sordino plan"
"""What the metadata of reports in memory call the plan's hash."""

Progress = Callable[[int], None]
"""Called with the number of rows done since the last call."""

CERTAIN = 40
"""Pairs from which on no chance is left: 2^-40 is below 10^-12."""

HEADER = b"plan,code\n"

TAG_DIGITS = 20
"""Decimal digits of 64 bits."""

PACKED = 6
"""How hard gzip tries: half of its steps save what can be saved of digits."""

WORD = 8
"""Bytes of a word, each a digit; the first digit is its lowest byte."""

PIECE = 1 << 13
"""Rows that are looked at together: they stay in the processor's cache."""

ZEROS, LARGER, SIGNS = (np.uint64(int.from_bytes(bytes([byte]) * WORD)) for byte in (0x30, 0x76, 0x80))
"""The digit 0 in each byte; what brings ten and more to a byte's highest bit; these bits."""

HALVES = tuple(np.uint64(int.from_bytes(bytes(mask))) for mask in ([0, 255] * 4, [0, 0, 255, 255] * 2))
"""Every second byte of a word, and every second pair of bytes."""

LARGE = 10**16
"""Two words of digits."""

FOUR = 4
"""Digits that are written at a time."""

DIGITS = np.frombuffer(b"".join(b"%04d" % number for number in range(10**FOUR)), dtype="<u4")
"""Those of all numbers that have so many at most."""


@dataclass(frozen=True)
class ReportRows:
    """The rows of one plan.

    Attributes:
        tag: the plan's.
        last: the largest code.
    """

    tag: int
    last: int

    @property
    def digits(self) -> int:
        """Of a code."""
        return len(str(self.last))

    @property
    def start(self) -> bytes:
        """What every row begins with."""
        return f"{self.tag:0{TAG_DIGITS}},".encode()

    @property
    def width(self) -> int:
        """Bytes of a row."""
        return len(self.start) + self.digits + 1

    def encode_rows(self, codes: Words) -> bytes:
        """The rows of some codes, all of them the plan's."""
        rows = np.empty(len(codes) * self.width, dtype=np.uint8)
        for first in range(0, len(codes), PIECE):
            piece = codes[first : first + PIECE]
            self._write(piece, rows[first * self.width : (first + len(piece)) * self.width])
        return rows.tobytes()

    def _write(self, codes: Words, rows: NDArray[np.uint8]) -> None:
        for at in range(self.width - 1 - FOUR, len(self.start) - FOUR, -FOUR):
            rest = codes // np.uint64(10**FOUR)
            # The first digits may fill bytes before the code, which are written below.
            self._column(rows, at, "<u4")[:] = DIGITS.take((codes - rest * np.uint64(10**FOUR)).view(np.intp))
            codes = rest
        for at in self._places:
            self._column(rows, at, "<u8")[:] = self._word(at)
        self._column(rows, self.width - 1, "u1")[:] = ord("\n")

    def read(self, file: BinaryIO, rows: int) -> Iterator[Words]:
        """The codes of a file, so many rows at a time.

        Raises:
            OtherRowsError: something else than the plan's rows, after the codes of all rows before it.
        """
        if file.read(len(HEADER)) != HEADER:
            raise OtherRowsError
        while content := file.read(rows * self.width):
            count = len(content) // self.width
            codes, right = np.empty(count, dtype=np.uint64), np.empty(count, dtype=np.bool_)
            for first in range(0, count, PIECE):
                piece = slice(first, min(first + PIECE, count))
                codes[piece], right[piece] = self._codes(content[piece.start * self.width : piece.stop * self.width])
            yield codes if right.all() else codes[: int(np.argmin(right))]
            if not right.all() or count * self.width < len(content):
                raise OtherRowsError

    def _codes(self, content: bytes) -> tuple[Words, NDArray[np.bool_]]:
        start, end = len(self.start), self.width - 1
        right = self._column(content, end, "u1") == ord("\n")
        for at in self._places:
            right &= self._column(content, at, "<u8") == self._word(at)
        parts = []
        for at in range(end - WORD, start - WORD, -WORD):
            # Of a word that begins before the code only the code's digits are looked at.
            before = np.uint64(8 * max(start - at, 0))
            digits = (self._column(content, at, "<u8") ^ ZEROS) >> before << before
            right &= ((digits + LARGER) | digits) & SIGNS == 0
            parts.append(_number(digits))
        low = parts[0] if len(parts) == 1 else parts[0] + parts[1] * np.uint64(10**WORD)
        high = parts[2] if len(parts) == 3 else np.zeros_like(low)
        last_high, last_low = divmod(self.last, LARGE)
        right &= (high < last_high) | ((high == last_high) & (low <= last_low))
        return high * np.uint64(LARGE) + low, right

    @property
    def _places(self) -> tuple[int, ...]:
        """Where the words of a row's start lie, which cover it; the last ones overlap."""
        return (*range(0, len(self.start) - WORD, WORD), len(self.start) - WORD)

    def _word(self, at: int) -> np.uint64:
        return np.uint64(int.from_bytes(self.start[at : at + WORD], "little"))

    def _column(self, rows: bytes | NDArray[np.uint8], at: int, kind: str) -> NDArray[Any]:
        return np.ndarray(len(rows) // self.width, kind, rows, at, (self.width,))


def privatize_table(
    plan: Plan, data: PathOrFrame, reports: Path, progress: Progress = lambda _: None, *, release: Release = PLAIN
) -> Released:
    """Release one report for each row of a table.

    For a holder of data who releases it, for simulation and for benchmarks: in the local setting people privatize on
    their own devices. Each call without a key is a new release, so an existing file is never replaced.

    Args:
        plan: by which.
        data: the people, a row each.
        reports: the file to write; in the order of the rows, without their ids.
        progress: called with the number of rows done since the last call.
        release: how.

    Raises:
        SordinoError: the reports exist, the data cannot be read whole, an id is missing or stands twice, the key is
            none or is not secret, or the system refuses to write; no reports are left.
    """
    if reports.is_file():
        raise SordinoError(
            f"{reports} must not exist: privatizing the same people again is a second release, and losses add",
            step="use the reports that you have",
        )
    require_new(reports)
    done, clipped = 0, Counter[str]()

    def count(rows: int) -> None:
        nonlocal done
        done += rows
        progress(rows)

    with _codes(plan, data, count, release, clipped) as codes:
        if table_format(reports) == ".parquet" or plan.cells.parts:
            write_reports(plan, codes, reports)
        else:
            write_rows(reports, _rows(plan), codes)
    return Released(done, clipped)


def privatize_frame(
    plan: Plan, data: PathOrFrame, progress: Progress = lambda _: None, *, release: Release = PLAIN
) -> pa.Table:
    """The reports that `privatize_table` would write, in memory; each call without a key is a new release.

    Returns:
        The columns of a report file, and the plan's hash in the metadata.

    Raises:
        SordinoError: the data cannot be read whole, an id is missing or stands twice, the key is none or is not secret.
    """
    with _codes(plan, data, progress, release) as codes:
        table = pa.Table.from_batches(_as_batches(plan, codes), _schema(plan))
    return table.replace_schema_metadata({HASH: plan.hash})


@contextmanager
def _codes(
    plan: Plan, data: PathOrFrame, progress: Progress, release: Release, clipped: Counter[str] | None = None
) -> Iterator[Iterator[Words]]:
    """One report for each person of a table, whose ids have been compared when the last one was given.

    Clipped numbers have been counted then too.
    """
    clipped = Counter() if clipped is None else clipped
    with open_key(release) as made, ExitStack() as stack:
        table = stack.enter_context(opened_table(data))
        before = file_state(table)
        require_people(plan, table)
        if release.count_column is not None:
            counts = CountColumn(release.count_column)
            counts.require(table)
            batches = draw_reports(plan, read_people(plan, table, None, counts=counts), None)
            yield sorted_codes(require_unchanged(table, before, _compare_ids(batches, None, clipped)), progress)
            return
        file, pieces = pieces_of(table) if release.jobs > 1 else (None, [])
        if len(pieces) > 1:
            # What starts processes is loaded where some are started.
            from sordino.tables.jobs import workers
        source, keyed, ids = made(), None, release.id_column
        if ids is not None:
            # Without a key its words serve the comparison of ids alone.
            keyed = (source or KeyedSource(secrets.token_bytes(KEY_BYTES), "ids")).of_plan(plan.hash)
        if file is None or len(pieces) == 1:
            batches = draw_reports(plan, read_people(plan, table, ids), keyed, fresh=source is None)
        else:
            started = workers.Workers.of(plan, file, release, keyed, pieces, fresh=source is None)
            batches = stack.enter_context(started).draw_all()
        codes = _compare_ids(batches, IdComparison(table, ids, keyed) if ids and keyed else None, clipped)
        yield _count_progress(require_unchanged(table, before, codes), progress)


def _compare_ids(batches: Iterator[Drawn], comparison: IdComparison | None, clipped: Counter[str]) -> Iterator[Words]:
    """The reports of people whose ids differ, if they have any: two with one id would share their noise."""
    for codes, ids, beyond in batches:
        if comparison is not None and ids is not None:
            comparison.add(ids)
        clipped.update(beyond)
        yield codes
    if comparison is not None:
        comparison.finish()


def _count_progress(batches: Iterator[Words], progress: Progress) -> Iterator[Words]:
    for codes in batches:
        yield codes
        progress(len(codes))


def write_reports(plan: Plan, batches: Iterator[Words], reports: Path) -> None:
    """Write codes that were collected as a file of reports, whole or not at all."""
    padded = "*" if table_format(reports) == ".parquet" else _pad(plan)
    write_table(reports, _schema(plan), _as_batches(plan, batches), padded)


def _pad(plan: Plan) -> str:
    """The columns of a CSV file as SQL: tag and code with all their digits, then the public values."""
    tag, code = (quote(name) for name in COLUMNS)
    widths = ((tag, TAG_DIGITS), (code, len(str(plan.sampled.outputs - 1))))
    padded = [f"lpad(CAST({name} AS VARCHAR), {width}, '0') AS {name}" for name, width in widths]
    return ", ".join([*padded, *map(quote, plan.cells.names)])


def _as_batches(plan: Plan, batches: Iterator[Words]) -> Iterator[pa.RecordBatch]:
    schema = _schema(plan)
    width = np.dtype(f"u{schema.field('code').type.bit_width // 8}")
    for numbers in batches:
        codes, cells = plan.cells.split(numbers)
        tags = np.full(len(codes), plan.tag, dtype=np.uint64)
        own = [column_of(tags), column_of(codes.astype(width, copy=False))]
        yield pa.record_batch([*own, *public_columns(plan, cells)], schema=schema)


def public_columns(plan: Plan, cells: Words) -> list[pa.Array]:
    """The public values of some cells, a column of texts for each public column."""
    found: list[pa.Array] = []
    places = cells.astype(np.int64)
    for part in reversed(plan.cells.parts):
        places, own = np.divmod(places, len(part.labels))
        found.append(pa.array(part.labels, pa.string()).take(pa.array(own)))
    return found[::-1]


def _schema(plan: Plan) -> pa.Schema:
    code = pa.uint32() if plan.sampled.code_bits <= 32 else pa.uint64()
    return pa.schema([("plan", pa.uint64()), ("code", code), *((name, pa.string()) for name in plan.cells.names)])


def report_columns(plan: Plan) -> tuple[str, ...]:
    """Those of the reports of a plan: its tag, the code, and each public column by its name."""
    return (*COLUMNS, *plan.cells.names)


def _rows(plan: Plan) -> ReportRows:
    return ReportRows(plan.tag, plan.sampled.outputs - 1)


def tally_table(
    plan: Plan,
    reports: Sequence[PathOrFrame],
    progress: Progress = lambda _: None,
    note: Callable[[str], None] = lambda _: None,
) -> Aggregate:
    """Count the reports of one or more files or frames.

    Args:
        plan: of the reports.
        reports: the files or frames.
        progress: called with the number of rows done since the last call.
        note: called with a sentence about files that hold the same few reports, which may be copies.

    Raises:
        SordinoError: reports of another plan, a copy of another file, or no reports.
        DamagedError: a code that the plan cannot send, a damaged or cut file.
    """
    aggregate = plan.tally(np.empty(0, dtype=np.uint64))
    copies = Copies(note)
    for table in reports:
        aggregate += tally_codes(plan, table, copies.note_copies(table, read_codes(plan, table)), progress)
    if aggregate.n == 0:
        raise SordinoError("an aggregate needs reports", found=f"none in {', '.join(map(str, reports))}")
    return aggregate


def tally_codes(
    plan: Plan, table: PathOrFrame, batches: Iterator[Words], progress: Progress = lambda _: None, rows: int = 0
) -> Aggregate:
    """Count the codes of a table, or of its rows after so many, which `read_codes` gives.

    Raises:
        DamagedError: a code that the plan cannot send.
    """
    aggregate = plan.tally(np.empty(0, dtype=np.uint64))
    for codes in batches:
        try:
            aggregate += plan.tally(codes)
        except SordinoError:
            position = plan.first_invalid(codes)
            if position is None:
                raise
            rule = f"{table}, row {rows + position + 1}: a code must be one that the plan can send"
            raise DamagedError(rule, found="an unknown code", step="get the file again") from None
        rows += len(codes)
        progress(len(codes))
    return aggregate


def tally_people(
    plan: Plan, data: PathOrFrame, progress: Progress = lambda _: None, *, release: Release = PLAIN
) -> Aggregate:
    """Tally the reports that `privatize_table` would write, without writing them: for simulation and benchmarks."""
    aggregate = plan.tally(np.empty(0, dtype=np.uint64))
    with _codes(plan, data, progress, release) as batches:
        for codes in batches:
            aggregate += plan.tally(codes, drawn=True)
    return aggregate


def read_codes(plan: Plan, table: PathOrFrame, places: range | None = None) -> Iterator[Words]:
    """The codes of a table, or of some rows of a Parquet file by their places, each row checked.

    Raises:
        SordinoError: another plan's report, or columns of another kind.
        DamagedError: a code that no report of the plan has, or a cut file.
    """
    with expecting_kind(table, "reports"):
        require_columns(table, report_columns(plan), "give a file that `sordino.privatize` wrote")
    done = 0
    if isinstance(table, Path) and not has_types(table) and not plan.cells.parts:
        with suppress(OtherRowsError, OSError, EOFError, zlib.error), open_table(table) as file:
            for codes in _rows(plan).read(file, ROWS):
                yield codes
                done += len(codes)
            return
    # From the first row on that stands otherwise, which may be as good, and is told if it is not.
    for codes in _read_any_codes(plan, table, places):
        if done < len(codes):
            yield codes[max(done, 0) :]
        done -= len(codes)


def _read_any_codes(plan: Plan, table: PathOrFrame, places: range | None) -> Iterator[Words]:
    """The codes of a table that DuckDB can read, in whatever form its columns stand."""
    last = plan.sampled.outputs - 1
    tag, code = (quote(name) for name in COLUMNS)
    own = f"coalesce(TRY_CAST({tag} AS UBIGINT) = {plan.tag}, false)"
    whole = "true"
    if has_types(table):
        wrong = [name for name, kind in header(table) if name in COLUMNS and not whole_type(kind)]
        if wrong:
            raise SordinoError(
                f"{table} must have whole numbers in plan and code", found=f"a different type in {wrong[0]}"
            )
    else:
        _require_last_line(table)
        whole = f"regexp_full_match({code}, '[0-9]{{{len(str(last))}}}')"
    valid = f"({whole} AND coalesce(TRY_CAST({code} AS UBIGINT) <= {last}, false))"
    select = {"code": f"TRY_CAST({code} AS UBIGINT)", "own": own, "valid": valid}
    public = [AttributeColumns(replace(one, columns=(one.name,), missing=None)) for one in plan.cells.attributes]
    keys = [{key: f"{key} {j}" for key in one.expressions} for j, one in enumerate(public)]
    select |= {own[key]: text for one, own in zip(public, keys, strict=True) for key, text in one.expressions.items()}
    rows = places.start if places else 0
    for batch in read_batches(table, select, report_columns(plan), places):
        for name in ("own", "valid"):
            if batch.column(name).true_count < len(batch):
                row = rows + int(np.argmin(array_of(batch.column(name)))) + 1
                raise _foreign(table, row, own) if name == "own" else _no_code(table, row, last, own, valid)
        codes: Words = array_of(batch.column("code"))
        if public:
            read = [{key: batch.column(given) for key, given in own.items()} for own in keys]
            values = [one.values(table, own, rows, public) for one, own in zip(public, read, strict=True)]
            codes = plan.cells.join(codes, plan.cells.cell(values))
        rows += len(batch)
        yield codes
    if places is not None and rows != places.stop:
        raise change_error(table)


def _foreign(table: PathOrFrame, row: int, own: str) -> SordinoError:
    sign = f"regexp_full_match(CAST({quote('plan')} AS VARCHAR), '[0-9](\\.[0-9]+)?[eE]\\+?[0-9]+|[0-9]+\\.0*')"
    rows, foreign, rounded = count_where(table, ["true", f"NOT {own}", f"NOT {own} AND {sign}"], COLUMNS)
    found, step = f"the tag of a different plan in {foreign:,} of {rows:,} rows", "aggregate each plan's reports apart"
    if rounded == foreign:
        found += " (numbers with a decimal point, as programs write that round what is long)"
        step = "get the file as it was written"
    return SordinoError(f"{table}, row {row}: a report must belong to the plan", found=found, step=step)


def _no_code(table: PathOrFrame, row: int, last: int, own: str, valid: str) -> DamagedError:
    code = f"CAST({quote('code')} AS VARCHAR)"
    wrong = f"({own} AND NOT {valid})"
    short = f"regexp_full_match({code}, '[0-9]+') AND coalesce(TRY_CAST({code} AS UBIGINT) <= {last}, false)"
    point = f"regexp_full_match({code}, '[0-9]+\\.0*')"
    conditions = ["true", wrong, f"{wrong} AND {short}", f"{wrong} AND {point}"]
    rows, count, shortened, pointed = count_where(table, conditions, COLUMNS)
    cause = ""
    if shortened == count:
        cause = " (without their leading zeros, as programs write that take codes for numbers)"
    elif pointed == count:
        cause = " (with a decimal point, as programs write that take codes for measurements)"
    rule = f"{table}, row {row}: a code must be one of the plan's, in 0..{last}"
    return DamagedError(rule, found=f"an unknown code in {count:,} of {rows:,} rows{cause}", step="get the file again")


def _require_last_line(path: PathOrFrame) -> None:
    if isinstance(path, Path) and table_format(path) == ".csv" and path.is_file() and path.stat().st_size:
        with path.open("rb") as file:
            file.seek(-1, 2)
            if file.read(1) != b"\n":
                raise DamagedError(f"{path} must end with a whole row", found="a cut file", step="get the file again")


class Copies:
    """The files that were read so far, by their codes in their order: a copy in another format is one too."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._seen: dict[bytes, PathOrFrame] = {}

    def note_copies(self, table: PathOrFrame, batches: Iterator[NDArray[np.uint64]]) -> Iterator[NDArray[np.uint64]]:
        """The codes of a file as they are read.

        Raises:
            SordinoError: at their end, if they are those of an earlier file and cannot be by chance.
        """
        digest, n, pairs = blake2b(digest_size=32), 0, 0
        last = np.empty(0, dtype=np.uint64)
        falls = False
        for codes in batches:
            yield codes
            digest.update(codes.astype("<u8", copy=False).tobytes())
            n += len(codes)
            ends = np.concatenate([last, codes])
            falling = ends[1:] < ends[:-1]
            # Of a run of falls only the first counts, so that pairs do not overlap.
            pairs += int(np.count_nonzero(falling[1:] & ~falling[:-1])) + int(falling[:1].any() and not falls)
            falls = bool(falling[-1]) if len(falling) else falls
            last = ends[-1:]
        self._compare(table, digest.digest(), n, pairs)

    def _compare(self, table: PathOrFrame, digest: bytes, n: int, pairs: int) -> None:
        first = self._seen.setdefault(digest, table)
        if first is table or n == 0:
            return
        if pairs >= CERTAIN:
            raise SordinoError(
                f"{table} must hold other reports than {first}",
                found=f"the same {n:,} in the same order: a copy",
                step="name one of them",
            )
        self._note(f"{table} holds the same {n:,} reports as {first}, by chance or as a copy; they count twice")


class OtherRowsError(Exception):
    """A file has something else than the rows of a plan: others' reports, a damage, or the same in another form."""


def _number(digits: Words) -> Words:
    """What eight digits count: pairs, then fours, then all, each time the first of two beside the second."""
    pairs, fours = HALVES
    two = (digits * np.uint64(10 * 2**8 + 1)) >> np.uint64(8) & pairs
    four = (two * np.uint64(10**2 * 2**16 + 1)) >> np.uint64(16) & fours
    return (four * np.uint64(10**4 * 2**32 + 1)) >> np.uint64(32)


def write_rows(path: Path, rows: ReportRows, batches: Iterator[Words]) -> None:
    """Write the reports of some codes into a CSV file, which appears only when it is whole.

    Args:
        path: the file, `.csv` or `.csv.gz`.
        rows: their form.
        batches: made while they are written; an error in making them leaves no file.

    Raises:
        SordinoError: the file exists, or the system refuses.
    """
    require_plain(path)
    with replace_whole(path) as temporary, temporary.open("xb") as plain:
        # Neither a name nor a time: the same reports are the same bytes.
        packed = GzipFile("", "wb", PACKED, plain, 0) if table_format(path) == ".csv.gz" else nullcontext(plain)
        with packed as file:
            file.write(HEADER)
            for codes in batches:
                file.write(rows.encode_rows(codes))
