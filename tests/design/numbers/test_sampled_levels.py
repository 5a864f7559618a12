"""Means by levels: taken where they are better and only there, errors from the enumerated laws and by simulation, and
losses to the worst belief, also where means alone are bounded."""

import math
from fractions import Fraction
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
    Together,
    WindowResponse,
    sampled_mean,
)
from sordino.audit.answers import answers
from sordino.definition.sampling import largest_level, sampling_deltas, sampling_level
from sordino.design.numbers.drawn_answers import keeps_deltas
from sordino.design.numbers.level_limits import LevelLimits, coarser
from sordino.design.numbers.mean_among import among
from sordino.design.numbers.sampled_levels import best_window, joint_levels, sampled_levels
from sordino.design.numbers.sampled_mean import read_deltas, single_levels, worst_error
from sordino.estimation.moment_estimator import MomentEstimator

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
    assert LevelLimits(deltas, most, MEANS_ALONE).of_any == (Nats.of("0.5"), Nats.of("0.5"))
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
    for j, level in enumerate(LevelLimits(deltas, Nats.of("1.7"), dependence).of_any):
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


def chosen(deltas, epsilon, dependence=None):
    return sampled_mean(deltas, epsilon, dependence or Dependence.unknown(len(deltas)))


def offered(deltas, epsilon, dependence):
    return joint_levels(*read_deltas(deltas, epsilon, dependence), dependence)


def worst_by_hand(asked):
    """The sum over the numbers of the largest variance, n times, from the channels' own weights, in fine steps."""
    fine, total = np.linspace(-1, 1, 2001), 0.0
    for place in range(asked.d):
        shares = [
            (weight / sum(asked.weights), query)
            for together, weight in zip(asked.queries, asked.weights, strict=True)
            for query in together.queries
            if query.statistic.place == place
        ]
        (mechanism,) = {query.mechanism for _, query in shares}
        law = np.array(
            [
                [mechanism.weight(v, c) / mechanism.denominator for c in range(mechanism.outputs)]
                for v in range(mechanism.k)
            ]
        )
        points = np.linspace(-1, 1, mechanism.k)
        basis = np.stack([np.ones(mechanism.outputs), np.arange(mechanism.outputs)], axis=1)
        counts = basis @ np.linalg.lstsq(law @ basis, points)[0]
        share = sum(share for share, _ in shares)
        total += (np.interp(fine, points, law @ counts**2) / share - fine**2).max()
    return total


@pytest.mark.first_cases(2)
@pytest.mark.parametrize(
    ("d", "epsilon", "most"), [(2, "5", 1.20), (2, "6", 0.745), (2, "8", 0.318), (3, "8", 1.523), (2, "12", 0.0695)]
)
def test_numbers_of_everybody_at_a_large_epsilon(d, epsilon, most):
    asked = chosen([epsilon] * d, epsilon)
    (everybody,) = asked.queries
    assert isinstance(everybody, Together)
    assert worst_error(asked) <= most + 5e-4
    assert worst_by_hand(asked) <= worst_error(asked) * (1 + 1e-12)
    assert worst_by_hand(asked) == pytest.approx(worst_error(asked), rel=1e-4)
    assert Nats.of(epsilon) - Nats.of("1/1000000000") < sampling_level(answers(asked)) <= epsilon


@pytest.mark.parametrize(
    ("d", "epsilon", "most", "signs"), [(3, "6.5", 2.53, 3.07), (5, "11", 3.87, 5.0), (4, "8.6", 3.24, 4.02)]
)
def test_groups_of_numbers_where_all_are_too_many(d, epsilon, most, signs):
    asked = chosen([epsilon] * d, epsilon)
    sizes = {len(query.queries) for query in asked.queries}
    assert sizes == {d - 1}
    told = [query.statistic.place for together in asked.queries for query in together.queries]
    assert sorted(told) == sorted([*range(d)] * (d - 1))
    assert len(set(asked.weights)) == 1
    assert worst_error(asked) <= most < signs - 0.4
    assert worst_by_hand(asked) == pytest.approx(worst_error(asked), rel=1e-3)
    assert sampling_level(answers(asked)) <= epsilon


@pytest.mark.first_cases(3)
@pytest.mark.parametrize(("d", "epsilon"), [(2, "1"), (2, "3"), (3, "4"), (6, "8"), (12, "4")])
def test_signs_are_kept_where_they_are_better(d, epsilon):
    asked = chosen([epsilon] * d, epsilon)
    assert not any(isinstance(query, Together) for query in asked.queries)


SETTINGS = [
    (["2", "6", "6"], "6", ["0"] * 3),
    (["0.5", "4"], "4", ["0"] * 2),
    (["2", "4", "6"], "8", ["0.2", "0.05", "0"]),
    (["4", "6"], "8", ["0.2"] * 2),
    (["3", "6"], "6", ["1", "0.3"]),
    (["8"] * 4, "8", ["0.01"] * 4),
    (["3"] * 6, "12", ["0"] * 6),
    (["0.0001", "9", "9"], "9", ["0", "0", "0.1"]),
]


@pytest.mark.first_cases(5)
@pytest.mark.parametrize(("deltas", "epsilon", "q"), SETTINGS)
def test_everything_that_is_offered_keeps_every_delta(deltas, epsilon, q):
    """Exactly, and nearly reaches one of them, or epsilon: nothing is left that could be told."""
    dependence = Dependence.bounded(q)
    for asked in offered(deltas, epsilon, dependence):
        bounds, most = read_deltas(deltas, epsilon, dependence)
        assert keeps_deltas(asked, bounds, most, dependence)
        told = sampling_deltas(answers(asked), dependence)
        assert all(loss <= delta for loss, delta in zip(told, deltas, strict=True))
        assert sampling_level(answers(asked)) <= epsilon
    assert worst_error(chosen(deltas, epsilon, dependence)) <= worst_error(
        single_answers(deltas, epsilon, dependence).asked
    )


@pytest.mark.parametrize(("deltas", "levels"), [("26", [2, 6]), pytest.param("46", [4, 4], marks=pytest.mark.long)])
def test_a_small_delta_leaves_the_others_what_it_does_not_use(deltas, levels):
    """With nothing to fear from dependence, levels are cut where a delta says so, and no further.

    Nothing of both together is wasted, nor taken from the one that could use it.
    """
    asked = chosen([*deltas], "8", Dependence.bounded(["0"] * 2))
    (everybody,) = asked.queries
    np.testing.assert_allclose(sorted(float(answer.level) for answer in answers(asked)[0]), levels, atol=1e-6)
    assert [query.statistic.place for query in everybody.queries] == [0, 1]


@pytest.mark.parametrize("d", [1, 49, 200])
def test_one_number_and_very_many_are_not_asked_together(d):
    assert offered(["9"] * d, "9", Dependence.unknown(d)) == ()


def test_bits_alone_are_not_offered():
    assert offered(["0.9"] * 3, "0.9", Dependence.bounded(["0"] * 3)) == ()
    assert all(
        any(isinstance(mechanism, LinearTable | WindowResponse) for mechanism in asked.mechanisms)
        for asked in offered(["3"] * 3, "3", Dependence.unknown(3))
    )


XOR = np.array([[["1/4" if (a == b) == (c == 1) else 0 for c in (0, 1)] for b in (0, 1)] for a in (0, 1)])
"""Two fair independent signs, and the third their product."""


def losses_under(asked, prior):
    """What a report tells of each sign, to whoever believes the prior, exactly."""
    records = [(at, Fraction(share)) for at, share in np.ndenumerate(prior) if Fraction(share)]
    laws = {at: laws_by_hand(asked, [2.0 * bit - 1 for bit in at]) for at, _ in records}
    found = []
    for place in range(prior.ndim):
        rows = []
        for value in (0, 1):
            own = [(laws[at], share) for at, share in records if at[place] == value]
            mass = sum(share for _, share in own)
            rows.append([sum(law[code] * share for law, share in own) / mass for code in range(asked.outputs)])
        found.append(Nats.log(max(max(pair) / min(pair) for pair in set(zip(*rows, strict=True)))))
    return found


def laws_by_hand(asked, record):
    """Pr(code | record) of numbers at -1 or 1, from the weights of the channels."""
    law = []
    for together, weight in zip(asked.queries, asked.weights, strict=True):
        rows = []
        for query in together.queries if isinstance(together, Together) else (together,):
            value = query.mechanism.k - 1 if record[query.statistic.place] > 0 else 0
            mechanism = query.mechanism
            rows.append([Fraction(mechanism.weight(value, c), mechanism.denominator) for c in range(mechanism.outputs)])
        for chances in product(*rows):
            share = Fraction(weight, sum(asked.weights))
            for chance in chances:
                share *= chance
            law.append(share)
    return law


def test_two_numbers_of_one_person_tell_the_third_that_is_made_of_them():
    """Pairwise nothing depends on anything; bounds on single moments say so, and two answers together break them."""
    coin = RandomizedResponse(2, "2")
    asked = Together((Query(Number(0), coin), Query(Number(1), coin)))
    pairwise = {(i, (j,)): 0 for i in range(3) for j in range(3) if i != j}
    dependence = Dependence.bounded([1, 1, 1], pairwise)
    told = sampling_deltas(answers(asked), dependence)
    losses = losses_under(Sampled((asked,), (1,)), XOR)
    assert losses[2] > Nats.of(1)
    assert all(loss <= delta for loss, delta in zip(losses, told, strict=True))
    # The bound of one moment is exact where it is the only other answer.
    assert [str(delta) for delta in told[:2]] == [str(loss) for loss in losses[:2]]
    # One answer of the two tells nothing of the third, and is bounded so.
    assert sampling_deltas(answers(asked.queries[0]), dependence)[2] == Nats.of(0)


@pytest.mark.long
def test_plans_for_two_numbers_fear_what_is_made_of_them():
    """The third number's delta is small, and only pairs are known to be independent."""
    pairwise = {(i, (j,)): 0 for i in range(3) for j in range(3) if i != j}
    dependence = Dependence.bounded([1, 1, 1], pairwise)
    several = chosen(["8", "8", "8"], "8", dependence)
    assert len(several.queries[0].queries) == 3
    assert all(loss <= Nats.of(8) for loss in losses_under(several, XOR))
    few = chosen(["8", "8", "0.5"], "8", dependence)
    assert all(told <= d for told, d in zip(sampling_deltas(answers(few), dependence), ["8", "8", "0.5"], strict=True))
    assert joint_levels(*read_deltas(["8", "8", "0.5"], "8", dependence), dependence) == ()


@pytest.mark.statistical
def test_errors_are_as_large_as_is_said():
    asked = chosen(["6", "6"], "6")
    estimator = MomentEstimator.of(asked)
    claimed, worst = estimator.largest_variance(), np.zeros(2)
    for people in ([[1.0, 1], [-1, -1]], [[0.0, 0.2], [0, -0.2]], [[0.4, -0.5], [-0.4, 0.5]]):
        records = np.repeat(people, 200, axis=0)
        means = [estimator.means(asked.tally(asked.privatize(records))) for _ in range(500)]
        worst = np.maximum(worst, np.mean((np.array(means) - records.mean(axis=0)) ** 2, axis=0) * 400)
    # Six deviations of a mean of 500 squares.
    assert (worst <= claimed * (1 + 6 * np.sqrt(2 / 500))).all()
    assert (worst >= claimed * (0.8 - 6 * np.sqrt(2 / 500))).all()


def test_numbers_among_others_are_moved_together():
    asked = chosen(["6", "6"], "6")
    moved = among(asked, [1, 0])
    assert [query.statistic.place for query in moved.queries[0].queries] == [1, 0]
    assert [query.mechanism for query in moved.queries[0].queries] == list(asked.mechanisms)
