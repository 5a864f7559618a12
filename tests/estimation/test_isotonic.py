"""Bits about thresholds: the fit by brute force, and errors that do not vanish where nobody was asked."""

import numpy as np
import pytest

from sordino import Aggregate, Interval, Nats
from sordino.design.numbers.bins_channel import threshold_bits
from sordino.domain.bins import Bins
from sordino.estimation.number_distribution import DistributionEstimate, isotonic_shares

K = 9
CHANNEL = threshold_bits(K, Nats.of("ln 3"))
BINS = Bins.equal(Interval(0, 9), K)


def estimated(counts, method=None):
    tally = Aggregate(CHANNEL.fingerprint, int(counts.sum()), np.asarray(counts))
    return DistributionEstimate.of(CHANNEL, tally, BINS, 1.1, method)


def between(counts):
    """By the formula of largest least means: for each threshold over all stretches that hold it."""
    below, above = counts[: K - 1], counts[K - 1 :]
    # Three of four are true: the share s of "below" is 1/4 + F/2.
    told, drawn = 2 * below - (below + above) / 2, below + above

    def mean(first, last):
        return told[first : last + 1].sum() / drawn[first : last + 1].sum()

    places = range(K - 1)
    fitted = [max(min(mean(s, u) for u in places if u >= t) for s in places if s <= t) for t in places]
    return np.clip(fitted, 0, 1)


@pytest.mark.parametrize("seed", range(6))
def test_the_fit_is_the_nearest_function_that_never_falls(seed):
    counts = np.random.default_rng(seed).integers(1, 40, 2 * (K - 1))
    found = estimated(counts)
    assert found.method == "isotonic"
    assert found.fitted_function[1:-1] == pytest.approx(between(counts), abs=1e-12)
    assert found.fitted.min() >= 0
    assert found.fitted.sum() == pytest.approx(1)


def test_no_other_function_is_likelier():
    """Against many others near it, and far from it, that do not fall either."""
    draw = np.random.default_rng(1)
    counts = draw.integers(1, 40, 2 * (K - 1))
    law = CHANNEL.probabilities()

    def likelihood(shares):
        return counts @ np.log(shares @ law)

    best = isotonic_shares(CHANNEL, counts, np.ones(K))
    others = draw.dirichlet(np.full(K, 0.3), 300)
    assert all(
        likelihood((1 - t) * best + t * one) <= likelihood(best) + 1e-9 for one in others for t in (1e-3, 0.1, 1)
    )


def test_where_nobody_was_asked_the_fit_is_straight_and_the_error_is_not_nothing():
    counts = np.full(2 * (K - 1), 5)
    counts[[3, 3 + K - 1]] = 0
    found = estimated(counts)
    curve = found.fitted_function
    assert curve[4] == pytest.approx((curve[3] + curve[5]) / 2)
    assert found.stderr[3] > 0.9 * found.stderr.max()


def test_errors_are_those_of_surveys_with_few_reports_about_each_threshold():
    shares, n = np.full(K, 1 / K), 24
    law = CHANNEL.forward(shares)
    many = [estimated(counts) for counts in np.random.default_rng(2).multinomial(n, law / law.sum(), size=800)]
    spread = np.std([one.function for one in many], axis=0)
    told = np.sqrt(np.mean([one.stderr**2 for one in many], axis=0))
    assert told == pytest.approx(spread, rel=0.12)
    assert min(one.stderr.min() for one in many) > spread.min() / 2
