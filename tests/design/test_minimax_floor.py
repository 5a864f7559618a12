"""Floors on total variation: never above the Bayes risk of real channels by enumeration, nor what mechanisms reach."""

from itertools import combinations_with_replacement, product
from math import exp, factorial

import numpy as np
import pytest

from sordino import (
    LDP,
    BlockLDP,
    Blockwise,
    HadamardResponse,
    HighLow,
    HighLowLDP,
    RandomizedResponse,
    SordinoError,
    SubsetSelection,
    best_mechanism,
    estimate,
    people_needed,
)
from sordino.design import minimax_floor
from sordino.design.accuracy import expected_accuracy
from sordino.papers import people_floor, total_variation_floor
from sordino.papers.simulation import SimulationSource, simulate_tally

GAMMAS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.85, 1.0)


def dense(mechanism):
    return np.array(
        [[mechanism.weight(x, y) / mechanism.denominator for y in range(mechanism.outputs)] for x in range(mechanism.k)]
    )


def bayes_risk(channel, populations, people):
    """The least mean total variation of any estimator, for a population drawn evenly from a list, by all tallies.

    The best estimate of each share is its posterior median: nothing asks that estimates are shares.
    """
    codes = populations @ channel
    risk = 0.0
    for reports in combinations_with_replacement(range(channel.shape[1]), people):
        counts = np.bincount(reports, minlength=channel.shape[1])
        ways = factorial(people) / np.prod([float(factorial(count)) for count in counts])
        weight = ways * np.prod(codes**counts, axis=1) / len(populations)
        for share in populations.T:
            order = np.argsort(share)
            middle = share[order[np.searchsorted(np.cumsum(weight[order]), weight.sum() / 2)]]
            risk += float(weight @ np.abs(share - middle)) / 2
    return risk


def pairs(gamma, points=201):
    theta = np.linspace(-gamma, gamma, points)
    return np.column_stack([1 + theta, 1 - theta]) / 2


def triples(gamma, points=41):
    grid = np.linspace(-gamma, gamma, points)
    kept = [(a, b, -a - b) for a, b in product(grid, repeat=2) if abs(a + b) <= gamma + 1e-12]
    return (1 + np.array(kept)) / 3


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("people", [1, 2, 5, 20, 60])
def test_no_coin_about_two_values_beats_the_floor(epsilon, people):
    floor = total_variation_floor(LDP(str(epsilon)), people, values=2).total_variation
    heads = exp(epsilon) / (exp(epsilon) + 1)
    lopsided = np.array([[0.9, 0.1], [1 - 0.1 * exp(epsilon), 0.1 * exp(epsilon)]]) if epsilon < 2 else None
    for channel in (np.array([[heads, 1 - heads], [1 - heads, heads]]), lopsided):
        if channel is not None:
            assert floor <= max(bayes_risk(channel, pairs(gamma), people) for gamma in GAMMAS) * (1 + 1e-3)
    fair = np.array([[heads, 1 - heads], [1 - heads, heads]])
    assert max(bayes_risk(fair, pairs(gamma), people) for gamma in GAMMAS) < 2.5 * floor


@pytest.mark.parametrize("people", [1, 3, 5])
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_no_channel_of_three_values_beats_the_floor(epsilon, people):
    floor = total_variation_floor(LDP(str(epsilon)), people, values=3).total_variation
    rise = exp(epsilon)
    halves = np.array([[rise, 1], [1, rise], [1, rise]]) / (rise + 1)
    for channel in (dense(RandomizedResponse(3, str(epsilon))), dense(SubsetSelection(3, str(epsilon), 2)), halves):
        assert floor <= max(bayes_risk(channel, triples(gamma), people) for gamma in GAMMAS) * 1.01


@pytest.mark.parametrize("people", [1, 4, 12])
def test_values_that_are_not_sensitive_are_hard_enough(people):
    definition = HighLowLDP(3, [0], "0.5")
    floor = total_variation_floor(definition, people).total_variation
    channel = dense(best_mechanism(3, definition))
    risks = []
    for gamma in GAMMAS:
        populations = np.column_stack([np.zeros(201), pairs(gamma)])
        risks.append(bayes_risk(channel, populations, people))
    assert floor <= max(risks) * (1 + 1e-3)
    # The bound of a report: not all of it can be about values that are not sensitive.
    assert floor > total_variation_floor(HighLowLDP(3, [0], "5"), people).total_variation


def revealed(channel, populations):
    """Mutual information of a report and a population that is drawn evenly from a list, in nats."""
    codes = populations @ channel
    mean = codes.mean(axis=0)
    sent = mean > 0
    ratio = np.where(codes[:, sent] > 0, codes[:, sent] / mean[sent], 1.0)
    return float((codes[:, sent] * np.log(ratio)).sum(axis=1).mean())


def test_one_report_reveals_no_more_than_the_floor_takes_it_to():
    sensitive = HighLowLDP(3, [0], "0.7")
    free = np.column_stack([np.zeros(2001), pairs(0.2, 2001)])
    cases = [
        (LDP("1"), 2, dense(RandomizedResponse(2, "1")), pairs(0.2, 2001), 0.99),
        (LDP("0.5"), 3, dense(RandomizedResponse(3, "0.5")), triples(0.2, 201), 0.7),
        (LDP("2"), 3, dense(SubsetSelection(3, "2", 1)), triples(0.2, 201), 0.7),
        (sensitive, None, dense(best_mechanism(3, sensitive)), free, 0.99),
    ]
    for definition, values, channel, populations, least in cases:
        (block,) = minimax_floor._blocks(definition, values)
        kappa = (1.2 * np.log(1.2) + 0.8 * np.log(0.8)) / 0.04
        bound = kappa * 0.04 * (len(block.values) - 1) * block.c / 6
        assert least * bound < revealed(channel, populations) <= bound * (1 + 1e-3)


def test_the_floor_of_two_values_is_the_best_of_its_formula():
    for epsilon, people in product((0.5, 2.0), (1, 10, 1000)):
        gamma = np.linspace(1e-4, 1, 20_000)
        kappa = ((1 + gamma) * np.log1p(gamma) + np.append((1 - gamma[:-1]) * np.log(1 - gamma[:-1]), 0)) / gamma**2
        slope = np.tanh(epsilon / 2) ** 2
        best = (gamma / (2 * np.e) * np.exp(-people * kappa * gamma**2 * slope / 6)).max()
        found = total_variation_floor(LDP(str(epsilon)), people, values=2).total_variation
        assert 0.97 * best < found <= best


DEFINITIONS = {
    "all": (LDP("1"), SubsetSelection(40, "1"), 40),
    "hadamard": (LDP("2"), HadamardResponse(31, "2"), 31),
    "blocks": (BlockLDP([range(20), range(20, 40)], "1"), Blockwise([range(20), range(20, 40)], "1"), None),
    "unequal": (
        BlockLDP([range(30), range(30, 34), [34, 35], [36]], "1"),
        Blockwise([range(30), range(30, 34), [34, 35], [36]], "1"),
        None,
    ),
    "sensitive": (HighLowLDP(60, range(8), "1"), HighLow(60, range(8), "1"), None),
    "many-sensitive": (HighLowLDP(60, range(40), "2"), HighLow(60, range(40), "2"), None),
}


@pytest.mark.parametrize("name", DEFINITIONS)
@pytest.mark.parametrize("people", [30, 1_000, 100_000])
def test_mechanisms_stay_above_the_floor_and_near_it_with_many_people(name, people):
    definition, mechanism, values = DEFINITIONS[name]
    floor = total_variation_floor(definition, people, values)
    assert floor.shares.sum() == pytest.approx(1)
    assert (floor.shares >= 0).all()
    reached = expected_accuracy(mechanism, people, subtract_totals=False, shares=floor.shares).total_variation
    assert floor.total_variation < reached
    if people == 100_000:
        assert reached < (3.6 if name == "hadamard" else 2.9) * floor.total_variation
    runs = []
    for run in range(12):
        generator = np.random.default_rng((people, run))
        # Shares as far from the middle as reports of so many people can hide, and no farther.
        theta = generator.uniform(-1, 1, mechanism.k) * min(1.0, 2 * floor.total_variation)
        drawn = floor.shares * (1 + theta)
        drawn /= drawn.sum()
        tally = simulate_tally(mechanism, generator.multinomial(people, drawn), SimulationSource(people, run))
        runs.append(np.abs(estimate(mechanism, tally, "simplex").by_method - drawn).sum() / 2)
    assert floor.total_variation < np.mean(runs) * 1.15


def test_fewest_people_are_those_of_the_floor():
    definition = HighLowLDP(60, range(8), "1")
    fewest = people_floor(definition, 0.05)
    assert total_variation_floor(definition, fewest).total_variation <= 0.05
    assert total_variation_floor(definition, fewest - 1).total_variation > 0.05
    needed = people_needed(HighLow(60, range(8), "1"), total_variation=0.05)
    assert fewest < needed < 12 * fewest
    assert people_floor(LDP("1"), 0.9, values=4) == 1
    assert people_floor(BlockLDP([[0], [1]], "1"), 0.01) == 1


def test_floors_fall_as_protection_and_people_do():
    floors = [total_variation_floor(LDP(epsilon), 10_000, values=50).total_variation for epsilon in ("0.5", "1", "4")]
    assert floors == sorted(floors, reverse=True)
    by_people = [total_variation_floor(LDP("1"), people, values=50).total_variation for people in (1, 10, 10**3, 10**6)]
    assert by_people == sorted(by_people, reverse=True)
    assert total_variation_floor(BlockLDP([[0], [1]], "1"), 10).total_variation == 0
    # Four times the people halve it, once there are many.
    assert by_people[3] / total_variation_floor(LDP("1"), 4 * 10**6, values=50).total_variation == pytest.approx(
        2, abs=0.01
    )


def test_the_chance_of_a_small_sum_is_that_of_volumes():
    _irwin_hall, _spread = minimax_floor._irwin_hall, minimax_floor._spread
    generator = np.random.default_rng(5)
    for m in (1, 2, 3, 8):
        sums = np.abs(generator.uniform(-1, 1, (400_000, m)).sum(axis=1)) <= 1
        assert _spread(m) ** m == pytest.approx(sums.mean(), abs=0.004)
    assert _irwin_hall(3, 3) == 1
    assert _irwin_hall(2, 1) == 0.5
    assert _spread(41) < _spread(40) < 1


def test_what_makes_no_floor_is_refused():
    with pytest.raises(SordinoError, match="one person"):
        total_variation_floor(LDP("1"), 0, values=3)
    with pytest.raises(SordinoError, match="known once"):
        total_variation_floor(LDP("1"), 10)
    with pytest.raises(SordinoError, match="known once"):
        total_variation_floor(HighLowLDP(3, [0], "1"), 10, values=3)
    with pytest.raises(SordinoError, match="above 0"):
        people_floor(HighLowLDP(3, [0], "1"), 0.0)
    with pytest.raises(SordinoError, match="counted up to"):
        people_floor(LDP("1e-9"), 1e-6, values=3)
