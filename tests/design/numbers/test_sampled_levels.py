"""Means by levels: taken where they are better and only there, errors from the enumerated laws and by simulation, and
losses to the worst belief, also where means alone are bounded."""

import math
from itertools import product

import numpy as np
import pytest

from asked_numbers import AskedNumbers, single_answers
from sordino import (
    Dependence,
    LinearTable,
    Nats,
    Number,
    Query,
    RandomizedResponse,
    Sampled,
    Signs,
    WindowResponse,
    sampled_mean,
)
from sordino.audit.answers import answers
from sordino.definition.sampling import largest_level, sampling_deltas, sampling_level
from sordino.design.numbers.drawn_answers import keeps_deltas
from sordino.design.numbers.sampled_levels import answer_levels, best_window, coarser, sampled_levels
from sordino.design.numbers.sampled_mean import read_deltas, single_levels, worst_error

GRID = np.linspace(-1, 1, 81)


def bounded(q, d):
    return Dependence.bounded([q] * d)


def by(mechanism):
    """One number through a mechanism."""
    return AskedNumbers(Query(Number(0, mechanism.k), mechanism))


def law_of(mechanism, numbers):
    """Pr(code | number), shape (numbers, codes)."""
    return np.array([[float(share) for share in by(mechanism).law([x])] for x in numbers.tolist()])


def squared_errors(mechanism, numbers):
    """The variance of one report's estimate of each number, from its law and what each code counts as."""
    part = by(mechanism)
    worth = np.array([part.means(part.tally([code]))[0] for code in range(mechanism.outputs)])
    law = law_of(mechanism, numbers)
    np.testing.assert_allclose(law @ worth, numbers, atol=1e-12)
    return law @ worth**2 - numbers**2


@pytest.mark.parametrize("epsilon", ["1.5", "2", "4", "8"])
def test_one_number_at_a_large_epsilon_is_asked_by_levels(epsilon):
    channel = sampled_mean([epsilon], epsilon, Dependence.unknown(1))
    (table,) = channel.mechanisms
    assert isinstance(table, LinearTable)
    assert sampling_level(answers(channel)) <= epsilon
    errors, bit = squared_errors(table, GRID), by(RandomizedResponse(2, epsilon)).noise()[0] - GRID**2
    assert errors.max() < bit.max()
    assert errors.mean() < bit.mean()
    assert errors.max() <= worst_error(channel) * (1 + 1e-12)
    assert worst_error(channel) == pytest.approx(errors.max(), rel=0.03)
    assert even_error(channel) == pytest.approx(np.trapezoid(errors, GRID) / 2, rel=0.02)


def test_known_worst_errors():
    assert worst_error(sampled_mean(["4"], "4", Dependence.unknown(1))) == pytest.approx(0.1289, abs=1e-4)
    assert worst_error(single_answers(["4"], "4", Dependence.unknown(1)).asked) == pytest.approx(1.0760, abs=1e-4)


@pytest.mark.parametrize("epsilon", ["0.1", "0.4"])
def test_one_number_at_a_small_epsilon_is_asked_by_a_bit(epsilon):
    (bit,) = sampled_mean([epsilon], epsilon, Dependence.unknown(1)).mechanisms
    assert isinstance(bit, RandomizedResponse)


def test_ten_numbers_are_better_told_by_signs_together_than_by_levels_of_one():
    """At epsilon 6 rows of signs have a quarter of the worst error of one number each, by whatever levels."""
    deltas, most = read_deltas(["6"] * 10, "6", Dependence.unknown(10))
    unknown = Dependence.unknown(10)
    (levels,) = sampled_levels(deltas, most, unknown, single_levels(deltas, most, unknown))
    bits, chosen = single_answers(["6"] * 10, "6", unknown).asked, sampled_mean(["6"] * 10, "6", unknown)
    assert worst_error(levels) == pytest.approx(91.25, abs=0.01)
    assert worst_error(bits) == pytest.approx(101.0, abs=0.01)
    assert any(isinstance(statistic, Signs) for statistic in chosen.numbers)
    assert worst_error(chosen) < 23


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("seed", range(12))
def test_levels_are_never_taken_when_worse(seed):
    rng = np.random.default_rng(seed)
    d, epsilon = int(rng.integers(1, 4)), str(rng.choice(["2", "4", "8"]))
    deltas = [str(min(float(delta), float(epsilon))) for delta in rng.choice(["0.5", "2", "4", "8"], d)]
    dependence = Dependence.bounded(rng.choice(["0", "0.1", "1"], d).tolist())
    channel, bits = sampled_mean(deltas, epsilon, dependence), single_answers(deltas, epsilon, dependence).asked
    assert worst_error(channel) <= worst_error(bits) * (1 + 1e-9)
    assert even_error(channel) <= even_error(bits) * (1 + 1e-4)
    told = sampling_deltas(answers(channel), dependence)
    assert all(loss <= delta for loss, delta in zip(told, deltas, strict=True))


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_the_largest_variance_where_few_are_asked(share):
    """Against populations of two kinds of people: what a report has of variance, and whom it is drawn from."""
    for channel in (best_window("4", share=share), WindowResponse(5, "3", 2), RandomizedResponse(2, "4")):
        (claimed,) = by(channel).largest_variance(share)
        own = squared_errors(channel, GRID)
        found = []
        for (j, x), (k, y) in product(enumerate(GRID), repeat=2):
            # Half the people are x and half are y; with n share answers, drawn without replacement.
            spread = ((x - y) / 2) ** 2
            found.append((own[j] + own[k]) / 2 / share + (1 / share - 1) * spread)
        assert max(found) <= claimed * (1 + 1e-9)
        assert max(found) == pytest.approx(claimed, rel=0.02)


def test_the_best_levels_of_few_people_are_others():
    everybody, few = best_window("4"), best_window("4", share=0.1)
    assert (everybody.k, everybody.window) == (10, 3)
    assert (few.k, few.window) == (3, 1)
    others = [by(WindowResponse(g, "4", w)).largest_variance(0.1)[0] for g in range(2, 20) for w in range(1, 8)]
    assert by(few).largest_variance(0.1)[0] == min(others)


def even_error(asked):
    return AskedNumbers(asked).reader.even_variance()


@pytest.mark.long
def test_errors_of_a_drawn_mixture_are_as_large_as_is_said():
    deltas, most = read_deltas(["5", "4", "0.4"], "5", bounded("0", 3))
    (drawn,) = sampled_levels(deltas, most, bounded("0", 3), single_levels(deltas, most, bounded("0", 3)))
    mixture = AskedNumbers(drawn)
    assert {type(mechanism) for mechanism in drawn.mechanisms} == {RandomizedResponse, WindowResponse}
    claimed = mixture.largest_variance()
    worst = np.zeros(3)
    for people in ([[1.0, 1, 1], [-1, -1, -1]], [[0.0, 0, 0], [0, 0, 0]], [[1.0, -0.5, 0], [-1, 0.5, 0]]):
        records = np.repeat(people, 300, axis=0)
        means = [mixture.means(mixture.tally(mixture.privatize(records))) for _ in range(700)]
        worst = np.maximum(worst, np.mean((np.array(means) - records.mean(axis=0)) ** 2, axis=0) * 600)
    # Six deviations of a mean of 700 squares.
    assert (worst <= claimed * (1 + 6 * math.sqrt(2 / 700))).all()
    assert (worst >= claimed * (0.97 - 6 * math.sqrt(2 / 700))).all()


MEANS_ALONE = Dependence.bounded([1, 1], {(0, (1,)): 0, (1, (0,)): 0})
"""Where x_1 is 0 for x_0 = 1, and -1 or 1 for x_0 = -1: equal means, and a level tells all."""


def test_equal_means_do_not_make_levels_harmless():
    deltas, most = read_deltas(["0.5", "4"], "4", MEANS_ALONE)
    # One bit may be asked fully, levels may not.
    assert single_levels(deltas, most, MEANS_ALONE)[1] == Nats.of(4)
    assert answer_levels(deltas, most, MEANS_ALONE) == (Nats.of("0.5"), Nats.of("0.5"))
    window = best_window("4")
    harmful = Sampled((Query(Number(0), RandomizedResponse(2, "0.5")), Query(Number(1, window.k), window)), (1, 1))
    law = law_of(window, np.array([-1.0, 0, 1]))
    loss = np.abs(np.log((law[0] + law[2]) / 2 / law[1])).max()
    assert loss > 0.6
    assert float(sampling_deltas(answers(harmful), MEANS_ALONE)[0]) >= loss * (1 - 1e-12)
    assert not keeps_deltas(harmful, deltas, most, MEANS_ALONE)
    chosen = sampled_mean(["0.5", "4"], "4", MEANS_ALONE)
    assert all(told <= delta for told, delta in zip(sampling_deltas(answers(chosen), MEANS_ALONE), deltas, strict=True))


def test_levels_that_all_deltas_allow():
    deltas = [Nats.of(text) for text in ("0.2", "0.5", "1.6", "ln 3")]
    dependence = Dependence.bounded(["0.3", "0", "0.05", 1], {(0, (2,)): 0})
    for j, level in enumerate(answer_levels(deltas, Nats.of("1.7"), dependence)):
        others = [largest_level(deltas[i], dependence.of_rest(i)) for i in range(4) if i != j]
        assert level == min([Nats.of("1.7"), deltas[j], *(bound for bound in others if bound is not None)])


def test_few_levels_are_told_apart():
    levels = [Nats.of(f"{n}/7") for n in range(1, 60)]
    few = coarser(levels)
    assert len(set(few)) <= 20
    assert all(one <= level for one, level in zip(few, levels, strict=True))
    assert coarser(levels[:5]) == tuple(levels[:5])


@pytest.mark.long
def test_a_thousand_numbers_by_levels_are_drawn_and_counted():
    d = 1000
    deltas, most = read_deltas(["8"] * d, "8", bounded("0", d))
    drawn, *_ = sampled_levels(deltas, most, bounded("0", d), single_levels(deltas, most, bounded("0", d)))
    mixture = AskedNumbers(drawn)
    records = np.tile(np.where(np.arange(d) % 2, 1.0, -1.0), (40_000, 1))
    codes = mixture.privatize(records)
    tally = mixture.tally(codes)
    means = mixture.means(tally)
    assert (np.sign(means) == records[0]).mean() > 0.99
    assert mixture.moments.names == tuple((j,) for j in range(d))
