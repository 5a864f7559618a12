"""The ids of a table's rows: whole numbers or texts, refused if one is missing or stands twice.

Messages name rows and columns, never an id, which may be as personal as a value. Reports carry no ids.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.exact.record_ids import RecordIds, Texts
from sordino.exact.source import Words
from sordino.tables.arrays import array_of
from sordino.tables.duckdb import TEXT, WHOLE, header, quoted, read_batches, require_columns
from sordino.tables.frame import PathOrFrame

HASH = "hash({column})"
"""64 bits of an id, in SQL: equal ids have equal ones, and nearly all others differ."""

MOST = 1 << 25
"""Hashes that are compared at a time, 8 bytes each; more are compared part by part, with a reading of the table for
each part."""


def id_expressions(table: PathOrFrame, column: str, kinds: Mapping[str, str]) -> dict[str, str]:
    """What to read of a column of ids, for `batch_ids`, by the rule of `sordino.exact.keyed.record_ids`.

    Args:
        table: a file or a frame.
        column: the ids.
        kinds: the type of each of the table's columns.

    Raises:
        SordinoError: no such column, or one of another type than whole numbers or texts.
    """
    if column not in kinds:
        # Whoever reads ids has found the columns of the values.
        require_columns(table, [column], "name the column that tells people apart: --id COLUMN", named=True)
    kind, name = kinds[column], quoted(column)
    if kind not in WHOLE and kind not in (TEXT, "UUID"):
        raise SordinoError(f"{table} must have whole numbers or texts in {column}", found=f"type {kind}")
    if kind in WHOLE:
        return {"id": f"coalesce({name}, 0)", "id_missing": f"{name} IS NULL"}
    text = f"CAST({name} AS VARCHAR)"
    # Numbers begin with a sign or a digit: most texts need no look at the rest.
    number = f"CASE WHEN ascii({text}) BETWEEN {ord('-')} AND {ord('9')} THEN TRY_CAST({text} AS HUGEINT) END"
    whole = f"coalesce(CAST({number} AS VARCHAR) = {text} AND {number} BETWEEN {-(2**63)} AND {2**64 - 1}, false)"
    negative = f"({whole} AND {number} < 0)"
    modulo = f"CASE WHEN {negative} THEN {number} + {2**64} WHEN {whole} THEN {number} ELSE 0 END"
    return {
        "id_low": f"CAST({modulo} AS UBIGINT)",
        "id_high": f"CAST({negative} AS UBIGINT)",
        "id_text": f"CASE WHEN {whole} THEN NULL ELSE {text} END",
        "id_missing": f"coalesce({text} = '', true)",
    }


def batch_ids(table: PathOrFrame, column: str, batch: pa.RecordBatch, rows: int) -> RecordIds:
    """The ids of a batch that begins after so many rows.

    Raises:
        SordinoError: one is missing.
    """
    _require_each(table, column, batch, rows)
    if "id" in batch.schema.names:
        return RecordIds.of_numbers(array_of(batch.column("id")))
    numbers = np.empty((len(batch), 2), dtype=np.uint64)
    for place, name in enumerate(("id_low", "id_high")):
        numbers[:, place] = array_of(batch.column(name))
    column_of_texts = batch.column("id_text")
    told = np.flatnonzero(array_of(column_of_texts.is_valid()))
    texts = column_of_texts.cast(pa.large_binary())
    _, ends, data = texts.buffers()
    bounds = np.frombuffer(ends, dtype=np.int64)[texts.offset :][: len(texts) + 1]
    starts = bounds[told]
    content = np.frombuffer(data or b"", dtype=np.uint8)
    return RecordIds(numbers, told, Texts(content, starts, bounds[told + 1] - starts))


def check_ids(table: PathOrFrame, column: str) -> None:
    """Refuse a table in which an id is missing or stands twice: exactly, and in bounded memory.

    Raises:
        SordinoError: an unreadable table, ids of another kind, one that is missing, or the row in which one stands a
            second time.
    """
    kept: Words = np.empty(MOST, dtype=np.uint64)
    parts = [(0, 0)]
    while parts:
        # Of the hashes those whose first `bits` bits are `first`.
        bits, first = parts.pop()
        count = 0
        for hashes in _read_hashes(table, column):
            mine = hashes[_in_part(hashes, bits, first)]
            while count + len(mine) > MOST:
                # All are compared before they are parted: ids that differ can be, equal ones could not.
                _refuse_repeated(table, column, kept[:count])
                bits, first = bits + 1, first << 1
                parts.append((bits, first | 1))
                stay, mine = (some[_in_part(some, bits, first)] for some in (kept[:count], mine))
                count = len(stay)
                kept[:count] = stay
            kept[count : count + len(mine)] = mine
            count += len(mine)
        _refuse_repeated(table, column, kept[:count])


def _read_hashes(table: PathOrFrame, column: str) -> Iterator[Words]:
    missing = id_expressions(table, column, dict(header(table)))["id_missing"]
    rows = 0
    for batch in read_batches(table, {"hash": HASH.format(column=quoted(column)), "id_missing": missing}, [column]):
        _require_each(table, column, batch, rows)
        yield array_of(batch.column("hash"))
        rows += len(batch)


def _in_part(hashes: Words, bits: int, first: int) -> NDArray[np.bool_]:
    if bits == 0:
        return np.ones(len(hashes), dtype=np.bool_)
    inside: NDArray[np.bool_] = hashes >> np.uint64(64 - bits) == np.uint64(first)
    return inside


def _refuse_repeated(table: PathOrFrame, column: str, hashes: Words) -> None:
    """Refuse ids that are equal among those with these hashes, which are sorted; equal hashes are looked at again."""
    hashes.sort()
    twice = hashes[1:] == hashes[:-1]
    if not twice.any():
        return
    repeated = np.unique(hashes[1:][twice])
    expected = np.count_nonzero(np.isin(hashes, repeated))
    seen: dict[int | str, int] = {}
    select = {"hash": HASH.format(column=quoted(column)), "id": quoted(column)}
    rows = 0
    for batch in read_batches(table, select, [column]):
        found = np.flatnonzero(np.isin(array_of(batch.column("hash")), repeated))
        for place, given in zip(found.tolist(), batch.column("id").take(pa.array(found)).to_pylist(), strict=True):
            first = seen.setdefault(given, rows + place + 1)
            if first != rows + place + 1:
                raise SordinoError(
                    f"{table}, row {rows + place + 1}, {column}: each row must have an id of its own",
                    found=f"that of row {first} again",
                    step="give each person one row; nothing was written",
                )
        rows += len(batch)
    if len(seen) < expected:
        raise SordinoError(f"{table} must not change while it is read", step="privatize it again")


def _require_each(table: PathOrFrame, column: str, batch: pa.RecordBatch, rows: int) -> None:
    """Refuse a batch, which begins after so many rows, in which an id is missing."""
    missing = batch.column("id_missing")
    if missing.true_count:
        row = rows + int(np.argmax(array_of(missing))) + 1
        raise SordinoError(
            f"{table}, row {row}, {column}: each row must have an id of its own", found="none", step="fill it in"
        )
