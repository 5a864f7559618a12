"""Moments from tallies: unbiased by enumeration, covariances from the reports themselves, noise from the exact laws.

What a code counts as is found here from the channel: of a square one by its inverse, of a window as linear in the code.
"""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from enumerated import (
    COIN,
    LEVELS,
    PAIR,
    QUERIES,
    TRIPLE,
    answers_of,
    bits,
    expected_tally,
    laws_of,
    numbers_of,
    records_of,
)
from in_one import in_one
from read_by_hand import moment, read, tellings, told_by, untold
from sordino import (
    Aggregate,
    BitFlips,
    Number,
    Query,
    RandomizedResponse,
    Sampled,
    Signs,
    SordinoError,
    Together,
    Value,
    WindowResponse,
)
from sordino.estimation.moment_estimator import MomentEstimator, mean_readings, moment_names

SAMPLED = {
    "bits": bits((0,), (1,), coins=["1", "2"], weights=(1, 3)),
    "moments": bits((1,), (0, 1), (0, 0), coins=["1", "ln 2", "3"], weights=(2, 1, 5)),
    "one number by three": Sampled(
        (
            Query(Number(0), RandomizedResponse(2, "1")),
            Query(Number(0, 3), LEVELS),
            Query(Number(1, 3), LEVELS),
            Query(Number(0), RandomizedResponse(2, "2")),
        ),
        (1, 3, 2, 2),
    ),
    "signs": Sampled((Query(Signs((1, 0)), PAIR), Query(Number(0), COIN)), (2, 1)),
    "overlapping signs": Sampled(
        (
            Query(Signs((0, 1)), PAIR),
            Query(Signs((2, 1)), PAIR),
            Query(Signs((0, 2, 1)), TRIPLE),
            Query(Number(3), COIN),
        ),
        (3, 1, 2, 1),
    ),
    "together": Sampled(
        (Together((Query(Number(0, 3), LEVELS), Query(Signs((2, 1)), PAIR))), Query(Number(0), COIN)), (2, 1)
    ),
    "in a circle": Sampled(
        tuple(Together((Query(Number(j, 3), LEVELS), Query(Number((j + 1) % 3, 3), LEVELS))) for j in range(3)),
        (1, 1, 1),
    ),
    "levels": Sampled((Query(Number(0, 4), WindowResponse(4, "1", 2)), Query(Number(1, 3), LEVELS)), (1, 2)),
}
EVERY = {**QUERIES, **SAMPLED}
every = pytest.mark.parametrize("name", EVERY)
every_in_one = in_one("name", EVERY)
drawn = pytest.mark.parametrize("name", SAMPLED)


def enumerated_mean(asked, people):
    """The mean of the estimates over all tallies of some people, where each moment is told by somebody."""
    estimator = MomentEstimator.of(asked)
    laws = [[(code, float(share)) for code, share in enumerate(laws_of(asked, person))] for person in people]
    tallies = Counter()
    for ways in product(*laws):
        tallies[tuple(sorted(code for code, _ in ways))] += math.prod(share for _, share in ways)
    total, mean = 0.0, np.zeros(estimator.moments.m)
    for codes, share in tallies.items():
        try:
            means = estimator.means(asked.tally(codes))
        except SordinoError:
            continue
        total, mean = total + share, mean + share * means
    return mean / total


@drawn
def test_the_estimate_is_unbiased_for_given_people_where_everything_was_drawn(name):
    asked, rng = SAMPLED[name], np.random.default_rng(4)
    people = rng.uniform(-1, 1, (2 if asked.outputs > 9 else 3, numbers_of(asked))).tolist()
    if name == "overlapping signs":
        asked = Sampled((*asked.queries[:1], Query(Number(2), COIN)), (2, 1))
    expected = [np.mean([moment(m, person) for person in people]) for m in moment_names(asked)]
    np.testing.assert_allclose(enumerated_mean(asked, people), expected, atol=1e-12)


@every_in_one
def test_the_means_of_a_record_are_its_moments(name):
    asked = EVERY[name]
    estimator = MomentEstimator.of(asked)
    for record in records_of(asked):
        counts = np.array([round(share * 2**60) for share in expected_tally(asked, record)])
        means = estimator.means(Aggregate(asked.fingerprint, 1 << 60, counts))
        scale = max(np.abs(g).max() for _, _, g, *_ in tellings(asked))
        expected = [moment(m, record) for m in estimator.moments.names]
        np.testing.assert_allclose(means, expected, atol=1e-14 * max(scale**2, 100))


@every_in_one
def test_moments_are_named_in_the_order_of_the_queries(name):
    asked = EVERY[name]
    names = tuple(dict.fromkeys(told for query in answers_of(asked) for told, _ in told_by(query)))
    estimator = MomentEstimator.of(asked)
    assert names == moment_names(asked) == estimator.moments.names
    assert estimator.d == estimator.moments.d == numbers_of(asked)


@drawn
def test_means_and_covariance_are_those_of_the_reports_themselves(name):
    asked, rng = SAMPLED[name], np.random.default_rng(3)
    records = rng.uniform(-0.4, 0.9, (1500, numbers_of(asked)))
    records[:, -1] = records[:, 0]
    codes = asked.privatize(records)
    means, covariance = read(asked, codes.tolist())
    estimator, tally = MomentEstimator.of(asked), asked.tally(codes)
    np.testing.assert_allclose(estimator.means(tally), means, atol=1e-10)
    found, missing = estimator.covariance(tally), untold(asked)
    np.testing.assert_array_equal(np.isnan(found), missing)
    np.testing.assert_allclose(found[~missing], covariance[~missing], atol=1e-12)
    assert missing.any() or np.linalg.eigvalsh(found).min() > 0


def test_one_bit_by_hand():
    asked = Query(Number(0), RandomizedResponse(2, "ln 3"))  # A report counts 2 or -2.
    estimator, tally = MomentEstimator.of(asked), asked.tally([1] * 60 + [0] * 40)
    assert estimator.means(tally) == pytest.approx([0.4])
    assert estimator.covariance(tally) == pytest.approx(np.array([[(4 - 0.16) / 99]]))
    assert estimator.noise() == pytest.approx([4])
    # The estimate can be beyond 1; the variance is then that of a mean of 1, as at least that is left.
    assert estimator.means(asked.tally([1, 1])) == pytest.approx([2])
    assert estimator.covariance(asked.tally([1, 1])) == pytest.approx(np.array([[3.0]]))
    assert estimator.covariance(asked.tally([1]))[0, 0] >= 3 - 1e-9


def test_two_bits_by_hand():
    asked = bits((0,), (1,), coins=["ln 3", "ln 3"], weights=(1, 1))
    tally = asked.tally([0] * 40 + [1] * 60 + [2] * 10 + [3])
    estimator = MomentEstimator.of(asked)
    np.testing.assert_allclose(estimator.means(tally), [0.4, -2 * 9 / 11])
    np.testing.assert_allclose(estimator.covariance(tally), np.diag([(4 - 0.16) / 99, 3 / 10]))


def test_queries_about_one_number_weigh_by_their_noise():
    """Noise 4 for a quarter and 9 for three quarters; given who was drawn, the weights are n / M."""
    asked = bits((0,), (0,), coins=["ln 3", "ln 2"], weights=(1, 3))
    estimator = MomentEstimator.of(asked)
    assert estimator.noise() == pytest.approx([1 / (1 / 16 + 3 / 36)])
    tally = asked.tally([0] * 10 + [1] * 30 + [2] * 20 + [3] * 40)
    first, second = 40 / 4, 60 / 9
    assert estimator.means(tally) == pytest.approx([(first * 2 * 0.5 + second * 3 / 3) / (first + second)])
    # Whoever tells nothing of it does not count; nor does a query that nobody was drawn for.
    assert estimator.means(asked.tally([2] * 20 + [3] * 40)) == pytest.approx([1.0])


def test_covariance_sees_numbers_that_are_asked_together():
    """All people send equal signs or opposite ones: the residuals are computed by hand."""
    asked = Query(Signs((0, 1)), BitFlips((9 << 60, 3 << 60, 1 << 60, 3 << 60)))
    slopes = [0.25, 0.5]
    tally = asked.tally([3] * 30 + [0] * 20 + [1] * 10)
    signs = np.array([[1, 1]] * 30 + [[-1, -1]] * 20 + [[1, -1]] * 10)
    means = signs.mean(axis=0) / slopes
    estimator = MomentEstimator.of(asked)
    np.testing.assert_allclose(estimator.means(tally), means)
    residual = signs / slopes - np.clip(means, -1, 1)
    expected = residual.T @ residual / 60 / 59
    # The first mean is beyond 1; no 60 people's answers vary less than 16 - 1.
    assert expected[0, 0] < 15 / 59
    expected[0, 0] = 15 / 59
    np.testing.assert_allclose(estimator.covariance(tally), expected)


def test_no_variance_is_below_the_least_that_answers_can_have():
    """All reports alike: as if nobody varied, though the channel does whatever the people are."""
    for query in (*answers_of(QUERIES["sampled, everything"]), Query(Number(0, 3), LEVELS)):
        ((name, _, g, _, _, _, (second, values)), *_) = tellings(query)
        least = (second - np.array(values) ** 2).min()
        estimator = MomentEstimator.of(query)
        for code in range(query.outputs):
            found = estimator.covariance(query.tally([code] * 10))
            assert found[0, 0] >= least / 10 > 0
            assert np.isfinite(found).all()
        assert estimator.moments.names[0] == name
        assert len(g) == query.outputs


@every_in_one
def test_noise_is_the_least_second_moment_of_an_unbiased_estimate(name):
    """1 / sum of share / M, with M the largest E[g^2] of all records, enumerated."""
    asked = EVERY[name]
    precision = Counter()
    for told, _, _, most, share, *_ in tellings(asked):
        precision[told] += share / most
    estimator = MomentEstimator.of(asked)
    np.testing.assert_allclose(estimator.noise(), [1 / precision[m] for m in estimator.moments.names], rtol=1e-9)


def conditional(told, asked, record):
    """E[g^2 | record] of one query's answer, from the law of its codes."""
    _, first, g, _, share, _, _ = told
    law = [float(chance) for chance in expected_tally(asked, record)[first : first + len(g)]]
    return math.fsum(chance * one**2 for chance, one in zip(law, g, strict=True)) / share


@pytest.mark.first_cases(9)
@every
def test_the_expected_variance_is_that_of_the_laws(name):
    asked = EVERY[name]
    estimator = MomentEstimator.of(asked)
    records = np.random.default_rng(5).uniform(-1, 1, (40, numbers_of(asked)))
    expected = np.zeros(estimator.moments.m)
    for place, m in enumerate(estimator.moments.names):
        own = [told for told in tellings(asked) if told[0] == m]
        shares = np.array([share / most for _, _, _, most, share, _, _ in own])
        mean = np.mean([moment(m, record) for record in records])
        for told, weight in zip(own, shares / shares.sum(), strict=True):
            square = np.mean([conditional(told, asked, record) for record in records.tolist()])
            expected[place] += weight**2 * (square - mean**2) / told[4]
    np.testing.assert_allclose(estimator.expectations(mean_readings(estimator.asked, records))[1], expected, rtol=1e-7)
    # What is said to be the most is never exceeded.
    assert (estimator.expectations(mean_readings(estimator.asked, records))[1] <= estimator.noise() * (1 + 1e-9)).all()


def one_way(own):
    """Whether a moment is told by one query, or by several as if by one."""
    return all(np.array_equal(told[2], own[0][2]) for told in own)


@every_in_one
@in_one("share", [1.0, 0.3])
def test_the_largest_variance_is_that_of_the_worst_numbers(name, share):
    """E[g^2] / share - x^2 where queries tell a moment in one way, over fine steps; an upper bound where in several."""
    asked = EVERY[name]
    estimator, fine = MomentEstimator.of(asked), np.linspace(-1, 1, 401)
    largest = estimator.largest_variance(share)
    for place, m in enumerate(estimator.moments.names):
        own = [told for told in tellings(asked) if told[0] == m]
        second, values = own[0][-1]
        if one_way(own):
            drawn_for = share * sum(told[4] for told in own)
            found = np.interp(fine, values, second) / drawn_for - fine**2
            assert found.max() <= largest[place] * (1 + 1e-12)
            assert found.max() == pytest.approx(largest[place], rel=1e-4)
        else:
            precision = sum(share * told[4] / told[3] for told in own)
            assert largest[place] == pytest.approx(1 / precision)
    assert (
        largest >= estimator.expectations(mean_readings(estimator.asked, np.zeros((1, numbers_of(asked)))))[1] - 1e-9
    ).all()


@every_in_one
def test_the_even_variance_is_the_mean_over_even_moments(name):
    asked = EVERY[name]
    estimator, fine, total = MomentEstimator.of(asked), np.linspace(-1, 1, 4001), 0.0
    for m in estimator.moments.names:
        own = [told for told in tellings(asked) if told[0] == m]
        if one_way(own):
            second, values = own[0][-1]
            total += np.trapezoid(np.interp(fine, values, second) / sum(told[4] for told in own) - fine**2, fine) / 2
        else:
            total += 1 / sum(told[4] / told[3] for told in own) - 1 / 3
    assert estimator.even_variance() == pytest.approx(total, rel=1e-6)


def test_that_nobody_was_asked_about_a_moment_is_told_with_the_remedy():
    asked = bits((0,), (1,), coins=["1", "2"], weights=(1, 3))
    for ask in (MomentEstimator.of(asked).means, MomentEstimator.of(asked).covariance):
        with pytest.raises(SordinoError, match=r"nobody about 1 of 2, of 3 reports: ask more people"):
            ask(asked.tally([0, 1, 1]))


@every_in_one
def test_foreign_and_empty_tallies_are_refused(name):
    asked = EVERY[name]
    estimator = MomentEstimator.of(asked)
    foreign = Query(Number(0), RandomizedResponse(2, "0.77"))
    for ask in (estimator.means, estimator.covariance):
        with pytest.raises(SordinoError, match="of the queries that read it"):
            ask(foreign.tally([0, 1]))
        with pytest.raises(SordinoError, match="must hold reports"):
            ask(asked.tally([]))


def test_nothing_is_estimated_where_a_channel_tells_nothing():
    for fair in (
        Query(Number(0), RandomizedResponse(2, "0")),
        bits((0,), (1,), coins=["1", "0"], weights=(1, 1)),
        Query(Number(0, 2), WindowResponse(2, 0)),
    ):
        assert not fair.informative
        estimator = MomentEstimator.of(fair)
        tally = fair.tally(range(fair.outputs))
        for ask in (
            estimator.noise,
            lambda e=estimator, t=tally: e.means(t),
            lambda e=estimator, t=tally: e.covariance(t),
        ):
            with pytest.raises(SordinoError, match="raise epsilon"):
                ask()


def test_queries_about_categories_tell_no_moments():
    for asked in (Query(Value("a"), COIN), Sampled((Query(Value("a"), COIN), Query(Number(0), COIN)), (1, 1))):
        with pytest.raises(SordinoError, match="queries about numbers of one record"):
            MomentEstimator.of(asked)


def test_shares_are_exact():
    asked = Sampled(tuple(Query(Number(j), COIN) for j in range(3)), (1, 2, 4))
    shares = {
        told.moment: Fraction(told.share).limit_denominator(100) for told in MomentEstimator.of(asked).query_moments
    }
    assert shares == {0: Fraction(1, 7), 1: Fraction(2, 7), 2: Fraction(4, 7)}
