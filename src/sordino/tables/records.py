"""The ids of a table's rows: read as 128 bits, and refused if one is missing or stands twice.

Messages name rows and columns, never an id, which may be as personal as a value. Reports carry no ids.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.exact.keyed import TEXT_BIT, first_repeated, record_ids
from sordino.exact.source import Words
from sordino.tables.duckdb import TEXT, WHOLE, header, quoted, read_batches, require_columns
from sordino.tables.frame import PathOrFrame

MOST = 1 << 24
"""Ids that are compared at a time, 16 bytes each; more are compared part by part, with a reading of the table for
each part."""

SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""An odd number with irregular bits: multiplied by it, the ids of a table fall evenly into parts."""


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
    number = f"TRY_CAST({text} AS HUGEINT)"
    whole = f"(CAST({number} AS VARCHAR) = {text} AND {number} >= {-(2**63)} AND {number} < {2**64})"
    negative = f"({whole} AND {number} < 0)"
    modulo = f"CASE WHEN {negative} THEN {number} + {2**64} WHEN {whole} THEN {number} ELSE 0 END"
    return {
        "id_low": f"CAST({modulo} AS UBIGINT)",
        "id_high": f"CAST(CASE WHEN {negative} THEN 1 ELSE 0 END AS UBIGINT)",
        "id_hash": f"CASE WHEN {whole} THEN NULL ELSE unhex(sha256({text})[1:32]) END",
        "id_missing": f"coalesce({text} = '', true)",
    }


def batch_ids(table: PathOrFrame, column: str, batch: pa.RecordBatch, rows: int) -> Words:
    """The ids of a batch, shape (n, 2), that begins after so many rows.

    Raises:
        SordinoError: one is missing.
    """
    missing = batch.column("id_missing")
    if missing.true_count:
        row = rows + pc.index(missing, value=True).as_py() + 1
        raise SordinoError(
            f"{table}, row {row}, {column}: each row must have an id of its own", found="none", step="fill it in"
        )
    if "id" in batch.schema.names:
        return record_ids(batch.column("id").to_numpy())
    ids = np.empty((len(batch), 2), dtype=np.uint64)
    for place, name in enumerate(("id_low", "id_high")):
        ids[:, place] = batch.column(name).to_numpy()
    hashes = batch.column("id_hash")
    if hashes.null_count < len(hashes):
        hashed = hashes.is_valid().to_numpy(zero_copy_only=False)
        digests = np.frombuffer(b"".join(hashes.drop_null().to_pylist()), dtype=">u8").reshape(-1, 2)
        ids[hashed] = digests[:, ::-1]
        ids[hashed, 1] |= np.uint64(TEXT_BIT)
    return ids


def check_ids(table: PathOrFrame, column: str) -> None:
    """Refuse a table in which an id is missing or stands twice: exactly, and in bounded memory.

    Raises:
        SordinoError: an unreadable table, ids of another kind, one that is missing, or the row in which one stands a
            second time.
    """
    kept: Words = np.empty((MOST, 2), dtype=np.uint64)
    parts = [(0, 0)]
    while parts:
        # Of the ids spread over 64 bits: those whose first `bits` bits are `first`.
        bits, first = parts.pop()
        count = 0
        for ids in _read_ids(table, column):
            mine = ids[_in_part(ids, bits, first)]
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


def _read_ids(table: PathOrFrame, column: str) -> Iterator[Words]:
    rows = 0
    for batch in read_batches(table, id_expressions(table, column, dict(header(table))), [column]):
        yield batch_ids(table, column, batch, rows)
        rows += len(batch)


def _in_part(ids: Words, bits: int, first: int) -> NDArray[np.bool_]:
    if bits == 0:
        return np.ones(len(ids), dtype=np.bool_)
    inside: NDArray[np.bool_] = (ids[:, 0] * SPREAD) >> np.uint64(64 - bits) == np.uint64(first)
    return inside


def _refuse_repeated(table: PathOrFrame, column: str, ids: Words) -> None:
    position = first_repeated(ids)
    if position is None:
        return
    repeated, rows, where = ids[position].copy(), 0, []
    for batch in _read_ids(table, column):
        where += (rows + 1 + np.flatnonzero((batch == repeated).all(axis=1))).tolist()
        rows += len(batch)
        if len(where) > 1:
            break
    if len(where) < 2:
        raise SordinoError(f"{table} must not change while it is read", step="privatize it again")
    raise SordinoError(
        f"{table}, row {where[1]}, {column}: each row must have an id of its own",
        found=f"that of row {where[0]} again",
        step="give each person one row; nothing was written",
    )
