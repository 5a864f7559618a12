"""Forecasts come true: surveys among people as expected, by the real samplers, err as was forecast."""

from dataclasses import replace

import numpy as np
import pytest

from in_one import in_one
from sordino import (
    Blockwise,
    Dependence,
    HadamardResponse,
    HighLow,
    KeyedSource,
    Nats,
    Number,
    Query,
    RandomizedResponse,
    Sampled,
    SordinoError,
    SubsetSelection,
    covariances,
    least_squares,
    means,
    sampled_mean,
    sampled_moments,
)
from sordino.design.accuracy import expected_shares
from sordino.design.numbers.level_limits import LevelLimits
from sordino.design.numbers.numbers_accuracy import (
    SPREAD,
    Expected,
    expected_coefficients,
    expected_covariances,
    expected_means,
    expected_means_given,
    largest_covariances,
    largest_means,
    largest_means_given,
    unknown_records,
)
from sordino.design.numbers.optional_numbers import optional_means
from sordino.design.numbers.sampled_levels import best_window
from sordino.design.shares.fitted_distance import ExpectedEstimates, fitted_distance
from sordino.domain.moment import Moments
from sordino.domain.scaled import Ranges
from sordino.estimation.estimated_moments import EstimatedMoments
from sordino.estimation.linear_regression import FeatureVariation, check_distinct
from sordino.estimation.moment_estimator import MomentEstimator, least_concave, mean_readings
from sordino.estimation.share_estimate import estimate

NEAR = 0.12
"""Relative: how far a forecast may be from what is found in a few hundred surveys."""

SURVEYS = 120


def surveys(channel, values, surveys):
    """The tallies of several surveys among all these people together, always the same ones."""
    source = KeyedSource(bytes(32), "forecasts").for_records(np.arange(len(values)))
    codes = channel.privatize(values, source)
    return [channel.tally(part) for part in codes.reshape(surveys, -1)]


def skewed(k):
    shares = 0.7 ** np.arange(k)
    return shares / shares.sum()


SHARES = {
    "two values": (lambda: RandomizedResponse(2, "1"), 500),
    "plain": (lambda: HadamardResponse(30, "1"), 2000),
    "counted by value": (lambda: SubsetSelection(20, "1"), 1000),
    "blocks": (lambda: Blockwise(np.arange(60) // 15, "1", "hadamard"), 2000),
    "sensitive values": (lambda: HighLow(8, [1, 4, 5], "1", "randomized"), 1000),
    "sensitive values, counted by value": (lambda: HighLow(9, [1, 2, 4, 5, 7], "1", "subset"), 1000),
}


@pytest.mark.each_value
@pytest.mark.parametrize("known", [False, True], ids=["alike", "skewed"])
@pytest.mark.parametrize("case", SHARES)
def test_shares_err_as_forecast(case, known):
    make, people = SHARES[case]
    mechanism = make()
    shares = skewed(mechanism.k) if known else np.full(mechanism.k, 1 / mechanism.k)
    given = shares if known else None
    forecast = expected_shares(mechanism, people, subtract_totals=False, shares=given)
    values = np.random.default_rng(5).choice(mechanism.k, SURVEYS * people, p=shares)
    found = [estimate(mechanism, tally, "block-simplex") for tally in surveys(mechanism, values, SURVEYS)]
    squares = np.mean([(one.value - shares) ** 2 for one in found], axis=0)
    assert forecast.stderr == pytest.approx(np.sqrt(squares.mean()), rel=NEAR)
    assert forecast.largest == pytest.approx(np.sqrt(np.sort(squares)[-15:].mean()), rel=2 * NEAR)
    distance = np.mean([np.abs(one.fitted - shares).sum() / 2 for one in found])
    assert fitted_distance(ExpectedEstimates(mechanism, people, False, given)) == pytest.approx(distance, rel=NEAR)


def test_a_forecast_of_one_block_is_that_of_its_mechanism():
    forecast = expected_shares(Blockwise(np.arange(60) // 15, "1", "hadamard"), 2000, subtract_totals=False)
    alone = expected_shares(HadamardResponse(15, "1"), 2000, subtract_totals=False)
    assert forecast.one_block == pytest.approx(alone.stderr)
    assert alone.one_block is None


RANGES = Ranges.of({"age": (20, 80), "weight": (40, 140), "height": (140, 200)})


def people(count):
    """Scaled numbers that go together, and are not in the middle."""
    rng = np.random.default_rng(7)
    age = rng.beta(1, 1.5, count) * 2 - 1
    weight = np.clip(0.2 * age + 0.8 * rng.uniform(-1, 1, count) + 0.1, -1, 1)
    height = np.clip(0.4 * age + 0.4 * weight + 0.2 * rng.standard_normal(count), -1, 1)
    return np.column_stack([age, weight, height])


CHANNELS = {
    "bits": lambda: sampled_mean(["1"] * 3, "1", Dependence.unknown(3)),
    "tables": lambda: sampled_mean(["4"] * 3, "4", Dependence.unknown(3)),
    "several points": lambda: Sampled(
        tuple(Query(Number(j, window.k), window) for j, window in enumerate(map(best_window, ("3", "1", "2")))),
        (2, 1, 1),
    ),
}


@pytest.mark.statistical
@pytest.mark.first_cases(1)
@pytest.mark.parametrize("case", CHANNELS)
def test_means_err_as_forecast(case):
    channel, n = CHANNELS[case](), 500
    # More surveys: each number is compared by itself.
    records = people(400 * n)
    forecast = expected_means(Expected.of(channel, RANGES, records), n)
    found = [means(channel, tally, None, RANGES) for tally in surveys(channel, records, 400)]
    truth = RANGES.middle + RANGES.half * records.mean(axis=0)
    errors = np.sqrt(np.mean([(one.value - truth) ** 2 for one in found], axis=0))
    assert np.array(forecast.stderr) == pytest.approx(errors, rel=NEAR)
    shown = np.mean([one.stderr for one in found], axis=0)
    assert np.array(forecast.stderr) == pytest.approx(shown, rel=0.05)


@pytest.mark.statistical
def test_covariances_err_as_forecast():
    channel, n = sampled_moments(["2"] * 3, "2", Dependence.unknown(3)), 4000
    records = people(SURVEYS * n)
    forecast = expected_covariances(Expected.of(channel, RANGES, records), n)
    found = [covariances(channel, tally, None, RANGES) for tally in surveys(channel, records, SURVEYS)]
    above = np.triu_indices(3)
    truth = (np.cov(records.T) * np.outer(RANGES.half, RANGES.half))[above]
    errors = np.sqrt(np.mean([(one.value[above] - truth) ** 2 for one in found], axis=0))
    ratios = np.array(forecast.stderr) / errors
    assert np.sqrt(np.mean(ratios**2)) == pytest.approx(1, abs=NEAR)
    assert np.array(forecast.stderr) == pytest.approx(np.mean([one.stderr[above] for one in found], axis=0), rel=0.1)
    assert forecast.labels == ("age", "age, weight", "age, height", "weight", "weight, height", "height")


def test_coefficients_err_as_forecast():
    channel, n = sampled_moments(["4"] * 3, "4", Dependence.unknown(3), target=2), 16_000
    records = people(30 * n)
    forecast = expected_coefficients(Expected.of(channel, RANGES, records), n)
    found = [least_squares(channel, tally, 2, None, RANGES) for tally in surveys(channel, records, 30)]
    table = np.column_stack([np.ones(len(records)), RANGES.middle[:2] + RANGES.half[:2] * records[:, :2]])
    truth = np.linalg.lstsq(table, RANGES.middle[2] + RANGES.half[2] * records[:, 2], rcond=None)[0]
    errors = np.sqrt(np.mean([(one.value - truth) ** 2 for one in found], axis=0))
    assert np.sqrt(np.mean((np.array(forecast.stderr) / errors) ** 2)) == pytest.approx(1, abs=0.15)
    shown = np.median([one.stderr for one in found], axis=0)
    assert np.array(forecast.stderr) == pytest.approx(shown, rel=NEAR)
    assert Expected.of(channel, RANGES, records).refusal_rate(n) == 0


@pytest.mark.long
@pytest.mark.parametrize("n", [1200, 2400])
def test_regressions_are_refused_as_often_as_forecast(n):
    channel, count = sampled_moments(["4"] * 3, "4", Dependence.unknown(3), target=2), 200
    records = people(count * n)
    refused = 0
    for tally in surveys(channel, records, count):
        try:
            least_squares(channel, tally, 2, None, RANGES)
        except SordinoError:
            refused += 1
    # Two binomial shares of 200 and 400 draws.
    assert Expected.of(channel, RANGES, records).refusal_rate(n) == pytest.approx(refused / count, abs=0.12)


def test_enough_people_are_rarely_refused_and_not_many_more_than_that():
    channel = sampled_moments(["4"] * 3, "4", Dependence.unknown(3), target=2)
    expected = Expected.of(channel, RANGES, people(10_000))
    enough = expected.enough(100)
    assert expected.refusal_rate(enough) < 0.1
    assert expected.refusal_rate(enough // 2) > 0.1


@in_one("d", [2, 3, 4, 9, 40])
def test_people_of_whom_nothing_is_known_spread_alike_and_apart(d):
    records = unknown_records(d)
    assert records.mean(axis=0) == pytest.approx(np.zeros(d), abs=1e-12)
    assert records.T @ records / len(records) == pytest.approx(SPREAD**2 * np.eye(d), abs=1e-12)
    assert np.abs(records).max() <= 1
    with_target = unknown_records(d, d - 1)
    slopes = np.linalg.lstsq(with_target[:, :-1], with_target[:, -1], rcond=None)[0]
    assert np.abs(with_target).max() <= 1
    if d < 5:  # beyond, some sums pass the range and are cut
        assert slopes @ slopes == pytest.approx(0.5)


def test_forecasts_are_always_the_same():
    mechanism = HadamardResponse(12, "1")
    first, second = (expected_shares(mechanism, 1000, subtract_totals=True) for _ in range(2))
    assert first == second
    distances = [fitted_distance(ExpectedEstimates(mechanism, 1000, True)) for _ in range(2)]
    assert distances[0] == distances[1]
    assert np.isinf(fitted_distance(ExpectedEstimates(RandomizedResponse(2, "1e-30"), 1000, False)))


@pytest.mark.parametrize("together", [False, True])
def test_surveys_are_refused_together_as_one_by_one(together):
    channel = sampled_moments(["4"] * 4, "4", Dependence.unknown(4), target=3)
    reader, records = MomentEstimator.of(channel), np.random.default_rng(1).uniform(-1, 1, (500, 4))
    covariance = np.diag(reader.expectations(mean_readings(channel, records))[1])
    if together:
        mixed = np.random.default_rng(2).normal(size=covariance.shape) * np.sqrt(np.diagonal(covariance)) / 4
        covariance += mixed @ mixed.T
    means, draws = reader.moments.values(records).mean(axis=0), np.random.default_rng(3)
    alone = [
        EstimatedMoments(reader.moments.names, draws.multivariate_normal(means, covariance / 3000), covariance / 3000)
        for _ in range(200)
    ]
    several = replace(alone[0], means=np.array([one.means for one in alone])).covariances(range(3), range(3))
    found = FeatureVariation.of(several)
    refused = []
    for one in alone:
        try:
            check_distinct(one, range(3), ["a", "b", "c"])
        except SordinoError:
            refused.append(True)
        else:
            refused.append(False)
    assert 5 < sum(refused) < 195
    assert found.is_refused.tolist() == refused
    at = int(np.flatnonzero(~np.isnan(found.least))[0])
    # How far a quadratic form moves with each mean, by small steps.
    deviation = np.sqrt(np.diagonal(several.value[at]))
    weights = found.along[at] / deviation
    steps = 1e-6 * np.eye(len(means))
    moved = [
        weights @ replace(alone[at], means=alone[at].means + step).covariances(range(3), range(3)).value @ weights
        for step in (*steps, *-steps)
    ]
    slope = (np.array(moved[: len(means)]) - moved[len(means) :]) / 2e-6
    assert found.stderr[at] == pytest.approx(np.sqrt(slope @ (covariance / 3000) @ slope), rel=1e-5)


def test_forecasts_of_a_singular_covariance_draw_from_it():
    root = np.random.default_rng(4).normal(size=(6, 3))
    names = tuple((j,) for j in range(6))
    covariance = root @ root.T
    expected = Expected(Moments(6, names), Ranges.unit(6), np.zeros(6), np.diagonal(covariance), covariance)
    drawn = expected._errors
    assert drawn.T @ drawn / len(drawn) == pytest.approx(covariance, abs=0.25 * np.diagonal(covariance).max())
    assert np.linalg.matrix_rank(drawn) == 3


def test_enough_people_are_found_by_few_tries(monkeypatch):
    channel = sampled_moments(["4"] * 3, "4", Dependence.unknown(3), target=2)
    expected, tries, refused = Expected.of(channel, RANGES, people(1_000)), [], Expected.refusal_rate
    monkeypatch.setattr(Expected, "refusal_rate", lambda own, *asked: tries.append(asked) or refused(own, *asked))
    enough = expected.enough(1)
    # Beyond what is refused, and a tenth below is.
    assert refused(expected, enough, 100) <= 0.05 < refused(expected, int(enough / 1.15), 100)
    assert len(tries) <= 16
    assert Expected.of(channel, RANGES, np.zeros((10, 3))).enough(1) is None


def corners(shares):
    """Means of x, y and their product, of people with these shares of the four corners."""
    x, y = np.array([-1, -1, 1, 1]), np.array([-1, 1, -1, 1])
    return shares @ x, shares @ y, shares @ (x * y)


@pytest.mark.parametrize("epsilon", ["0.5", "2", "6"])
def test_no_people_err_more_than_the_largest_errors_and_some_do(epsilon):
    """Of a mean and of covariances, beside the exact error of many populations."""
    rng, ranges = np.random.default_rng(0), Ranges.unit(2)
    one = sampled_mean([epsilon], epsilon, Dependence.unknown(1))
    both = sampled_moments([epsilon] * 2, epsilon, Dependence.unknown(2))
    single, pair = MomentEstimator.of(one), MomentEstimator.of(both)
    worst = largest_means(single, Ranges.unit(1), 1000).stderr
    numbers = [np.sort(rng.uniform(-1, 1, 40))[:, None] ** power for power in (1, 3, 0)]
    numbers += [np.repeat([[-1.0], [1]], [count, 20 - count], axis=0) for count in range(21)]
    found = [expected_means(Expected.of(one, Ranges.unit(1), own), 1000).stderr[0] for own in numbers]
    assert max(found) == pytest.approx(worst[0], rel=1e-9)
    worst = largest_covariances(pair, ranges, 1000).stderr
    at = np.array([[-1.0, -1], [-1, 1], [1, -1], [1, 1]])
    mixtures = [rng.dirichlet(np.full(4, 0.4)) for _ in range(300)] + [np.full(4, 0.25), np.array([0, 0, 0, 1.0])]
    people = [np.repeat(at, rng.multinomial(64, own), axis=0) for own in mixtures]
    people += [np.full((1, 2), own) for own in np.linspace(-1, 1, 41)]
    found = [expected_covariances(Expected.of(both, ranges, own), 1000).stderr for own in people]
    largest = np.max(found, axis=0)
    # Of the means a grid is looked at.
    assert (largest <= np.array(worst) * 1.001).all()
    assert (largest >= 0.95 * np.array(worst)).all()
    # Another way than by the means: the formula itself, at one population.
    told = dict(zip(pair.moments.names, pair.largest_variances, strict=True))
    x, y, product = corners(np.array([0.1, 0.2, 0.3, 0.4]))
    variance = told[(0, 1)].at(product) + y**2 * told[(0,)].at(x) + x**2 * told[(1,)].at(y)
    records = np.repeat(at, [1, 2, 3, 4], axis=0)
    exact = expected_covariances(Expected.of(both, ranges, records), 1000).stderr[1]
    assert np.sqrt(variance / 1000) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("epsilon", ["1", "4"])
def test_of_numbers_that_may_be_missing_some_people_err_as_the_largest_errors_say(epsilon):
    asked, ranges = (
        optional_means(LevelLimits([Nats.of(epsilon)], Nats.of(epsilon), Dependence.unknown(1)), [0], {0: 0.3}),
        Ranges.unit(1),
    )
    worst = largest_means_given(ranges.names, asked, ranges, 1000, {0: 0.3}).stderr
    numbers = [np.repeat([[-1.0], [1]], [count, 40 - count], axis=0) for count in range(41)]
    numbers += [np.full((1, 1), own) for own in np.linspace(-1, 1, 21)]
    found = [
        expected_means_given(ranges.names, asked, ranges, 1000, mean_readings(asked, own, missing={0: 0.3})).stderr
        for own in numbers
    ]
    assert np.max(found, axis=0) == pytest.approx(np.array(worst), rel=0.005)
    assert (np.max(found, axis=0) <= np.array(worst) * (1 + 1e-9)).all()


def test_the_largest_variance_lies_above_values_of_all_mixtures():
    points, values = np.array([-1, -0.5, 0.2, 1]), np.array([1.0, 4, 2, 3])
    chain, tops = least_concave(points, values)
    assert chain.tolist() == [-1, -0.5, 1]
    rng = np.random.default_rng(1)
    for shares in rng.dirichlet(np.full(4, 0.3), 200):
        assert shares @ values <= np.interp(shares @ points, chain, tops) + 1e-12
