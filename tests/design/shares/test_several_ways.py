"""The choice among ways to ask for categories of which several apply: by formulas of its own, and never a worse one."""

from math import comb, exp, sqrt

import numpy as np
import pytest

from in_one import in_one
from sordino import LDP, Nats, certify, plan
from sordino.design.shares.several_ways import best_meeting_sizes, best_way, ways_to_ask
from sordino.domain.choices import Choices
from sordino.survey.schema.expected_people import expected_of_combinations, expected_of_marks

PEOPLE = 10_000


def chances(sizes, epsilon):
    """How often a code holds an item of the set, and another: codes that meet the set weigh e^epsilon, others 1."""
    items, chosen, size, least = sizes
    shared = range(max(0, size + chosen - items), min(size, chosen) + 1)
    weights = {
        j: comb(chosen, j) * comb(items - chosen, size - j) * (exp(epsilon) if j >= least else 1) for j in shared
    }
    own = sum(j * weight for j, weight in weights.items()) / sum(weights.values())
    return own / chosen, (size - own) / (items - chosen)


def variance(sizes, epsilon, share):
    """Of the estimated share of an item, times the number of reports."""
    hit, miss = chances(sizes, epsilon)
    held = share * hit + (1 - share) * miss
    return held * (1 - held) / (hit - miss) ** 2 if hit > miss else np.inf


def of_names(count, most):
    return Choices(tuple(f"name {place}" for place in range(count)), most)


def chosen(count, most, epsilon, code_bits=64):
    """The best way where all combinations are equally common, and the variances of the marks."""
    choices = of_names(count, most)
    combinations = expected_of_combinations(None, choices) if choices.is_listed else None
    marks = expected_of_marks(None, choices)
    way = best_way(choices, Nats.of(epsilon), combinations, marks, code_bits)
    return way, way.variances(combinations, marks), marks


@in_one(("epsilon", "most"), [("1", 0.0317), ("2", 0.0139), ("4", 0.0074)])
def test_twenty_names_of_which_three_apply(epsilon, most):
    """All sets of at most three equally likely: each share is .141."""
    way, variances, marks = chosen(20, 3, epsilon)
    assert way.way == "meeting"
    assert marks[0] == pytest.approx(0.141, abs=5e-4)
    errors = np.sqrt(variances / PEOPLE)
    assert errors.mean() <= most
    by_formula = [sqrt(variance(way.mechanism.sizes, float(Nats.of(epsilon)), share) / PEOPLE) for share in marks]
    np.testing.assert_allclose(errors, by_formula, rtol=1e-9)


@in_one(("epsilon", "fewer"), [("1", 5.2), ("2", 6.5), ("4", 14)])
def test_sixty_names_take_fewer_people(epsilon, fewer):
    """Than one category that is drawn: yes or no by a coin about one of the 61 marks."""
    _, variances, marks = chosen(60, 3, epsilon)
    heads = exp(float(Nats.of(epsilon))) / (1 + exp(float(Nats.of(epsilon))))
    yes = marks * heads + (1 - marks) * (1 - heads)
    one_drawn = len(marks) * yes * (1 - yes) / (2 * heads - 1) ** 2
    # As the ratio was told: to two digits.
    assert one_drawn.sum() / variances.sum() > fewer - 0.05 * (1 if fewer < 10 else 10)


@in_one(
    ("count", "most", "epsilon"),
    [
        (count, most, epsilon)
        for count in (2, 3, 4, 6, 10, 20, 60)
        for most in sorted({1, 2, 3, count // 2, count} & {*range(1, count + 1)})
        for epsilon in ("1/2", "1", "3", "6")
    ],
)
def test_no_way_is_chosen_that_is_worse_than_another(count, most, epsilon):
    """Nor than the ways without sets that meet, which they are one candidate among."""
    way, variances, marks = chosen(count, most, epsilon)
    choices = way.choices
    combinations = expected_of_combinations(None, choices) if choices.is_listed else None
    for other in ways_to_ask(choices, Nats.of(epsilon), 64, marks):
        assert variances.sum() <= other.variances(combinations, marks).sum() * (1 + 1e-9)


@in_one(("items", "most", "epsilon"), [(5, 2, 0.5), (6, 3, 4), (9, 3, 2), (12, 2, 1), (8, 4, 6), (14, 5, 3)])
def test_the_best_sizes_are_those_of_all_that_there_are(items, most, epsilon):
    shares = np.random.default_rng(items).dirichlet(np.ones(items))[: items - most]
    found = best_meeting_sizes(items, most, epsilon, shares, 64)
    every = [(items, most, size, least) for size in range(1, items) for least in range(1, min(size, most) + 1)]
    every = [sizes for sizes in every if sizes[3] > sizes[2] + most - items]
    least = min(sum(variance(sizes, epsilon, share) for share in shares) for sizes in every)
    assert sum(variance(found, epsilon, share) for share in shares) == pytest.approx(least, rel=1e-9)


@in_one("code_bits", [2, 8, 16, 64])
def test_codes_fit_the_report(code_bits):
    found = best_meeting_sizes(63, 3, 1.0, np.full(60, 0.05), code_bits)
    if code_bits < 6:
        assert found is None
    else:
        assert found.codes <= 1 << code_bits


def test_thousands_of_names_are_asked_by_the_best_sizes_whose_codes_fit():
    found = best_meeting_sizes(5003, 3, 1.0, np.full(5000, 3 / 5000), 64)
    assert found == (5003, 3, 5, 1)
    assert found.codes < 1 << 64 < comb(5003, 6)
    # The published figure for 64 bits.
    assert variance(found, 1.0, 3 / 5000) == pytest.approx(344, rel=0.02)


def test_more_sets_than_a_number_of_json_are_not_asked():
    assert best_meeting_sizes(90, 30, 1.0, np.full(60, 0.1), 64) is None
    assert "meeting" not in {way.way for way in ways_to_ask(of_names(60, 30), Nats.of(1), 64, np.full(61, 0.1))}


@in_one("epsilon", ["1/100000000000000", "1/10000000000", "30", "90"])
def test_any_epsilon_has_a_way(epsilon):
    """Of sets that meet too, unless no coin is as fine as the promise."""
    for count, most in ((4, 2), (30, 5), (60, 3)):
        way, variances, _ = chosen(count, most, epsilon)
        assert certify(way.mechanism, LDP(epsilon)).holds
        assert np.isfinite(variances).all()


def test_what_is_expected_decides():
    """Names that are rare are asked otherwise than ones that all are common."""
    attribute = {"categories": [f"c{place}" for place in range(12)], "several": 4}
    parts = []
    for share in (0.01, 0.3):
        expected = dict.fromkeys(attribute["categories"], share)
        survey = {"version": 1, "epsilon": "2", "attribute": {"x": {**attribute, "expected": expected}}}
        (question,) = plan(survey | {"ask": [{"several": "x"}]}, PEOPLE).questions
        choices = question.choices
        marks = expected_of_marks(expected, choices)
        combinations = expected_of_combinations(expected, choices)
        best = min(way.variances(combinations, marks).sum() for way in ways_to_ask(choices, Nats.of(2), 64, marks))
        assert question.asked_way.variances(combinations, marks).sum() == pytest.approx(best, rel=1e-6)
        parts.append(question.asked_way.variances(combinations, marks).sum())
    assert parts[0] != parts[1]
