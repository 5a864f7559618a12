"""Intervals that hold together: against surveys drawn from the dense channel, and shares that err as one."""

import numpy as np
import pytest
from scipy import stats

from sordino import Aggregate, ChannelTable, RandomizedResponse
from sordino.estimation.share_estimate import estimate

SHARES = np.array([0.1, 0.2, 0.3, 0.4])
CHANNELS = {
    "randomized": RandomizedResponse(4, "1"),
    # Neighbours that answer nearly alike: their estimates take from each other.
    "neighbours": ChannelTable([[6, 4, 1, 1], [4, 6, 1, 1], [1, 1, 6, 4], [1, 1, 4, 6]]),
}


def dense(channel):
    weights = [[channel.weight(x, y) for y in range(channel.outputs)] for x in range(channel.k)]
    return np.array(weights, dtype=float) / channel.denominator


@pytest.mark.parametrize("name", CHANNELS)
def test_the_noise_of_all_is_beyond_the_limits_as_rarely_as_is_said(name):
    channel, n = CHANNELS[name], 3000
    matrix = dense(channel)
    counts = np.random.default_rng(8).multinomial(n, SHARES @ matrix, size=20_000)
    inverse = np.linalg.inv(matrix)
    spread = np.sqrt((SHARES @ matrix @ inverse**2 - SHARES**2) / n)
    largest = (np.abs(counts / n @ inverse - SHARES) / spread).max(axis=1)
    tally = Aggregate(channel.fingerprint, n, counts[0])
    each = estimate(channel, tally, "unbiased").each_confidence(0.95)
    assert 0.94 < (largest < stats.norm.ppf((1 + each) / 2)).mean() < 0.96
    # By itself each holds so often, and all of them do not.
    assert (largest < stats.norm.ppf(0.975)).mean() < 0.9


@pytest.mark.parametrize(("epsilon", "n", "common"), [("4", 2, 0.99), ("12", 300, 0.99)])
def test_values_whose_codes_nobody_sent_err_too(epsilon, n, common):
    """Seen as without noise, they left all intervals right together in 44 and 88 of 100 such surveys."""
    channel, shares = RandomizedResponse(30, epsilon), np.full(30, (1 - common) / 29)
    shares[11], held = common, 0
    for counts in np.random.default_rng(1).multinomial(n, shares @ dense(channel), size=200):
        found = estimate(channel, Aggregate(channel.fingerprint, n, counts), "unbiased")
        low, high = found.interval(0.95, simultaneous=True)
        held += bool(((low <= shares) & (shares <= high)).all())
    assert held > 0.92 * 200, held


def test_two_shares_err_as_one():
    mechanism = RandomizedResponse(2, "1")
    each = estimate(mechanism, mechanism.tally([0, 1] * 500)).each_confidence(0.95)
    assert each == pytest.approx(0.95, abs=0.007)


def test_limits_are_those_of_each_at_its_confidence():
    mechanism = RandomizedResponse(4, "2")
    found = estimate(mechanism, mechanism.tally([0, 1, 1, 2, 3, 3, 3] * 60))
    each = found.each_confidence(0.9)
    assert 0.9 < each <= 1 - 0.1 / 4
    together, alone = found.interval(0.9, simultaneous=True), found.interval(each)
    np.testing.assert_array_equal(together, alone)
    assert (together[0] < found.interval(0.9)[0]).all()


def test_of_many_values_each_errs_k_times_more_rarely():
    mechanism = RandomizedResponse(600, "1")
    found = estimate(mechanism, mechanism.tally(np.zeros(100, dtype=np.uint64)))
    assert found.each_confidence(0.95) == pytest.approx(1 - 0.05 / 600, rel=1e-12)
