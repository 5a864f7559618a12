"""The ids of people on Spark, compared before a report is made: over all partitions, exactly.

What is shuffled are 64 bits of each id, by a key that is made for it and thrown away: a pseudorandom function of the
id, so that nothing that stays on a disk tells an id, nor can be tried with guessed ones. Many go in one row: Java would
take longer for a row of its own than all else takes. Where two ids have the same bits (a chance of one in forty among
a billion) all are compared once more by 128 bits: whatever meets there would share its noise.
"""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.exact.keyed import KEY_BYTES, KeyedSource
from sordino.exact.source import Words
from sordino.tables.duckdb import header, read_alone, read_batches
from sordino.tables.records import batch_ids, id_expressions, missing_ids
from sordino.tables.spark.task_failure import error_for_driver, spark_errors
from sordino.tables.spark.task_input import Parts, Stretch, partition
from sordino.tables.table_file import change_error

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BUCKETS = 1 << 12
"""Into which ids are parted by their bits: one of them must fit into memory, of 10^9 ids 2 MB."""

MOST = 1 << 20
"""Ids whose bits a task holds before it sends them."""

KINDS = {1: "<u8", 2: "S16"}
"""How 64 and 128 bits are sorted."""


@dataclass(frozen=True)
class Comparison:
    """What tasks need that compare ids.

    Attributes:
        parts: of the table.
        id_column: of whole numbers or texts.
        key: made for this comparison.
        words: of 64 bits by which ids are compared.
    """

    parts: Parts
    id_column: str
    key: bytes = field(repr=False)
    words: int


def compare_ids(frame: "DataFrame", parts: Parts, called: str, id_column: str) -> int:
    """Refuse people among whom an id is missing or stands twice; returns how many they are.

    Args:
        frame: whose batches the parts are found by.
        parts: of the people.
        called: what messages call them.
        id_column: tells them apart.

    Raises:
        SordinoError: an id that is missing, one that stands twice, or nobody.
    """
    for words in KINDS:
        compared = Comparison(parts, id_column, secrets.token_bytes(KEY_BYTES), words)
        with spark_errors():
            sent = frame.mapInArrow(partial(digest_ids, compared), "bucket int, digests binary, missing bigint")
            parted = sent.repartition("bucket").sortWithinPartitions("bucket")
            found = parted.mapInArrow(
                partial(count_ids, words), "people bigint, missing bigint, twice bigint"
            ).collect()
        people, missing, twice = (sum(column) for column in zip(*found, strict=True)) if found else (0, 0, 0)
        if not people + missing:
            raise SordinoError(f"{called} must hold data", found="no rows", step="write a row for each person")
        rule = f"{called}, {id_column}: each row must have a different id"
        if missing:
            raise SordinoError(rule, found=f"none in {missing:,} of {people + missing:,} rows", step="fill it in")
        if not twice:
            return int(people)
    raise SordinoError(
        rule,
        found=f"{twice:,} that stand{'s' if twice == 1 else ''} in several of {people:,} rows",
        step="give each person one row; nothing was written",
    )


def digest_ids(compared: Comparison, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The bits of a partition's ids, parted into buckets, and how many are missing."""
    with error_for_driver():
        read_alone()
        keyed = KeyedSource(compared.key, "ids")
        held: list[Words] = []
        for part in compared.parts.of(batches, partition()):
            for digests, missing in _digests(part, compared, keyed):
                if missing:
                    yield _bucket_rows([(0, b"", missing)])
                held.append(digests)
                if sum(map(len, held)) >= MOST:
                    yield _bucket_batch(np.concatenate(held))
                    held = []
        if any(map(len, held)):
            yield _bucket_batch(np.concatenate(held))


def _digests(part: Stretch, compared: Comparison, keyed: KeyedSource) -> Iterator[tuple[Words, int]]:
    """The bits of a part's ids, shape (n, words), batch by batch; of a batch without all ids how many are missing."""
    column, table = compared.id_column, part.table
    select = id_expressions(table, column, dict(header(table)))
    rows = part.places.start if part.places else 0
    for batch in read_batches(table, select, [column], part.places):
        lacking = missing_ids(batch)
        missing = int(np.count_nonzero(lacking))
        there = batch.take(pa.array(np.flatnonzero(~lacking))) if missing else batch
        stream = keyed.for_compared(batch_ids(table, column, there, rows)).public(len(there))
        yield np.stack([stream.next() for _ in range(compared.words)], axis=1), missing
        rows += len(batch)
    if part.places is not None and rows != part.places.stop:
        raise change_error(table)


def _bucket_batch(digests: Words) -> pa.RecordBatch:
    buckets = (digests[:, 0] // np.uint64((1 << 64) // BUCKETS)).astype(np.uint16)
    order = np.argsort(buckets, kind="stable")
    digests, (numbers, starts) = digests[order], np.unique(buckets[order], return_index=True)
    pieces = np.split(digests, starts[1:])
    return _bucket_rows([(int(number), piece.tobytes(), 0) for number, piece in zip(numbers, pieces, strict=True)])


def _bucket_rows(rows: list[tuple[int, bytes, int]]) -> pa.RecordBatch:
    kinds = (pa.int32(), pa.binary(), pa.int64())
    columns = [pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), kinds, strict=True)]
    return pa.record_batch(columns, names=["bucket", "digests", "missing"])


def count_ids(words: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """How many ids some whole buckets hold, which come one after the other, and how many stand there several times."""
    people = missing = twice = 0
    current, held = -1, list[NDArray[Any]]()
    for batch in batches:
        missing += pc.sum(batch.column("missing")).as_py() or 0
        for bucket, digests in zip(batch.column("bucket").to_pylist(), batch.column("digests"), strict=True):
            if bucket != current:
                twice += _count_repeats(held)
                current, held = bucket, []
            held.append(np.frombuffer(digests.as_buffer(), dtype=KINDS[words]))
            people += len(held[-1])
    twice += _count_repeats(held)
    yield pa.record_batch([[people], [missing], [twice]], names=["people", "missing", "twice"])


def _count_repeats(held: list[NDArray[Any]]) -> int:
    if not held:
        return 0
    values = np.sort(np.concatenate(held))
    same = values[1:] == values[:-1]
    return int(np.count_nonzero(same[:1]) + np.count_nonzero(same[1:] & ~same[:-1]))
