"""A sampler of every kind with two people who have little in common, and one that goes different ways for them."""

import numpy as np

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
    QuadraticQuery,
    Query,
    RandomizedResponse,
    Sampled,
    Signs,
    SubsetSelection,
    TruncatedLinearQuery,
    WindowResponse,
)
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
    "quadratic": QuadraticQuery({(0, 1): 1.0, (2, 2): -0.5}, [0.25, 0.0, 0.0], 0, -1, 1, "1"),
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


class Splitting(HighLow):
    """A sampler that goes one way for sensitive values and another for all others."""

    def _sample(self, values, stream):
        place = self._place[values]
        own, rest = np.flatnonzero(place >= 0), np.flatnonzero(place < 0)
        codes = np.empty(len(values), dtype=np.uint64)
        codes[own] = self.inner._sample(place[own], stream.take(own))
        words = stream.take(rest)
        shown = words.next() >= np.uint64(self.hidden)
        behind = self.inner.sample_uniform(words)
        codes[rest] = np.where(shown, (-1 - place[rest]).astype(np.uint64) + np.uint64(self.inner.outputs), behind)
        return codes
