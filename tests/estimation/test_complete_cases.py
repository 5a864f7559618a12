"""Covariances and coefficients of complete cases: against numpy on expected tallies, and by simulation."""

import numpy as np
import pytest

from sordino import (
    Aggregate,
    CompleteCase,
    Dependence,
    Nats,
    Number,
    OptionalNumber,
    Query,
    RandomizedResponse,
    Sampled,
    SordinoError,
    covariances,
    least_squares,
)
from sordino.design.numbers.complete_moments import complete_covariance, complete_regression
from sordino.domain.scaled import CODES, Ranges
from sordino.estimation.complete_cases import CompleteCases
from sordino.estimation.estimated_moments import read_moments
from sordino.estimation.linear_regression import RegressionColumns, regression_columns
from sordino.papers.simulation import SimulationSource

NAN = float("nan")
RANGES = Ranges.of({"age": (0, 100), "income": (0, 1000), "debt": (-5, 5)})
MANY = 10**12


def designed(choose, level="1", missing=None, d=3, **more):
    lacking = {1: 0.2, 2: 0.1} if missing is None else missing
    return choose([Nats.of(level)] * d, Nats.of(level), Dependence.unknown(d), range(d), lacking, **more)


def people(count=400, seed=0):
    """Scaled numbers that go together, of which some are missing where others are large."""
    rng = np.random.default_rng(seed)
    records = np.clip(rng.standard_normal((count, 3)) @ [[0.4, 0.2, 0.1], [0, 0.3, 0.1], [0, 0, 0.3]], -1, 1)
    records[rng.random(count) < 0.2 + 0.3 * (records[:, 0] > 0), 1] = NAN
    records[rng.random(count) < 0.1, 2] = NAN
    return records


def law(statistic, record):
    return np.array([float(share) for share in statistic.law(record)])


def tally(asked, records, n=MANY):
    """That of many people, each like one of some records: expected counts, rounded."""
    total = sum(asked.weights)
    counts = [
        n * weight / total * through.forward(np.mean([law(one, record) for record in records], axis=0))
        for one, through, weight in zip(asked.numbers, asked.mechanisms, asked.weights, strict=True)
    ]
    whole = np.rint(np.concatenate(counts)).astype(np.int64)
    return Aggregate(asked.fingerprint, int(whole.sum()), whole)


def in_units(records):
    middle, half = np.array([50, 500, 0]), np.array([50, 500, 5])
    return middle + half * records


def complete(records):
    return records[~np.isnan(records).any(axis=1)]


def test_many_reports_tell_the_covariances_of_complete_cases():
    asked, records = designed(complete_covariance), people()
    counted = tally(asked, records)
    truth = np.cov(in_units(complete(records)).T, bias=True)
    found = covariances(asked, counted, None, RANGES)
    np.testing.assert_allclose(found.value, truth, rtol=1e-4, atol=1e-4)
    share, stderr = read_moments(asked).share(counted)
    assert share == pytest.approx(len(complete(records)) / len(records), abs=1e-6)
    assert 0 < stderr < 1e-5


def test_where_two_may_be_missing_and_one_is_not_all_moments_are_of_the_same_people():
    """Of those who lack the income nothing counts, not even their age: pairwise moments would be of others."""
    records = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.5, NAN, 0.5], [0.5, 0.5, NAN]])
    asked = designed(complete_covariance)
    found = covariances(asked, tally(asked, records), None, RANGES)
    np.testing.assert_allclose(found.value, np.diag([2500, 0, 0]), atol=1e-2)


def test_many_reports_tell_the_coefficients_of_complete_cases():
    asked, records = designed(complete_regression, "3"), people()
    *features, target = in_units(complete(records)).T
    known, *_ = np.linalg.lstsq(np.column_stack([np.ones(len(target)), *features]), target, rcond=None)
    found = least_squares(asked, tally(asked, records), 2, None, RANGES)
    np.testing.assert_allclose(found.value, known, rtol=1e-4, atol=1e-6)


def test_categories_stand_among_the_features():
    asked = designed(complete_regression, "3", {1: 0.2, 2: 0.1}, categories={0: 3})
    records, rng = people(), np.random.default_rng(1)
    category = rng.integers(3, size=len(records))
    records[:, 2] = np.clip(records[:, 2] + 0.2 * (category == 2), -1, 1)
    records[:, 0] = CODES.scale(category)
    whole, own = complete(records), category[~np.isnan(records).any(axis=1)]
    known, *_ = np.linalg.lstsq(
        np.column_stack([np.ones(len(whole)), own == 1, own == 2, whole[:, 1]]), whole[:, 2], rcond=None
    )
    columns = RegressionColumns(asked, regression_columns(3, {0: 3}, {0: 0}))
    ranges = Ranges.of({"one": (0, 1), "two": (0, 1), "x": (-1, 1), "y": (-1, 1)})
    found = least_squares(columns, tally(asked, records), 3, None, ranges)
    np.testing.assert_allclose(found.value, known, rtol=1e-4, atol=1e-6)


def test_covariances_of_quotients_are_those_of_their_parts_carried_through():
    """Against slopes by differences of the quotients themselves, of a tally of few people."""
    asked = designed(complete_covariance, "2")
    counted = asked.tally(asked.privatize(people(3000), SimulationSource(1)))
    cases = read_moments(asked)
    means, spread = cases.estimator.means(counted), cases.estimator.covariance(counted)
    names = cases.estimator.moments.names
    whole = next(at for at, name in enumerate(names) if len(name) == 1)
    own = [at for at in range(len(names)) if at != whole]

    def quotients(moved):
        return moved[own] / ((1 + moved[whole]) / 2)

    step = 1e-6 * np.eye(len(means))
    slopes = np.stack([(quotients(means + s) - quotients(means - s)) / 2e-6 for s in step], axis=1)
    np.testing.assert_allclose(cases.covariance(counted), slopes @ spread @ slopes.T, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("records", [[[0.5, NAN, 0.1]], [[0.5, NAN, 0.1], [0.5, 0.1, NAN]]])
def test_where_nobody_is_a_complete_case_nothing_is_told(records):
    asked = designed(complete_covariance)
    with pytest.raises(SordinoError, match="people who have all the numbers must exceed 0"):
        covariances(asked, tally(asked, records, 10_000), None, RANGES)


def test_reports_that_are_alike_show_errors_all_the_same():
    asked = designed(complete_covariance, "6")
    first = np.cumsum([0, *(query.outputs for query in asked.queries)])[:-1]
    found = covariances(asked, asked.tally(np.repeat(first, 3).astype(np.uint64)), None, RANGES)
    assert (found.stderr > 0).all()
    assert np.isfinite(found.value).all()
    assert read_moments(asked).share(asked.tally(np.repeat(first, 3).astype(np.uint64)))[1] > 0


def test_queries_of_other_cases_together_are_none_of_complete_ones():
    coin = RandomizedResponse(3, "1")
    one, other = Query(CompleteCase(Number(0), (1,)), coin), Query(CompleteCase(Number(0), (1, 2)), coin)
    for queries in ((one, other), (one, Query(OptionalNumber(1), coin))):
        assert not isinstance(read_moments(Sampled(queries, (1, 1))), CompleteCases)
    assert isinstance(read_moments(one), CompleteCases)


def test_what_forged_reports_can_move_is_not_told():
    asked = designed(complete_covariance)
    with pytest.raises(SordinoError, match="bounded for numbers that everybody has"):
        read_moments(asked).leverage(tally(asked, people(), 1000))


@pytest.mark.statistical
@pytest.mark.parametrize("level", ["1", "4"])
def test_intervals_cover(level):
    asked, population = designed(complete_covariance, level), people(20_000)
    truth = np.cov(in_units(complete(population)).T, bias=True)
    share = len(complete(population)) / len(population)
    covered, whole, runs, rng = np.zeros((3, 3)), 0, 400, np.random.default_rng(5)
    for run in range(runs):
        drawn = population[rng.integers(len(population), size=40_000)]
        counted = asked.tally(asked.privatize(drawn, SimulationSource(run)))
        low, high = covariances(asked, counted, None, RANGES).interval(0.95)
        covered += (low <= truth) & (truth <= high)
        found, stderr = read_moments(asked).share(counted)
        whole += abs(found - share) <= 1.96 * stderr
    # Of 400 intervals that cover with .95, 360 to 397 do but for one in 1e5.
    assert ((covered >= 360) & (covered <= 397)).all(), covered / runs
    assert 360 <= whole <= 397
