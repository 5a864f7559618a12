"""Differences, and shares within another value, of few reports: their limits hold where normal ones do not."""

import numpy as np

from sordino import Aggregate, MetricLDP, RandomizedResponse, TreeResponse
from sordino.estimation.intervals.quotient import quotient_limits
from sordino.estimation.joint.table_cells import Cells
from sordino.estimation.share_estimate import estimate

RELEASES = 60


def releases(mechanism, shares, n, seed):
    law = mechanism.forward(shares)
    for counts in np.random.default_rng(seed).multinomial(n, law / law.sum(), size=RELEASES):
        yield estimate(mechanism, Aggregate(mechanism.fingerprint, n, counts), "unbiased")


def test_shares_within_another_value_hold_in_a_table_of_few_reports():
    mechanism, shares = RandomizedResponse(24, "4"), np.full(24, 0.004)
    shares[[8, 16]] += 0.6, 0.304
    shares /= shares.sum()
    truth = (shares.reshape(6, 4) / shares.reshape(6, 4).sum(axis=1, keepdims=True)).ravel()
    missed, normal = np.zeros(24), np.zeros(24)
    for found in releases(mechanism, shares, 150, 4):
        cells = Cells.of((6, 4), found)
        told = cells.within([1], [0], 0.95).table_shares
        missed += (told.low > truth) | (told.high < truth)
        parts, wholes = np.eye(24), np.kron(np.eye(6), np.ones((4, 4)))
        errors = [
            ((one @ cells.covariance) * other).sum(axis=1)
            for one, other in ((parts, parts), (wholes, wholes), (parts, wholes))
        ]
        _, high = quotient_limits(parts @ found.value, wholes @ found.value, errors, 1.96)
        normal += np.nan_to_num(high, nan=1.0) < truth
    assert missed.mean() < 0.04 * RELEASES
    assert missed.max() < 0.08 * RELEASES
    # By Fieller's alone some are missed more often.
    assert normal.max() > 0.08 * RELEASES


def test_differences_hold_between_places_far_from_all_people():
    mechanism, shares = TreeResponse(MetricLDP.line(60, "1/2")), np.zeros(60)
    shares[[20, 40]] = 0.75, 0.25
    pairs = [(0, 5), (10, 30), (20, 40), (45, 50), (28, 33)]
    missed = np.zeros(len(pairs))
    for found in releases(mechanism, shares, 2000, 4):
        for place, (one, other) in enumerate(pairs):
            low, high = found.difference(one, other).interval()
            missed[place] += not low <= shares[one] - shares[other] <= high
    assert missed.mean() < 0.06 * RELEASES
    assert missed.max() < 0.14 * RELEASES
