"""The filter over boxes: never past its budget, by brute force; a value; every rule; what it refuses."""

import itertools
import math
import pickle
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from chances import whole_chances
from in_one import in_one
from sordino import (
    LDP,
    BayesianFilter,
    BlockLDP,
    Box,
    LinearQuery,
    LogisticQuery,
    PairwiseLDP,
    Query,
    RandomizedResponse,
    SordinoError,
    TruncatedLinearQuery,
    realized_loss,
)

SQUARE = Box([-1, 0], [1, 2])
GRID = np.stack(np.meshgrid(np.linspace(-1, 1, 33), np.linspace(0, 2, 33)), axis=-1).reshape(-1, 2)


def menu(epsilon):
    """Questions that an adversary can choose from."""
    return (
        LinearQuery([0.5, 0.25], -0.25, -1, 1, epsilon),
        LogisticQuery([4.0, -3.0], 2.0, epsilon),
        TruncatedLinearQuery([-2.0, 3.0], -3.0, -1, 1, epsilon),
        LinearQuery([-0.25, 0.5], -0.5, -1, 1, epsilon),
        LogisticQuery([0.0, 5.0], -5.0, epsilon),
    )


def exact_loss(queries, outputs, records):
    """The largest ratio of the integer channels' probabilities over the records: exact, then its logarithm."""
    products = np.ones(len(records), dtype=object)
    for query, output in zip(queries, outputs, strict=True):
        products *= whole_chances(query, records)[output]
    ratio = Fraction(max(products), min(products))
    with mpmath.workdps(50):
        return mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator)


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("rule", ["full", "simplified"])
@pytest.mark.parametrize(("epsilon", "group"), [("0.4", None), ("1/3", 2), ("0.3", None)])
def test_no_transcript_passes_the_budget(rule, epsilon, group):
    """All answers to depth 4 of an adversary that goes on with what is accepted, chosen by the answers so far."""
    budget = mpmath.mpf(1)
    deepest, refusals, largest = 0, 0, 0

    def walk(asked, queries, outputs):
        nonlocal deepest, refusals, largest
        deepest = max(deepest, len(queries))
        if queries:
            loss = exact_loss(queries, outputs, GRID)
            largest = max(largest, loss)
            assert loss <= budget
            assert loss <= asked.spent
        if len(queries) == 4:
            return
        questions = menu(epsilon)
        first = (sum(outputs) * 2 + len(outputs)) % len(questions)
        for query in questions[first:] + questions[:first]:
            if asked.accepts(query):
                for output in (0, 1):
                    walk(asked.after(query, output), [*queries, query], [*outputs, output])
                return
            refusals += 1

    walk(BayesianFilter(SQUARE, LDP("1"), rule, nodes=60, group=group), [], [])
    assert deepest >= 3
    assert refusals > 0 or epsilon != "0.4"
    assert largest > 0.6


def test_the_full_rule_accepts_what_the_simplified_one_refuses():
    """A question that does not tell the most from the least likely record hardly costs anything."""
    square = Box([-1, -1], [1, 1])
    along, across = LinearQuery([0.5, 0.5], 0, -1, 1, "0.8"), LinearQuery([0.5, -0.5], 0, -1, 1, "0.4")
    full, simplified = (BayesianFilter(square, LDP("1"), rule).after(along, 1) for rule in ("full", "simplified"))
    assert not simplified.accepts(across)
    assert full.accepts(across)
    records = GRID - [0, 1]
    for output in (0, 1):
        assert 0.79 < exact_loss([along, across], [1, output], records) <= full.after(across, output).spent < 1


@pytest.mark.parametrize("rule", ["full", "simplified"])
def test_ten_tenths_are_accepted_as_by_basic_composition(rule):
    """Exactly: sums of floats may not lose the tenth question, nor win an eleventh."""
    query = LinearQuery([1.0], 0, -1, 1, "0.1")
    asked = BayesianFilter(Box([-1], [1]), LDP("1"), rule)
    for _ in range(10):
        asked = asked.after(query, 1)
    assert not asked.accepts(query)
    assert not asked.accepts(LinearQuery([1.0], 0, -1, 1, "1e-9"))
    assert asked.spent <= math.nextafter(1, 2)
    assert asked.remaining < 1e-9


def test_answers_that_cancel_leave_the_budget():
    query = LinearQuery([1.0], 0, -1, 1, "0.1")
    asked = BayesianFilter(Box([-1], [1]), LDP("0.5"))
    for turn in range(60):
        assert asked.accepts(query)
        asked = asked.after(query, turn % 2)
    assert asked.spent < 0.2


def test_the_filter_is_a_value():
    query = LogisticQuery([1.0, 2.0], -1.0, "0.4")
    empty = BayesianFilter(SQUARE, LDP("1"))
    one, other = empty.after(query, 0), empty.after(query, 1)
    assert empty.spent == 0
    assert one.spent > 0.3
    assert one.after(query, 1).spent == pytest.approx(other.after(query, 0).spent, abs=1e-3)
    with pytest.raises(FrozenInstanceError):
        one.rule = "simplified"


def test_dry_runs_and_refusals_change_nothing():
    """The same transcript gives the same decisions, whatever else was tried in between."""

    def walked(curious):
        rng = np.random.default_rng(7)
        asked, seen = BayesianFilter(SQUARE, LDP("1"), nodes=100), []
        for step in range(12):
            theta = rng.uniform(-3, 3, 3)
            query = LogisticQuery(theta[1:], theta[0], "0.2")
            if curious:
                for candidate in menu("0.35"):
                    asked.accepts(candidate)
                _ = asked.remaining
            seen.append((asked.accepts(query), asked.spent))
            if seen[-1][0]:
                asked = asked.after(query, step % 2)
        return seen

    assert walked(curious=True) == walked(curious=False)


def test_decisions_are_not_mixed_up():
    """One that is remembered is of the same query, whatever was asked before."""
    large, small = (LinearQuery([1.0], 0, -1, 1, epsilon) for epsilon in ("1.5", "0.3"))
    asked = BayesianFilter(Box([-1], [1]), LDP("1"))
    for query, accepted in ((large, False), (small, True), (small, True), (large, False), (large, False)):
        assert asked.accepts(query) is accepted
        assert asked.decide(query) is asked.decide(LinearQuery([1.0], 0, -1, 1, query.epsilon))
    with pytest.raises(SordinoError, match="accepted"):
        asked.after(large, 1)


def test_a_smaller_query_may_follow_a_refused_one():
    large, small = (LinearQuery([1.0], 0, -1, 1, epsilon) for epsilon in ("0.7", "0.3"))
    asked = BayesianFilter(Box([-1], [1]), LDP("1")).after(large, 1)
    assert [asked.accepts(large), asked.accepts(small)] == [False, True]
    with pytest.raises(SordinoError, match="accepted before it is asked"):
        asked.after(large, 0)
    assert asked.after(small, 1).remaining < 1e-9


def test_both_answers_are_checked():
    """After answers 1, another 1 passes the budget and a 0 does not: refused, whatever would be drawn."""
    query = LinearQuery([1.0], 0, -1, 1, "0.4")
    asked = BayesianFilter(Box([-1], [1]), LDP("1")).after(query, 1).after(query, 1)
    losses = [realized_loss(Box([-1], [1]), [query] * 3, [1, 1, output]) for output in (0, 1)]
    assert losses[0].upper < 1 < losses[1].lower
    assert not asked.accepts(query)
    turned = LinearQuery([-1.0], 0, -1, 1, "0.4")
    assert not asked.accepts(turned)


def test_remaining_is_a_promise():
    asked = BayesianFilter(SQUARE, LDP("1"))
    for query, output in zip(menu("0.2"), (1, 0, 0, 1, 1), strict=True):
        asked = asked.after(query, output)
        left = Fraction(asked.remaining)
        assert left > 0
        assert asked.accepts(LogisticQuery([1.0, 1.0], 0, left))
        assert asked.remaining + asked.spent <= 1


@pytest.mark.long
def test_grouped_bounds_are_looser_but_hold():
    rng = np.random.default_rng(12)
    whole, grouped = (BayesianFilter(SQUARE, LDP("2"), nodes=300, group=group) for group in (None, 3))
    queries, outputs = [], []
    for step in range(8):
        theta = rng.uniform(-1, 1, 3)
        query = LogisticQuery(theta[1:], theta[0], "0.2")
        queries.append(query)
        outputs.append(step % 2)
        whole, grouped = whole.after(query, step % 2), grouped.after(query, step % 2)
    loss = float(exact_loss(queries, outputs, GRID))
    assert loss <= whole.spent <= grouped.spent + 1e-3
    assert grouped.spent <= 1.6


@in_one(
    ("make", "words"),
    [
        (lambda: BayesianFilter(SQUARE, PairwiseLDP([[0, 1], [1, 0]])), "offered"),
        (lambda: BayesianFilter(SQUARE, BlockLDP([0, 0], 1)), "offered"),
        (lambda: BayesianFilter(SQUARE, LDP(1), "strict"), "rule"),
        (lambda: BayesianFilter(SQUARE, LDP(1), nodes=-1), "nodes"),
        (lambda: BayesianFilter(SQUARE, LDP(1), group=0), "group"),
        (
            lambda: BayesianFilter(SQUARE, LDP(1)).accepts(RandomizedResponse(2, 1)),
            "linear, truncated, logistic and quadratic",
        ),
        (lambda: BayesianFilter(SQUARE, LDP(1)).accepts(LogisticQuery([1.0], 0, 1)), "theta"),
        (lambda: BayesianFilter(SQUARE, LDP(9)).accepts(LinearQuery([1.0, 1.0], 0, -1, 1, 1)), "2 too far"),
        (lambda: BayesianFilter(SQUARE, LDP(1)).after(menu("0.1")[0], 2), "below 2"),
        (lambda: BayesianFilter(SQUARE, LDP(1)).after(menu("0.1")[0], True), "below 2"),
        (lambda: BayesianFilter(SQUARE, LDP(1)).after(menu("0.1")[0], -1), "below 2"),
        (lambda: BayesianFilter(SQUARE, LDP(1)).after(menu("0.1")[0], 0.5), "below 2"),
    ],
)
def test_what_does_not_fit_is_refused(make, words):
    with pytest.raises(SordinoError, match=words):
        make()


def test_no_work_at_all_is_basic_composition_and_carried_bounds():
    """With no boxes to bound, what is undecided is refused, and the budget still holds."""
    asked, count = BayesianFilter(SQUARE, LDP("1"), nodes=0), 0
    queries, outputs = [], []
    for query, output in itertools.product(menu("0.2"), (0, 1)):
        if asked.accepts(query):
            asked = asked.after(query, output)
            queries.append(query)
            outputs.append(output)
            count += 1
    assert count >= 5
    assert exact_loss(queries, outputs, GRID) <= 1


@in_one("rule", ["full", "simplified"])
@in_one(("epsilon", "low", "spill"), [("25", 0, 5e-10), ("40", 0, 1e-16), ("44", 0, 0), ("16", 1e9, 0), ("1", 1e15, 0)])
def test_where_rounding_hides_the_answers_their_epsilons_count(rule, epsilon, low, spill):
    """Floats say nothing of a least probability below their rounding; a loss that is no number is not accepted."""
    box = Box([low], [low + 2])
    # So far from 0 only truncated ones are asked.
    kind = TruncatedLinearQuery if low else LinearQuery
    query = kind([1.0], 0, low + spill, low + 2 - spill, epsilon)
    asked = BayesianFilter(box, LDP(Fraction(epsilon) * 5 / 4), rule, nodes=50).after(query, 1)
    ends = np.array([[low], [low + 2.0]])
    assert exact_loss([query], [1], ends) <= asked.spent <= float(epsilon)
    assert not asked.accepts(query)
    assert asked.accepts(kind([1.0], 0, low, low + 2, Fraction(epsilon) / 4))


def test_an_answer_that_rounding_hides_does_not_hide_the_others():
    """Its epsilon is added; what the others tell together stays closely bounded."""
    late, query = 1e15, LogisticQuery([1e-15], -1, "0.1")
    hidden = TruncatedLinearQuery([1.0], 0, late, late + 2, "0.2")
    asked = BayesianFilter(Box([late], [late + 2]), LDP("0.9")).after(hidden, 1)
    for turn in range(20):
        asked = asked.after(query, turn % 2)
    assert 0.2 <= asked.spent < 0.4


@pytest.mark.each_value
@pytest.mark.parametrize("rule", ["full", "simplified"])
@pytest.mark.parametrize(("nodes", "group"), [(0, None), (20, None), pytest.param(200, 4, marks=pytest.mark.long)])
def test_what_remains_is_accepted_whatever_the_limit(rule, nodes, group):
    rng, tried = np.random.default_rng(5), 0
    for _ in range(3):
        asked = BayesianFilter(SQUARE, LDP("0.7"), rule, nodes, group)
        for question in rng.permutation(np.tile(menu("0.1"), 4)):
            if asked.accepts(question):
                asked = asked.after(question, int(rng.integers(2)))
        left = Fraction(asked.remaining)
        for question in menu(left) if left else ():
            assert asked.accepts(question)
            tried += 1
    assert tried >= 5


def test_no_other_question_gets_between_a_decision_and_its_answer():
    """A thread that decides on a small question in the meantime does not let the large one pass."""
    large, small = (LinearQuery([1.0], 0, -1, 1, epsilon) for epsilon in ("0.7", "0.3"))
    asked = BayesianFilter(Box([-1], [1]), LDP("1")).after(large, 1)
    interruptions = [small]

    class Interrupted(Query):
        def __eq__(self, other):
            while interruptions:
                assert asked.accepts(interruptions.pop())
            return isinstance(other, Interrupted)

        __hash__ = None

    first, second = (Interrupted(large.statistic, large.mechanism) for _ in range(2))
    assert [asked.accepts(first), asked.accepts(second)] == [False, False]
    assert not interruptions


@pytest.mark.parametrize(
    "other", [{"domain": Box([-1, 0], [1, 3])}, {"definition": LDP("0.5")}, {"definition": LDP("2")}, {"group": 2}]
)
def test_a_filter_that_has_begun_keeps_its_promise(other):
    """A copy with another budget or box would decide by the old one and tell the new one."""
    asked = BayesianFilter(SQUARE, LDP("1")).after(menu("0.4")[0], 1)
    with pytest.raises(SordinoError, match="keeps its domain"):
        replace(asked, **other)
    assert replace(asked, rule="simplified").spent == asked.spent


def test_a_filter_is_stored_and_goes_on():
    """Also after a dry run, whose decision is kept at hand."""
    asked = BayesianFilter(SQUARE, LDP("1")).after(menu("0.4")[1], 1)
    large, small = menu("0.9")[1], menu("0.2")[1]
    asked.accepts(small)
    stored = pickle.loads(pickle.dumps(asked))  # noqa: S301 - written just now
    assert stored.spent == asked.spent
    assert [stored.accepts(large), stored.accepts(small)] == [False, True]
    assert stored.after(small, 0).spent == asked.after(small, 0).spent
