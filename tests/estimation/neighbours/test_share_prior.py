"""Shares fitted with a learnt distribution: its likelihood by other means, and what it is worth in surveys."""

from itertools import product
from math import erf, sqrt

import numpy as np
import pytest
from scipy import optimize, stats

from sordino import LDP, Blockwise, HighLowLDP, MetricLDP, Partition, RandomizedResponse, best_mechanism
from sordino.estimation.neighbours.noise import ShareNoise
from sordino.estimation.neighbours.posterior import EDGES, LEAST, SHARES, STEP
from sordino.estimation.neighbours.ratio_prior import BIN, FIRST_BIN, RatioLikelihood, RatioPrior, bin_probabilities
from sordino.estimation.neighbours.share_prior import (
    FEWEST,
    SHAPES,
    LearntChoice,
    gamma_ratios,
    learn_ratios,
    with_mean,
)
from sordino.estimation.neighbours.smoothing import Surroundings
from sordino.estimation.share_estimate import estimate
from sordino.mechanism.channel import Aggregate
from sordino.papers.simulation import SimulationSource, simulate_tally, total_variation

LEVEL = 40
"""Of what is expected of each share, as steps of the grid."""


def normal(x):
    return (1 + erf(x / sqrt(2))) / 2


def likelihood(estimates):
    """Of values of which the same is expected."""
    bins = np.clip(np.floor((np.asarray(estimates) - FIRST_BIN) / BIN).astype(int) + 1, 0, len(bin_probabilities()) - 1)
    counts = np.bincount(bins, minlength=len(bin_probabilities()))[None].astype(float)
    return RatioLikelihood(np.array([LEVEL]), counts), bins


def brute_force(estimates, shares):
    """The logarithm of their probability, value by value, from the normal distribution alone."""
    logs = 0.0
    for estimate_ in estimates:
        low = FIRST_BIN + BIN * np.floor((estimate_ - FIRST_BIN) / BIN)
        each = [normal(low + BIN - share) - normal(low - share) for share in SHARES]
        logs += np.log(shares @ each)
    return logs


ESTIMATES = np.random.default_rng(3).choice([0.0, 0.0, 1.5, 4.0], 60) + np.random.default_rng(4).normal(0, 1, 60)


def test_the_likelihood_is_that_of_each_value_by_itself():
    found, _ = likelihood(ESTIMATES)
    prior = np.random.default_rng(1).dirichlet(np.ones(len(SHARES)))
    assert found.log(prior) == pytest.approx(brute_force(ESTIMATES, prior), abs=1e-9)
    np.testing.assert_allclose(found.shares(prior), prior[None], atol=1e-12)


def test_climbing_reaches_what_another_solver_finds_and_no_share_of_the_grid_would_add_to_it():
    found, bins = likelihood(ESTIMATES)
    rows = bin_probabilities()[bins]
    prior = found.climb(found.spread, 3000)
    solved = optimize.minimize(
        lambda w: -np.log(rows @ w).sum(),
        np.full(len(SHARES), 1 / len(SHARES)),
        jac=lambda w: -(rows / (rows @ w)[:, None]).sum(axis=0),
        bounds=[(0, 1)] * len(SHARES),
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": lambda w: np.ones(len(w))},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert -solved.fun - 0.02 <= found.log(prior) <= -solved.fun + 1e-6
    # The equivalence of Kiefer and Wolfowitz: the mean likelihood ratio of every share is at most one.
    assert (rows / (rows @ prior)[:, None]).mean(axis=0).max() < 1.01


def test_of_given_counts_the_likeliest_distribution_of_a_known_mean_is_found():
    rng = np.random.default_rng(2)
    for _ in range(5):
        counts, gains = rng.dirichlet(np.ones(6)), np.sort(rng.normal(0, 1, 6))
        gains -= gains[:2].mean() + 0.3
        found = with_mean(counts, gains)
        assert found @ gains == pytest.approx(0, abs=1e-8)
        assert found.sum() == pytest.approx(1)
        # Any way along which sum and mean stay is no way up.
        basis = np.linalg.svd(np.stack([np.ones(6), gains]))[2][2:]
        for way in basis:
            for step in (1e-4, -1e-4):
                assert counts @ np.log(found + step * way) < counts @ np.log(found)


def test_where_no_distribution_has_the_mean_the_counts_stay():
    counts = np.array([0.2, 0.3, 0.5])
    np.testing.assert_array_equal(with_mean(counts, np.array([1.0, 2.0, 3.0])), counts)


def test_gamma_distributions_are_those_of_another_library_and_have_the_mean_that_is_known():
    found, _ = likelihood(ESTIMATES)
    expected = LEAST * np.exp(STEP * LEVEL)
    for shape, own in zip(SHAPES, gamma_ratios(found), strict=True):
        below = stats.gamma(shape, scale=expected / shape).cdf(EDGES)
        np.testing.assert_allclose(np.cumsum(own)[1:-1], below[:-1], atol=1e-9)
        assert own.sum() == pytest.approx(1)


@pytest.mark.parametrize("shares", [np.full(400, 0.4), np.repeat([0.0, 2.0, 12.0], [320, 70, 10])])
def test_what_is_learnt_keeps_the_total_of_what_needs_its_help(shares):
    rng, differences = np.random.default_rng(5), []
    for _ in range(40):
        value = shares + rng.standard_normal(400)
        value += shares.mean() - value.mean()
        prior = RatioPrior.of(value, np.full(400, shares.mean()), ShareNoise(np.ones(400), np.zeros(400)), learn_ratios)
        differences.append(prior.posteriors.means().sum() - shares.sum())
    assert abs(np.mean(differences)) < 0.05 * shares.sum()


def people(kind, k):
    weights = {
        "even": np.ones(k),
        "Zipf": 1 / np.arange(1.0, k + 1),
        "two": np.array([0.6, 0.4, *[0.0] * (k - 2)]),
        "bell": np.exp(-(((np.arange(k) / k - 0.4) / 0.15) ** 2) / 2),
    }[kind]
    return np.random.default_rng(11).permutation(weights / weights.sum())


def surveys(kind, k, epsilon, n, count):
    """Distances from the shares of the default fit and of the nearest distribution, what was expected, methods."""
    mechanism, shares = best_mechanism(k, LDP(epsilon)), people(kind, k)
    for seed in range(count):
        drawn = np.random.default_rng((seed, k, n)).multinomial(n, shares)
        tally = simulate_tally(mechanism, drawn, SimulationSource(seed))
        found, plain = estimate(mechanism, tally), estimate(mechanism, tally, "simplex")
        yield total_variation(found.fitted, shares), total_variation(plain.fitted, shares), found.choice, found.method


@pytest.mark.parametrize(("kind", "k", "ratio"), [("even", 128, 0.15), ("Zipf", 128, 0.75), ("two", 128, 0.5)])
def test_what_is_fitted_is_nearer_and_what_is_expected_of_it_comes_true(kind, k, ratio):
    fitted, nearest, choices, methods = zip(*surveys(kind, k, "1", 10_000, 4), strict=True)
    assert set(methods) == {"empirical-bayes"}
    assert np.mean(fitted) < ratio * np.mean(nearest)
    assert np.mean([choice.nearest for choice in choices]) == pytest.approx(np.mean(nearest), rel=0.3)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["even", "Zipf", "two", "bell"])
def test_it_is_nearer_on_the_whole_and_nowhere_much_farther(kind):
    ratios = []
    for k, epsilon, n in product((16, 40, 128), ("0.5", "1", "3"), (1_000, 10_000)):
        fitted, nearest, *_ = zip(*surveys(kind, k, epsilon, n, 16), strict=True)
        ratios.append(np.mean(fitted) / np.mean(nearest))
    assert max(ratios) <= 1.15
    assert np.exp(np.mean(np.log(ratios))) <= 0.9


def test_where_reports_say_nearly_all_the_nearest_distribution_stands():
    (_, _, choice, method), *_ = surveys("even", 16, "3", 10_000, 1)
    assert method == "simplex"
    assert not choice.better


@pytest.mark.parametrize("ratio", [0.979, 0.981])
def test_a_fiftieth_nearer_is_needed(ratio):
    assert LearntChoice(ratio, 1.0).better == (ratio < 0.98)


@pytest.mark.parametrize(
    "mechanism",
    [
        RandomizedResponse(FEWEST - 1, "1"),
        best_mechanism(40, MetricLDP.line(40, "1/2")),
        best_mechanism(200, HighLowLDP(200, range(100), "1")),
    ],
    ids=["few", "line", "sensitive"],
)
def test_where_shares_cannot_be_learnt_the_nearest_distribution_stands(mechanism):
    tally = simulate_tally(mechanism, np.full(mechanism.k, 50), SimulationSource(1))
    found = estimate(mechanism, tally)
    assert (found.method, found.choice) == ("simplex", None)
    np.testing.assert_array_equal(found.fitted, estimate(mechanism, tally, "simplex").fitted)


@pytest.mark.parametrize("k", [16, 17, 128, 1_024, 5_000])
@pytest.mark.parametrize("n", [1, 30, 3_000, 10**10])
def test_any_size_gives_a_distribution_and_the_same_one(k, n):
    mechanism = RandomizedResponse(k, "2")
    for kind in ("even", "Zipf", "two"):
        law = mechanism.forward(people(kind, k))
        counts = np.random.default_rng((k, n)).multinomial(n, law / law.sum())
        tally = Aggregate(mechanism.fingerprint, n, counts)
        found = estimate(mechanism, tally)
        assert found.fitted.sum() == pytest.approx(1, abs=1e-9)
        assert found.fitted.min() >= 0
        np.testing.assert_array_equal(found.fitted, estimate(mechanism, tally).fitted)
        if n == 10**10:
            # Nothing is drawn away from estimates that are exact.
            assert total_variation(found.fitted, people(kind, k)) <= 1.05 * total_variation(
                estimate(mechanism, tally, "simplex").fitted, people(kind, k)
            )


def test_the_order_of_the_values_says_nothing():
    mechanism = RandomizedResponse(32, "1")
    counts = np.random.default_rng(1).multinomial(50_000, mechanism.forward(people("Zipf", 32)))
    order = np.random.default_rng(2).permutation(32)
    first, second = (
        estimate(mechanism, Aggregate(mechanism.fingerprint, 50_000, each), known=Surroundings((32,)))
        for each in (counts, counts[order])
    )
    assert first.method == "empirical-bayes"
    np.testing.assert_allclose(second.fitted, first.fitted[order], atol=1e-9)


def test_estimates_and_intervals_stay_and_every_block_keeps_its_share():
    mechanism = Blockwise(Partition.of(np.arange(200) % 5), "1")
    drawn = np.random.default_rng(3).multinomial(20_000, people("Zipf", 200))
    tally = simulate_tally(mechanism, drawn, SimulationSource(1))
    found, plain = estimate(mechanism, tally), estimate(mechanism, tally, "block-simplex")
    assert found.method == "empirical-bayes"
    assert total_variation(found.fitted, drawn / 20_000) < total_variation(plain.fitted, drawn / 20_000)
    totals = mechanism.block_shares(tally.counts / tally.n)
    np.testing.assert_allclose(mechanism.partition.totals(found.fitted), totals, atol=1e-9)
    np.testing.assert_array_equal(found.value, plain.value)
    np.testing.assert_array_equal(found.interval(), plain.interval())
