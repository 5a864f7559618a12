"""Ids are compared exactly, whatever tasks hold them, by bits that tell nothing of them."""

import numpy as np
import pyarrow as pa
import pytest

from sordino.tables.spark import ids
from sordino.tables.spark.frame_columns import SparkColumns
from sordino.tables.spark.ids import Comparison, count_ids, digest_ids
from sordino.tables.spark.task_input import FrameParts

KEY = bytes(range(32))


@pytest.fixture(autouse=True)
def no_spark(monkeypatch):
    monkeypatch.setattr(ids, "partition", lambda: 0)


def sent(values, words=1, key=KEY):
    """What a task sends of a column."""
    parts = FrameParts(SparkColumns(("id",), ("id",), "the frame"))
    batches = pa.table({"id": values}).to_batches(7)
    return list(digest_ids(Comparison(parts, "id", key, words), iter(batches)))


def compared(*tasks, words=1):
    """What is counted when all buckets are sorted, as Spark does: people, missing, twice."""
    rows = pa.Table.from_batches([batch for task in tasks for batch in task]).sort_by("bucket")
    (found,) = count_ids(words, iter(rows.to_batches(3)))
    return tuple(column[0].as_py() for column in found)


def test_ids_of_several_tasks(monkeypatch):
    monkeypatch.setattr(ids, "MOST", 10)
    first, second = pa.array(range(100)), pa.array(range(100, 150))
    for words in (1, 2):
        assert compared(sent(first, words), sent(second, words), words=words) == (150, 0, 0)
        again = pa.array([5, 5, 17, 200, -5])
        assert compared(sent(first, words), sent(again, words), words=words) == (105, 0, 2)


def test_ids_that_are_missing_are_counted_and_not_compared():
    assert compared(sent(pa.array([1, None, 2, None, 0]))) == (3, 2, 0)
    assert compared(sent(pa.array(["a", None, "", "0"]))) == (2, 2, 0)
    assert compared(sent(pa.array([None, None], pa.int32()))) == (0, 2, 0)


def test_ids_that_are_alike_and_ids_that_are_the_same():
    """A text that spells a number is that number; nothing else that looks alike is the same."""
    different = ["a", "a\0", "a\0\0", "A", "a ", "1", "01", "-1", "18446744073709551615", "x" * 5000, "x" * 5001]
    assert compared(sent(pa.array(different))) == (len(different), 0, 0)
    assert compared(sent(pa.array(different, pa.large_string()).dictionary_encode())) == (len(different), 0, 0)
    assert compared(sent(pa.array(["17", "-17", "017"])), sent(pa.array([17, -17]))) == (5, 0, 2)
    numbers = pa.array([2**64 - 1, 2**63], pa.uint64())
    assert compared(sent(numbers), sent(pa.array([-1, -(2**63)]))) == (4, 0, 0)


def test_bits_that_meet_by_chance_are_told_apart_by_more_of_them():
    def row(*digests):
        content = np.array(digests, dtype="<u8").tobytes()
        return [pa.record_batch([pa.array([0], pa.int32()), [content], [0]], names=["bucket", "digests", "missing"])]

    assert compared(row(7), row(7)) == (2, 0, 1)
    assert compared(row(7, 1), row(7, 256), row(7, 0), words=2) == (3, 0, 0)
    assert compared(row(7, 0), row(7, 0), words=2) == (2, 0, 1)


def test_what_is_sent_depends_on_a_key_that_nobody_keeps():
    values = pa.array(range(1000))
    digests = [
        {word for batch in sent(values, key=key) for piece in batch.column("digests") for word in words_of(piece)}
        for key in (KEY, bytes(32))
    ]
    assert [len(found) for found in digests] == [1000, 1000]
    assert not digests[0] & digests[1]
    assert not digests[0] & set(range(1000))


def words_of(piece):
    return np.frombuffer(piece.as_py(), dtype="<u8").tolist()
