"""What one tally tells is decoded once, and is what each single report adds, by weights alone."""

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from in_one import in_one
from sordino import (
    Aggregate,
    Blockwise,
    ChannelTable,
    HadamardResponse,
    HighLow,
    ProjectiveResponse,
    RandomizedResponse,
)
from sordino.estimation.intervals.share_interval import different, share_interval
from sordino.estimation.share_estimate import estimate
from sordino.estimation.unbiased import Decoded

ONE_GROUP = [RandomizedResponse(5, "2"), HadamardResponse(6, "2"), ProjectiveResponse(9, "2")]
BLOCKS = [
    Blockwise([0, 0, 1, 1, 1, 2, 3, 3], "2", "hadamard"),
    Blockwise([0, 1, 1, 0, 1, 2, 2, 2], "2", "randomized"),
]
OTHERS = [HighLow(6, [1, 2, 3], "1"), ChannelTable([[6, 1, 2], [3, 5, 1], [1, 2, 6]])]

both = pytest.mark.parametrize("subtract_totals", [False, True])


def of(mechanisms):
    return pytest.mark.parametrize("mechanism", mechanisms, ids=lambda m: f"{type(m).__name__}-{m.k}-{m.partition.m}")


def tally(mechanism, n=4000):
    """As reports of people who hold all values fall out, each count next to its mean."""
    shares = np.arange(2, mechanism.k + 2) / np.arange(2, mechanism.k + 2).sum()
    counts = np.rint(n * shares @ mechanism.probabilities()).astype(np.int64)
    counts[counts > 0] += np.arange((counts > 0).sum()) % 3
    return Aggregate(mechanism.fingerprint, int(counts.sum()), counts)


def channel(mechanism):
    """Pr(code | value), shape (k, codes), from whole weights."""
    weights = [[mechanism.weight(x, y) for y in range(mechanism.outputs)] for x in range(mechanism.k)]
    return np.array(weights, dtype=np.float64) / mechanism.denominator


def chances(mechanism):
    """Pr(support | the value), Pr(support | another of its block), which codes support it, which are its block's."""
    rows, blocks = channel(mechanism), mechanism.partition.block
    support, group = rows == rows.max(axis=1, keepdims=True), rows > 0
    hit, miss = (rows * support).sum(axis=1), np.zeros(mechanism.k)
    for value in range(mechanism.k):
        for other in np.flatnonzero(blocks == blocks[value]):
            if other != value:
                miss[value] = rows[other] @ support[value]
    return hit, miss, support, group


def added(mechanism, *, subtract_totals):
    """What one report of each code adds to each estimate, shape (k, codes)."""
    hit, miss, support, group = chances(mechanism)
    adds = np.where(group, (support - miss[:, None]) / (hit - miss)[:, None], 0)
    if subtract_totals:
        blocks = mechanism.partition.block
        for block in set(blocks.tolist()):
            rows = np.flatnonzero(blocks == block)
            adds[rows] -= (adds[rows].sum(axis=0) - group[rows[0]]) / len(rows)
    return adds


def by_hand(mechanism, aggregate, *, subtract_totals):
    """The estimate and its standard error: mean and spread of what the reports add, one by one."""
    plain = added(mechanism, subtract_totals=False)
    reports = np.repeat(plain, aggregate.counts, axis=1)
    squares, share = plain**2 @ channel(mechanism).T, reports.mean(axis=1)
    own, least = np.diagonal(squares), np.where(np.eye(mechanism.k), np.inf, squares).min(axis=1)
    lacking = np.maximum(share * own + (1 - share) * least - share**2 - reports.var(axis=1), 0)
    reports = np.repeat(added(mechanism, subtract_totals=subtract_totals), aggregate.counts, axis=1)
    return reports.mean(axis=1), np.sqrt((reports.var(axis=1) + lacking) / aggregate.n)


@pytest.fixture
def decodings(monkeypatch):
    """How often each mechanism has decoded a law, by name and bytes of the law."""
    found = Counter()

    def watch(mechanism):
        for name in ("decode", "decode_squares"):
            # Where it is written: a mechanism that writes its own is read in another way.
            owner = next(kind for kind in type(mechanism).__mro__ if name in vars(kind))
            function = getattr(owner, name)

            def noted(self, law, function=function, name=name):
                found[name, law.tobytes()] += 1
                return function(self, law)

            monkeypatch.setattr(owner, name, noted)
        return found

    return watch


@both
@of([*ONE_GROUP, *BLOCKS, *OTHERS])
def test_no_law_is_decoded_twice_for_an_estimate_and_its_intervals(mechanism, subtract_totals, decodings):
    """One pass for the means, one for the squares; and one for how totals vary where they are subtracted."""
    aggregate = tally(mechanism)
    _ = mechanism.squares  # a table's, of its whole channel
    found = decodings(mechanism)
    shares = estimate(mechanism, aggregate, subtract_totals=subtract_totals)
    for confidence in (0.5, 0.95):
        shares.interval(confidence)
    assert max(found.values()) == 1
    assert found.total() == 2 + subtract_totals
    # Limits without an estimate decode the tally by themselves, as often.
    found.clear()
    share_interval(mechanism, aggregate, 0.95, subtract_totals=subtract_totals)
    assert max(found.values(), default=0) <= 1
    assert found.total() <= 2 + subtract_totals


@both
@of([*ONE_GROUP, *BLOCKS])
def test_estimates_and_standard_errors_are_those_of_single_reports(mechanism, subtract_totals):
    aggregate = tally(mechanism)
    value, stderr = by_hand(mechanism, aggregate, subtract_totals=subtract_totals)
    found = estimate(mechanism, aggregate, subtract_totals=subtract_totals)
    np.testing.assert_allclose(found.value, value, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(found.stderr, stderr, rtol=1e-9)


@of(ONE_GROUP)
def test_limits_are_those_of_the_supporting_reports(mechanism):
    aggregate = tally(mechanism)
    n, (hit, miss, support, _) = aggregate.n, chances(mechanism)
    count = support @ aggregate.counts
    assert count.min() > 20
    assert (n - count).min() > 20
    ends = [(stats.beta.ppf(part, count + 0.5, n - count + 0.5) - miss) / (hit - miss) for part in (0.05, 0.95)]
    found = estimate(mechanism, aggregate).interval(0.9)
    np.testing.assert_allclose(found, np.clip(ends, 0, 1), rtol=1e-9, atol=1e-12)


@of(ONE_GROUP)
def test_limits_of_many_reports_that_are_shifted_are_as_wide_as_their_standard_errors_ask(mechanism):
    shares = np.arange(1.0, mechanism.k + 1) / np.arange(1.0, mechanism.k + 1).sum()
    counts = np.rint(10**7 * mechanism.forward(shares)).astype(np.int64)
    found = estimate(mechanism, Aggregate(mechanism.fingerprint, int(counts.sum()), counts), subtract_totals=True)
    low, high = found.interval(0.9)
    np.testing.assert_allclose(high - low, 2 * stats.norm.ppf(0.95) * found.stderr, rtol=0.01)
    np.testing.assert_allclose((high + low) / 2, found.value, atol=0.02 * found.stderr.min())


@both
@of([*ONE_GROUP, *BLOCKS])
def test_powers_of_what_reports_add_are_those_of_single_reports(mechanism, subtract_totals):
    each = added(mechanism, subtract_totals=subtract_totals)
    law = np.random.default_rng(4).dirichlet(np.ones(mechanism.k)) @ channel(mechanism)
    found = Decoded(mechanism, law).powers(5, subtract_totals=subtract_totals)
    for power in range(1, 6):
        np.testing.assert_allclose(found[power - 1], each**power @ law, rtol=1e-9, atol=1e-9)


@both
@of([ONE_GROUP[1], BLOCKS[0], OTHERS[1]])
def test_whoever_writes_into_an_estimate_changes_no_interval(mechanism, subtract_totals):
    aggregate = tally(mechanism)
    found = estimate(mechanism, aggregate, subtract_totals=subtract_totals)
    found.value[:] = 7
    expected = share_interval(mechanism, aggregate, 0.95, subtract_totals=subtract_totals)
    np.testing.assert_array_equal(found.interval(0.95), expected)


@of(ONE_GROUP)
def test_values_that_are_alike_share_their_squares(mechanism):
    """Worked out for one value: those of a million take no memory."""
    squares = mechanism.squares
    means = added(mechanism, subtract_totals=False) ** 2 @ channel(mechanism).T
    np.testing.assert_allclose(squares.own, np.diagonal(means), rtol=1e-12)
    np.testing.assert_allclose(squares.least, np.where(np.eye(mechanism.k), np.inf, means).min(axis=1), rtol=1e-12)
    np.testing.assert_allclose(squares.most, np.where(np.eye(mechanism.k), 0, means).max(axis=1), rtol=1e-12)
    for part in (squares.own, squares.least, squares.most):
        assert (part.shape, part.strides) == ((mechanism.k,), (0,))


@in_one("columns", [0, 1, 2, 3])
@in_one("size", [0, 1, 2, 60])
def test_values_that_differ_are_each_the_first_of_their_kind(size, columns):
    rng = np.random.default_rng(size + columns)
    numbers = [rng.integers(0, 3, size + 5).astype(float) for _ in range(columns)]
    values = np.sort(rng.permutation(size + 5)[:size])
    first, place = different(values, *numbers)
    kinds = [tuple(column[value] for column in numbers) for value in values]
    assert len(first) == len(set(kinds))
    assert [first[kind] for kind in place] == [values[kinds.index(kind)] for kind in kinds]
