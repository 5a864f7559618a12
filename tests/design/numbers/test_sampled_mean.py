"""The chosen channels: errors of tables worked out apart, exact losses to the worst belief, enumerations, refusals."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import gamma, pi, tanh

import numpy as np
import pytest

from asked_numbers import AskedNumbers, expected_error, single_answers
from in_one import in_one
from sordino import Dependence, Nats, SordinoError, sampled_mean
from sordino.audit.answers import answers
from sordino.definition.sampling import largest_level, sampling_deltas, sampling_level
from sordino.design.numbers.sampled_mean import (
    keeps_deltas,
    single_levels,
    whole_weights,
    worst_error,
    worthwhile,
)

FIGURE = ["0.2", "0.2", *["2"] * 8]
ROWS = {
    # q: the sampling rule, the best mixture of independent answers that was known.
    "0": (0.0925, 0.0321),
    "0.01": (0.0925, 0.0450),
    "0.05": (0.0994, 0.0652),
    "0.1": (0.1236, 0.0948),
    "0.2": (0.1798, 0.1563),
    "0.4": (0.3236, 0.3236),
    "0.6": (0.5092, 0.5092),
    "0.8": (0.7365, 0.7365),
    "1": (1.0057, 1.0057),
}
FEW = ("0", "0.1", "0.4", "1")
"""Where nothing, little, much and everything is known; the others are tried in the long run."""


def bounded(q, d=10):
    return Dependence.bounded([q] * d)


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("q", [q if q in FEW else pytest.param(q, marks=pytest.mark.long) for q in ROWS])
def test_the_errors_of_the_papers_figure(q):
    single, best = ROWS[q]
    assert expected_error(single_answers(FIGURE, "2", bounded(q)), 10_000, 10) == pytest.approx(single, abs=6e-5)
    channel = sampled_mean(FIGURE, "2", bounded(q))
    assert expected_error(channel, 10_000, 10) <= best * 1.0005 + 5e-5
    if q in ("0.01", "0.05", "0.1"):
        assert expected_error(channel, 10_000, 10) <= best * 0.95


@pytest.mark.long
@pytest.mark.parametrize(
    ("deltas", "q", "single", "best"),
    [
        ([str(Fraction(2 * j, 10)) for j in range(1, 11)], "0.05", 0.0967, 0.053),
        (["0.2"] * 5 + ["2"] * 5, "0.2", 0.4112, 0.25),
        (["0.1", *["2"] * 9], "0.01", 0.1003, 0.069),
    ],
)
def test_the_errors_of_other_settings(deltas, q, single, best):
    assert expected_error(single_answers(deltas, 2, bounded(q)), 10_000, 10) == pytest.approx(single, abs=6e-5)
    assert expected_error(sampled_mean(deltas, 2, bounded(q)), 10_000, 10) <= best


@pytest.mark.long
def test_no_worse_than_plain_answers_at_the_least_delta():
    rng = np.random.default_rng(3)
    for _ in range(12):
        d = int(rng.integers(1, 7))
        deltas = rng.choice(["0.1", "0.5", "1", "4"], d).tolist()
        rest = rng.choice(["0", "0.02", "0.3", "1"], d).tolist()
        channel = sampled_mean(deltas, "5", Dependence.bounded(rest))
        scale = 1 / tanh(min(map(float, deltas)) / 2)
        sampled = (d * scale) ** 2
        ball = pi * (gamma((d + 1) / 2) / gamma(d / 2)) ** 2 * d * scale**2
        assert worst_error(channel) <= min(sampled, ball) * (1 + 1e-4)
        assert worst_error(channel) <= single_answers(deltas, "5", Dependence.bounded(rest)).noise().sum()


def law_of(asked):
    """Pr(code | signs), shape (2,) * d + (codes,), from the queries' own integers."""
    channel = AskedNumbers(asked)
    law = np.empty((2,) * channel.d + (channel.outputs,))
    for record in product((0, 1), repeat=channel.d):
        signs = [2.0 * one - 1 for one in record]
        law[record] = [float(share) for share in channel.law(signs)]
    return law


SMALL = {
    "one sensitive": (["0.2", "2", "2"], ["0.05"] * 3, "2"),
    "two sensitive": (["0.2", "0.2", "2", "2"], ["0.02"] * 4, "2"),
    "independent": (["0.3", "1", "1.5"], ["0"] * 3, "2"),
    "different": (["0.3", "0.7", "1", "ln 5"], ["0.5", "0.01", "0.2", "0.1"], "ln 5"),
    "one unknown": (["0.5", "0.7", "3"], ["1", "0.01", "0.1"], "3"),
    "unknown": (["1", "1", "1"], ["1"] * 3, "3"),
}


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("name", SMALL)
def test_the_claimed_losses_are_those_to_the_worst_belief(name, worst_loss):
    deltas, rest, epsilon = SMALL[name]
    dependence = Dependence.bounded(rest)
    channel = sampled_mean(deltas, epsilon, dependence)
    law = law_of(channel)
    np.testing.assert_allclose(law.sum(axis=-1), 1)
    told = sampling_deltas(answers(channel), dependence)
    for i, (delta, q) in enumerate(zip(deltas, rest, strict=True)):
        assert told[i] <= delta
        assert worst_loss(law, i, float(q)) == pytest.approx(float(told[i]), rel=1e-9)
    flat = law.reshape(-1, channel.outputs)
    assert np.log((flat.max(axis=0) / flat.min(axis=0)).max()) == pytest.approx(float(sampling_level(answers(channel))))
    assert sampling_level(answers(channel)) <= epsilon


@pytest.mark.long
def test_the_claimed_losses_of_six_attributes(worst_loss):
    deltas, dependence = ["0.2", "0.2", *["2"] * 4], bounded("0.05", 6)
    channel = sampled_mean(deltas, "2", dependence)
    law = law_of(channel)
    told = sampling_deltas(answers(channel), dependence)
    for i in range(6):
        assert worst_loss(law, i, 0.05) == pytest.approx(float(told[i]), rel=1e-9)
        assert told[i] <= deltas[i]


@pytest.mark.long
@pytest.mark.parametrize("q", [0.05, 0.3])
def test_the_papers_experiment_loses_no_more(q):
    """All signs are one fair coin with probability q, else fair and independent."""
    deltas = ["0.2", "0.2", "1", "2", "2"]
    law = law_of(sampled_mean(deltas, 2, bounded(q, 5)))
    prior = np.full((2,) * 5, (1 - q) / 2**5)
    prior[(0,) * 5] += q / 2
    prior[(1,) * 5] += q / 2
    for i, delta in enumerate(deltas):
        given = np.moveaxis(law * prior[..., None], i, 0).reshape(2, -1, law.shape[-1]).sum(axis=1) / 0.5
        assert np.abs(np.log(given[0] / given[1])).max() <= float(delta) + 1e-12


def test_where_pairs_are_independent_but_not_the_rest(worst_loss):
    """x_0 = x_1 xor x_2 of fair bits: each alone may be asked fully, and no two together."""
    deltas = ["0.3", "0.3", "1.5"]
    xor = Dependence.bounded([1, 1, 1], {(i, (j,)): 0 for i in range(3) for j in range(3) if i != j})
    channel = sampled_mean(deltas, "1.5", xor)
    assert keeps_deltas(channel, [Nats.of(delta) for delta in deltas], Nats.of("1.5"), xor)
    scales = [1 / tanh(0.15), 1 / tanh(0.15), 1 / tanh(0.75)]
    assert AskedNumbers(channel).noise().sum() == pytest.approx(sum(scales) ** 2, rel=1e-4)
    law = law_of(channel)
    records = [record for record in product((0, 1), repeat=3) if sum(record) % 2 == 0]
    for i, delta in enumerate(deltas):
        given = [np.mean([law[record] for record in records if record[i] == value], axis=0) for value in (0, 1)]
        assert np.abs(np.log(given[0] / given[1])).max() == pytest.approx(float(delta), rel=1e-9)
        # Nothing like that holds for whoever knows the others.
        assert worst_loss(law, i, 1.0) == pytest.approx(1.5, rel=1e-9)


def test_the_expected_error_is_that_of_the_best_unbiased_estimate():
    """From the law alone: g_j = (mean x_j Pr(code | x)) / (mean Pr(code | x)), scaled to be unbiased."""
    channel = sampled_mean(["0.3", "1", "1.5"], 2, bounded("0.1", 3))
    assert {len(answers[0].statistics) for answers in answers(channel)} == {1, 2}
    records = list(product((-1.0, 1.0), repeat=3))
    law = law_of(channel).reshape(8, -1)
    mean, slopes = law.mean(axis=0), np.array(records).T @ law / 8
    estimate = slopes / mean / (slopes**2 / mean).sum(axis=1)[:, None]
    np.testing.assert_allclose(law @ estimate.T, records, atol=1e-9)
    for own in law:
        assert (own @ (estimate**2).T).sum() - 3 == pytest.approx(1000 * expected_error(channel, 1000, 3), rel=1e-9)


def test_levels_alone_are_the_largest_that_all_deltas_allow():
    deltas = [Nats.of(text) for text in ("0.2", "0.5", "1.6", "ln 3")]
    pairs = {(0, (2,)): "0.01", (1, (2,)): "0.02", (0, (1,)): 0, (3, (0,)): "0.5"}
    dependence = Dependence.bounded(["0.3", "0.1", "0.05", 1], pairs)
    levels = single_levels(deltas, Nats.of("1.7"), dependence)
    for j, level in enumerate(levels):
        bounds = [Nats.of("1.7"), deltas[j]]
        for i in range(4):
            limit = largest_level(deltas[i], dependence.of(i, (j,)))
            if i != j and limit is not None:
                bounds.append(limit)
        assert level == min(bounds)
    assert keeps_deltas(single_answers(deltas, "1.7", dependence).asked, deltas, Nats.of("1.7"), dependence)


def test_what_is_not_kept_is_noticed():
    dependence = bounded("0.05", 3)
    deltas = [Nats.of(text) for text in ("0.2", "1", "1")]
    channel = sampled_mean(deltas, 1, dependence)
    assert keeps_deltas(channel, deltas, Nats.of(1), dependence)
    assert not keeps_deltas(channel, deltas, Nats.of("0.9"), dependence)
    assert not keeps_deltas(channel, [Nats.of("0.199"), *deltas[1:]], Nats.of(1), dependence)
    assert not keeps_deltas(channel, deltas, Nats.of(1), bounded("0.06", 3))


@pytest.mark.long
def test_a_thousand_numbers_in_two_groups():
    deltas, dependence = ["0.2"] * 200 + ["2"] * 800, bounded("0.05", 1000)
    channel, single = sampled_mean(deltas, 2, dependence), single_answers(deltas, 2, dependence)
    assert AskedNumbers(channel).noise().sum() < 0.6 * single.noise().sum()


@pytest.mark.long
def test_many_different_deltas():
    deltas, dependence = [str(Fraction(20 + j, 100)) for j in range(40)], bounded("0.05", 40)
    channel, single = sampled_mean(deltas, 2, dependence), single_answers(deltas, 2, dependence)
    assert AskedNumbers(channel).noise().sum() < 0.3 * single.noise().sum()


def test_whole_weights():
    weights = whole_weights(np.array([1.0, 2.0, 5.0, 0.0]))
    assert weights == [8192, 16384, 40960, 0]
    weights = whole_weights(np.random.default_rng(1).uniform(1, 2, 1000))
    assert sum(weights) == 1 << 18
    assert all(type(weight) is int for weight in weights)
    assert sum(whole_weights(np.ones(10_000))) == 1 << 20


HALF, EIGHTH = (3 << 62, 1 << 62), (9 << 60, 7 << 60)
"""Coins whose signs have the slopes 1/2 and 1/8."""


@pytest.mark.parametrize(
    ("parts", "kept"),
    [
        # Number 0 is told by the first table alone: without the second its noise falls.
        ([((0,), HALF, 0.498), ((1,), HALF, 0.498), ((0,), EIGHTH, 0.004)], 2),
        # A number that is told by nothing else.
        ([((0,), HALF, 0.498), ((1,), EIGHTH, 0.002)], 2),
        # A table that many are asked by.
        ([((0,), HALF, 0.48), ((1,), HALF, 0.48), ((0,), EIGHTH, 0.04)], 3),
        # A tenth of what is known of number 1.
        ([((0,), EIGHTH, 0.96), ((1,), EIGHTH, 0.03), ((1,), HALF, 0.0003)], 3),
    ],
)
def test_tables_that_hardly_anybody_is_asked_by_are_left_out(parts, kept):
    assert len(worthwhile(2, parts)) == kept


@pytest.mark.long
def test_no_table_of_the_papers_figure_is_for_a_few():
    for q in ("0", "0.05", "0.2"):
        channel = sampled_mean(FIGURE, "2", bounded(q))
        used = Counter()
        for mechanism, weight in zip(channel.mechanisms, channel.weights, strict=True):
            used[mechanism] += weight
        assert min(used.values()) > used.total() / 200
        assert used.total() & (used.total() - 1) == 0
        assert used.total() <= 1 << 20


def test_one_number_is_asked_by_one_bit_at_a_small_epsilon():
    channel = sampled_mean(["0.4"], "0.4", Dependence.unknown(1))
    assert AskedNumbers(channel).noise() == pytest.approx([1 / tanh(0.2) ** 2])


@in_one(
    ("deltas", "epsilon", "text"),
    [
        (["1", "3"], 2, "a delta must not exceed epsilon = 2; found 3 for attribute 1: lower it or raise epsilon."),
        (["1", "-1"], 2, "must not be negative; found -1 for attribute 1"),
        (["1", 0], 2, "the mean of an attribute with delta 0 cannot be estimated; found attribute 1: leave it out"),
        (["1"], 2, "a delta for each of 2 attributes; found 1"),
        (["1", "1", "1"], 2, "a delta for each of 2 attributes; found 3"),
        ("12", 2, "a delta for each of 2 attributes; found 1"),
        (["1", None], 2, "must be a finite number of nats; found None"),
        (["1", float("nan")], 2, "must be a finite number of nats; found nan"),
        (["1", "1"], "-2", "epsilon must lie between 0 and"),
        (["1e-25", "1e-25"], 2, "answers must depend on the numbers"),
    ],
)
def test_wrong_deltas_are_refused(deltas, epsilon, text):
    with pytest.raises(SordinoError) as refusal:
        sampled_mean(deltas, epsilon, Dependence.unknown(2))
    assert text in str(refusal.value)


def test_a_bound_must_be_a_dependence():
    with pytest.raises(SordinoError, match="dependence must be a Dependence; found list"):
        sampled_mean(["1", "1"], 2, [[0, 0.1], [0.1, 0]])
