"""Drawn statistics: what every report tells by enumeration, levels that cannot be raised, and shares by simulation."""

from fractions import Fraction
from itertools import product
from math import exp, log, log1p

import numpy as np
import pytest

from asked_numbers import AskedNumbers
from in_one import in_one
from sordino import Aggregate, Dependence, SordinoError, sampled_moments
from sordino.design.numbers import sampled_moments as module
from sordino.design.numbers.drawn_answers import whole_shares
from sordino.estimation.linear_regression import projected_least_squares, regression_statistics
from sordino.estimation.means_and_covariances import covariance_statistics

NAMES = covariance_statistics(range(3))


def asked_moments(*arguments, **options):
    return AskedNumbers(sampled_moments(*arguments, **options))


def statistic(name, record):
    """A statistic of one record, without the package."""
    if len(name) == 1:
        return record[name[0]]
    j, k = name
    return 2 * record[j] ** 2 - 1 if j == k else record[j] * record[k]


def conditional(prior, i):
    """For each value of number i, what the others are like: a law of records."""
    for value in sorted({record[i] for record in prior}):
        own = {record: mass for record, mass in prior.items() if record[i] == value}
        total = sum(own.values())
        yield {record: mass / total for record, mass in own.items()}


def half_gap(prior, i, name):
    """Half the largest gap of a statistic's conditional means."""
    means = [sum(m * statistic(name, record) for record, m in law.items()) for law in conditional(prior, i)]
    return (max(means) - min(means)) / 2


def bayesian_losses(channel, prior):
    """For each number the largest ratio, over all codes, of what two of its values say; exactly."""
    rows = {record: channel.law(record) for record in prior}
    losses = []
    for i in range(channel.d):
        sent = [
            [sum(mass * rows[record][code] for record, mass in law.items()) for code in range(channel.outputs)]
            for law in conditional(prior, i)
        ]
        losses.append(max(max(column) / min(column) for column in zip(*sent, strict=True)))
    return losses


def random_prior(seed):
    """Masses of records of three numbers, each -1, 0 or 1 (the first two only signs)."""
    rng = np.random.default_rng(seed)
    records = list(product((-1, 1), (-1, 1), (-1, 0, 1)))
    masses = [Fraction(int(mass)) for mass in rng.integers(1, 40, len(records)) ** 2]
    return {record: mass / sum(masses) for record, mass in zip(records, masses, strict=True)}


def told_of(prior):
    """The bounds that a prior implies, statistic by statistic."""
    bounds = {(i, name): half_gap(prior, i, name) for i in range(3) for name in NAMES if {*name} != {i}}
    return Dependence.bounded([1, 1, 1], bounds)


DELTAS, EPSILON = ["0.25", "1", "3"], "3"


@pytest.mark.parametrize("seed", range(6))
def test_no_report_tells_more_than_the_deltas(seed, exp_bounds):
    prior = random_prior(seed)
    channel = asked_moments(DELTAS, EPSILON, told_of(prior))
    for ratio, delta in zip(bayesian_losses(channel, prior), DELTAS, strict=True):
        assert ratio <= exp_bounds(Fraction(delta))[0]
    # The first number's own statistic is answered at its delta, as far as a coin on 64-bit words can.
    assert float(bayesian_losses(channel, prior)[0]) == pytest.approx(exp(0.25), rel=1e-12)
    every = [channel.law(record) for record in prior]
    assert max(max(column) / min(column) for column in zip(*every, strict=True)) <= exp_bounds(Fraction(3))[0]


XOR = {(a, b, a * b): Fraction(1, 4) for a in (-1, 1) for b in (-1, 1)}
"""Every two of the three are independent, and the product of two is the third."""


def test_independence_of_all_pairs_protects_no_product(exp_bounds):
    pairs = {(i, (j,)): 0 for i in range(3) for j in range(3) if i != j}
    assert all(half_gap(XOR, i, (j,)) == 0 for i, (j,) in pairs)
    products = [name for name in NAMES if len(name) == 2 and name[0] != name[1]]
    channel = asked_moments(DELTAS, EPSILON, Dependence.bounded([1, 1, 1], pairs), pairs=products)
    for ratio, delta in zip(bayesian_losses(channel, XOR), DELTAS, strict=True):
        assert ratio <= exp_bounds(Fraction(delta))[0]
    # Were the bounds of pairs taken for products, all of epsilon would be lost; so this test can fail.
    wrong = Dependence.bounded([1, 1, 1], pairs | {(0, (1, 2)): 0})
    careless = asked_moments(["0.25", "3", "3"], EPSILON, wrong, pairs=products)
    assert bayesian_losses(careless, XOR)[0] > exp_bounds(Fraction(2))[1]


@in_one("seed", range(8))
def test_levels_are_the_highest_that_the_deltas_allow(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 5))
    deltas, rest = rng.uniform(0.05, 2, d).round(3), rng.choice([0, 0.01, 0.2, 1], d)
    names = covariance_statistics(range(d))
    declared = {
        (i, name): float(rng.choice([0, 0.05, 0.5]))
        for i in range(d)
        for name in names
        if {*name} != {i} and rng.random() < 0.3
    }
    channel = asked_moments(deltas.tolist(), "2", Dependence.bounded(rest.tolist(), declared))
    assert channel.moments.names == names
    for name, level in zip(names, channel.levels, strict=True):
        allowed = [2.0]
        for i in range(d):
            q = min(declared.get((i, name), 1.0), 1.0 if i in name else rest[i])
            if q > 0:
                allowed.append(log1p((exp(deltas[i]) - 1) / q))
        assert level.floor() == pytest.approx(min(allowed), rel=1e-12)


def test_known_levels():
    # Two protected numbers, one that may be told; q = 1/5 tells how far the protected ones show in the third.
    channel = asked_moments(["1/2", "1/2", 4], 4, Dependence.bounded(["1/5"] * 3))
    levels = dict(zip(channel.moments.names, (level.floor() for level in channel.levels), strict=True))
    free = log(1 + 5 * (exp(0.5) - 1))
    expected = {name: free if {*name} == {2} else 0.5 for name in NAMES}
    assert levels == pytest.approx(expected, rel=1e-12)


def test_moments_are_drawn_in_proportion_to_their_scale():
    channel = asked_moments(DELTAS, EPSILON, Dependence.bounded([0.1] * 3))
    scales = np.array([1 / np.tanh(level.floor() / 2) for level in channel.levels])
    shares = np.array(channel.weights) / sum(channel.weights)
    np.testing.assert_allclose(shares, scales / scales.sum(), atol=1e-4)
    assert sum(channel.weights).bit_count() == 1


def prediction_error(names, target, features, slopes, intercept):
    """How much each statistic's variance adds to the squared error of a prediction of uniform features: by numpy."""
    p = len(features)
    truth = {}
    for name in names:
        if len(name) == 1:
            truth[name] = intercept if name[0] == target else 0.0
        elif target in name:
            truth[name] = slopes[features.index(sum(name) - target)] / 3
        else:
            truth[name] = 2 / 3 - 1 if name[0] == name[1] else 0.0

    def solved(means):
        normal, right = np.eye(p + 1), np.zeros(p + 1)
        right[0] = means[(target,)]
        for a, j in enumerate(features, 1):
            normal[0, a] = normal[a, 0] = means[(j,)]
            right[a] = means[(min(j, target), max(j, target))]
            for b, k in enumerate(features, 1):
                told = means[(min(j, k), max(j, k))]
                normal[a, b] = (told + 1) / 2 if j == k else told
        return np.linalg.solve(normal, right)

    weight, step = np.diag([1] + [1 / 3] * p), 1e-5
    errors = []
    for name in names:
        up, down = (solved(truth | {name: truth[name] + sign * step}) for sign in (1, -1))
        moved = (up - down) / (2 * step)
        errors.append(moved @ weight @ moved)
    return np.array(errors)


@pytest.mark.parametrize(("d", "target", "features"), [(4, 1, None), (5, 4, [0, 2]), (2, 0, None)])
def test_a_regression_draws_what_its_prediction_needs(d, target, features):
    dependence = Dependence.bounded([0.1] * d)
    channel = asked_moments(["0.5", *["2"] * (d - 1)], "2", dependence, target=target, features=features)
    asked = features or [j for j in range(d) if j != target]
    names = channel.moments.names
    assert names == regression_statistics(target, asked)
    # Signs with the expected squared lengths, all of them: their average is the expectation.
    length = np.sqrt(module.SLOPES / len(asked))
    draws = [
        prediction_error(names, target, asked, length * np.array(signs), sign * np.sqrt(module.INTERCEPT))
        for signs in product((-1, 1), repeat=len(asked))
        for sign in (-1, 1)
    ]
    scales = np.array([1 / np.tanh(level.floor() / 2) for level in channel.levels])
    best = scales * np.sqrt(np.mean(draws, axis=0))
    shares = np.array(channel.weights) / sum(channel.weights)
    np.testing.assert_allclose(shares, best / best.sum(), atol=1e-4)
    # They are the best: moving people from any statistic to another costs.
    cost = np.mean(draws, axis=0) * scales**2
    for a, b in product(range(len(names)), repeat=2):
        moved = shares.copy()
        moved[a] += shares[b] / 5
        moved[b] -= shares[b] / 5
        assert a == b or np.sum(cost / moved) > np.sum(cost / shares)


def test_pairs_come_with_the_numbers_that_they_are_made_of():
    channel = asked_moments(["1"] * 4, "1", Dependence.unknown(4), pairs=[(2, 0), (3, 3), (0, 2)])
    assert channel.moments.names == ((0,), (2,), (3,), (0, 2), (3, 3))


@in_one("size", [1, 2, 3, 100, 1000, 5000])
def test_whole_shares_are_near_the_shares_and_fill_a_power_of_two(size):
    shares = np.random.default_rng(size).exponential(size=size) ** 4 + 1e-9
    weights = whole_shares(shares)
    total = sum(weights)
    assert total.bit_count() == 1
    assert total >= 2**16
    assert min(weights) >= 1
    np.testing.assert_allclose(weights, shares / shares.sum() * total, atol=2 + size / total * max(weights))


def test_what_cannot_be_asked_is_refused():
    free = Dependence.unknown(3)
    for arguments, message in (
        ((["1", "2.5", "1"], "2", free), "the delta of attribute 1 must not exceed epsilon = 2; found 5/2"),
        ((["1", "-1", "1"], "2", free), "between 0 and 100 nats"),
        ((["1"] * 3, "2", [1, 1, 1]), "dependence must be a Dependence; found list"),
        ((["1", "1"], "2", free), "dependence must be about 2 attributes; found 3"),
        (([], "2", free), "one delta for each attribute"),
        (("111", "2", free), "one delta for each attribute"),
        ((["0", "1", "1"], "2", free), "a question must be allowed to reveal something"),
        ((["1e-17", "1", "1"], "2", free), "a question must be allowed to reveal something"),
        ((["1"] * 3, "2", free, [(0, 3)]), r"pairs must be of the attributes 0\.\.2"),
        ((["1"] * 3, "2", free, []), r"pairs must be of the attributes 0\.\.2"),
        ((["1"] * 3, "2", free, [(0, 1)], 2), "not both; found pairs and a target"),
        ((["1"] * 3, "2", free, None, 3), "a target must be among"),
        ((["1"] * 3, "2", free, None, 2, [1, 2]), "a target must not be among the features"),
        ((["1"] * 3, "2", free, None, None, [1]), "features must come with a target"),
    ):
        with pytest.raises(SordinoError, match=message):
            sampled_moments(*arguments)


def test_a_number_of_which_nothing_may_be_told_spoils_only_what_shows_it():
    known = Dependence.bounded([0, 1, 1])
    channel = asked_moments(["0", "1", "2"], "2", known, pairs=[(1, 2)])
    assert [level.floor() for level in channel.levels] == pytest.approx([1, 1, 1])
    with pytest.raises(SordinoError, match=r"found a level of 0 for \(0,\)"):
        sampled_moments(["0", "1", "2"], "2", known, pairs=[(0, 2)])


def test_levels_that_the_rule_does_not_allow_stop_the_build(monkeypatch):
    monkeypatch.setattr(module, "statistic_levels", lambda names, deltas, epsilon, *_: [epsilon] * len(names))
    with pytest.raises(SordinoError, match="must keep every delta"):
        sampled_moments(DELTAS, EPSILON, Dependence.unknown(3))


def test_a_fit_of_a_hundred_thousand_people_is_close():
    # Five uniform features, whose slopes explain so much that predicting 0 has an excess loss of .09.
    channel = asked_moments(["2"] * 6, "2", Dependence.unknown(6), target=5)
    slopes = np.full(5, np.sqrt(0.54 / 5))
    truth = [
        0.0 if len(name) == 1 else slopes[name[0]] / 3 if 5 in name else -1 / 3 if name[0] == name[1] else 0.0
        for name in channel.moments.names
    ]
    shares = np.array(channel.weights) / sum(channel.weights)
    positive = 0.5 + np.array(truth) * np.array([threshold / 2**64 - 0.5 for threshold in channel.thresholds])
    law = np.stack([shares * (1 - positive), shares * positive], axis=1).ravel()
    losses = []
    for counts in np.random.default_rng(7).multinomial(100_000, law, size=100):
        value = projected_least_squares(channel.asked, Aggregate(channel.fingerprint, 100_000, counts), 5).value
        losses.append((np.sum((value[1:] - slopes) ** 2) / 3 + value[0] ** 2) / 2)
    assert np.mean(losses) < 0.006
