"""Limits by profile likelihood, against a search over all shares of everybody else."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar
from scipy.special import xlogy

from sordino.estimation.intervals.share_interval import profile_limits

CHANNELS = {
    "block": [[0.5, 0.25, 0.0], [0.5, 0.75, 0.0], [0.0, 0.0, 1.0]],
    "block at a large epsilon": [[1 - 1e-9, 1e-9, 0.0], [1e-9, 1 - 1e-9, 0.0], [0.0, 0.0, 1.0]],
    "high-low": [[0.6, 0.3, 0.12], [0.4, 0.7, 0.28], [0.0, 0.0, 0.6]],
    "high-low, other odds behind": [[0.6, 0.2, 0.3], [0.4, 0.8, 0.2], [0.0, 0.0, 0.5]],
}
COUNTS = [
    (300, 500, 200),
    (30, 20, 950),
    (4, 30, 66),
    (0, 0, 50),
    (0, 7, 3),
    (5, 0, 0),
    (0, 0, 1),
    (1, 0, 40),
    (60, 1, 0),
]


def log_likelihood(counts, channel, share):
    """The largest, over all ways that the rest can be shared."""

    def negative(rest):
        law = np.array(channel) @ [share, rest, 1 - share - rest]
        return -xlogy(counts, np.maximum(law, 0)).sum()

    ends = [negative(0), negative(1 - share)]
    if share < 1:
        ends.append(minimize_scalar(negative, bounds=(0, 1 - share), method="bounded", options={"xatol": 1e-9}).fun)
    return -min(ends)


def largest(counts, channel):
    """Over all shares: the likelihood is concave."""

    def negative(share):
        return -log_likelihood(counts, channel, share)

    inside = minimize_scalar(negative, bounds=(0, 1), method="bounded", options={"xatol": 1e-7}).fun
    return -min(inside, negative(0), negative(1))


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("channel", CHANNELS.values(), ids=CHANNELS)
def test_limits_are_where_the_profile_likelihood_has_fallen(channel):
    counts = np.array(COUNTS, dtype=float).T
    every = np.repeat(np.array(channel)[:, :, None], len(COUNTS), axis=2)
    low, high = profile_limits(counts, every, np.full(len(COUNTS), 0.02), 0.1)
    part = 0.5 * np.clip(1 - np.minimum(counts[0], counts[1] + counts[2]) / 20, 0, 1)
    fewer = np.minimum(part, counts[0])
    fall = stats.chi2.ppf(0.9, 1) / 2
    none = 0 * part
    moved = {-1: counts + np.array([-fewer, fewer, none]), 1: counts + np.array([part, none, none])}
    for i in range(len(COUNTS)):
        for side, limit in ((-1, low[i]), (1, high[i])):
            own = moved[side][:, i]
            left = log_likelihood(own, channel, limit)
            most = max(left, largest(own, channel))
            if limit not in (0, 1):
                assert most - left == pytest.approx(fall, rel=1e-4)
            else:
                assert most - left <= fall + 1e-6
