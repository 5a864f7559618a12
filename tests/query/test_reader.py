"""Readers of numbers, one word for each: where a word turns what is read, who reads which number, and raw floats."""

import math
from fractions import Fraction

import numpy as np
import pytest

from enumerated import moments_of
from sordino import Number, Product, Signs

ALIKE = {
    "signs": [Number(3), Product(0, 1), Number(1), Product(2, 2), Signs((4,)), Product(1, 4)],
    "numbers": [Number(j) for j in (0, 1, 2, 3, 4)],
    "one number": [Number(2)],
    "grids": [Number(j, 5) for j in (4, 0, 2)],
    "one grid": [Number(1, 3)],
    "a fine grid": [Number(3, 128)],
    "pairs of signs": [Signs((0, 3)), Signs((3, 0)), Signs((1, 2))],
    "three signs": [Signs((4, 1, 2))],
}
kinds = pytest.mark.parametrize("kind", ALIKE)
WORD = 2**64


class Words:
    """The same words to everybody, one after the other, and how many were taken."""

    def __init__(self, count, *words):
        self.count, self.words, self.taken = count, words, 0

    def next(self):
        self.taken += 1
        return np.full(self.count, self.words[self.taken - 1], dtype=np.uint64)


class RandomWords(Words):
    """Words of each person's own, which do not depend on who else is there."""

    def next(self):
        self.taken += 1
        every = np.random.default_rng(self.taken).integers(0, WORD - 1, 1000, dtype=np.uint64, endpoint=True)
        return every[self.count]


def words_of(statistic):
    """How many words a record takes."""
    return len(moments_of(statistic, [0.5] * 5)) if statistic.k == 2 or isinstance(statistic, Signs) else 1


def read_one(reader, record, which, *words):
    stream = Words(1, *words)
    (found,) = reader.read(np.array([record]), None, np.array([which]), stream).tolist()
    assert stream.taken == len(words), "all words are used, and no more"
    return found


def turn(value):
    """What the first and the last word are read as, and how many words are read as the first is: by bisection."""
    low, high, first, last = 0, WORD - 1, value(0), value(WORD - 1)
    while first != last and high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if value(middle) == first else (low, middle)
    return first, last, Fraction(WORD if first == last else high, WORD)


def reads(reader, record, which, bit, count, start):
    """What is read by a word for one bit, counted from `start`; the words of other bits are some."""

    def value(word):
        words = [12345] * count
        words[bit] = (word + start) % WORD
        return read_one(reader, record, which, *words)

    return value


@kinds
def test_each_word_turns_what_is_read_where_the_law_says(kind):
    """Words count from 2^63 on for signs, as signed numbers do, and from 0 for points; each bit has its own."""
    statistics, rng = ALIKE[kind], np.random.default_rng(8)
    reader = statistics[0].reader(statistics)
    for which, statistic in enumerate(statistics):
        for record in (rng.uniform(-1, 1, 5).tolist(), [0.0, -0.25, 1.0, -1.0, 0.5], [-1.0, 2.0**-60, -0.0, 1, -0.75]):
            law = [Fraction(0)] * statistic.k
            if isinstance(statistic, Number) and statistic.points > 2:
                first, last, share = turn(reads(reader, record, which, 0, 1, 0))
                law[first] += share
                law[last] += 1 - share
            else:
                count = words_of(statistic)
                turns = [turn(reads(reader, record, which, bit, count, 2**63)) for bit in range(count)]
                assert all((first ^ last) & ~(1 << bit) == 0 for bit, (first, last, _) in enumerate(turns))
                ones = [
                    (first >> bit & 1) * share + (last >> bit & 1) * (1 - share)
                    for bit, (first, last, share) in enumerate(turns)
                ]
                for value in range(statistic.k):
                    law[value] = math.prod(one if value >> bit & 1 else 1 - one for bit, one in enumerate(ones))
            assert law == reader.law(record, which) == statistic.law(record)


@kinds
@pytest.mark.parametrize("layout", ["rows", "columns", "slices"])
def test_those_who_are_drawn_for_alike_statistics_read_their_own(kind, layout):
    statistics, rng = ALIKE[kind], np.random.default_rng(3)
    records = rng.uniform(-1, 1, (200, 10))[:, ::2] if layout == "slices" else rng.uniform(-1, 1, (200, 5))
    records = np.asfortranarray(records) if layout == "columns" else records
    reader, rows = statistics[0].reader(statistics), rng.permutation(200)[:90]
    which = rng.integers(0, len(statistics), 90)
    found = reader.read(records, rows, which, RandomWords(np.arange(90)))
    for place, statistic in enumerate(statistics):
        own = np.flatnonzero(which == place)
        alone = statistic.reader((statistic,)).read(records[rows[own]], None, None, RandomWords(own))
        np.testing.assert_array_equal(found[own], alone)
    everybody = reader.read(records, None, rng.integers(0, len(statistics), 200), RandomWords(np.arange(200)))
    assert everybody.shape == (200,)
    assert reader.read(records, rows[:0], which[:0], RandomWords(rows[:0])).shape == (0,)
    single = statistics[0].reader(statistics[:1])
    np.testing.assert_array_equal(
        single.read(records, rows, None, RandomWords(np.arange(90))),
        single.read(records[rows], None, None, RandomWords(np.arange(90))),
    )


@kinds
def test_raw_floats_are_some_value_like_any_other(kind):
    """No check has seen them; what is read lies among the values, whatever the words, by as many words."""
    statistics = ALIKE[kind]
    reader = statistics[0].reader(statistics)
    weird = [math.nan, math.inf, -math.inf, 7.0, -1e300, 5e-324, -0.0, 1 + 2**-52, -1 - 2**-52]
    records = np.array([[one] * 5 for one in weird])
    taken = set()
    for word in (0, 1, 2**63 - 1, 2**63, WORD - 1):
        for which in range(len(statistics)):
            stream = Words(len(weird), *[word] * 5)
            with np.errstate(all="ignore"):
                found = reader.read(records, None, np.full(len(weird), which), stream)
            assert found.min() >= 0
            assert found.max() < statistics[which].k
            taken.add(stream.taken)
    assert len(taken) == 1


@kinds
def test_ends_and_points_are_read_as_they_are(kind):
    statistics = ALIKE[kind]
    reader = statistics[0].reader(statistics)
    for which, statistic in enumerate(statistics):
        for word in (0, 2**63 - 1, 2**63, WORD - 1):
            words = [word] * words_of(statistic)
            assert read_one(reader, [1.0] * 5, which, *words) == statistic.k - 1
            if not isinstance(statistic, Product):
                assert read_one(reader, [-1.0] * 5, which, *words) == 0
            if statistic.k % 2 and not isinstance(statistic, Signs):
                assert read_one(reader, [0.0] * 5, which, *words) == statistic.k // 2
