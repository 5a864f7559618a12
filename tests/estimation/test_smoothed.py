"""Smoothed likelihood: against a plain loop, and what smoothing leaves as it is."""

import numpy as np
import pytest

from in_one import in_one
from sordino import Aggregate, Interval, Nats, WindowResponse
from sordino.design.numbers.bins_channel import square_wave, threshold_bits
from sordino.domain.bins import Bins
from sordino.estimation.number_distribution import GAIN, DistributionEstimate, smoothed_shares

CHANNEL = WindowResponse(12, "2", 4)
EVEN = np.ones(12)


def by_loops(channel, counts, epsilon):
    """EMS of equal bins as its authors write it, number by number, but that few move between few bins of many."""
    rows = channel.probabilities().tolist()
    moved = min(1 / 4, len(rows) ** 2 / (48 * sum(counts)))
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
        shares = [
            (moved * padded[i] + (1 - 2 * moved) * padded[i + 1] + moved * padded[i + 2]) / total for i in range(k)
        ]


@in_one("n", [6, 20, 3000])
def test_equal_bins_are_fitted_as_a_plain_loop_fits_them(n):
    counts = np.random.default_rng(1).multinomial(n, CHANNEL.forward(np.arange(1, 13) / 78))
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


def distances(channel, people, epsilon, seed, methods):
    """1-Wasserstein, in parts of the range, between the people and what is fitted to their reports by each method."""
    k, random = channel.k, np.random.default_rng(seed)
    placed = np.bincount((people(random) * k).astype(int), minlength=k)
    counts = sum(
        random.multinomial(placed[value], row / row.sum()) for value, row in enumerate(channel.probabilities())
    )
    tally, bins = Aggregate(channel.fingerprint, int(placed.sum()), counts), Bins.equal(Interval(0, 1), k)
    fits = [DistributionEstimate.of(channel, tally, bins, epsilon, method).fitted for method in methods]
    return [np.abs(np.cumsum(fit - placed / placed.sum())).mean() for fit in fits]


def skewed(random):
    return random.beta(2, 5, 100_000)


def two_peaks(random):
    return np.concatenate([random.beta(20, 60, 40_000), random.beta(60, 25, 60_000)])


@in_one("make", [square_wave, threshold_bits])
@in_one("people", [skewed, two_peaks])
@in_one("k", [32, 96])
def test_the_default_fit_of_wide_bins_is_nearer_than_the_most_likely_one(k, people, make):
    # A quarter of each bin to either neighbour lies four times as far from them as what is not smoothed.
    found = [distances(make(k, Nats.of(1)), people, 1.0, seed, (None, "likelihood")) for seed in range(3)]
    smoothed, likeliest = np.mean(found, axis=0)
    assert smoothed < 1.15 * likeliest


def test_of_many_bins_it_is_as_near_as_was_asked():
    found = [distances(square_wave(256, Nats.of(1)), skewed, 1.0, seed, (None,)) for seed in range(4)]
    assert np.mean(found) <= 0.0065
