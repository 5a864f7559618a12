"""Two readers of the same words: each sees every row's words in order, whatever the other one draws, and when."""

import numpy as np

from in_one import in_one
from sordino import KeyedSource, SystemSource
from sordino.exact.source import twin_streams

ROWS = 50


def keyed():
    return KeyedSource(bytes(32), "task").for_records(np.arange(ROWS)).stream(np.arange(ROWS))


@in_one("seed", range(5))
def test_each_reader_sees_the_words_of_its_rows_in_order(seed):
    alone = keyed()
    expected = np.stack([alone.next() for _ in range(12)], axis=1)
    rng = np.random.default_rng(seed)
    readers, position = twin_streams(keyed(), ROWS), np.zeros((2, ROWS), dtype=int)
    for _ in range(12):
        which = int(rng.integers(2))
        rows = np.flatnonzero((rng.random(ROWS) < rng.choice([0.1, 0.7, 1])) & (position[which] < 12))
        stream = readers[which] if len(rows) == ROWS else readers[which].take(rows)
        found = stream.next()
        assert found.tolist() == expected[rows, position[which, rows]].tolist()
        found[:] = 0  # a reader may change what it was given
        position[which, rows] += 1


def test_fresh_words_are_shared_too():
    first, second = twin_streams(SystemSource().stream(np.arange(ROWS)), ROWS)
    words = [first.next(), first.next()]
    again = first.take(np.array([3, 7])).next()
    assert [second.next().tolist() for _ in range(2)] == [each.tolist() for each in words]
    third = second.next()
    assert third[[3, 7]].tolist() == again.tolist()
    assert len({*words[0].tolist(), *words[1].tolist(), *third.tolist()}) == 3 * ROWS
