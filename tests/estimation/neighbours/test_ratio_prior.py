"""Priors and posteriors against Bayes' theorem, value by value."""

from dataclasses import replace
from math import erf, sqrt

import numpy as np
import pytest

from sordino.estimation.neighbours.noise import ShareNoise
from sordino.estimation.neighbours.posterior import SHARES
from sordino.estimation.neighbours.ratio_prior import (
    BIN,
    FIRST_BIN,
    RatioPrior,
    hedged_prior,
    sparse_prior,
    sparse_priors,
)

RNG = np.random.default_rng(6)
TRUE = np.where(RNG.random(6000) < 0.05, 3.0, 0.0)
ESTIMATE = TRUE + RNG.standard_normal(6000)
ALIKE = ShareNoise(np.ones(6000), np.zeros(6000))
PRIOR = RatioPrior.of(ESTIMATE, np.full(6000, 0.15), ALIKE)


def normal(x):
    return (1 + erf(x / sqrt(2))) / 2


def test_a_posterior_is_the_prior_times_the_probability_of_the_estimates_bin():
    found = PRIOR.posteriors
    (prior,) = PRIOR.shares
    for value in (0, 1, 2, 3):
        low = FIRST_BIN + BIN * np.floor((ESTIMATE[value] - FIRST_BIN) / BIN)
        joint = [p * (normal(low + BIN - s) - normal(low - s)) for p, s in zip(prior, SHARES, strict=True)]
        np.testing.assert_allclose(found.cumulative[found.group[value]], np.cumsum(joint) / sum(joint), atol=1e-9)
        assert found.means()[value] == pytest.approx(np.array(joint) @ SHARES / sum(joint), abs=1e-9)


def test_the_prior_is_about_as_likely_as_the_truth_and_shrinks_what_is_noise():
    truth = np.zeros((1, len(SHARES)))
    truth[0, [0, np.argmin(abs(SHARES - 3))]] = 0.95, 0.05
    found = hedged_prior(PRIOR, TRUE.sum())
    assert found.log_likelihoods.sum() > replace(PRIOR, shares=truth).log_likelihoods.sum() - 5
    # Bayes's own mean of a share, from the truth that the estimates were drawn with.
    odds = 0.05 * np.exp(3 * ESTIMATE - 4.5) / 0.95
    np.testing.assert_allclose(found.posteriors.means(), 3 * odds / (1 + odds), atol=0.45)


def test_values_of_which_less_is_expected_have_a_smaller_prior_of_the_same_ratios():
    found = RatioPrior.of(ESTIMATE, np.where(np.arange(6000) < 3000, 0.15, 0.15 * np.exp(0.3)), ALIKE)
    assert len(found.shares) == 2
    np.testing.assert_allclose(found.shares[1, 3:40] / found.shares[0, 1:38], found.shares[1, 3] / found.shares[0, 1])


def test_a_sparse_prior_has_what_is_left_of_the_total_and_nothing_between():
    """Of few small shares the estimates tell nothing: the known total alone says how many there are."""
    estimate = np.random.default_rng(8).standard_normal(4000)
    noise = ShareNoise(np.full(4000, 0.01), np.zeros(4000))
    prior = RatioPrior.of(estimate * 0.01, np.full(4000, 0.0002), noise)
    sparse = sparse_prior(prior, 0.8, 0.5)
    (shares,) = sparse.shares
    assert not shares[(SHARES > 0) & (SHARES < 0.48)].any()
    assert shares.sum() == pytest.approx(1)
    # In standard errors of 0.01 the mean share is 0.8 / 4000 / 0.01.
    assert shares @ SHARES == pytest.approx(0.02, rel=0.2)


def test_where_nothing_is_expected_nothing_is_learned():
    """Nobody is in an empty block, and its estimates are zero without noise."""
    expected = np.concatenate([np.full(6000, 0.15), np.zeros(3000)])
    value = np.concatenate([ESTIMATE, np.zeros(3000)])
    found = RatioPrior.of(value, expected, ShareNoise(np.ones(9000), np.zeros(9000)))
    np.testing.assert_allclose(found.log_likelihoods.sum(), PRIOR.log_likelihoods.sum(), rtol=1e-3)
    assert found.counts.sum() == 6000


def test_what_estimates_do_not_tell_stays_open():
    """Of small shares all priors are as likely: the mean of the nine is left."""
    noise = ShareNoise(np.full(4000, 0.01), np.zeros(4000))
    prior = RatioPrior.of(np.random.default_rng(8).standard_normal(4000) * 0.01, np.full(4000, 0.0002), noise)
    every = [prior, *sparse_priors(prior, 0.8)]
    likelihoods = np.array([float(each.log_likelihoods.sum()) for each in every])
    weights = np.exp(likelihoods - likelihoods.max())
    assert (weights > 0.05).sum() >= 4
    mean = sum(weight * each.shares for weight, each in zip(weights / weights.sum(), every, strict=True))
    np.testing.assert_allclose(hedged_prior(prior, 0.8).shares, mean, atol=1e-12)
