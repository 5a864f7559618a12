"""The best channel of intervals: its equations, its bound, and a linear program with values on a grid as a witness."""

import numpy as np
import pytest
from scipy.optimize import linprog

from sordino.design.numbers.unbiased_channel import UnbiasedChannel

SETTINGS = [(0.5, 5, 1.0), (1.0, 7, 1.0), (2.0, 11, 1.0), (2.0, 7, 0.1), (4.0, 9, 1.0), (8.0, 9, 0.3)]
settings = pytest.mark.parametrize(("epsilon", "points", "share"), SETTINGS)


def dense(channel):
    """The probability of each column at each point, and what it counts as: intervals and their mirror images."""
    intervals = channel.prices.intervals
    columns = channel.weights[:, None] * intervals.shapes
    twice = intervals.count == 2
    values = channel.prices.values
    return np.vstack([columns, columns[twice, ::-1]]).T, np.concatenate([values, -values[twice]])


@settings
def test_the_columns_are_a_channel_that_tells_the_number(epsilon, points, share):
    channel = UnbiasedChannel.of(float(np.exp(epsilon)), points, share)
    law, values = dense(channel)
    numbers = np.linspace(-1, 1, points)
    assert law.shape[1] == points * (points + 1) // 2 - 1
    assert law.min() > 0
    np.testing.assert_allclose(law.max(axis=0), law.min(axis=0) * np.exp(epsilon), rtol=1e-12)
    np.testing.assert_allclose(law.sum(axis=1), 1, atol=1e-11)
    np.testing.assert_allclose(law @ values, numbers, atol=1e-11)
    spread = law @ values**2 - share * numbers**2
    assert spread.max() <= channel.worst
    # Nothing below the value of the dual is possible: the rest is what the last barrier leaves.
    bound = channel.prices.bound(share)
    assert bound <= channel.worst <= bound * (1 + 1e-3)
    assert channel.prices.slacks.min() > 0
    assert channel.prices.prior.min() > 0


@pytest.mark.parametrize(
    ("epsilon", "least"), [(0.5, 16.00134), (1, 3.98992), (2, 0.86497), (3, 0.30363), (4, 0.12661)]
)
def test_known_least_variances_at_21_points(epsilon, least):
    assert UnbiasedChannel.of(float(np.exp(epsilon)), 21).prices.bound(1) == pytest.approx(least, rel=4e-5)


def program(epsilon, points, scale, codes, share):
    """The least t over all tables: a variable for each entry, and one for the least entry of each column."""
    numbers, counts, n = np.linspace(-1, 1, points), np.linspace(-scale, scale, codes), points * codes
    every = np.arange(n).reshape(points, codes)
    equal = np.zeros((2 * points, n + codes + 1))
    spread = np.zeros((points, n + codes + 1))
    for point in range(points):
        equal[point, every[point]] = 1
        equal[points + point, every[point]] = counts
        spread[point, every[point]] = counts**2
    spread[:, -1] = -1
    within = np.zeros((2 * n, n + codes + 1))
    for row, (point, code) in enumerate(np.ndindex(points, codes)):
        within[row, [every[point, code], n + code]] = 1, -np.exp(epsilon)
        within[n + row, [every[point, code], n + code]] = -1, 1
    goal = np.zeros(n + codes + 1)
    goal[-1] = 1
    solved = linprog(
        goal,
        np.vstack([spread, within]),
        np.concatenate([share * numbers**2, np.zeros(2 * n)]),
        equal,
        np.concatenate([np.ones(points), numbers]),
        method="highs",
    )
    return solved.fun


@pytest.mark.parametrize(
    ("epsilon", "points", "share"),
    [
        (1.0, 5, 1.0),
        *(pytest.param(*case, marks=pytest.mark.long) for case in ((0.5, 7, 1.0), (2.0, 9, 1.0), (3.0, 9, 0.2))),
    ],
)
def test_no_table_is_better_and_some_are_nearly_as_good(epsilon, points, share):
    """All tables, not only those of intervals, with the values of codes on a grid."""
    channel = UnbiasedChannel.of(float(np.exp(epsilon)), points, share)
    scale = float(np.abs(channel.prices.values).max())
    least = program(epsilon, points, scale, 41, share)
    assert channel.prices.bound(share) <= least * (1 + 1e-7)
    assert least <= channel.worst * (1 + 5e-3)
