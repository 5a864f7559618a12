"""Smoothed likelihood: against a plain loop, and what smoothing leaves as it is."""

import numpy as np
import pytest

from in_one import in_one
from sordino.estimation.distributions.smoothed import GAIN, smoothed_shares
from sordino.mechanism.numbers.window import WindowResponse

CHANNEL = WindowResponse(12, "2", 4)
EVEN = np.ones(12)


def by_loops(channel, counts, epsilon):
    """EMS of equal bins as its authors write it, number by number."""
    rows = channel.probabilities().tolist()
    k, shares, before = len(rows), [1 / len(rows)] * len(rows), -np.inf
    while True:
        law = [sum(shares[i] * rows[i][j] for i in range(k)) for j in range(len(counts))]
        now = sum(count * np.log(part) for count, part in zip(counts, law, strict=True) if count)
        if now - before < GAIN * np.exp(epsilon):
            return shares
        before = now
        up = [
            shares[i] * sum(counts[j] * rows[i][j] / law[j] for j in range(len(counts)) if counts[j]) for i in range(k)
        ]
        total = sum(up)
        padded = [up[0], *up, up[-1]]
        shares = [(padded[i] + 2 * padded[i + 1] + padded[i + 2]) / (4 * total) for i in range(k)]


def test_equal_bins_are_fitted_as_a_plain_loop_fits_them():
    counts = np.random.default_rng(1).multinomial(3000, CHANNEL.forward(np.arange(1, 13) / 78))
    counts[3] = 0
    assert smoothed_shares(CHANNEL, counts, EVEN, 2.0) == pytest.approx(by_loops(CHANNEL, counts.tolist(), 2.0))


@in_one("widths", [EVEN, np.arange(1.0, 13), np.array([5.0, 1, 1, 1, 9, 2, 2, 2, 7, 1, 1, 3])])
def test_what_is_evenly_spread_stays_so_whatever_the_widths(widths):
    even = widths / widths.sum()
    counts = np.rint(1e7 * CHANNEL.forward(even)).astype(int)
    found = smoothed_shares(CHANNEL, counts, widths, 2.0)
    assert found == pytest.approx(even, abs=1e-5)


def test_a_fit_is_a_distribution_whatever_was_counted():
    for seed in range(5):
        counts = np.random.default_rng(seed).multinomial(3, np.full(15, 1 / 15))
        found = smoothed_shares(CHANNEL, counts, EVEN, 2.0)
        assert found.min() >= 0
        assert found.sum() == pytest.approx(1)
