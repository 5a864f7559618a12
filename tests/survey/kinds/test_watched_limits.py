"""Limits that may be watched: what they rest on by numerical integration, and walks that are looked at all the time."""

from math import log, sqrt

import numpy as np
import pytest
from scipy import integrate

from in_one import in_one
from sordino.survey.kinds.coverage import standard_errors, watched_limits


@in_one("confidence", [0.3, 0.9, 0.95, 0.999])
@in_one("n", [1, 40, 1000, 10**6])
def test_at_the_limits_the_mixture_of_martingales_is_one_over_the_error(n, confidence):
    """By Ville's inequality a martingale that begins at 1 ever reaches 1 / error with probability error at most."""
    error, expected = 1 - confidence, 1000
    walk = standard_errors(n, expected, confidence) * sqrt(n)
    # The law of m may be any, if it is one for all times: so it is found from two of them.
    spread = (2 * log(1 / error) + log(1 + 2 * log(1 / error)) + 1) / expected
    middle = walk / (n + 1 / spread)
    width = sqrt(1 / (n + 1 / spread))

    def density(m):
        return np.exp(m * walk - m * m * n / 2 - m * m / (2 * spread)) / sqrt(2 * np.pi * spread)

    total = integrate.quad(density, middle - 12 * width, middle + 12 * width)[0]
    assert total == pytest.approx(1 / error, rel=1e-6)


def test_limits_are_nowhere_inside_those_for_one_time():
    value, stderr = np.array([0.0, 0.5]), np.array([0.001, 0.1])
    fixed = np.array([-0.5, 0.4]), np.array([0.5, 0.6])
    low, high = watched_limits(fixed, value, stderr, n=1000, expected=1000, confidence=0.95)
    reach = standard_errors(1000, 1000, 0.95) * 0.1
    assert low.tolist() == [-0.5, 0.5 - reach]
    assert high.tolist() == [0.5, 0.5 + reach]


def test_they_are_narrowest_about_when_all_have_answered():
    at = {n: standard_errors(n, 10_000, 0.95) / sqrt(n) * sqrt(10_000) for n in (100, 1000, 10_000, 10**6)}
    assert at[10_000] == pytest.approx(3.0356, abs=1e-3)
    # Of all laws of m this one is the best there, to a part in a thousand.
    for spread in np.linspace(1, 60, 200):
        assert sqrt(2 * (spread + 1) / spread * (log(spread + 1) / 2 + log(20))) > at[10_000] * 0.999


def test_whoever_looks_all_the_time_is_right_as_often_as_is_said():
    """Means of 2,000 throws of a coin, looked at after each from the 50th on, 2,000 times."""
    throws = np.random.default_rng(5).integers(0, 2, (2000, 2000), dtype=np.int8)
    n = np.arange(1, 2001)
    mean = np.cumsum(throws, axis=1, dtype=np.int32)[:, 49:] / n[49:]
    stderr = np.sqrt(mean * (1 - mean) / n[49:])
    away = np.abs(mean - 0.5)
    wide = np.array([standard_errors(int(each), 1000, 0.9) for each in n[49:]])
    missed = (away > wide * stderr).any(axis=1).mean()
    assert missed < 0.1
    # Intervals for one time are not for that.
    assert (away > 1.645 * stderr).any(axis=1).mean() > 0.4
