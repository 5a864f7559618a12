"""Moments in own units: against numpy on the records themselves, and standard errors against differences."""

import numpy as np
import pytest
from scipy import stats

from sordino import (
    Number,
    Product,
    Query,
    RandomizedResponse,
    Sampled,
    SordinoError,
    Together,
    covariances,
    least_squares,
    means,
)
from sordino.domain.scaled import Ranges
from sordino.estimation.means_and_covariances import covariance_statistics

EVERYTHING = covariance_statistics(range(4))
FUNCTIONS = {"means": means, "covariances": covariances}


def relative(told):
    """Own units have sizes from .005 to 4000."""
    return np.outer(told.ranges.half, told.ranges.half)


@pytest.mark.parametrize("seed", range(3))
def test_moments_are_those_of_the_records(told, seed):
    people = told(EVERYTHING, seed=seed)
    x, unit = people.records, relative(people)
    found = {name: f(people.channel(), people.aggregate, None, people.ranges) for name, f in FUNCTIONS.items()}
    np.testing.assert_allclose(found["means"].value / people.ranges.half, x.mean(axis=0) / people.ranges.half)
    # Unbiased: with n - 1, because that is what the covariance of the means makes of it.
    np.testing.assert_allclose(found["covariances"].value / unit, np.cov(x.T) / unit, atol=1e-12)
    assert {estimate.n for estimate in found.values()} == {len(x)}


def test_standard_errors_of_means_are_those_of_the_records(told):
    people = told(EVERYTHING)
    found = means(people.channel(), people.aggregate, None, people.ranges)
    np.testing.assert_allclose(found.stderr, stats.sem(people.records))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_standard_errors_are_the_covariance_carried_through(told, name):
    people = told(EVERYTHING, noise=0.01)
    asked = [3, 0, 1]

    def estimated(channel):
        return FUNCTIONS[name](channel, people.aggregate, asked, people.ranges).value

    moved = people.moved(estimated)
    variance = np.einsum("...s,st,...t->...", moved, people.covariance, moved)
    found = FUNCTIONS[name](people.channel(), people.aggregate, asked, people.ranges)
    assert found.stderr.shape == found.value.shape
    np.testing.assert_allclose(found.stderr, np.sqrt(variance), rtol=1e-6)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_some_attributes_are_a_part_of_all(told, name):
    people = told(EVERYTHING, noise=0.01)
    every = FUNCTIONS[name](people.channel(), people.aggregate)
    part = FUNCTIONS[name](people.channel(), people.aggregate, [2, 0])
    at = np.ix_(*[[2, 0]] * every.value.ndim)
    np.testing.assert_allclose(part.value, every.value[at])
    np.testing.assert_allclose(part.stderr, every.stderr[at])
    fewer = told(covariance_statistics([2, 0]) if name != "means" else [(0,), (2,)], noise=0.01)
    np.testing.assert_allclose(FUNCTIONS[name](fewer.channel(), fewer.aggregate, [2, 0]).value, part.value)


def test_intervals_reach_as_far_as_the_normal_law_says(told):
    people = told(EVERYTHING)
    found = covariances(people.channel(), people.aggregate, None, people.ranges)
    for confidence in (0.5, 0.95, 0.999):
        low, high = found.interval(confidence)
        reach = stats.norm.interval(confidence, found.value, found.stderr)
        np.testing.assert_allclose([low, high], reach)
    for wrong in (0, 1, 1.5, np.nan):
        with pytest.raises(SordinoError, match="between 0 and 1"):
            found.interval(wrong)


def test_the_projected_covariance_is_one_that_data_can_have(told):
    people = told(EVERYTHING, noise=1e-3)
    kept = covariances(people.channel(), people.aggregate, None, people.ranges)
    np.testing.assert_allclose(kept.nearest_covariance / relative(people), kept.value / relative(people), atol=1e-12)
    shift = np.array([-1.0 if name in {(0, 0), (2, 3)} else 0 for name in EVERYTHING])
    found = covariances(people.channel(shift), people.aggregate, None, people.ranges)
    scaled = found.value / relative(people)
    values, vectors = np.linalg.eigh(scaled)
    assert values[0] < -0.1
    expected = sum(value * np.outer(v, v) for value, v in zip(values, vectors.T, strict=True) if value > 0)
    np.testing.assert_allclose(found.nearest_covariance / relative(people), expected, atol=1e-12)
    # A number within its range varies by the square of half of that at most.
    shift = np.array([2.0 if name == (1, 1) else 0 for name in EVERYTHING])
    found = covariances(people.channel(shift), people.aggregate, None, people.ranges)
    most = people.ranges.half**2
    assert np.diagonal(found.value / most)[1] > 1.1
    assert np.diagonal(found.nearest_covariance / most) == pytest.approx(np.minimum(np.diagonal(found.value / most), 1))


def test_what_goes_together_is_not_told_by_tallies_that_are_apart():
    """Each mean is, with its error; of two answers of one person nothing says how they go together."""
    coin = RandomizedResponse(2, "2")
    products = [Query(Product(0, 0), coin), Query(Product(1, 1), coin), Query(Product(0, 1), coin)]
    asked = Sampled((Together((Query(Number(0), coin), Query(Number(1), coin))), *products), (1, 1, 1, 1))
    tally = asked.tally(asked.privatize(np.zeros((4000, 2))))
    assert np.isfinite(means(asked, tally).stderr).all()
    for refused in (
        lambda: covariances(asked, tally),
        lambda: least_squares(asked, tally, 1),
    ):
        with pytest.raises(SordinoError, match="come from one answer, or from different people"):
            refused()
    # Of one of them it is.
    assert np.isfinite(covariances(asked, tally, [0]).stderr).all()


def test_what_cannot_be_told_is_refused(told):
    people = told([(0,), (1,), (0, 1), (0, 0)])
    channel, aggregate = people.channel(), people.aggregate
    with pytest.raises(SordinoError, match="none about income times income"):
        covariances(channel, aggregate, [0, 1], people.ranges)
    with pytest.raises(SordinoError, match="none about attribute 2: choose the statistics before"):
        means(channel, aggregate)
    few = type(aggregate)("telling", 3, aggregate.counts)
    with pytest.raises(SordinoError, match="at least as many reports as statistics, 4; found 3"):
        means(channel, few, [0])
    for places in ([], [0, 0], [4], [-1]):
        with pytest.raises(SordinoError, match=r"among 0\.\.3, each once"):
            means(channel, aggregate, places)
    with pytest.raises(SordinoError, match="a range for each of 4"):
        means(channel, aggregate, [0], Ranges.unit(3))
