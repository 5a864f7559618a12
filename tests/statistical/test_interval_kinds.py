"""Changes, differences, intervals that hold together or in spite of forged reports: over 2,000 seeded surveys each."""

from functools import cache

import numpy as np
import pytest
from scipy import stats

from sordino import Aggregate, ChannelTable, HadamardResponse, RandomizedResponse
from sordino.estimation.intervals.forged import forged_limits
from sordino.estimation.intervals.independent_difference import WithInterval, difference
from sordino.estimation.joint.pooled_shares import PooledPart, pool
from sordino.estimation.joint.table_cells import sums_over
from sordino.estimation.share_estimate import estimate

pytestmark = pytest.mark.statistical

SURVEYS, PEOPLE, FORGED = 2000, 4000, 40
BEFORE, AFTER = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.15, 0.15, 0.3, 0.4])
RARE = np.array([0.002, 0.008, 0.29, 0.7]), np.array([0.0, 0.01, 0.29, 0.7])
CHANNELS = {
    "randomized": RandomizedResponse(4, "1"),
    "sure": RandomizedResponse(4, "5"),
    "hadamard": HadamardResponse(4, "1"),
    "neighbours": ChannelTable([[6, 4, 1, 1], [4, 6, 1, 1], [1, 1, 6, 4], [1, 1, 4, 6]]),
}
NAMES = pytest.mark.parametrize("name", CHANNELS)


def drawn(name, shares, seed):
    """The estimates of many surveys, people drawn from a population."""
    channel = CHANNELS[name]
    law = channel.forward(shares)
    counts = np.random.default_rng(seed).multinomial(PEOPLE, law / law.sum(), size=SURVEYS)
    return [estimate(channel, Aggregate(channel.fingerprint, PEOPLE, own), "unbiased") for own in counts]


before = cache(lambda name: drawn(name, BEFORE, 31))


def within(hits, low=0.94, high=0.96):
    """Whether coverage lies within these, up to what chance allows in so many surveys."""
    least, most = stats.binom.ppf(1e-3, SURVEYS, low), stats.binom.ppf(1 - 1e-3, SURVEYS, high)
    counts = np.sum(hits, axis=0)
    return np.all((least <= counts) & (counts <= most)), counts / SURVEYS


def measured(one, place):
    low, high = one.interval(0.95)
    return WithInterval(one.value[place], one.stderr[place], low[place], high[place], 0.0, 1.0)


@NAMES
@pytest.mark.parametrize("rare", [False, True])
def test_the_change_between_two_collections_lies_in_its_interval_as_often_as_is_said(name, rare):
    first, second = RARE if rare else (BEFORE, AFTER)
    pairs = zip(drawn(name, first, 41), drawn(name, second, 42), strict=True)
    hits = []
    for early, late in pairs:
        found = [difference(measured(early, place), measured(late, place), 0.95) for place in range(4)]
        hits.append([one.low <= after - was <= one.high for one, was, after in zip(found, first, second, strict=True)])
    fine, covered = within(hits, high=0.975 if rare else 0.96)
    assert fine, covered


@NAMES
def test_the_difference_of_two_shares_lies_in_its_interval_as_often_as_is_said(name):
    hits, naive = [], []
    for one in before(name):
        found = one.difference(3, 2)
        low, high = found.interval(0.95)
        hits.append(low <= 0.1 <= high)
        apart = np.hypot(one.stderr[3], one.stderr[2])
        naive.append(abs(found.value - 0.1) <= 1.96 * apart)
    fine, covered = within(hits)
    assert fine, covered
    if name == "neighbours":
        # As if one share took nothing from the other.
        assert np.mean(naive) < 0.9


@NAMES
def test_all_shares_lie_in_simultaneous_intervals_as_often_as_is_said(name):
    together, alone = [], []
    for one in before(name):
        for hits, limits in ((together, one.interval(0.95, simultaneous=True)), (alone, one.interval(0.95))):
            low, high = limits
            hits.append(bool(((low <= BEFORE) & (high >= BEFORE)).all()))
    fine, covered = within(together)
    assert fine, covered
    assert np.mean(alone) < 0.92


@NAMES
def test_whoever_forges_the_worst_reports_does_not_get_shares_out_of_their_intervals(name):
    channel = CHANNELS[name]
    each = np.array([channel.decode(law) for law in np.eye(channel.outputs)])
    worst = np.zeros(channel.outputs, dtype=np.int64)
    worst[int(np.argmax(each[:, 3]))] = FORGED
    hits, unaware = [], []
    for one in before(name):
        counts = np.rint(one.law * PEOPLE).astype(np.int64) + worst
        found = estimate(channel, Aggregate(channel.fingerprint, PEOPLE + FORGED, counts), "unbiased")
        fixed, part = found.interval(0.95), FORGED / (PEOPLE + FORGED)
        low, high = forged_limits(fixed, found.value, found.stderr, found.moved(FORGED), forged=FORGED, part=part)
        hits.append(low[3] <= BEFORE[3] <= high[3])
        unaware.append(fixed[0][3] <= BEFORE[3] <= fixed[1][3])
    # One side of the interval is as sure as before; the other is surer.
    assert np.mean(hits) > 0.96
    assert np.mean(unaware) < 0.92


def test_a_pooled_share_lies_in_its_interval_as_often_as_is_said():
    """By randomized response of the value itself, and as the margin of a table of which it is the slower attribute."""
    table, joint = HadamardResponse(8, "2"), np.outer(BEFORE, [0.3, 0.7]).ravel()
    law = table.forward(joint)
    rng = np.random.default_rng(51)
    margins = rng.multinomial(3 * PEOPLE, law / law.sum(), size=SURVEYS)
    hits, alone = [], []
    for single, counts in zip(before("randomized"), margins, strict=True):
        cells = estimate(table, Aggregate(table.fingerprint, 3 * PEOPLE, counts), "unbiased")
        parts = [
            PooledPart.of_shares(single, np.eye(4), subtract_totals=False),
            PooledPart.of_shares(cells, sums_over((4, 2), [0]), subtract_totals=False),
        ]
        low, high = pool(parts).interval(0.95)
        hits.append((low <= BEFORE) & (high >= BEFORE))
        alone.append(single.stderr / pool(parts).stderr)
    fine, covered = within(hits)
    assert fine, covered
    assert np.min(alone) > 1.2
