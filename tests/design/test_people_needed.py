"""People needed: published distances read backwards, the paper's bounds, simulated surveys, and the least number."""

import math

import numpy as np
import pytest

from in_one import in_one
from sordino import (
    Aggregate,
    Blockwise,
    HadamardResponse,
    ProjectiveResponse,
    RandomizedResponse,
    SordinoError,
    people_needed,
)
from sordino.design.accuracy import expected_accuracy
from sordino.estimation.share_estimate import estimate

COTH = {"0.5": 4.082988, "1": 2.163953, "2": 1.313035}
"""(e^eps + 1) / (e^eps - 1)."""

UNEQUAL = np.repeat(np.arange(4), [40, 80, 120, 160])


@in_one(("blocks", "figure"), [(1, 1.216), (10, 0.383), (20, 0.269), (50, 0.170), (100, 0.121)])
def test_published_distances_need_the_people_they_were_measured_with(blocks, figure):
    mechanism = Blockwise(np.arange(1000) % blocks, "1", "hadamard")
    assert people_needed(mechanism, total_variation=figure) == pytest.approx(512_000, rel=0.02)


def test_uniform_protection_of_a_thousand_values():
    assert people_needed(HadamardResponse(1000, "1"), total_variation=2.73) == pytest.approx(1e5, rel=0.01)


@in_one("epsilon", COTH)
@in_one("labels", [np.zeros(300, dtype=int), np.arange(300) % 6, UNEQUAL])
def test_blocks_of_hadamard_have_a_closed_form_and_stay_below_the_papers_bound(labels, epsilon):
    sizes = np.bincount(labels)
    shares = np.random.default_rng(len(sizes)).dirichlet(np.full(len(labels), 5.0))
    per_block = np.bincount(labels, weights=shares)
    closed = 0.39894 * COTH[epsilon] * (sizes * np.sqrt(per_block)).sum()
    mechanism = Blockwise(labels, epsilon, "hadamard")
    found = people_needed(mechanism, total_variation=0.05, shares=shares)
    assert found == pytest.approx((closed / 0.05) ** 2, rel=0.001)
    # Proposition 5, halved: it is printed for the sum of absolute errors.
    bound = COTH[epsilon] * math.sqrt(3 * (sizes**2).sum())
    assert found < (bound / 0.05) ** 2


def test_shares_in_proportion_to_the_squared_sizes_are_the_worst_for_unequal_blocks():
    mechanism = Blockwise(UNEQUAL, "1", "hadamard")
    sizes = np.bincount(UNEQUAL)
    worst = (sizes / (sizes**2).sum())[UNEQUAL]
    needed = people_needed(mechanism, total_variation=0.1, shares=worst)
    assert needed == pytest.approx((0.39894 * COTH["1"] / 0.1) ** 2 * (sizes**2).sum(), rel=0.001)
    rng = np.random.default_rng(3)
    for shares in [np.full(400, 1 / 400), *rng.dirichlet(np.full(400, 0.3), 20)]:
        assert people_needed(mechanism, total_variation=0.1, shares=shares) <= needed


@in_one(
    "mechanism",
    [
        HadamardResponse(12, "2"),
        RandomizedResponse(12, "3"),
        ProjectiveResponse(12, "1"),
        Blockwise(np.arange(12) % 3, "1", "hadamard"),
        Blockwise(np.arange(12) % 4, "2", "randomized"),
    ],
)
@in_one("wanted", ["total_variation", "stderr"])
def test_even_shares_are_the_worst_for_one_block_and_for_equal_blocks(mechanism, wanted):
    even = people_needed(mechanism, **{wanted: 0.02})
    rng = np.random.default_rng(4)
    for shares in [*np.eye(12), *rng.dirichlet(np.full(12, 0.5), 30)]:
        assert people_needed(mechanism, **{wanted: 0.02}, shares=shares) <= even


@pytest.mark.each_value
@pytest.mark.parametrize("subtract_totals", [False, True])
@pytest.mark.parametrize("wanted", ["total_variation", "stderr"])
def test_it_is_the_least_number_that_reaches_the_accuracy(channel, wanted, subtract_totals):
    mechanism = channel.mechanism
    if subtract_totals and mechanism.excess is None:
        with pytest.raises(SordinoError, match="excess"):
            people_needed(mechanism, **{wanted: 0.3}, subtract_totals=True)
        return
    for target in (0.3, 0.01, 0.007):
        found = people_needed(mechanism, **{wanted: target}, subtract_totals=subtract_totals)
        reached = expected_accuracy(mechanism, found, subtract_totals=subtract_totals)
        assert getattr(reached, wanted) <= target * (1 + 1e-11)
        if found > 1:
            missed = expected_accuracy(mechanism, found - 1, subtract_totals=subtract_totals)
            assert getattr(missed, wanted) > target * (1 - 1e-11)


def test_an_accuracy_that_a_whole_number_reaches_exactly_is_not_rounded_up():
    for people in (1, 2, 3, 7, 49, 1000, 123_457, 10**9 + 7):
        reached = expected_accuracy(HadamardResponse(5, "1"), people, subtract_totals=False)
        assert people_needed(HadamardResponse(5, "1"), total_variation=reached.total_variation) == people


def test_both_accuracies_are_reached():
    mechanism = Blockwise([0, 0, 1, 1, 1], "1")
    few, many = people_needed(mechanism, total_variation=0.1), people_needed(mechanism, stderr=0.001)
    assert few < many == people_needed(mechanism, total_variation=0.1, stderr=0.001)
    assert people_needed(mechanism, total_variation=1e-4, stderr=0.5) == people_needed(mechanism, total_variation=1e-4)


def test_where_nothing_is_unknown_one_person_is_enough():
    assert people_needed(RandomizedResponse(1, "1"), total_variation=0.001) == 1


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("mechanism", [HadamardResponse(20, "1"), Blockwise(np.arange(20) % 2, "1", "projective")])
def test_simulated_surveys_of_that_many_people_are_as_exact_as_wanted(mechanism):
    shares = np.random.default_rng(8).dirichlet(np.ones(20))
    people = people_needed(mechanism, total_variation=0.2, shares=shares)
    rng = np.random.default_rng(9)
    surveys = rng.multinomial(people, mechanism.forward(shares), size=400)
    distances = [
        np.abs(estimate(mechanism, Aggregate(mechanism.fingerprint, people, counts)).value - shares).sum() / 2
        for counts in surveys
    ]
    error = np.std(distances) / np.sqrt(len(distances))
    assert error < 0.002
    assert np.mean(distances) == pytest.approx(0.2, abs=6 * error)


@pytest.mark.parametrize("wanted", [{}, {"total_variation": 0.0}, {"stderr": -1.0}, {"stderr": math.inf}])
def test_an_accuracy_that_means_nothing_is_refused(wanted):
    with pytest.raises(SordinoError):
        people_needed(HadamardResponse(5, "1"), **wanted)


def test_not_a_number_is_refused():
    with pytest.raises(SordinoError, match="total_variation must be above 0"):
        people_needed(HadamardResponse(5, "1"), total_variation=math.nan)


def test_reports_that_tell_nothing_are_refused():
    with pytest.raises(SordinoError, match="raise epsilon"):
        people_needed(HadamardResponse(5, 0), total_variation=0.1)
