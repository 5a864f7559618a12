"""Intervals cover at every truth, and are no wider than that needs: exactly, by enumeration of all counts."""

import numpy as np
import pytest
from scipy import special, stats

from in_one import in_one
from sordino import (
    Aggregate,
    BinaryOptimal,
    Blockwise,
    ChannelTable,
    HadamardResponse,
    HighLow,
    RandomizedResponse,
    SordinoError,
    SubsetSelection,
)
from sordino.estimation.intervals import share_interval as share_limits
from sordino.estimation.intervals.share_interval import binomial_limits, share_interval
from sordino.estimation.share_estimate import estimate

SHARES = [0, 1e-9, 1e-6, 1e-4, 1e-3, 0.003, 0.01, 0.03, 0.07, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.99, 1]
CONFIDENCES = [0.5, 0.8, 0.95, 0.999]


def least(confidence):
    """At 95%: 94%. Rare misses are as rare within a third."""
    return confidence - (0.2 if confidence <= 0.95 else 0.3) * (1 - confidence)


SINGLE = [
    *(HadamardResponse(4, "1"), HadamardResponse(9, "4"), RandomizedResponse(2, "ln 3"), RandomizedResponse(6, "1")),
    *(RandomizedResponse(3, "20"), Blockwise([0] * 5, "1", "hadamard")),
]
BLOCKS = Blockwise([0, 0, 1, 1, 1, 2], "1", "hadamard")


def law(mechanism, value):
    return np.array([mechanism.weight(value, y) / mechanism.denominator for y in range(mechanism.outputs)])


def codes_about(mechanism, value):
    """Of the value's block, a code that supports the value and one that does not; and one of another block."""
    own = law(mechanism, value)
    outside = np.flatnonzero(own == 0)
    return own.argmax(), np.where(own > 0, own, 2).argmin(), outside[0] if outside.size else None


def counts_with(mechanism, value, n, group, support):
    """A tally of n reports, some from the value's block, of which some support it."""
    supporting, opposing, outside = codes_about(mechanism, value)
    counts = np.zeros(mechanism.outputs, dtype=np.int64)
    counts[supporting] += support
    counts[opposing] += group - support
    if n > group:
        counts[outside] = n - group
    return Aggregate(mechanism.fingerprint, n, counts)


def tallied(mechanism, counts):
    return Aggregate(mechanism.fingerprint, int(counts.sum()), counts.astype(np.int64))


def one_each(mechanism):
    return tallied(mechanism, np.ones(mechanism.outputs))


def support_probability(mechanism, value, other, share):
    """Pr(a report supports the value | its block), if the value has this share of the block and another the rest."""
    own = law(mechanism, value)
    supporting = own == own.max()
    return share * own[supporting].sum() + (1 - share) * law(mechanism, other)[supporting].sum()


@pytest.mark.each_value
@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("mechanism", SINGLE, ids=lambda m: f"{type(m).__name__}-{m.k}")
def test_one_block_is_covered_at_every_share(mechanism, confidence):
    n = 40
    tallies = [counts_with(mechanism, 1, n, n, support) for support in range(n + 1)]
    low, high = np.array([[limit[1] for limit in share_interval(mechanism, t, confidence)] for t in tallies]).T
    for share in SHARES:
        chance = stats.binom.pmf(np.arange(n + 1), n, support_probability(mechanism, 1, 0, share))
        assert chance[(low <= share) & (share <= high)].sum() >= least(confidence) - 1e-12


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("value", [0, 3])
def test_blocks_are_covered_at_every_share(value, confidence):
    n, other = 12, {0: 1, 3: 4}[value]
    cases = [(group, support) for group in range(n + 1) for support in range(group + 1)]
    tallies = [counts_with(BLOCKS, value, n, group, support) for group, support in cases]
    low, high = np.array([[limit[value] for limit in share_interval(BLOCKS, t, confidence)] for t in tallies]).T
    group, support = np.array(cases).T
    for block_share in (0, 1e-6, 0.02, 0.1, 0.4, 0.75, 1):
        for within in (0, 1e-6, 0.01, 0.1, 0.3, 0.6, 0.9, 1):
            probability = support_probability(BLOCKS, value, other, within)
            chance = stats.binom.pmf(group, n, block_share) * stats.binom.pmf(support, group, probability)
            share = block_share * within
            assert chance[(low <= share) & (share <= high)].sum() >= least(confidence) - 1e-12


@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_a_block_of_one_value_has_the_interval_of_a_plain_count(confidence):
    n = 300
    for count in (0, 20, 150, 280, 300):
        low, high = share_interval(BLOCKS, counts_with(BLOCKS, 5, n, count, count), confidence)
        if count in (0, n):
            exact = stats.binomtest(count, n).proportion_ci(confidence)
            assert (low[5], high[5]) == pytest.approx((exact.low, exact.high))
        else:
            assert (low[5], high[5]) == pytest.approx(stats.beta(count + 0.5, n - count + 0.5).interval(confidence))


@pytest.mark.parametrize("mechanism", [*SINGLE, BLOCKS], ids=lambda m: f"{type(m).__name__}-{m.k}")
@pytest.mark.parametrize("n", [1, 20, 1000])
def test_neither_nobody_nor_everybody_gives_an_interval_without_width(mechanism, n):
    for share in (0, 1):
        support = round(n * support_probability(mechanism, 1, 0, share))
        low, high = share_interval(mechanism, counts_with(mechanism, 1, n, n, support), 0.95)
        assert np.all((low >= 0) & (high <= 1) & (low <= high))
        assert high[1] > low[1]


@pytest.mark.parametrize("mechanism", [*SINGLE, BLOCKS], ids=lambda m: f"{type(m).__name__}-{m.k}")
def test_no_interval_is_without_width_whatever_is_reported(mechanism):
    """Where noise takes an estimate far below 0 or above 1, limits that are cut would hold that end alone."""
    for n in (3, 60):
        for support in range(n + 1):
            low, high = share_interval(mechanism, counts_with(mechanism, 1, n, n, support), 0.95)
            assert high[1] - low[1] > 0.1 / n


@pytest.mark.parametrize("n", [1, 20, 1000])
def test_no_supporting_report_still_leaves_a_share_possible(n):
    mechanism = RandomizedResponse(3, "20")
    low, high = share_interval(mechanism, counts_with(mechanism, 1, n, n, 0), 0.95)
    assert low[1] == 0
    assert high[1] == pytest.approx(1 - 0.025 ** (1 / n), rel=1e-5)


def test_an_unseen_block_may_have_any_composition():
    low, high = share_interval(BLOCKS, counts_with(BLOCKS, 5, 100, 100, 100), 0.95)
    np.testing.assert_array_equal(low[:5], 0)
    assert np.all((high[:5] > 0) & (high[:5] < 0.1))


@pytest.mark.parametrize(
    "mechanism",
    [HadamardResponse(9, "1"), RandomizedResponse(9, "2"), BLOCKS, HighLow(5, [0, 1, 3], "1", "hadamard")],
    ids=lambda m: type(m).__name__,
)
def test_intervals_are_hardly_wider_than_normal_ones_where_those_hold(mechanism):
    n = 10**6
    law_of_all = np.mean([law(mechanism, x) for x in range(mechanism.k)], axis=0)
    low, high = share_interval(mechanism, tallied(mechanism, np.rint(n * law_of_all)), 0.95)
    normal = 2 * 1.96 * np.sqrt(mechanism.variance() / n)
    assert np.all(high - low < 1.01 * normal)
    assert np.all(high - low > 0.99 * normal)
    assert np.all(np.abs((low + high) / 2 - 1 / mechanism.k) < 0.01 * normal)


@pytest.mark.parametrize("confidence", [0.1, 0.5, 0.9, 0.99])
def test_more_confidence_is_wider(confidence):
    counts = tallied(BLOCKS, np.arange(BLOCKS.outputs) * 3)
    low, high = share_interval(BLOCKS, counts, confidence)
    wider_low, wider_high = share_interval(BLOCKS, counts, confidence + 0.005)
    assert np.all((wider_low < low) | (wider_low == 0))
    assert np.all((wider_high > high) | (high == 0))
    assert np.any(high > 0)


@in_one("confidence", [0, 1, -0.5, 95, np.nan])
def test_a_confidence_lies_between_0_and_1(confidence):
    with pytest.raises(SordinoError, match="between 0 and 1"):
        share_interval(BLOCKS, one_each(BLOCKS), confidence)


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("error", [0.001, 0.05, 0.5])
def test_binomial_limits_lie_between_those_of_mid_p_and_of_clopper_and_pearson(error):
    n = 40
    low, high = binomial_limits(np.arange(n + 1.0), n, error)
    for count in range(n + 1):
        exact = stats.binomtest(count, n).proportion_ci(1 - error)
        assert exact.low - 1e-12 <= low[count]
        assert high[count] <= exact.high + 1e-12
        # Mid-p: half of what is as likely as the count itself counts.
        for limit, sign in ((low[count], 1), (high[count], -1)):
            law = stats.binom.pmf(np.arange(n + 1), n, limit)
            beyond = law[sign * np.arange(n + 1) > sign * count].sum()
            assert beyond + law[count] / 2 < error / 2 * 1.2 or limit in (0, 1)


OTHERS = [
    *(HighLow(5, [0, 1, 3], "1", within) for within in ("hadamard", "subset", "randomized")),
    HighLow(5, [1], "1"),
    HighLow(4, [0, 1, 2], "4"),
    SubsetSelection(5, "1", 2),
    *(BinaryOptimal("1", "2"), BinaryOptimal("1", "inf"), BinaryOptimal("inf", "ln 3")),
]


def populations(k, value):
    """Shares of all values, with that of one value at both ends and between."""
    rng = np.random.default_rng(1)
    for share in (0, 1e-4, 0.03, 0.3, 0.8, 1):
        for rest in (rng.dirichlet(np.ones(k)), np.eye(k)[(value + 1) % k], np.eye(k)[(value - 1) % k]):
            others = np.delete(rest, value)
            yield np.insert((1 - share) * others / others.sum(), value, share)


def chance(counts, shares):
    """How likely each row of counts is, by logarithms: shares that miss 1 by rounding do no harm."""
    counts = np.array(counts)
    ways = special.gammaln(counts.sum(axis=1) + 1) - special.gammaln(counts + 1).sum(axis=1)
    return np.exp(ways + special.xlogy(counts, shares).sum(axis=1))


@pytest.mark.statistical
@pytest.mark.first_cases(1)
@pytest.mark.parametrize("mechanism", OTHERS, ids=lambda m: f"{type(m).__name__}-{m.k}")
@pytest.mark.parametrize("confidence", [0.95, 0.8])
def test_every_share_is_covered_whatever_the_other_shares(mechanism, confidence):
    n = 11
    codes = [y for y in range(mechanism.outputs) if any(mechanism.weight(x, y) for x in range(mechanism.k))]
    tallies = np.array([mechanism.tally([y]).counts for y in codes])
    matrix = np.array([[mechanism.weight(x, y) / mechanism.denominator for y in codes] for x in range(mechanism.k)])
    sums = mechanism.support(tallies.astype(float))
    for value in range(mechanism.k):
        # A code supports the value, stands against it, or is outside its group; one of each will do.
        sides = [
            np.flatnonzero((sums.support[:, value] == support) & (sums.group[:, value] == group))
            for support, group in ((1, 1), (0, 1), (0, 0))
        ]
        counts = [
            (i, j, n - i - j)
            for i in range(n + 1)
            for j in range(n + 1 - i)
            if all(side.size or not count for side, count in zip(sides, (i, j, n - i - j), strict=True))
        ]
        limits = []
        for each in counts:
            tally = sum(count * tallies[side[0]] for count, side in zip(each, sides, strict=True) if count)
            low, high = share_interval(mechanism, Aggregate(mechanism.fingerprint, n, tally), confidence)
            limits.append((low[value], high[value]))
        low, high = np.array(limits).T
        for p in populations(mechanism.k, value):
            law = p @ matrix
            chances = chance(counts, [law[side].sum() for side in sides])
            assert chances.sum() == pytest.approx(1)
            assert chances[(low <= p[value] + 1e-12) & (p[value] - 1e-12 <= high)].sum() >= least(confidence) - 1e-9


@pytest.mark.parametrize("mechanism", OTHERS, ids=lambda m: f"{type(m).__name__}-{m.k}")
def test_intervals_hold_the_estimate_and_shrink_with_reports(mechanism):
    law = mechanism.forward(np.full(mechanism.k, 1 / mechanism.k))
    widths = []
    for n in (10**4, 10**6):
        counts = np.rint(n * law).astype(np.int64)
        low, high = share_interval(mechanism, Aggregate(mechanism.fingerprint, mechanism.reports(counts), counts), 0.95)
        value = mechanism.decode(counts / n)
        assert np.all((low <= value + 1e-4) & (value <= high + 1e-4))
        widths.append(high - low)
    np.testing.assert_allclose(widths[0] / widths[1], 10, rtol=0.1)
    normal = 2 * 1.96 * np.sqrt(mechanism.variance() / 10**6)
    assert np.all(widths[1] < 1.8 * normal)


TABLES = [
    ChannelTable([[6, 3, 1], [1, 3, 6]]),
    ChannelTable([[2, 0, 1], [1, 2, 0], [0, 1, 2]]),
    ChannelTable([[1000, 1, 0], [0, 1, 1000]]),
]


@pytest.mark.each_value
@pytest.mark.parametrize("confidence", [0.5, 0.95])
@pytest.mark.parametrize("n", [3, 25])
@pytest.mark.parametrize("mechanism", TABLES, ids=lambda m: f"{m.k}x{m.outputs}")
def test_tables_are_covered_at_every_share(mechanism, n, confidence):
    counts = [(i, j, n - i - j) for i in range(n + 1) for j in range(n + 1 - i)]
    limits = [share_interval(mechanism, tallied(mechanism, np.array(each)), confidence) for each in counts]
    low, high = (np.array(side) for side in zip(*limits, strict=True))
    for value in range(mechanism.k):
        for p in populations(mechanism.k, value):
            chances = chance(counts, p @ mechanism.probabilities())
            covered = (low[:, value] <= p[value] + 1e-12) & (p[value] - 1e-12 <= high[:, value])
            assert chances[covered].sum() >= least(confidence) - 1e-9


@pytest.mark.parametrize("mechanism", TABLES, ids=lambda m: f"{m.k}x{m.outputs}")
def test_intervals_of_tables_are_as_wide_as_their_standard_errors_ask(mechanism):
    n = 10**6
    shares = np.arange(1, mechanism.k + 1) / np.arange(1, mechanism.k + 1).sum()
    low, high = share_interval(mechanism, tallied(mechanism, np.rint(n * shares @ mechanism.probabilities())), 0.95)
    np.testing.assert_allclose(high - low, 2 * 1.96 * np.sqrt(mechanism.variance(shares) / n), rtol=0.01)


def test_one_report_of_a_table_tells_nothing():
    low, high = share_interval(TABLES[0], tallied(TABLES[0], np.array([1, 0, 0])), 0.95)
    assert (low.tolist(), high.tolist()) == ([0, 0], [1, 1])


def test_a_table_of_one_value_is_certain():
    mechanism = ChannelTable([[1, 2]])
    low, high = share_interval(mechanism, tallied(mechanism, np.array([1, 1])), 0.95)
    assert (low.tolist(), high.tolist()) == ([1], [1])


def test_an_estimate_beyond_all_shares_has_an_interval_like_its_neighbours():
    """Noise takes estimates through a table below 0 and above 1; their limits stay within some standard errors."""
    mechanism = ChannelTable([[6, 1, 1], [1, 6, 1], [1, 1, 6]])
    found = estimate(mechanism, Aggregate(mechanism.fingerprint, 1000, np.array([100, 100, 800])))
    assert found.value[:2].max() < 0
    assert found.value[2] > 1
    low, high = found.interval()
    assert low.tolist()[:2] == [0, 0]
    assert high[2] == 1
    assert (high - low).max() < 4 * found.stderr.max()


@pytest.mark.parametrize(
    "mechanism",
    [RandomizedResponse(20_000, "1"), Blockwise(np.arange(20_000) // 20, "1", "randomized")],
    ids=["one group", "blocks"],
)
def test_limits_are_worked_out_for_counts_that_differ(mechanism, monkeypatch):
    """Of 20,000 values and 1,000 reports most have the counts of another; each gets what it would get by itself."""
    counts = np.zeros(mechanism.counters, dtype=np.int64)
    places = np.arange(1000) ** 2 % 997 * 20 % mechanism.counters
    np.add.at(counts, places, 1)
    aggregate = Aggregate(mechanism.fingerprint, 1000, counts)
    sizes = []

    def noted(function):
        return lambda counts, *rest: sizes.append(counts.shape[-1]) or function(counts, *rest)

    with monkeypatch.context() as patch:
        for name in ("binomial_limits", "profile_limits"):
            patch.setattr(share_limits, name, noted(getattr(share_limits, name)))
        found = share_interval(mechanism, aggregate, 0.95)
    assert sum(sizes) <= 100
    with monkeypatch.context() as patch:
        patch.setattr(share_limits, "different", lambda values, *_: (values, np.arange(len(values))))
        alone = share_interval(mechanism, aggregate, 0.95)
    np.testing.assert_array_equal(found, alone)
