"""The ids of a table's rows: whole numbers or texts, refused if one is missing or stands twice.

Messages name rows and columns, never an id, which may be as personal as a value. Reports carry no ids.
"""

import secrets
from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.exact.keyed import KeyedSource
from sordino.exact.record_ids import RecordIds, RepeatedWords, Texts
from sordino.exact.source import Words
from sordino.tables.duckdb import TEXT, WHOLE, header, quote, read_batches, require_columns
from sordino.tables.frame import PathOrFrame, array_of
from sordino.tables.table_file import TO_FILE, can_be_read_again

MOST = 1 << 25
"""Ids that are compared at a time, by 8 bytes each; more are compared part by part, with a reading of the table for
each part but the first."""

WORD_BITS = 64

MOST_AGAIN = 1 << 18
"""Of the words that stand twice, as many as are looked at in one more reading: each of their ids is an object."""


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
        require_columns(table, [column], "name the column that identifies people: `id_column`", named=True)
    kind, name = kinds[column], quote(column)
    if kind not in WHOLE and kind not in (TEXT, "UUID"):
        raise SordinoError(f"{table} must have whole numbers or texts in {column}", found=f"type {kind}")
    return {"id": name if kind in WHOLE else f"CAST({name} AS {TEXT})"}


def missing_ids(batch: pa.RecordBatch) -> NDArray[np.bool_]:
    """In which rows of a batch there is no id, or an empty one."""
    ids = _as_read(batch)
    return _is_missing(ids, None if pa.types.is_integer(ids.type) else _texts(ids))


def batch_ids(table: PathOrFrame, column: str, batch: pa.RecordBatch, rows: int) -> RecordIds:
    """The ids of a batch that begins after so many rows.

    Raises:
        SordinoError: one is missing.
    """
    ids = _as_read(batch)
    texts = None if pa.types.is_integer(ids.type) else _texts(ids)
    missing = _is_missing(ids, texts)
    if missing.any():
        raise SordinoError(
            f"{table}, row {rows + int(np.argmax(missing)) + 1}, {column}: each row must have a different id",
            found="no id",
            step="fill it in",
        )
    return RecordIds.of_numbers(array_of(ids)) if texts is None else RecordIds.of_texts(texts)


def _as_read(batch: pa.RecordBatch) -> pa.Array:
    """The ids of a batch: numbers, or bytes of texts, which in a frame need not be UTF-8."""
    ids = batch.column("id")
    return ids if pa.types.is_integer(ids.type) else ids.cast(pa.large_binary())


def _texts(ids: pa.Array) -> Texts:
    _, ends, data = ids.buffers()
    places = np.frombuffer(ends, dtype=np.int64)[ids.offset :][: len(ids) + 1]
    return Texts.split_at(np.frombuffer(data or b"", dtype=np.uint8), places)


def _is_missing(ids: pa.Array, texts: Texts | None) -> NDArray[np.bool_]:
    missing = np.zeros(len(ids), dtype=np.bool_) if texts is None else texts.lengths == 0
    return missing | array_of(ids.is_null()) if ids.null_count else missing


class IdComparison:
    """The ids of a table, which are compared as its rows are read: exactly, and in bounded memory.

    By a word of each; where two words are equal, their ids are read again. What does not fit is let go, and the table
    read once more for it.
    """

    def __init__(self, table: PathOrFrame, column: str, keyed: KeyedSource) -> None:
        """Compare nothing yet.

        Args:
            table: a file or a frame, which does not change.
            column: the ids.
            keyed: whose words of the ids are compared.
        """
        self._table, self._column, self._keyed = table, column, keyed
        # Of whole numbers words are no secret: whoever chooses ids must not know which share a bucket.
        self._factor = secrets.randbits(WORD_BITS) | 1
        self._compared = RepeatedWords(factor=self._factor)
        self._let_go: list[range] = []

    def add(self, words: Words) -> None:
        """Those of the ids of some more rows, shape (n,).

        Raises:
            SordinoError: with the row in which an id stands a second time.
        """
        self._compared.add(words)
        if self._compared.count > MOST and not can_be_read_again(self._table):
            found = f"more than {MOST:,}, which do not fit into memory"
            raise SordinoError(
                f"{self._table} must have fewer ids, as a pipe", found=found, step="write it to a file, and give that"
            )
        while self._compared.count > MOST and len(self._compared.buckets) > 1:
            # All are compared before they are parted: ids that differ can be, equal ones could not.
            self._require_different()
            self._let_go.append(self._compared.drop_half())

    def finish(self) -> None:
        """Compare the ids of all rows.

        Raises:
            SordinoError: with the row in which an id stands a second time.
        """
        self._require_different()
        while self._let_go:
            self._compared = RepeatedWords(self._let_go.pop(), self._factor)
            for ids, _ in self._read():
                self.add(self._words_of(ids))
            self._require_different()

    def _require_different(self) -> None:
        repeated = self._compared.find_repeats()
        if len(repeated) and not can_be_read_again(self._table):
            raise SordinoError(
                f"{self._table}, {self._column}: each row must have a different id",
                found=f"{len(repeated):,} that stand{'s' if len(repeated) == 1 else ''} twice, by 64 bits of each",
                step=f"{TO_FILE}; nothing was written",
            )
        for start in range(0, len(repeated), MOST_AGAIN):
            self._require_different_among(repeated[start : start + MOST_AGAIN])

    def _require_different_among(self, repeated: Words) -> None:
        seen: dict[int | bytes, int] = {}
        rows = 0
        for ids, given in self._read():
            words = self._words_of(ids)
            found = np.flatnonzero(repeated.take(np.searchsorted(repeated, words), mode="clip") == words)
            for place, one in zip(found.tolist(), given.take(pa.array(found)).to_pylist(), strict=True):
                first = seen.setdefault(one, rows + place + 1)
                if first != rows + place + 1:
                    raise SordinoError(
                        f"{self._table}, row {rows + place + 1}, {self._column}: each row must have a different id",
                        found=f"that of row {first} again",
                        step="give each person one row; nothing was written",
                    )
            rows += len(given)

    def _words_of(self, ids: RecordIds) -> Words:
        return self._keyed.for_compared(ids).low

    def _read(self) -> Iterator[tuple[RecordIds, pa.Array]]:
        select = id_expressions(self._table, self._column, dict(header(self._table)))
        rows = 0
        for batch in read_batches(self._table, select, [self._column]):
            yield batch_ids(self._table, self._column, batch, rows), _as_read(batch)
            rows += len(batch)
