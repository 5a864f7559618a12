"""Means, covariances and regression over thousands of simulated surveys: errors, and coverage of the intervals.

Tallies are drawn at once (`simulate_bits`): exactly what as many single reports would add up to.
"""

import numpy as np
import pytest

from asked_numbers import AskedNumbers
from sordino import Dependence, SordinoError, covariances, least_squares, means, sampled_moments
from sordino.domain.scaled import Ranges
from sordino.estimation.linear_regression import projected_least_squares
from sordino.papers.simulation import simulate_bits

pytestmark = pytest.mark.statistical

SLOPES = np.full(5, np.sqrt(0.54 / 5))
"""On five independent uniform features: predicting 0 has an excess loss of |slopes|^2 / 6 = .09."""


def uniform_truth(names):
    """The statistics' means for these features and a target whose mean is 0; its noise does not matter to a bit."""
    means = {(j, 5): SLOPES[j] / 3 for j in range(5)} | {(j, j): 2 / 3 - 1 for j in range(5)}
    return np.array([means.get(name, 0.0) for name in names])


def surveys(channel, truth, people, count, seed=3):
    """Tallies of many surveys."""
    generator = np.random.default_rng(seed)
    return (simulate_bits(channel.asked, truth, people, generator) for _ in range(count))


def excess(value):
    return (np.sum((value[1:] - SLOPES) ** 2) / 3 + value[0] ** 2) / 2


@pytest.mark.parametrize(("people", "most"), [(1000, 0.164), (10_000, 0.046), (100_000, 0.0045), (1_000_000, 0.0004)])
@pytest.mark.parametrize("radius", [None, 1.0])
def test_the_projected_fit_is_as_close_as_it_should_be(people, most, radius):
    channel = AskedNumbers(sampled_moments(["2"] * 6, "2", Dependence.unknown(6), target=5))
    tallies = surveys(channel, uniform_truth(channel.moments.names), people, 1000)
    losses = [excess(projected_least_squares(channel, tally, 5, radius=radius).value) for tally in tallies]
    assert np.mean(losses) < most


def test_two_sensitive_features_cost_little():
    channel = AskedNumbers(
        sampled_moments(["0.5", "0.5", *["4"] * 4], "4", Dependence.bounded([0.2] * 5 + [1]), target=5)
    )
    tallies = surveys(channel, uniform_truth(channel.moments.names), 1_000_000, 1000)
    values = np.array([projected_least_squares(channel, tally, 5).value for tally in tallies])
    # The published problem has no intercept; that of the fit costs something beside.
    assert np.mean(np.sum((values[:, 1:] - SLOPES) ** 2, axis=1) / 6) < 0.0017
    assert np.mean(values[:, 0] ** 2 / 2) < 0.0003


def test_reports_of_single_people_give_the_tallies_that_are_simulated():
    rng = np.random.default_rng(1)
    channel = AskedNumbers(sampled_moments(["2"] * 6, "2", Dependence.unknown(6), target=5))
    records = rng.uniform(-1, 1, size=(1_000_000, 6))
    records[:, 5] = 0.5 * records[:, 0] - 0.4 * records[:, 1] + 0.1 * records[:, 5]
    tally = channel.tally(channel.privatize(records))
    found = least_squares(channel, tally, 5)
    expected = np.array([0, 0.5, -0.4, 0, 0, 0])
    assert np.all(np.abs(found.value - expected) < 6 * found.stderr)
    (simulated,) = surveys(channel, channel.moments.values(records).mean(axis=0), len(records), 1)
    np.testing.assert_allclose(least_squares(channel, simulated, 5).stderr, found.stderr, rtol=0.1)


RANGES = Ranges.of({"age": (0, 100), "income": (0, 10_000), "hours": (0, 24)})


def population():
    """Some records that are all of a population: skewed, dependent, not linear."""
    rng = np.random.default_rng(8)
    age = rng.uniform(5, 95, 500)
    income = np.clip(60 * age + rng.exponential(2500, 500), 0, 10_000)
    hours = np.clip(12 - 0.0004 * income + 0.0005 * (age - 50) ** 2 + rng.normal(0, 3, 500), 0, 24)
    return np.column_stack([age, income, hours])


COUNT, ALLOWED = 10_000, (0.94, 0.96)

WIDER = (0.94, 0.97)
"""Of coefficients, whose intervals are the wider of two kinds (`coefficient_limits`): 95 to 96.2 % at five seeds."""


def covered(estimates, truth, shorter=1.0):
    """How often each truth lies in its interval, and in one with a shorter standard error."""
    hits = [
        np.abs(estimate.value - truth) <= shorter * (estimate.interval()[1] - estimate.value) for estimate in estimates
    ]
    return np.mean(hits, axis=0)


def between(share, allowed=ALLOWED):
    return np.all((share > allowed[0]) & (share < allowed[1]))


@pytest.mark.parametrize("what", ["means", "covariances", "coefficients"])
def test_intervals_cover_in_own_units(what):
    records = population()
    deltas, known = ["0.5", "1", "2"], Dependence.bounded([0.3, 0.3, 1])
    target = 2 if what == "coefficients" else None
    channel = AskedNumbers(sampled_moments(deltas, "2", known, target=target))
    truth = channel.moments.values(RANGES.scale(records)).mean(axis=0)
    design = np.column_stack([np.ones(len(records)), records[:, :2]])
    function, expected = {
        "means": (lambda tally: means(channel, tally, None, RANGES), records.mean(axis=0)),
        "covariances": (lambda tally: covariances(channel, tally, None, RANGES), np.cov(records.T, bias=True)),
        "coefficients": (
            lambda tally: least_squares(channel, tally, 2, None, RANGES),
            np.linalg.lstsq(design, records[:, 2], rcond=None)[0],
        ),
    }[what]
    allowed = WIDER if what == "coefficients" else ALLOWED
    estimates = [function(tally) for tally in surveys(channel, truth, 1_000_000, COUNT)]
    assert between(covered(estimates, expected), allowed)
    assert not between(covered(estimates, expected, 0.85), allowed)
    # Standard errors are the spread over the surveys.
    values, stderr = np.array([e.value for e in estimates]), np.array([e.stderr for e in estimates])
    np.testing.assert_allclose(np.sqrt(np.mean(stderr**2, axis=0)), values.std(axis=0), rtol=0.05)
    assert np.all(np.abs(values.mean(axis=0) - expected) < 0.06 * values.std(axis=0))


def test_intervals_of_five_slopes_cover():
    channel = AskedNumbers(sampled_moments(["2"] * 6, "2", Dependence.unknown(6), target=5))
    tallies = surveys(channel, uniform_truth(channel.moments.names), 400_000, COUNT)
    share = covered([least_squares(channel, tally, 5) for tally in tallies], np.array([0, *SLOPES]))
    assert between(share)


def test_near_the_refusal_intervals_cover_more_and_not_less():
    channel = AskedNumbers(sampled_moments(["2"] * 6, "2", Dependence.unknown(6), target=5))
    truth = uniform_truth(channel.moments.names)
    for people in (20_000, 50_000):
        estimates, refused = [], 0
        for tally in surveys(channel, truth, people, 1000):
            try:
                estimates.append(least_squares(channel, tally, 5))
            except SordinoError:
                refused += 1
        assert refused > 200 or people == 50_000
        assert np.all(covered(estimates, np.array([0, *SLOPES])) > ALLOWED[0])
