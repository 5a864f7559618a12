"""How far fitted shares are forecast to be is how far they are found, and costs few simulated surveys."""

import numpy as np
import pytest

from sordino import LDP, Blockwise, HighLow, Plan, RandomizedResponse, SubsetSelection, Survey, best_mechanism
from sordino.design.shares.fitted_distance import FEWEST, MOST, ExpectedEstimates, fitted_distance, mean_of_draws
from sordino.estimation.share_estimate import estimate, nearest_method

MAP = {"south": 25, "north": 50, "west": -130, "east": -60}


def asked(attribute, people):
    survey = {"version": 1, "epsilon": "1", "attribute": {"x": attribute}, "ask": [{"histogram": "x"}]}
    (question,) = Plan.of(Survey.read(survey), people).questions
    return question.mechanism, question.part.subtract_totals


def of(mechanism, *, subtract_totals=False):
    return lambda people: (mechanism, subtract_totals)


# What is asked, the people of a survey, and how many surveys are made.
CASES = {
    "two values": (of(RandomizedResponse(2, "1")), 500, 400),
    "twelve values, counted by value": (of(SubsetSelection(12, "1")), 1000, 100),
    "plain": (of(best_mechanism(100, LDP("1"))), 20_000, 20),
    "many values": (of(best_mechanism(1000, LDP("1"))), 100_000, 2),
    "blocks": (lambda n: asked({"categories": 200, "protect": {"blocks": 10}}, n), 20_000, 20),
    "blocks, totals subtracted": (of(Blockwise(np.arange(60) // 6, "1", "hadamard"), subtract_totals=True), 5000, 60),
    "blocks, counted by value": (of(Blockwise(np.arange(60) // 15, "1", "subset")), 5000, 60),
    "sensitive values": (of(HighLow(40, range(0, 40, 3), "1", "subset")), 5000, 60),
    "a line": (lambda n: asked({"categories": 60, "protect": {"metric": {"per": 2}}}, n), 20_000, 30),
    "a map": (lambda n: asked({"grid": {**MAP, "rows": 25, "columns": 70}}, n), 100_000, 2),
    "a map by distance": (
        lambda n: asked({"grid": {**MAP, "rows": 25, "columns": 70}, "protect": {"metric": {"per": "200 km"}}}, n),
        100_000,
        3,
    ),
    "a map in blocks": (
        lambda n: asked({"grid": {**MAP, "rows": 125, "columns": 350}, "protect": {"blocks": [5, 5]}}, n),
        200_000,
        1,
    ),
}


def few(k):
    shares = 1 / np.random.default_rng(1).permutation(np.arange(1, k + 1))
    return shares / shares.sum()


@pytest.mark.statistical
@pytest.mark.parametrize("known", [False, True], ids=["alike", "few"])
@pytest.mark.parametrize("case", CASES)
def test_fitted_shares_are_as_far_as_forecast(case, known):
    make, people, surveys = CASES[case]
    mechanism, subtract = make(people)
    shares = few(mechanism.k) if known else np.full(mechanism.k, 1 / mechanism.k)
    rng, found = np.random.default_rng(5), []
    for _ in range(surveys):
        codes = mechanism.privatize(rng.choice(mechanism.k, people, p=shares))
        fitted = estimate(mechanism, mechanism.tally(codes), nearest_method(mechanism), subtract_totals=subtract).fitted
        found.append(np.abs(fitted - shares).sum() / 2)
    forecast = fitted_distance(ExpectedEstimates(mechanism, people, subtract, shares if known else None))
    spread = np.std(found, ddof=1) / np.sqrt(surveys) if surveys > 1 else 0.0
    assert abs(forecast - np.mean(found)) < 0.05 * np.mean(found) + 4 * spread


def test_no_more_surveys_are_simulated_than_the_mean_needs(monkeypatch):
    draw, drawn = ExpectedEstimates.draw_several, []
    monkeypatch.setattr(
        ExpectedEstimates,
        "draw_several",
        lambda self, rng, count: drawn.extend([self] * count) or draw(self, rng, count),
    )
    counts = []
    for k in (2, 100, 1000, 2000):
        drawn.clear()
        fitted_distance(ExpectedEstimates(best_mechanism(k, LDP("1")), 100_000, False))
        counts.append(len(drawn))
    assert counts == sorted(counts, reverse=True)
    assert counts[0] <= MOST
    assert counts[2] <= 12
    assert counts[3] == FEWEST


def test_the_mean_of_draws_is_known_to_a_hundredth():
    rng, drawn = np.random.default_rng(2), []
    draws = iter(lambda: drawn.append(1) or rng.normal(1, 0.1), None)
    means = [mean_of_draws(draws) for _ in range(60)]
    assert np.sqrt(np.mean((np.array(means) - 1) ** 2)) < 0.02
    assert len(drawn) / 60 < 200


@pytest.mark.parametrize(
    "mechanism", [best_mechanism(4, LDP("1")), SubsetSelection(12, "1"), Blockwise([0, 0, 1, 1, 1], "1")]
)
def test_surveys_that_are_drawn_together_are_those_that_are_drawn_one_by_one(mechanism):
    expected = ExpectedEstimates(mechanism, 50, False)
    values, totals = expected.draw_several(np.random.default_rng(3), 30)
    rng = np.random.default_rng(3)
    alone = [expected.draw(rng) for _ in range(30)]
    for one, total, (value, own) in zip(values, totals, alone, strict=True):
        assert one.tobytes() == value.tobytes()
        assert total.tobytes() == own.tobytes()
    found = [expected.distance(expected.nearest(*one)) for one in alone]
    assert expected.distances(values, totals).tolist() == found


def test_a_mean_is_that_of_the_first_draws_that_are_enough():
    draws = np.random.default_rng(4).normal(1, 0.05, 400)
    enough = next(n for n in range(FEWEST, 401) if np.std(draws[:n], ddof=1) <= 0.01 * np.mean(draws[:n]) * np.sqrt(n))
    assert mean_of_draws(iter(draws.tolist())) == float(np.mean(draws[:enough]))
    assert mean_of_draws(iter([1.0] * 400)) == 1.0
    assert mean_of_draws(iter([0.0] * 400)) == 0.0
