"""Least squares from moments: against numpy and the sandwich of residuals on the records themselves."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from sordino import SordinoError, least_squares
from sordino.estimation.estimated_moments import EstimatedMoments
from sordino.estimation.linear_regression import (
    FeatureVariation,
    _one,
    distinctness,
    projected_least_squares,
    regression_statistics,
)
from sordino.estimation.means_and_covariances import covariance_statistics

TARGET, FEATURES = 2, [3, 0, 1]
NEEDED = regression_statistics(TARGET, FEATURES)


def fitted(people, channel=None, **settings):
    return least_squares(channel or people.channel(), people.aggregate, TARGET, FEATURES, people.ranges, **settings)


def projected(people, channel=None, **settings):
    channel = channel or people.channel()
    return projected_least_squares(channel, people.aggregate, TARGET, FEATURES, people.ranges, **settings)


def design(people):
    return np.column_stack([np.ones(len(people.records)), people.records[:, FEATURES]]), people.records[:, TARGET]


def scaled_slopes(people, value):
    return value[1:] * people.ranges.half[FEATURES] / people.ranges.half[TARGET]


def test_a_regression_needs_all_moments_but_the_targets_square():
    assert set(NEEDED) == {*covariance_statistics([0, 1, 2, 3])} - {(2, 2)}
    assert regression_statistics(1, [4]) == ((1,), (4,), (1, 4), (4, 4))


@pytest.mark.parametrize("seed", range(4))
def test_coefficients_are_those_of_least_squares_on_the_records(told, seed):
    people = told(NEEDED, seed=seed)
    found = fitted(people)
    x, y = design(people)
    np.testing.assert_allclose(found.value, np.linalg.lstsq(x, y, rcond=None)[0], rtol=1e-8)
    assert (found.intercept, *found.slopes) == tuple(found.value)
    assert (found.target, found.features, found.n) == (TARGET, tuple(FEATURES), len(y))


@pytest.mark.parametrize("seed", range(4))
def test_without_noise_standard_errors_are_the_sandwich_of_the_residuals(told, seed):
    people = told(NEEDED, seed=seed)
    found = fitted(people)
    x, y = design(people)
    bread, residuals = np.linalg.inv(x.T @ x), y - x @ found.value
    meat = (x * residuals[:, None] ** 2).T @ x * len(y) / (len(y) - 1)
    sandwich = bread @ meat @ bread
    np.testing.assert_allclose(found.stderr, np.sqrt(np.diagonal(sandwich)), rtol=1e-6)
    np.testing.assert_allclose(found.covariance, sandwich, rtol=1e-5, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_standard_errors_are_the_covariance_carried_through(told, seed):
    people = told(NEEDED, noise=1e-5, seed=seed)
    moved = people.moved(lambda channel: fitted(people, channel).value, 1e-6)
    found = fitted(people)
    expected = moved @ people.covariance @ moved.T
    np.testing.assert_allclose(found.covariance, expected, rtol=1e-5)
    np.testing.assert_allclose(found.stderr**2, np.diagonal(expected), rtol=1e-5)


def test_all_others_are_the_features_by_default(told):
    people = told(covariance_statistics(range(4)))
    found = least_squares(people.channel(), people.aggregate, TARGET, None, people.ranges)
    assert found.features == (0, 1, 3)
    np.testing.assert_allclose(found.value[[0, 3, 1, 2]], fitted(people).value, rtol=1e-9)


def loss(people, slopes, least):
    """The squared error of scaled slopes with their best intercept, above the least."""
    records = people.ranges.scale(people.records)
    residual = records[:, TARGET] - records[:, FEATURES] @ slopes
    return np.var(residual) / 2 - least


@pytest.mark.parametrize("seed", range(3))
def test_without_noise_the_projected_fit_is_least_squares_over_the_set(told, seed):
    people = told(NEEDED, n=5000, seed=seed)
    people.covariance = people.covariance * 1e-9
    assert projected(people).value == pytest.approx(fitted(people).value, rel=1e-4)
    free = scaled_slopes(people, fitted(people).value)
    radius = 0.5 * np.linalg.norm(free)
    found = scaled_slopes(people, projected(people, radius=radius).value)
    other = minimize(
        lambda t: loss(people, t, 0),
        np.zeros(3) + 1e-3,
        constraints=[{"type": "ineq", "fun": lambda t: radius - np.linalg.norm(t)}],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 300},
    )
    assert np.linalg.norm(found) <= radius + 1e-9
    assert loss(people, found, other.fun) == pytest.approx(0, abs=1e-6)


def test_the_projected_fit_lets_the_noise_pull_slopes_to_zero(told):
    people = told(NEEDED)
    lengths = []
    for noise in (1e-9, 1e-4, 1e-2, 1, 1e4):
        people.covariance = noise * np.eye(len(NEEDED))
        found = projected(people).value
        lengths.append(np.linalg.norm(scaled_slopes(people, found)))
        middle = people.ranges.half[FEATURES] @ [0, 0, 0] + people.records[:, FEATURES].mean(axis=0)
        # The intercept is the one that goes through the means.
        assert found[0] + found[1:] @ middle == pytest.approx(people.records[:, TARGET].mean())
    assert np.all(np.diff(lengths) < 0)
    assert lengths[-1] < 1e-3


def test_the_projected_fit_is_the_least_of_what_it_says(told):
    people = told(NEEDED, noise=0.002)
    records = people.ranges.scale(people.records)
    between, products = np.cov(records[:, FEATURES].T), np.cov(records.T)[FEATURES, TARGET]
    # The covariances' errors by differences of moments of the records' own.
    order = list(NEEDED)

    def covariance(means, j, k):
        pair = (min(j, k), max(j, k))
        second = means[order.index(pair)]
        return ((second + 1) / 2 if j == k else second) - means[order.index((j,))] * means[order.index((k,))]

    def stderr(j, k):
        slopes = [
            (covariance(people.means + h, j, k) - covariance(people.means - h, j, k)) / 2e-6
            for h in 1e-6 * np.eye(len(order))
        ]
        return np.sqrt(slopes @ people.covariance @ slopes)

    least = np.linalg.eigvalsh(between)[0]
    shift = people.covariance[order.index((0,)), order.index((0,))] - np.var(records[:, 0], ddof=1) / len(records)
    corrected = between + shift * np.eye(3)
    assert least > 0
    for length, settings in ((1.0, {}), (5.0, {"radius": 5.0})):
        noise = np.array(
            [stderr(j, TARGET) ** 2 + length**2 / 3 * sum(stderr(j, k) ** 2 for k in FEATURES) for j in FEATURES]
        )
        least = minimize(
            lambda t, noise=noise, length=length: (
                np.sum((products - corrected @ t) ** 2 / noise) + 3 * t @ t / length**2
            ),
            np.zeros(3),
            options={"gtol": 1e-10},
        ).x
        assert np.linalg.norm(least) < length
        np.testing.assert_allclose(scaled_slopes(people, projected(people, **settings).value), least, rtol=1e-5)


def test_features_that_do_not_vary_or_depend_on_each_other_are_refused_but_by_the_projected_fit(told):
    people = told(NEEDED)
    constant, dependent = people.records.copy(), people.records.copy()
    constant[:, 1] = 500.0
    dependent[:, 3] = people.ranges.middle[3] + people.ranges.half[3] * (dependent[:, 0] / 120 - 0.5)
    for records, message in (
        (constant, "found income, which cannot be distinguished from a constant"),
        (dependent, "found a least eigenvalue of .*, mostly along (score|age)"),
    ):
        for noise in (1e-12, 1e-4, 1):
            singular = told(NEEDED, records=records, noise=noise)
            with pytest.raises(SordinoError, match=message if noise < 1 else "constant|eigenvalue"):
                fitted(singular)
            assert np.isfinite(projected(singular).value).all()
            assert np.linalg.norm(scaled_slopes(singular, projected(singular).value)) < 3


@pytest.mark.parametrize(("errors", "refused"), [(2.9, True), (3.1, False)])
def test_a_feature_must_vary_by_more_than_three_standard_errors(told, errors, refused):
    people = told(NEEDED)
    people.covariance = 1e-12 * np.eye(len(NEEDED))
    # A variance moves half as much as the statistic of the square.
    variance = np.var(people.ranges.scale(people.records)[:, 0])
    square = NEEDED.index((0, 0))
    people.covariance[square, square] = (2 * variance / errors) ** 2
    arguments = (people.channel(), people.aggregate, TARGET, [0], people.ranges)
    if refused:
        with pytest.raises(SordinoError, match="a feature must vary by more than 3 standard errors; found age"):
            least_squares(*arguments)
    else:
        assert np.isfinite(least_squares(*arguments).stderr).all()


@pytest.mark.parametrize("noise", [1e-9, 1e-6])
def test_what_was_nearest_to_the_refusal_is_named(told, noise):
    """By differences: how the feature that varies by fewest of its standard errors varies with each mean."""
    people = told(NEEDED, noise=noise)
    for features in ([0], [3, 0, 1]):
        told_means = EstimatedMoments.of(people.channel(), people.aggregate, NEEDED, people.ranges.names)
        centred = _one(told_means.covariances(features, features))
        shown = FeatureVariation.of(centred).statistic(centred)
        assert shown.errors == pytest.approx(distinctness(told_means, features))
        error = np.sqrt(shown.slopes @ told_means.covariance @ shown.slopes)
        weights = FeatureVariation.of(centred).along[0] / np.sqrt(centred.diagonal.value[0, 0])
        forms = [weights, *np.eye(len(features))]
        values = [form @ centred.value[0] @ form for form in forms]
        assert min(abs(value / error - shown.errors) for value in values) < 1e-6 * shown.errors


def test_features_without_an_error_are_shown_whatever_else_chance_does(told):
    """As few reports leave them, where each is at an end of its range."""
    people = told(NEEDED)
    means = EstimatedMoments.of(people.channel(), people.aggregate, NEEDED, people.ranges.names)
    centred = _one(means.covariances([0], [0]))
    found = replace(FeatureVariation.of(centred), variance_stderr=np.zeros((1, 1)), stderr=np.zeros(1))
    assert found.distinctness.tolist() == [np.inf]
    assert found.statistic(centred).errors == np.inf
    assert not found.is_refused[0]


def test_what_is_no_regression_is_refused(told):
    people = told(NEEDED)
    for target, features, message in (
        (2, [0, 2], "must not be among the features; found 2"),
        (2, [], "each once"),
        (2, [0, 0], "each once"),
        (2, [0, 4], "each once"),
        (4, [0], "a target must be among"),
        (-1, [0], "a target must be among"),
    ):
        for function in (least_squares, projected_least_squares):
            with pytest.raises(SordinoError, match=message):
                function(people.channel(), people.aggregate, target, features, people.ranges)
    with pytest.raises(SordinoError, match="none about risk times risk"):
        least_squares(people.channel(), people.aggregate, 0, [2], people.ranges)
    for radius in (0, -1, np.inf, np.nan):
        with pytest.raises(SordinoError, match="a radius must be above 0"):
            projected(people, radius=radius)
    few = type(people.aggregate)("telling", len(NEEDED) - 1, people.aggregate.counts)
    with pytest.raises(SordinoError, match="at least as many reports as statistics"):
        least_squares(people.channel(), few, TARGET, FEATURES, people.ranges)
