"""Panels: every person's decisions are those of a filter of their own; how fast; estimates after stopping."""

import math
from time import process_time

import numpy as np
import pytest

from in_one import in_one
from sordino import (
    LDP,
    BayesianFilter,
    BlockLDP,
    Categories,
    ChannelTable,
    CoordinateDP,
    HadamardResponse,
    HighLow,
    HighLowLDP,
    Nats,
    Panel,
    RandomizedResponse,
    SordinoError,
    SubsetSelection,
    estimate_stopped,
)
from sordino.accounting import panel as panels
from sordino.papers.simulation import SimulationSource

FIVE = Categories(range(5))
MENU = [
    RandomizedResponse(5, "0.5"),
    HadamardResponse(5, "0.5"),
    ChannelTable([[3, 1], [1, 3], [3, 1], [1, 3], [2, 2]]),
    SubsetSelection(5, "0.25"),
    ChannelTable([[1, 1], [1, 1], [2, 0], [2, 0], [1, 1]]),
]


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("rule", ["full", "simplified"])
@pytest.mark.parametrize(
    "definition",
    [LDP("1"), LDP("2"), BlockLDP([0, 0, 1, 1, 2], "1"), HighLowLDP(5, [0, 3], "1")],
    ids=["one", "two", "blocks", "high-low"],
)
def test_everybody_is_decided_on_like_alone(definition, rule):
    people, rng = 40, np.random.default_rng(5)
    values = rng.integers(0, 5, people)
    panel = Panel(FIVE, definition, people, rule)
    alone = [BayesianFilter(FIVE, definition, rule) for _ in range(people)]
    decisions, answers = set(), np.zeros(people, dtype=int)
    for step in range(14):
        query = MENU[rng.integers(len(MENU))]
        accepted = panel.accepts(query)
        assert accepted.tolist() == [one.accepts(query) for one in alone]
        decisions |= set(accepted.tolist())
        asked = accepted & (rng.random(people) < 0.8)
        answers += asked
        codes = query.privatize(values[asked], SimulationSource(step))
        panel = panel.after(query, codes, asked)
        for person, code in zip(np.flatnonzero(asked).tolist(), codes.tolist(), strict=True):
            alone[person] = alone[person].after(query, code)
        np.testing.assert_allclose(panel.spent, [one.spent for one in alone], atol=1e-11)
        assert (panel.spent >= [one.realized.lower if isinstance(definition, LDP) else 0 for one in alone]).all()
    assert decisions == {True, False}
    assert panel.answered.tolist() == answers.tolist()


@pytest.mark.parametrize("epsilon", ["0.1", "ln 3"])
def test_the_boundary_is_exact_for_everybody(epsilon):
    """A coin again and again until three more of one side: as many answers as the walk needs, and no fewer."""
    coin, people = RandomizedResponse(2, epsilon), 200
    budget = Nats.of(epsilon) + epsilon + epsilon
    panel = Panel(Categories(["no", "yes"]), LDP(budget), people)
    ones = np.zeros(people, dtype=int)
    for step in range(40):
        asked = panel.accepts(coin)
        assert (asked == (np.abs(ones) < 3)).all()
        codes = coin.privatize(np.zeros(int(asked.sum()), dtype=int), SimulationSource(step))
        panel = panel.after(coin, codes, asked)
        ones[asked] += np.where(codes == 0, 1, -1)
    assert asked.mean() < 0.05


def test_a_hair_beyond_the_budget_is_refused_for_everybody():
    heavy = ChannelTable([[3 * 10**17 + 1, 10**17 - 1], [10**17 - 1, 3 * 10**17 + 1]])
    light = ChannelTable([[3, 1], [1, 3]])
    for query, fits in ((heavy, False), (light, True)):
        panel = Panel(Categories(["no", "yes"]), LDP("ln 9"), 3).after(query, [0, 1, 0])
        assert panel.accepts(query).tolist() == [fits] * 3


@pytest.mark.long
@pytest.mark.parametrize("rule", ["full", "simplified"])
def test_a_thousand_values_at_a_hundred_thousand_people_a_second(rule):
    k, people, rng = 1000, 20_000, np.random.default_rng(1)
    query = ChannelTable([[1052, 1000] if side else [1000, 1052] for side in rng.integers(0, 2, k)])
    panel, values, seconds = Panel(Categories(range(k)), LDP("0.2"), people, rule), rng.integers(0, k, people), 0.0
    panel.accepts(query)
    for step in range(12):
        start = process_time()
        asked = panel.accepts(query)
        seconds += process_time() - start
        codes = query.privatize(values[asked], SimulationSource(step))
        start = process_time()
        panel = panel.after(query, codes, asked)
        seconds += process_time() - start
    assert 12 * people / seconds >= 100_000


def exact_naive_mean(epsilon, budget):
    """E[a person's mean of debiased coins | +1], stopped at +-budget: the law of the walk, step by step."""
    heads, scale = 1 / (1 + math.exp(-epsilon)), 1 / math.tanh(epsilon / 2)
    law, mean = np.zeros(2 * budget + 1), 0.0
    law[budget] = 1
    for n in range(1, 4000):
        moved = np.zeros_like(law)
        moved[1:] += law[:-1] * heads
        moved[:-1] += law[1:] * (1 - heads)
        mean += (moved[-1] - moved[0]) * budget / n * scale
        moved[0] = moved[-1] = 0
        law = moved
    return mean


@pytest.mark.long
def test_means_over_stopped_people_are_biased_and_likelihood_is_not():
    """A truth of -0.415 looks like -0.726 by each person's mean, and like itself by the likelihood."""
    people, truth, coin = 5_000, -0.415, RandomizedResponse(2, "0.1")
    values = (np.arange(people) >= people * (1 + truth) / 2).astype(int)
    panel = Panel(Categories(["plus", "minus"]), LDP("1"), people)
    total, count = np.zeros(people), np.zeros(people)
    for step in range(2000):
        asked = panel.accepts(coin)
        if not asked.any():
            break
        codes = coin.privatize(values[asked], SimulationSource(7, step))
        panel = panel.after(coin, codes, asked)
        total[asked] += np.where(codes == 0, 1, -1) / math.tanh(0.05)
        count[asked] += 1
    assert not asked.any()
    naive = float((total / count).mean())
    assert naive == pytest.approx(truth * exact_naive_mean(0.1, 10), abs=0.08)
    assert naive < -0.6
    found = estimate_stopped(panel.log_likelihood)
    mean, error = found.value[0] - found.value[1], 2 * found.stderr[0]
    assert 0.01 < error < 0.05
    assert abs(mean - truth) < 4 * error
    assert abs(naive - truth) > 8 * error


@in_one(
    ("make", "words"),
    [
        (lambda: Panel(FIVE, CoordinateDP([1]), 3), "offered"),
        (lambda: Panel(FIVE, LDP(1), 3, "strict"), "rule"),
        (lambda: Panel(FIVE, BlockLDP([0, 0], 1), 3), "5 values"),
        (lambda: Panel(FIVE, LDP(1), -1), "people"),
        (lambda: Panel(FIVE, LDP(1), 3).accepts(RandomizedResponse(2, 1)), "5 values"),
        (lambda: Panel(FIVE, LDP(1), 3).accepts("age"), "5 values"),
        (lambda: Panel(FIVE, LDP(1), 3).after(MENU[0], [0, 1]), "one code"),
        (lambda: Panel(FIVE, LDP(1), 3).after(MENU[0], [0, 1, 5]), "one code"),
        (lambda: Panel(FIVE, LDP(1), 3).after(MENU[0], [0, 1, 1.5]), "whole numbers"),
        (lambda: Panel(FIVE, LDP(1), 3).after(MENU[0], [0], [True]), "3 people"),
        (lambda: Panel(FIVE, LDP("0.1"), 3).after(MENU[0], [0, 1, 2]), "accepts"),
    ],
)
def test_bad_input_is_refused(make, words):
    with pytest.raises(SordinoError, match=words):
        make()


def test_a_query_that_nobody_is_asked_tells_nothing():
    """Also one whose answers are too many to be listed."""
    subsets = SubsetSelection(50, "1")
    panel = Panel(Categories(range(50)), LDP("1"), 3)
    panel = panel.after(subsets, subsets.privatize([1, 2, 3]))
    asked = panel.accepts(subsets)
    assert not asked.any()
    after = panel.after(subsets, [], asked)
    np.testing.assert_allclose(after.spent, panel.spent, atol=1e-12)
    assert after.answered.tolist() == [1, 1, 1]


def test_a_block_that_is_impossible_refuses_nothing():
    """The first answer tells the block; what the next one would have told in the other is no loss any more."""
    blocks = BlockLDP([0, 0, 1, 1, 1], "1")
    told = ChannelTable([[1, 0], [1, 0], [0, 1], [0, 1], [0, 1]])
    later = ChannelTable([[9, 1], [1, 9], [5, 5], [5, 5], [5, 5]])
    panel, alone = Panel(FIVE, blocks, 2).after(told, [0, 1]), BayesianFilter(FIVE, blocks)
    expected = [alone.after(told, code).accepts(later) for code in (0, 1)]
    assert panel.accepts(later).tolist() == expected == [False, True]


def test_likelihoods_lie_as_near_to_nothing_as_the_panel_takes_them_for(monkeypatch):
    """Its margin for rounding grows with their distance, which it adds up and looks at only now and then."""
    monkeypatch.setattr(panels, "LARGEST_REACH", 3.0)
    coin, codes = RandomizedResponse(5, "0.7"), np.arange(6) % 3
    panel, reaches = Panel(FIVE, LDP("9"), 6), []
    for step in range(9):
        asked = np.arange(6) % 4 != step % 4
        panel = panel.after(coin, codes[asked] if step % 2 else (codes[asked] + step) % 5, asked)
        reaches.append(panel._reach)
        assert np.abs(panel.log_likelihood).max() <= panel._reach * (1 + 1e-12)
    assert reaches[:4] == pytest.approx([0.7, 1.4, 2.1, 2.8])
    assert max(reaches[4:]) < 3.6


def test_who_is_not_asked_keeps_likelihood_and_loss():
    """Answers of some, whose columns are listed or not, leave those of all others as they were."""
    for query in (RandomizedResponse(5, "0.5"), SubsetSelection(25, "0.5")):
        domain, people = Categories(range(query.k)), 300
        first = query.privatize(np.arange(people) % query.k, SimulationSource(0))
        before = Panel(domain, LDP("3"), people).after(query, first)
        asked = np.arange(people) % 7 == 0
        after = before.after(query, first[asked], asked)
        np.testing.assert_array_equal(after.log_likelihood[~asked], before.log_likelihood[~asked])
        np.testing.assert_allclose(after.log_likelihood[asked], 2 * before.log_likelihood[asked], rtol=1e-12)
        np.testing.assert_allclose(after.spent, np.where(asked, 2, 1) * before.spent, rtol=1e-12)


def test_answers_that_all_tell_a_value_are_looked_at_like_others():
    """Of a thousand values the last answers tell one each, and none of them is of the values that hide."""
    query, domain = HighLow(1_000, range(10), "0.3"), Categories(range(1_000))
    promise = HighLowLDP(1_000, range(10), "0.5")
    codes = [query.outputs - 1, int(query.inner.privatize([3], SimulationSource(1))[0])]
    alone = [BayesianFilter(domain, promise).after(query, code) for code in codes]
    panel = Panel(domain, promise, 2).after(query, codes)
    assert panel.accepts(query).tolist() == [one.accepts(query) for one in alone]
    assert query.marks(np.empty(0, dtype=np.uint64))[1].shape == (0, 1_000)
