"""Intervals are as wide as they need to be: 2,000 seeded surveys of each kind, with checks that others would fail."""

from functools import cache

import numpy as np
import pytest
from scipy import special

from sordino import Aggregate, Blockwise, ChannelTable, HadamardResponse, HighLow, ProjectiveResponse
from sordino.estimation.share_estimate import estimate

pytestmark = pytest.mark.statistical

SURVEYS = 2000


def zipf(k, power=1.0):
    shares = np.arange(1.0, k + 1) ** -power
    return shares / shares.sum()


MAP = np.add.outer(np.arange(24) // 6 * 4, np.arange(24) // 6).ravel()
RACES = np.array([0.6, 0.18, 0.05, 0.12, 0.02, 0.02, 0.01])
CASES = {
    "high-low, three sensitive of seven": (HighLow(7, [2, 5, 6], "1"), RACES, 100_000),
    "high-low, few people": (HighLow(7, [2, 5, 6], "1"), RACES, 30),
    "a map in blocks": (Blockwise(MAP, "1", "hadamard"), np.random.default_rng(5).permutation(zipf(576)), 200_000),
    "sixty values in three blocks": (Blockwise(np.arange(60) // 20, "1", "projective"), zipf(60), 100_000),
    "blocks, little noise, few people": (Blockwise(np.arange(12) // 4, "4", "hadamard"), zipf(12, 2), 30),
    "blocks, rare and absent values": (
        Blockwise(np.arange(12) // 4, "4", "randomized"),
        np.r_[0.6, 0.3, 0.05, 0.04, 0.006, 0.002, 0.001, 0.001, 0, 0, 0, 0],
        2000,
    ),
    "hadamard": (HadamardResponse(8, "2"), zipf(8), 5000),
    "projective": (ProjectiveResponse(31, "2"), zipf(31), 20_000),
    "a table": (ChannelTable([np.roll([9, 2, 1, 1, 1, 1, 1, 1], x).tolist() for x in range(8)]), zipf(8), 5000),
}


@cache
def surveys(name):
    """Of each survey: estimates, standard errors, limits; and the law's own standard errors."""
    mechanism, shares, n = CASES[name]
    law = mechanism.forward(shares)
    rng = np.random.default_rng(2024)
    found = []
    for _ in range(SURVEYS):
        counts = rng.multinomial(n, law / law.sum())
        one = estimate(mechanism, Aggregate(mechanism.fingerprint, n, counts), "unbiased")
        found.append(np.stack([one.value, one.stderr, *one.interval()]))
    return np.array(found).transpose(1, 0, 2), np.sqrt(mechanism.variance(shares) / n)


@pytest.mark.parametrize("name", CASES)
def test_no_interval_covers_in_less_than_94_percent(name):
    (_, _, low, high), _ = surveys(name)
    shares = CASES[name][1]
    covered = ((low <= shares) & (shares <= high)).mean(axis=0)
    # Three standard deviations of 2,000 surveys, and their mean.
    assert covered.min() > 0.94 - 3 * np.sqrt(0.05 * 0.95 / SURVEYS)
    assert covered.mean() > 0.945


@pytest.mark.parametrize("name", [name for name in CASES if "few people" not in name])
def test_intervals_have_the_width_of_their_standard_errors_and_95_percent(name):
    (_, _, low, high), stderr = surveys(name)
    _, shares, n = CASES[name]
    # Near zero limits are cut, so that one of them cannot miss.
    middle = (n * shares > 20) & (shares > 4 * stderr) & (shares < 1 - 4 * stderr)
    assert middle.sum() >= 3
    half = (high - low).mean(axis=0)[middle] / 2 / stderr[middle]
    assert half.min() > 1.9
    assert half.max() < 2.1
    covered = ((low <= shares) & (shares <= high)).mean(axis=0)[middle]
    assert 0.94 < covered.mean() < 0.965
    assert covered.max() < 0.965 + 3 * np.sqrt(0.05 * 0.95 / SURVEYS)


@pytest.mark.parametrize("name", CASES)
def test_intervals_hold_their_estimates_unless_they_are_cut(name):
    (value, _, low, high), _ = surveys(name)
    n = CASES[name][2]
    inside = (low <= value) & (value <= high)
    below = (value < 0) & (low == 0)
    # Beyond the share that the block can have, or beyond 1.
    above = value > high
    assert np.all(inside | below | above)
    assert above.mean() < (0.03 if n < 100 else 0.01)


@pytest.mark.parametrize("name", CASES)
def test_standard_errors_are_positive_and_those_of_the_law(name):
    (_, found, _, _), stderr = surveys(name)
    assert found.min() > 0
    mean = np.sqrt((found**2).mean(axis=0))
    # Where one person is expected or fewer, that of one person stands for it.
    people = CASES[name][2] * CASES[name][1] > 1
    np.testing.assert_allclose(mean[people], stderr[people], rtol=0.1)
    assert np.all(mean > 0.9 * stderr)


def test_two_binomial_intervals_that_are_added_up_would_be_found_too_wide():
    mechanism, shares, n = CASES["high-low, three sensitive of seven"]
    reading, counts = mechanism.reading, np.rint(n * mechanism.forward(shares))
    sums = mechanism.support(counts)
    support, group = sums.support[2], sums.group[2]

    def clopper_pearson(hits, trials, error):
        low = special.betaincinv(hits, trials - hits + 1, error / 2)
        return low, special.betainccinv(hits + 1, trials - hits, error / 2)

    within = [
        (reading.on[2] - reading.off[2]) * r + reading.off[2] for r in clopper_pearson(support, group, 0.9 * 0.05)
    ]
    ends = [reading.outside[2] * (1 - g) for g in clopper_pearson(group, n, 0.1 * 0.05)]
    groups = clopper_pearson(group, n, 0.1 * 0.05)
    low = min(within[0] * g + end for g, end in zip(groups, ends, strict=True))
    high = max(within[1] * g + end for g, end in zip(groups, ends, strict=True))
    assert (high - low) / 2 > 2.1 * np.sqrt(mechanism.variance(shares)[2] / n)


def test_normal_intervals_would_be_found_not_to_cover_near_zero():
    mechanism, shares, n = CASES["blocks, rare and absent values"]
    rare = (n * shares > 0) & (n * shares < 5)
    # With the plug-in standard errors, which are zero where nobody was seen.
    rng = np.random.default_rng(2024)
    law = mechanism.forward(shares)
    covered = np.zeros(rare.sum())
    for _ in range(SURVEYS):
        codes = rng.multinomial(n, law / law.sum()) / n
        mean = mechanism.decode(codes)[rare]
        spread = 1.96 * np.sqrt((mechanism.decode_squares(codes)[rare] - mean**2) / n)
        covered += np.abs(mean - shares[rare]) <= spread
    assert (covered / SURVEYS).min() < 0.9
