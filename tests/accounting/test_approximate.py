"""Approximate filters: figures of each first filter, the two phases, and the guarantee by the exact hockey stick."""

import math
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest

from in_one import in_one
from sordino import (
    LDP,
    ApproximateFilter,
    BayesianFilter,
    Box,
    Categories,
    ChannelTable,
    LinearQuery,
    RandomizedResponse,
    SordinoError,
)
from sordino.accounting.approximate import allowed_divergence, renyi_divergence

TWO = Categories(["no", "yes"])


def accepted(asked, epsilon):
    count = 0
    while asked.accepts(epsilon):
        asked, count = asked.after(epsilon), count + 1
    return count


@pytest.mark.first_cases(4)
@pytest.mark.parametrize(
    ("each", "first", "count"),
    [
        ("0.1", "basic", 10),
        ("0.1", "rogers", 1),
        ("0.1", "whitehouse", 3),
        ("0.1", "best", 10),
        ("0.01", "basic", 100),
        ("0.01", "rogers", 147),
        ("0.01", "whitehouse", 349),
        ("0.01", "renyi", 490),
        ("0.01", "best", 490),
    ],
)
def test_figures_at_a_millionth(each, first, count):
    assert accepted(ApproximateFilter("1", "1e-6", first=first, typical=each), each) == count


def test_renyi_of_a_fixed_order_for_larger_questions():
    assert accepted(ApproximateFilter("1", "1e-6", first="renyi", order=100), "0.1") == 9
    assert accepted(ApproximateFilter("1", "1e-6", first="renyi", typical="0.1"), "0.1") >= 9


def hockey_stick(epsilon, each, count):
    """The least delta at epsilon of so many coins of epsilon `each`, exactly up to 30 digits."""
    with mpmath.workdps(30):
        heads = mpmath.exp(each) / (1 + mpmath.exp(each))
        total = mpmath.mpf(0)
        for ones in range(count + 1):
            heavy = mpmath.binomial(count, ones) * heads**ones * (1 - heads) ** (count - ones)
            light = mpmath.binomial(count, ones) * heads ** (count - ones) * (1 - heads) ** ones
            total += max(heavy - mpmath.exp(epsilon) * light, 0)
        return total


@pytest.mark.each_value
@pytest.mark.parametrize("first", ["basic", "renyi", "rogers", "whitehouse"])
@pytest.mark.parametrize(("epsilon", "each", "delta"), [(1, 0.05, 1e-3), (2, 0.2, 1e-2), (1, 0.01, 1e-6)])
def test_what_is_accepted_keeps_the_promise(first, epsilon, each, delta):
    """The exact delta of as many coins as are accepted is no more than was promised."""
    asked = ApproximateFilter(epsilon, delta, first=first, typical=each)
    count = accepted(asked, str(each))
    assert hockey_stick(epsilon, mpmath.mpf(str(each)), count) <= delta


def test_divergence_and_its_conversion_against_quadrature_of_the_definition():
    with mpmath.workdps(30):
        for epsilon, order in ((0.1, 22), (1, 3), (3, 1.25)):
            heads = mpmath.exp(epsilon) / (1 + mpmath.exp(epsilon))
            pairs = ((heads, 1 - heads), (1 - heads, heads))
            true = mpmath.log(sum(p**order * q ** (1 - order) for p, q in pairs)) / (order - 1)
            assert float(renyi_divergence(Decimal(str(epsilon)), Decimal(str(order)))) == pytest.approx(float(true))
    allowed = allowed_divergence(Decimal(1), Decimal("1e-6"), Decimal(22))
    back = float(allowed) + math.log1p(-1 / 22) - (math.log(1e-6) + math.log(22)) / 21
    assert back == pytest.approx(1.0)


def test_after_the_first_filter_halts_what_was_lost_decides():
    coin = RandomizedResponse(2, "0.2")
    asked = ApproximateFilter("1", "1e-6", TWO, first="basic")
    for code in (0, 1, 0, 1, 0):
        asked = asked.after(coin, code)
    assert (asked.halted, asked.exact.spent) == (False, pytest.approx(0.2))
    # The epsilons are spent, the loss is not.
    asked = asked.after(coin, 0)
    assert asked.halted
    for _ in range(3):
        asked = asked.after(coin, 0)
    assert asked.exact.spent == pytest.approx(1.0)
    assert not asked.accepts(coin)
    with pytest.raises(SordinoError, match="accepted before"):
        asked.after(coin, 0)


def test_once_halted_the_first_filter_never_comes_back():
    """A smaller query that the epsilons alone would take is refused where the loss has passed epsilon."""
    coin, small = RandomizedResponse(2, "0.01"), RandomizedResponse(2, "0.0001")
    asked = ApproximateFilter("0.5", "1e-6", TWO, first="renyi")
    while not asked.halted and asked._first_holds(asked._plus(coin)):
        asked = asked.after(coin, 0)
    assert asked.exact.spent > 0.5
    assert not asked.accepts(coin)
    # A refusal changes nothing: what still fits the epsilons is accepted.
    assert not asked.halted
    assert asked.accepts(small)
    # The exact filter takes over only where it accepts, and then for good.
    balanced = ApproximateFilter("0.5", "1e-6", TWO, first="renyi")
    count = 0
    while not balanced.halted:
        balanced, count = balanced.after(coin, count % 2), count + 1
    for _ in range(60):
        if balanced.accepts(coin):
            balanced = balanced.after(coin, 0)
    assert 0.45 < balanced.exact.spent <= 0.5 + 1e-9
    assert not balanced.accepts(RandomizedResponse(2, "0.02"))


def test_the_combined_filter_keeps_its_promise_on_a_whole_tree():
    """All transcripts of a greedy analyst: the exact delta of the stopped interaction, in rationals."""
    coin = ChannelTable([[3, 1], [1, 3]])
    delta = Fraction(1, 5)
    start = ApproximateFilter("ln 9", "1/5", TWO, first="renyi", order=3)
    leaves, stack = [], [(start, Fraction(1), Fraction(1), 0)]
    while stack:
        asked, first, second, depth = stack.pop()
        if depth == 9 or not asked.accepts(coin):
            leaves.append((first, second))
            continue
        for code in range(2):
            own, other = (Fraction(coin.weight(x, code), 4) for x in range(2))
            stack.append((asked.after(coin, code), first * own, second * other, depth + 1))
    assert sum(first for first, _ in leaves) == 1
    assert sum(max(first - 9 * second, Fraction(0)) for first, second in leaves) <= delta


def test_boxes_take_part():
    query = LinearQuery([1.0], 0, -1, 1, "0.5")
    asked = ApproximateFilter("1", "1e-6", Box([-1], [1]), first="basic")
    for code in (0, 1, 0):
        asked = asked.after(query, code)
    assert asked.halted
    assert not asked.accepts(query)
    exact = BayesianFilter(Box([-1], [1]), LDP("1"))
    assert exact.with_answer(query, 0).spent == pytest.approx(0.5, abs=1e-3)


@in_one(
    ("make", "words"),
    [
        (lambda: ApproximateFilter("1", 0), "0.36"),
        (lambda: ApproximateFilter("1", 1), "0.36"),
        (lambda: ApproximateFilter("1", "nan"), "0.36"),
        (lambda: ApproximateFilter("1", None), "0.36"),
        (lambda: ApproximateFilter("1", "1e-6", first="moments"), "one of"),
        (lambda: ApproximateFilter("1", "1e-6", order=1), "above 1"),
        (lambda: ApproximateFilter("1", "1e-6", order="many"), "above 1"),
        (lambda: ApproximateFilter("-1", "1e-6"), "epsilon"),
        (lambda: ApproximateFilter("1", "1e-6", TWO).after(RandomizedResponse(2, "0.1")), "needs the answer"),
        (lambda: ApproximateFilter("1", "1e-6", TWO).accepts(ChannelTable([[1, 0], [0, 1]])), "must satisfy LDP"),
        (lambda: ApproximateFilter("1", "1e-6").accepts(RandomizedResponse(2, "0.1")), "counts epsilons"),
    ],
)
def test_bad_input_is_refused(make, words):
    with pytest.raises(SordinoError, match=words):
        make()
