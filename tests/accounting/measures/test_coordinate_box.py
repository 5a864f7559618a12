"""Filters over boxes with a bound for each number: never past the definition, by brute force; what they accept."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from chances import whole_chances
from sordino import (
    BayesianCoordinateDP,
    BayesianFilter,
    Box,
    CoordinateDP,
    LinearQuery,
    LogisticQuery,
    Odometer,
    RandomizedResponse,
    SordinoError,
    TruncatedLinearQuery,
)

SQUARE = Box([-1, 0], [1, 2])
SIDE = 17
AXES = (np.linspace(-1, 1, SIDE), np.linspace(0, 2, SIDE))
GRID = np.stack(np.meshgrid(*AXES, indexing="ij"), axis=-1).reshape(-1, 2)


def menu(epsilon):
    """Questions that an adversary can choose from; two of them do not touch one of the numbers."""
    return (
        LinearQuery([0.5, 0.25], -0.25, -1, 1, epsilon),
        LogisticQuery([4.0, -3.0], 2.0, epsilon),
        LogisticQuery([0.0, 5.0], -5.0, epsilon),
        TruncatedLinearQuery([-2.0, 3.0], -3.0, -1, 1, epsilon),
        LinearQuery([1.0, 0.0], 0, -1, 1, epsilon),
    )


def likelihood(queries, outputs):
    """Whole numbers proportional to the probability of all answers, shape (SIDE, SIDE); divided to fit a float."""
    products = np.ones(len(GRID), dtype=object)
    for query, output in zip(queries, outputs, strict=True):
        products *= whole_chances(query, GRID)[output]
    largest = max(products)
    return np.array([product / largest for product in products]).reshape(SIDE, SIDE)


def number_loss(weights, number, q=0.0):
    """What the worst belief with that dependence concludes of a number: 1 - q on one rest, q on the worst for each."""
    table = weights if number == 0 else weights.T
    heavy = (1 - q) * table + q * table.max(axis=1, keepdims=True)
    light = (1 - q) * table + q * table.min(axis=1, keepdims=True)
    return math.log((heavy.max(axis=0) / light.min(axis=0)).max())


def record_loss(weights):
    return math.log(weights.max() / weights.min())


def transcripts(asked, epsilons, depth):
    """All answers to an adversary that goes on with what is accepted, first with the largest epsilon."""
    found = []

    def walk(asked, queries, outputs):
        if queries:
            found.append((queries, outputs, asked))
        if len(queries) == depth:
            return
        first = (sum(outputs) * 2 + len(outputs)) % 5
        for query in itertools.chain(*(menu(epsilon)[first:] + menu(epsilon)[:first] for epsilon in epsilons)):
            if asked.accepts(query):
                for output in (0, 1):
                    walk(asked.after(query, output), [*queries, query], [*outputs, output])
                return

    walk(asked, [], [])
    return found


TINY = 1e-12
"""Of the witness, whose last steps are floats."""


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("rule", ["full", "simplified"])
@pytest.mark.parametrize("budgets", [("0.7", "0.4"), ("0.3", "inf"), ("1", "0")])
def test_no_transcript_passes_the_budget_of_a_number(rule, budgets):
    used = []
    found = transcripts(BayesianFilter(SQUARE, CoordinateDP(budgets), rule, nodes=60), ("0.3", "0.1", "0.02"), 4)
    assert len(found) >= 28
    for queries, outputs, asked in found:
        weights = likelihood(queries, outputs)
        losses = [number_loss(weights, number) for number in (0, 1)]
        used += [loss / float(b) for loss, b in zip(losses, budgets, strict=True) if b not in {"0", "inf"}]
        for loss, budget in zip(losses, budgets, strict=True):
            assert loss <= float(budget) + TINY
        protected = [loss for loss, budget in zip(losses, budgets, strict=True) if budget != "inf"]
        assert max(protected) <= asked.spent + TINY
    # Where a number is not protected, the adversary asks about it first, and again and again.
    assert max(used) > (0.5 if "inf" in budgets else 0.95)


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("rule", ["full", "simplified"])
@pytest.mark.parametrize("q", [0.5, 0.1, 0, 1])
def test_no_belief_within_the_dependence_concludes_more_than_delta(rule, q):
    definition = BayesianCoordinateDP.bounded(["0.5", "0.7"], "0.9", q)
    used = []
    found = transcripts(BayesianFilter(SQUARE, definition, rule, nodes=60), ("0.25", "0.1", "0.02"), 4)
    assert len(found) >= 28
    for queries, outputs, asked in found:
        weights = likelihood(queries, outputs)
        losses = number_loss(weights, 0, q), number_loss(weights, 1, q), record_loss(weights)
        for loss, bound in zip(losses, (0.5, 0.7, 0.9), strict=True):
            assert loss <= bound + TINY
            used.append(loss / bound)
        assert max(losses) <= asked.spent + TINY
    assert max(used) > 0.95


def test_a_question_that_does_not_touch_a_number_costs_it_nothing():
    first, second = LinearQuery([1.0, 0.0], 0, -1, 1, "0.5"), LogisticQuery([0.0, 3.0], -3.0, "2")
    asked = BayesianFilter(SQUARE, CoordinateDP(["0.5", "0"]))
    assert asked.accepts(first)
    assert not asked.accepts(second)
    asked = BayesianFilter(SQUARE, CoordinateDP(["0.5", "inf"])).after(second, 1).after(second, 1)
    assert asked.spent == 0
    # The whole budget of the other number is left, exactly.
    assert asked.after(first, 0).binding.about == "two values of attribute 0"


def test_what_does_not_touch_a_number_tells_of_it_as_far_as_they_depend():
    about_second = LinearQuery([0.0, 1.0], -1, -1, 1, "0.6")
    told = {}
    for q in (0, "0.25", 1):
        asked = BayesianFilter(SQUARE, BayesianCoordinateDP.bounded(["0.3", "1"], "1", q))
        told[q] = asked.decide(about_second)
    assert told[0].accepted
    assert told["0.25"].accepted  # ln(0.75 + 0.25 e^0.6) = 0.186919
    assert not told[1].accepted
    told = BayesianFilter(SQUARE, BayesianCoordinateDP.bounded(["0.18692", "1"], "1", "0.25"))
    assert told.accepts(about_second)
    assert not BayesianFilter(SQUARE, BayesianCoordinateDP.bounded(["0.18691", "1"], "1", "0.25")).accepts(about_second)


@pytest.mark.parametrize("rule", ["full", "simplified"])
def test_ten_tenths_are_accepted_exactly(rule):
    query = LinearQuery([1.0, 0.0], 0, -1, 1, "0.1")
    for definition in (
        CoordinateDP(["1", "0"]),
        BayesianCoordinateDP.bounded(["1", "0"], "1", 0),
        BayesianCoordinateDP.bounded(["1", "1"], "1", 1),
    ):
        asked = BayesianFilter(SQUARE, definition, rule)
        for _ in range(10):
            asked = asked.after(query, 1)
        assert not asked.accepts(query)
        assert not asked.accepts(LinearQuery([1.0, 0.0], 0, -1, 1, "1e-9"))


@pytest.mark.parametrize("rule", ["full", "simplified"])
def test_answers_that_cancel_leave_a_numbers_budget(rule):
    query = LinearQuery([0.5, 0.5], -0.5, -1, 1, "0.1")
    asked = BayesianFilter(SQUARE, CoordinateDP(["0.5", "0.5"]), rule)
    for turn in range(24):
        asked = asked.after(query, turn % 2)
    assert asked.spent < 0.1


def test_one_number_is_told_less_than_the_record():
    """Half of the statistic's range belongs to each number: many more questions than the epsilons allow."""
    query, asked, count = LinearQuery([0.5, 0.5], -0.5, -1, 1, "0.1"), BayesianFilter(SQUARE, CoordinateDP([1, 1])), 0
    while asked.accepts(query):
        asked, count = asked.after(query, 1), count + 1
    assert count == 19
    assert number_loss(likelihood([query] * count, [1] * count), 0) > 0.95


def test_what_is_left_is_accepted():
    queries = [LogisticQuery([2.0, -1.5], 1.0, "0.2"), TruncatedLinearQuery([1.0, 1.0], -1, -1, 1, "0.3")]
    for definition in (CoordinateDP(["0.6", "0.9"]), BayesianCoordinateDP.bounded(["0.6", "0.8"], "0.9", "0.3")):
        for rule in ("full", "simplified"):
            asked = BayesianFilter(SQUARE, definition, rule)
            for query, output in zip(queries, (1, 0), strict=True):
                asked = asked.after(query, output)
            left = Fraction(asked.remaining)
            assert 0 < left < 0.6
            assert asked.accepts(LogisticQuery([1.0, 1.0], 0, left))
            assert asked.accepts_all([LogisticQuery([1.0, 1.0], 0, left / 2)] * 2)


def test_what_is_realized_is_between_its_bounds():
    queries, outputs = menu("0.5")[:4], [1, 0, 1, 1]
    true = record_loss(likelihood(queries, outputs))
    for definition in (CoordinateDP(["9", "inf"]), BayesianCoordinateDP.bounded(["9", "9"], "9", "0.3")):
        asked = BayesianFilter(SQUARE, definition)
        for query, output in zip(queries, outputs, strict=True):
            asked = asked.after(query, output)
        assert asked.realized_loss.lower <= true + 1e-3
        assert true <= asked.realized_loss.upper + TINY


def test_losses_about_two_versions_add_for_each_number():
    query = LinearQuery([1.0, 0.0], 0, -1, 1, "0.4")
    asked = BayesianFilter(SQUARE, CoordinateDP(["1", "1"]))
    same = asked.after(query, 1).after(query, 0)
    other = asked.after(query, 1).changed().after(query, 0)
    assert same.spent < 0.1
    assert 0.79 < other.spent <= 0.8
    assert not other.accepts(query)
    assert other.accepts(LinearQuery([0.0, 1.0], -1, -1, 1, "1"))
    with pytest.raises(SordinoError, match="one version"):
        BayesianFilter(SQUARE, BayesianCoordinateDP.bounded(["1", "1"], "1", 0)).changed()


def test_the_odometer_counts_each_number():
    definition = BayesianCoordinateDP.bounded(["0.1", "0.1"], "0.1", "0.25")
    odometer = Odometer(SQUARE, definition)
    queries, outputs = menu("0.5")[:3], [1, 0, 1]
    for query, output in zip(queries, outputs, strict=True):
        odometer = odometer.after(query, output)
    weights = likelihood(queries, outputs)
    first, second, whole = odometer.readings
    assert first.about == "two values of attribute 0"
    for reading, true in ((first, number_loss(weights, 0, 0.25)), (second, number_loss(weights, 1, 0.25))):
        assert true <= reading.realized <= reading.separate <= reading.epsilons
    assert record_loss(weights) <= whole.realized < record_loss(weights) + 1e-3
    assert first.epsilons < whole.epsilons  # the third question does not touch the first number
    free = Odometer(SQUARE, CoordinateDP(["inf", "inf"])).after(queries[0], 1).readings
    for number, reading in enumerate(free):
        assert number_loss(likelihood(queries[:1], [1]), number) <= reading.realized < 0.4


def test_what_is_not_offered_is_refused():
    bounded = BayesianCoordinateDP.bounded(["1", "1"], "1", 0)
    for definition in (CoordinateDP(["1"]), BayesianCoordinateDP.bounded(["1"], "1", 0)):
        with pytest.raises(SordinoError, match="the box's 2 numbers; found 1"):
            BayesianFilter(SQUARE, definition)
    with pytest.raises(SordinoError, match="must be a bound on dependence; found a prior"):
        BayesianFilter(SQUARE, BayesianCoordinateDP.with_prior(["1", "1"], np.full((2, 2), 0.25)))
    with pytest.raises(SordinoError, match="without groups"):
        BayesianFilter(SQUARE, CoordinateDP(["1", "1"]), group=10)
    with pytest.raises(SordinoError, match="no sizes"):
        BayesianFilter(SQUARE, bounded.on((2, 2)))
    with pytest.raises(SordinoError, match="linear, truncated, logistic and quadratic"):
        BayesianFilter(SQUARE, bounded).accepts(RandomizedResponse(2, "0.1"))
    with pytest.raises(SordinoError, match="as many numbers"):
        BayesianFilter(SQUARE, bounded).accepts(LinearQuery([1.0], 0, -1, 1, "0.1"))
    with pytest.raises(SordinoError, match="must stay between"):
        BayesianFilter(SQUARE, CoordinateDP(["9", "9"])).accepts(LinearQuery([5.0, 0.0], 0, -1, 1, "0.1"))


def test_the_same_answers_lead_to_the_same_decision_whatever_was_looked_at():
    queries = menu("0.3")
    for turns in itertools.product((0, 1), repeat=2):
        plain = looked = BayesianFilter(SQUARE, CoordinateDP(["0.7", "0.5"]), nodes=3)
        for query, output in zip(queries, turns, strict=False):
            assert looked.spent <= 0.7
            if plain.accepts(query):
                plain, looked = plain.after(query, output), looked.after(query, output)
        assert [plain.accepts(query) for query in queries] == [looked.accepts(query) for query in queries]


@pytest.mark.parametrize("rule", ["full", "simplified"])
@pytest.mark.parametrize(("theta", "epsilon", "budget"), [(2.0, "1", "4.1"), (5.0, "0.3", "2"), (30.0, "1", "4.1")])
def test_one_number_alone_never_passes_its_budget(theta, epsilon, budget, rule):
    """Its values are compared all with all: where the number is the only one, no box of it may be cut."""
    query = LogisticQuery([theta], 0.0, epsilon)
    book = BayesianFilter(Box([-1.0], [1.0]), CoordinateDP([budget]), rule=rule)
    answers = 0
    while book.accepts(query):
        book, answers = book.after(query, 1), answers + 1
    odds = np.array([query.law([place])[1] for place in np.linspace(-1, 1, 201)])
    loss = answers * math.log(odds.max() / odds.min())
    assert 0 < loss <= float(budget) + 1e-9
    assert book.spent >= loss - 1e-9
