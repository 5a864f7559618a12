"""Means by levels: taken where they are better and only there, errors from the enumerated laws and by simulation, and
losses to the worst belief, also where means alone are bounded."""

import math
from itertools import product

import numpy as np
import pytest

from sordino import Dependence, LevelResponse, Mixture, Moments, OneBit, SampledBits, SampledMean, SignTables
from sordino.definition.sampling import largest_level, sampling_deltas, sampling_level
from sordino.design.numbers.sampled_levels import answer_levels, average_error, coarser, sampled_levels, together
from sordino.design.numbers.sampled_mean import keeps_deltas, read_deltas, single_answers, single_levels, worst_error
from sordino.exact.nats import Nats

GRID = np.linspace(-1, 1, 81)


def bounded(q, d):
    return Dependence.bounded([q] * d)


def law_of(part, numbers):
    """Pr(code | number), shape (numbers, codes)."""
    return np.array([[float(part.probability((x,), c)) for c in range(part.outputs)] for x in numbers.tolist()])


def squared_errors(part, numbers):
    """The variance of one report's estimate of each number, from its law and what each code counts as."""
    worth = np.array([part.means(part.tally([code]))[0] for code in range(part.outputs)])
    law = law_of(part, numbers)
    np.testing.assert_allclose(law @ worth, numbers, atol=1e-12)
    return law @ worth**2 - numbers**2


@pytest.mark.parametrize("epsilon", ["1.5", "2", "4", "8"])
def test_one_number_at_a_large_epsilon_is_asked_by_levels(epsilon):
    channel = SampledMean([epsilon], epsilon, Dependence.unknown(1))
    assert isinstance(channel, LevelResponse)
    assert sampling_level(channel.types) <= epsilon
    errors, bit = squared_errors(channel, GRID), OneBit(epsilon).noise()[0] - GRID**2
    assert errors.max() < bit.max()
    assert errors.mean() < bit.mean()
    assert errors.max() <= worst_error(channel) * (1 + 1e-12)
    assert worst_error(channel) == pytest.approx(errors.max(), rel=0.03)
    assert average_error(channel) == pytest.approx(np.trapezoid(errors, GRID) / 2, rel=0.02)


def test_known_worst_errors():
    assert worst_error(SampledMean(["4"], "4", Dependence.unknown(1))) == pytest.approx(0.1592, abs=1e-4)
    assert worst_error(single_answers(["4"], "4", Dependence.unknown(1))) == pytest.approx(1.0760, abs=1e-4)


@pytest.mark.parametrize("epsilon", ["0.5", "1"])
def test_one_number_at_a_small_epsilon_is_asked_by_a_bit(epsilon):
    assert isinstance(SampledMean([epsilon], epsilon, Dependence.unknown(1)), SampledBits)


def test_two_numbers_with_epsilon_enough_are_both_asked():
    channel = SampledMean(["6", "6"], "6", Dependence.unknown(2))
    ((first, second),) = channel.kinds
    assert isinstance(first[1], LevelResponse)
    assert first[1] == second[1]
    errors = squared_errors(first[1], GRID)
    assert worst_error(channel) == pytest.approx(2 * errors.max(), rel=0.03)
    assert worst_error(channel) == pytest.approx(0.745, abs=1e-3)
    assert float(sampling_level(channel.types)) == pytest.approx(6, abs=1e-6)
    assert sampling_level(channel.types) <= "6"


def test_ten_numbers_are_better_told_by_signs_together_than_by_levels_of_one():
    """At epsilon 6 rows of signs have a quarter of the worst error of one number each, by whatever levels."""
    deltas, most = read_deltas(["6"] * 10, "6", Dependence.unknown(10))
    unknown = Dependence.unknown(10)
    levels = sampled_levels(deltas, most, unknown, single_levels(deltas, most, unknown))
    bits, chosen = single_answers(["6"] * 10, "6", unknown), SampledMean(["6"] * 10, "6", unknown)
    assert worst_error(levels) == pytest.approx(91.25, abs=0.01)
    assert worst_error(bits) == pytest.approx(101.0, abs=0.01)
    assert isinstance(chosen, SignTables)
    assert worst_error(chosen) < 23


def test_levels_that_are_better_at_the_worst_numbers_only_are_not_taken():
    deltas, most = read_deltas(["4", "4"], "4", Dependence.unknown(2))
    levels, chosen = together(deltas, most, Dependence.unknown(2)), SampledMean(["4", "4"], "4", Dependence.unknown(2))
    assert worst_error(levels) < worst_error(chosen)
    assert average_error(levels) > average_error(chosen)


@pytest.mark.parametrize("seed", range(12))
def test_levels_are_never_taken_when_worse(seed):
    rng = np.random.default_rng(seed)
    d, epsilon = int(rng.integers(1, 4)), str(rng.choice(["2", "4", "8"]))
    deltas = [str(min(float(delta), float(epsilon))) for delta in rng.choice(["0.5", "2", "4", "8"], d)]
    dependence = Dependence.bounded(rng.choice(["0", "0.1", "1"], d).tolist())
    channel, bits = SampledMean(deltas, epsilon, dependence), single_answers(deltas, epsilon, dependence)
    assert worst_error(channel) <= worst_error(bits) * (1 + 1e-9)
    assert average_error(channel) <= average_error(bits) * (1 + 1e-4)
    told = sampling_deltas(channel.types, dependence)
    assert all(loss <= delta for loss, delta in zip(told, deltas, strict=True))


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_the_largest_variance_where_few_are_asked(share):
    """Against populations of two kinds of people: what a report has of variance, and whom it is drawn from."""
    for channel in (LevelResponse.best("4", share=share), LevelResponse(5, "3", 2), OneBit("4")):
        (claimed,) = channel.largest_variance(share)
        own = squared_errors(channel, GRID)
        found = []
        for (j, x), (k, y) in product(enumerate(GRID), repeat=2):
            # Half the people are x and half are y; with n share answers, drawn without replacement.
            spread = ((x - y) / 2) ** 2
            found.append((own[j] + own[k]) / 2 / share + (1 / share - 1) * spread)
        assert max(found) <= claimed * (1 + 1e-9)
        assert max(found) == pytest.approx(claimed, rel=0.02)


def test_the_best_levels_of_few_people_are_others():
    everybody, few = LevelResponse.best("4"), LevelResponse.best("4", share=0.1)
    assert (everybody.levels, everybody.window) == (10, 3)
    assert (few.levels, few.window) == (3, 1)
    others = [LevelResponse(g, "4", w).largest_variance(0.1)[0] for g in range(2, 20) for w in range(1, 8)]
    assert few.largest_variance(0.1)[0] == min(others)


def test_errors_of_a_drawn_mixture_are_as_large_as_is_said():
    deltas, most = read_deltas(["5", "4", "0.5"], "5", bounded("0", 3))
    mixture = sampled_levels(deltas, most, bounded("0", 3), single_levels(deltas, most, bounded("0", 3)))
    kinds = {type(channel) for parts in mixture.kinds for _, channel in parts}
    assert kinds == {SampledBits, LevelResponse}
    claimed = mixture.largest_variance()
    worst = np.zeros(3)
    for people in ([[1.0, 1, 1], [-1, -1, -1]], [[0.0, 0, 0], [0, 0, 0]], [[1.0, -0.5, 0], [-1, 0.5, 0]]):
        records = np.repeat(people, 300, axis=0)
        means = [mixture.means(mixture.tally(mixture.privatize(records))) for _ in range(700)]
        worst = np.maximum(worst, np.mean((np.array(means) - records.mean(axis=0)) ** 2, axis=0) * 600)
    # Six deviations of a mean of 700 squares.
    assert (worst <= claimed * (1 + 6 * math.sqrt(2 / 700))).all()
    assert (worst >= claimed * (0.97 - 6 * math.sqrt(2 / 700))).all()


def worst_belief(law, i, q):
    """The largest loss of attribute i over beliefs within q, from the law of shape (values, values, codes)."""
    own = np.moveaxis(law, i, 0)
    most, least = own.max(axis=1), own.min(axis=1)
    ratios = [
        ((1 - q) * own[a, u] + q * most[a]) / ((1 - q) * own[b, u] + q * least[b])
        for a in range(own.shape[0])
        for b in range(own.shape[0])
        for u in range(own.shape[1])
    ]
    return float(np.log(np.max(ratios)))


@pytest.mark.parametrize(
    ("deltas", "rest", "epsilon"),
    [(["6", "6"], [1, 1], "6"), (["4", "5"], ["0", "0.001"], "8"), (["3", "6"], [0, 0], "8")],
)
def test_the_claimed_losses_hold_for_the_worst_belief(deltas, rest, epsilon):
    dependence = Dependence.bounded(rest)
    channel = together(*read_deltas(deltas, epsilon, dependence), dependence)
    ((first, second),) = channel.kinds
    assert LevelResponse in {type(first[1]), type(second[1])}
    numbers = np.linspace(-1, 1, 21)
    laws = [law_of(part, numbers) for _, part in (first, second)]
    law = np.einsum("xa,yb->xyab", *laws).reshape(21, 21, -1)
    told = sampling_deltas(channel.types, dependence)
    for i, (delta, q) in enumerate(zip(deltas, rest, strict=True)):
        assert told[i] <= delta
        assert worst_belief(law, i, float(q)) <= float(told[i]) * (1 + 1e-9)
    assert sampling_level(channel.types) <= epsilon


MEANS_ALONE = Dependence.bounded([1, 1], {(0, (1,)): 0, (1, (0,)): 0})
"""Where x_1 is 0 for x_0 = 1, and -1 or 1 for x_0 = -1: equal means, and a level tells all."""


def test_equal_means_do_not_make_levels_harmless():
    deltas, most = read_deltas(["0.5", "4"], "4", MEANS_ALONE)
    # One bit may be asked fully, levels may not.
    assert single_levels(deltas, most, MEANS_ALONE)[1] == Nats.of(4)
    assert answer_levels(deltas, most, MEANS_ALONE) == (Nats.of("0.5"), Nats.of("0.5"))
    harmful = Mixture(2, [[((0,), OneBit("0.5"))], [((1,), LevelResponse.best("4"))]], [1, 1])
    law = law_of(LevelResponse.best("4"), np.array([-1.0, 0, 1]))
    loss = np.abs(np.log((law[0] + law[2]) / 2 / law[1])).max()
    assert loss > 0.6
    assert float(sampling_deltas(harmful.types, MEANS_ALONE)[0]) >= loss * (1 - 1e-12)
    assert not keeps_deltas(harmful, deltas, most, MEANS_ALONE)
    chosen = SampledMean(["0.5", "4"], "4", MEANS_ALONE)
    assert all(told <= delta for told, delta in zip(sampling_deltas(chosen.types, MEANS_ALONE), deltas, strict=True))


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


def test_a_thousand_numbers_by_levels_are_drawn_and_counted():
    d = 1000
    deltas, most = read_deltas(["8"] * d, "8", bounded("0", d))
    mixture = sampled_levels(deltas, most, bounded("0", d), single_levels(deltas, most, bounded("0", d)))
    records = np.tile(np.where(np.arange(d) % 2, 1.0, -1.0), (40_000, 1))
    codes = mixture.privatize(records)
    tally = mixture.tally(codes)
    means = mixture.means(tally)
    assert (np.sign(means) == records[0]).mean() > 0.99
    assert together(deltas, most, bounded("0", d)) is None
    assert Moments.first(d) == mixture.moments
