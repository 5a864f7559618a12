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
    bits,
    laws_of,
    numbers_of,
    queries_of,
    records_of,
    row,
)
from sordino import (
    Aggregate,
    BitFlips,
    Number,
    Product,
    Query,
    RandomizedResponse,
    Sampled,
    Signs,
    SordinoError,
    Value,
    WindowResponse,
)
from sordino.estimation.moment_estimator import MomentEstimator, moment_names

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
    "levels": Sampled((Query(Number(0, 4), WindowResponse(4, "1", 2)), Query(Number(1, 3), LEVELS)), (1, 2)),
}
EVERY = {**QUERIES, **SAMPLED}
every = pytest.mark.parametrize("name", EVERY)
drawn = pytest.mark.parametrize("name", SAMPLED)


def moment(name, record):
    value = math.prod(record[place] for place in name)
    return 2 * value - 1 if len(set(name)) < len(name) else value


def told_by(query):
    """The moments that a query tells, and what each value counts as."""
    statistic = query.statistic
    if isinstance(statistic, Product):
        return [((statistic.first, statistic.second), [-1.0, 1.0])]
    if isinstance(statistic, Number):
        return [((statistic.place,), [2 * v / (statistic.k - 1) - 1 for v in range(statistic.k)])]
    return [((p,), [2.0 * (v >> c & 1) - 1 for v in range(statistic.k)]) for c, p in enumerate(statistic.at)]


def counted(mechanism, values):
    """What each code counts as, so that its mean is the value's."""
    law = np.array([[float(share) for share in row(mechanism, value)] for value in range(mechanism.k)])
    codes = law.shape[1]
    if codes > mechanism.k:
        # Linear in the code.
        basis = np.stack([np.ones(codes), np.arange(codes)], axis=1)
        return basis @ np.linalg.lstsq(law @ basis, np.array(values))[0]
    return np.linalg.solve(law, np.array(values))


def tellings(asked):
    """For each query and moment: the first code, what codes count as, the largest E[g^2 | value], the share."""
    total, first, found = sum(weight for _, weight in queries_of(asked)), 0, []
    for query, weight in queries_of(asked):
        for name, values in told_by(query):
            g = counted(query.mechanism, values)
            law = np.array([[float(s) for s in row(query.mechanism, v)] for v in range(query.mechanism.k)])
            found.append((name, first, g, (law @ g**2).max(), weight / total, query, (law @ g**2, values)))
        first += query.mechanism.outputs
    return found


def read(asked, codes):
    """The means and their covariance, report by report."""
    names = list(dict.fromkeys(name for name, *_ in tellings(asked)))
    sums, drawn_for = np.zeros(len(names)), np.zeros(len(names))
    answers, least = np.zeros(len(names)), np.zeros(len(names))
    parts = [(names.index(name), first, g, most, second) for name, first, g, most, _, _, second in tellings(asked)]
    for code in codes:
        for m, first, g, most, (second, values) in parts:
            if first <= code < first + len(g):
                sums[m] += g[code - first] / most
                drawn_for[m] += 1 / most
                answers[m] += 1
                least[m] += (second - np.array(values) ** 2).min() / most**2
    means = sums / drawn_for
    spread = np.zeros((len(names),) * 2)
    for code in codes:
        residual = np.zeros(len(names))
        for m, first, g, most, _ in parts:
            if first <= code < first + len(g):
                residual[m] = (g[code - first] - np.clip(means[m], -1, 1)) / most
        spread += np.outer(residual, residual)
    np.fill_diagonal(spread, np.maximum(np.diag(spread), least))
    factor = np.sqrt(answers / (answers - 1)) / drawn_for
    return means, spread * np.outer(factor, factor)


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


@every
def test_the_means_of_a_record_are_its_moments(name):
    asked = EVERY[name]
    estimator = MomentEstimator.of(asked)
    for record in records_of(asked):
        counts = np.array([round(share * 2**60) for share in laws_of(asked, record)])
        means = estimator.means(Aggregate(asked.fingerprint, int(counts.sum()), counts))
        scale = max(np.abs(g).max() for _, _, g, *_ in tellings(asked))
        expected = [moment(m, record) for m in estimator.moments.names]
        np.testing.assert_allclose(means, expected, atol=1e-14 * max(scale**2, 100))


@every
def test_moments_are_named_in_the_order_of_the_queries(name):
    asked = EVERY[name]
    names = tuple(dict.fromkeys(told for query, _ in queries_of(asked) for told, _ in told_by(query)))
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
    np.testing.assert_allclose(estimator.covariance(tally), covariance, atol=1e-12)
    assert np.linalg.eigvalsh(estimator.covariance(tally)).min() > 0


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
    for query in (*(query for query, _ in queries_of(QUERIES["sampled, everything"])), Query(Number(0, 3), LEVELS)):
        ((name, _, g, _, _, _, (second, values)), *_) = tellings(query)
        least = (second - np.array(values) ** 2).min()
        estimator = MomentEstimator.of(query)
        for code in range(query.outputs):
            found = estimator.covariance(query.tally([code] * 10))
            assert found[0, 0] >= least / 10 > 0
            assert np.isfinite(found).all()
        assert estimator.moments.names[0] == name
        assert len(g) == query.outputs


@every
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
    law = [float(chance) for chance in laws_of(asked, record)[first : first + len(g)]]
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
    np.testing.assert_allclose(estimator.expected_variance(records), expected, rtol=1e-7)
    # What is said to be the most is never exceeded.
    assert (estimator.expected_variance(records) <= estimator.noise() * (1 + 1e-9)).all()


@every
@pytest.mark.parametrize("share", [1.0, 0.3])
def test_the_largest_variance_is_that_of_the_worst_numbers(name, share):
    """E[g^2] / share - x^2 where one query tells a moment, over fine steps; an upper bound where several do."""
    asked = EVERY[name]
    estimator, fine = MomentEstimator.of(asked), np.linspace(-1, 1, 401)
    largest = estimator.largest_variance(share)
    for place, m in enumerate(estimator.moments.names):
        own = [told for told in tellings(asked) if told[0] == m]
        found = []
        for told in own:
            second, values = told[-1]
            found.append(np.interp(fine, values, second) / told[4] / share - fine**2)
        if len(own) == 1:
            assert found[0].max() <= largest[place] * (1 + 1e-12)
            assert found[0].max() == pytest.approx(largest[place], rel=1e-4)
        else:
            precision = sum(share * told[4] / told[3] for told in own)
            assert largest[place] == pytest.approx(1 / precision)
    assert (largest >= estimator.expected_variance(np.zeros((1, numbers_of(asked)))) - 1e-9).all()


@every
def test_the_even_variance_is_the_mean_over_even_moments(name):
    asked = EVERY[name]
    estimator, fine, total = MomentEstimator.of(asked), np.linspace(-1, 1, 4001), 0.0
    for m in estimator.moments.names:
        own = [told for told in tellings(asked) if told[0] == m]
        if len(own) == 1:
            second, values = own[0][-1]
            total += np.trapezoid(np.interp(fine, values, second) / own[0][4] - fine**2, fine) / 2
        else:
            total += 1 / sum(told[4] / told[3] for told in own) - 1 / 3
    assert estimator.even_variance() == pytest.approx(total, rel=1e-6)


def test_a_moment_about_which_nobody_was_asked_is_named_with_the_remedy():
    asked = bits((0,), (1,), coins=["1", "2"], weights=(1, 3))
    for ask in (MomentEstimator.of(asked).means, MomentEstimator.of(asked).covariance):
        with pytest.raises(SordinoError, match=r"nobody about \(1,\), of 3 reports: ask more people"):
            ask(asked.tally([0, 1, 1]))


@every
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
    shares = {told.moment: Fraction(told.share).limit_denominator(100) for told in MomentEstimator.of(asked).tellings}
    assert shares == {0: Fraction(1, 7), 1: Fraction(2, 7), 2: Fraction(4, 7)}
