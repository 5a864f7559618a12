"""The same steps for every value: the arrays that a sampler works on, and its time, do not tell which one it has.

A witness logs the shape of every array on the way, with the same random words for all values. Time is measured in pairs
in random order; only a difference that is both certain and large, three times over, counts, so that no noise does.
"""

from time import perf_counter_ns

import numpy as np
import pytest
from scipy import stats

from sordino import (
    BinaryOptimal,
    BitFlips,
    Blockwise,
    ChannelTable,
    CyclicSubsets,
    HadamardResponse,
    HighLow,
    LinearQuery,
    LogisticQuery,
    Number,
    Product,
    ProjectiveResponse,
    Query,
    RandomizedResponse,
    Sampled,
    Signs,
    SubsetSelection,
    SystemSource,
    TruncatedLinearQuery,
    WindowResponse,
)
from sordino.exact.source import Words
from sordino.papers.bayesian_coordinate.least_squares import TwoCopies
from sordino.papers.bayesian_coordinate.means import L2Ball
from sordino.papers.bayesian_coordinate.nested import NestedMean

FINITE = {
    "randomized": RandomizedResponse(10, "1"),
    "randomized-4294967291": RandomizedResponse(4294967291, "30"),
    "hadamard": HadamardResponse(20, "1"),
    "subset": SubsetSelection(12, "1"),
    "subset-wide": SubsetSelection(60, "1"),
    "cyclic": CyclicSubsets(50, "2"),
    "cyclic-large": CyclicSubsets(5000, "4"),
    "projective": ProjectiveResponse(50, "2", 4),
    "projective-large": ProjectiveResponse(20_000, "2", 5),
    "projective-prime": ProjectiveResponse(700, "6.6", 727),
    "binary": BinaryOptimal("1", "2"),
    "binary-certain": BinaryOptimal(None, "1"),
    "table": ChannelTable([[5, 2, 1, 0], [1, 5, 1, 1], [0, 1, 2, 5]]),
    "window": WindowResponse(9, "2", 4),
    "window-one": WindowResponse(5, "1"),
    "flips": BitFlips(tuple(weight << 59 for weight in (9, 6, 5, 4, 3, 2, 2, 1))),
    "blockwise": Blockwise([[0, 3, 4], [1, 2], [5]], "1"),
    **{f"high-low-{within}": HighLow(40, range(8), "1", within) for within in ("randomized", "hadamard", "subset")},
    "high-low-projective": HighLow(60, range(30), "2", "projective"),
    "high-low-wide": HighLow(100, range(60), "1", "subset"),
    "high-low-one": HighLow(6, [2], "1"),
}
"""Mechanisms of values."""

VALUES = {"blockwise": (0, 4), "high-low-one": (2, 5)}
"""Two values of each; the first and the last elsewhere. A block is public."""

BITS = [RandomizedResponse(2, epsilon) for epsilon in ("1", "2", "3")]
PAIR, COIN = BitFlips((9 << 60, 3 << 60, 3 << 60, 1 << 60)), BitFlips((7 << 61, 1 << 61))
LEVELS = WindowResponse(4, "1", 3)

NUMBERS = {
    "one-bit": Query(Number(0), BITS[0]),
    "product": Query(Product(0, 1), BITS[0]),
    "square": Query(Product(0, 0), BITS[0]),
    "levels": Query(Number(0, 4), LEVELS),
    "signs": Query(Signs((2, 0, 1)), BitFlips(tuple(weight << 59 for weight in (9, 6, 5, 4, 3, 2, 2, 1)))),
    "sampled-bits": Sampled(
        (Query(Number(1), BITS[0]), Query(Product(0, 1), BITS[1]), Query(Product(0, 0), BITS[2])), (2, 1, 2)
    ),
    "sampled-numbers": Sampled(tuple(Query(Number(j), BITS[j]) for j in range(3)), (3, 1, 1)),
    "sampled-tables": Sampled(
        (Query(Signs((2, 0)), PAIR), Query(Number(1), COIN), Query(Signs((0, 1)), PAIR)), (3, 4, 1)
    ),
    "sampled-levels": Sampled((Query(Number(0, 4), LEVELS), Query(Number(2, 4), LEVELS)), (1, 2)),
    "sampled-everything": Sampled(
        (
            Query(Signs((2, 0)), PAIR),
            Query(Number(1), BITS[0]),
            Query(Product(0, 2), BITS[1]),
            Query(Number(0, 4), LEVELS),
            Query(Number(2, 3), WindowResponse(3, "2")),
        ),
        (3, 1, 2, 1, 1),
    ),
    "ball": L2Ball(3, 3**0.5, "1"),
    "nested": NestedMean(["0.2", "1", "1"]),
    "two-copies": TwoCopies(["0.4", "1", "1"]),
    "linear": LinearQuery([0.25, -0.25, 0.5], 0, -1, 1, "1"),
    "truncated": TruncatedLinearQuery([1.0, -2.0, 1.0], 0, -1, 1, "1"),
    "logistic": LogisticQuery([1.0, -2.0, 1.0], 0.5, "1"),
}
"""Channels of numbers in [-1, 1]."""

RECORDS = (0.9, -0.8, 0.7, -0.9), (-0.6, 0.95, -0.3, 0.2)
"""Two records that differ in signs and sizes."""

MECHANISMS = {**FINITE, **NUMBERS}


def two_batches(name, n):
    """n people with one value, and n with another."""
    if name in NUMBERS:
        asked = NUMBERS[name]
        d = asked.statistic.d if isinstance(asked, Query) else asked.d
        return [np.tile(record[:d], (n, 1)) for record in RECORDS]
    first, second = VALUES.get(name, (0, FINITE[name].k - 1))
    return np.full(n, first), np.full(n, second)


class Traced(np.ndarray):
    """An array that logs the shapes of whatever is done to it, and of all that comes of it."""

    log = None

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **settings):
        arrays = [plain(one) for one in inputs]
        Traced.log.append((ufunc.__name__, method, *(np.shape(array) for array in arrays)))
        target = {} if out is None else {"out": tuple(plain(one) for one in out)}
        found = getattr(ufunc, method)(*arrays, **target, **settings)
        return out[0] if out is not None else traced(found)

    def __array_function__(self, function, kinds, inputs, settings):
        found = function(*(plain(one) for one in inputs), **{name: plain(one) for name, one in settings.items()})
        Traced.log.append((function.__name__, np.shape(found)))
        return traced(found)

    def __getitem__(self, at):
        found = np.asarray(self)[plain(at)]
        Traced.log.append(("getitem", np.shape(found)))
        return traced(found)

    def __setitem__(self, at, to):
        Traced.log.append(("setitem", np.shape(np.asarray(self)[plain(at)])))
        np.asarray(self)[plain(at)] = plain(to)


def plain(one):
    if isinstance(one, tuple | list):
        return type(one)(plain(part) for part in one)
    return np.asarray(one) if isinstance(one, Traced) else one


def traced(found):
    return found.view(Traced) if type(found) is np.ndarray else found


class Fixed:
    """Given words for each row, in whatever parts they are drawn."""

    def __init__(self, words, rows, position):
        self.words, self.rows, self.position = words, rows, position

    def next(self) -> Words:
        found = self.words[self.rows, self.position[self.rows]]
        self.position[self.rows] += 1
        return traced(found)

    def take(self, rows):
        Traced.log.append(("take", np.shape(np.arange(len(self.rows))[plain(rows)])))
        return Fixed(self.words, self.rows[plain(rows)], self.position)


def steps(mechanism, values, seed=7):
    """The log of one batch, drawn with the same words for whatever values."""
    n = len(values)
    words = np.random.default_rng(seed).integers(0, 2**64 - 1, (n, 40), dtype=np.uint64, endpoint=True)
    # The largest words are those that are drawn again.
    words[: n // 4, :4] |= np.uint64(2**64 - 2**40)
    Traced.log = []
    mechanism._sample(traced(np.asarray(values)), Fixed(words, np.arange(n), np.zeros(n, dtype=np.intp)))
    return Traced.log


def mixed(first, second):
    return np.concatenate([first[: len(first) // 3], second[len(first) // 3 :]])


@pytest.mark.parametrize("name", MECHANISMS)
def test_all_arrays_have_the_same_shapes_whatever_the_values(name):
    mechanism, (first, second) = MECHANISMS[name], two_batches(name, 300)
    # What is worked out once for all values is no part of a batch.
    mechanism._sample(first, SystemSource().stream(first))
    expected = steps(mechanism, first)
    assert len(expected) >= 2
    assert steps(mechanism, second) == expected
    assert steps(mechanism, mixed(first, second)) == expected


class Splitting(HighLow):
    """A sampler that goes one way for sensitive values and another for all others."""

    def _sample(self, values, stream):
        place = self._place[values]
        own, rest = np.flatnonzero(place >= 0), np.flatnonzero(place < 0)
        codes = np.empty(len(values), dtype=np.uint64)
        codes[own] = self.inner._sample(place[own], stream.take(own))
        words = stream.take(rest)
        told = words.next() >= np.uint64(self.hidden)
        behind = self.inner.sample_uniform(words)
        codes[rest] = np.where(told, (-1 - place[rest]).astype(np.uint64) + np.uint64(self.inner.outputs), behind)
        return codes


def test_the_witness_finds_a_sampler_that_splits_its_batch():
    mechanism = Splitting(40, range(8), "1", "randomized")
    first, second = np.full(300, 0), np.full(300, 39)
    mechanism._sample(first, SystemSource().stream(first))
    assert steps(mechanism, second) != steps(mechanism, first)
    assert steps(mechanism, mixed(first, second)) != steps(mechanism, first)


NEVER = 1e-9
LARGE = 0.01
"""Of the time of a batch: a difference below it counts for nothing."""

REPETITIONS = 3
BATCHES = {"one value": (1, 1500), "4,000 values": (4000, 700)}


def duration(mechanism, values, source):
    start = perf_counter_ns()
    mechanism.privatize(values, source)
    return perf_counter_ns() - start


def difference(mechanism, first, second, pairs, rng):
    """The median of the differences within pairs, relative to the median time, and how unlikely it is by chance."""
    source, times = SystemSource(), np.empty((pairs, 2))
    # Both from the same place: where an array lies in memory costs time too.
    values = first.copy()
    for pair, swapped in enumerate(rng.random(pairs) < 0.5):
        for which in (1, 0) if swapped else (0, 1):
            values[:] = (first, second)[which]
            times[pair, which] = duration(mechanism, values, source)
    apart = times[:, 1] - times[:, 0]
    slower = int((apart > 0).sum())
    chance = stats.binomtest(slower, int((apart != 0).sum())).pvalue
    return abs(np.median(apart)) / np.median(times), chance


def tells(mechanism, first, second, pairs, large=LARGE):
    """Whether time tells two batches apart, in each repetition."""
    rng = np.random.default_rng(pairs)
    for values in (first, second):
        mechanism.privatize(values)
    for _ in range(REPETITIONS):
        apart, chance = difference(mechanism, first, second, pairs, rng)
        if chance > NEVER or apart < large:
            return False
    return True


@pytest.mark.statistical
@pytest.mark.parametrize("size", BATCHES)
@pytest.mark.parametrize("name", MECHANISMS)
def test_time_does_not_tell_the_value(name, size):
    n, pairs = BATCHES[size]
    assert not tells(MECHANISMS[name], *two_batches(name, n), pairs)


class Slower(RandomizedResponse):
    """A sampler that does one thing more for one value."""

    def _sample(self, values, stream):
        codes = super()._sample(values, stream)
        if values[0] == 0:
            np.multiply(values, values).sum()
        return codes


@pytest.mark.statistical
@pytest.mark.parametrize("size", BATCHES)
def test_time_tells_a_sampler_that_does_more_for_one_value(size):
    n, pairs = BATCHES[size]
    assert tells(Slower(10, "1"), np.full(n, 0), np.full(n, 9), pairs)


@pytest.mark.statistical
def test_time_tells_a_sampler_that_splits_its_batch():
    n, pairs = BATCHES["one value"]
    assert tells(Splitting(40, range(8), "1", "randomized"), np.full(n, 0), np.full(n, 39), pairs)
