"""Every coin's threshold is the largest integer that its channel's inequality allows, by the power series of e^x."""

from fractions import Fraction

import pytest

from in_one import in_one
from sordino import (
    BinaryOptimal,
    CyclicSubsets,
    HadamardResponse,
    HighLow,
    Nats,
    ProjectiveResponse,
    RandomizedResponse,
    SubsetSelection,
)
from sordino.exact.coin import WORD, largest_threshold, least_weight, most_weight

EPSILONS = ["0.001", "0.01", "0.1", "0.5", "1", "ln 3", "1/3 + ln 2", "2", "4", "9", "20", "30", "40", "44.36", "60"]
SIZES = [2, 3, 4, 7, 8, 31, 64, 1_000, 43_750, 2**20 + 1]


def is_largest(threshold, exp_epsilon, heads, tails=1):
    """Whether heads T <= e^epsilon tails (2^64 - T) holds for T and for no larger T, proved by enclosures."""
    low, high = exp_epsilon
    allowed = heads * threshold <= low * tails * (WORD - threshold)
    following = threshold + 1
    return allowed and (following == WORD or heads * following > high * tails * (WORD - following))


def enclose(epsilon, exp_bounds):
    amount = Nats.of(epsilon)
    return exp_bounds(amount.rational, amount.ratio)


@in_one("epsilon", EPSILONS)
@in_one("heads, tails", [(1, 1), (1, 7), (24, 1), (38, 12), (2**40, 3), (3, 2**40)])
def test_threshold_is_the_largest_allowed(epsilon, heads, tails, exp_bounds):
    threshold = largest_threshold(Nats.of(epsilon), heads, tails)
    assert is_largest(threshold, enclose(epsilon, exp_bounds), heads, tails)


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("k", SIZES)
def test_randomized_response_weighs_its_heads_by_the_other_values(epsilon, k, exp_bounds):
    assert is_largest(RandomizedResponse(k, epsilon).threshold, enclose(epsilon, exp_bounds), heads=k - 1)


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("k", SIZES)
def test_hadamard_response_has_the_plain_coin(epsilon, k, exp_bounds):
    assert is_largest(HadamardResponse(k, epsilon).threshold, enclose(epsilon, exp_bounds), heads=1)


@pytest.mark.parametrize("digits", [30, 38, 39, 40, 60, 100])
def test_threshold_is_right_however_close_its_limit_is_to_an_integer(digits, exp_bounds):
    # At ln 3 the limit is 3 * 2^62 exactly; a series for ln 3 gives epsilons a hair to either side.
    logarithm = 2 * sum(Fraction(1, (2 * n + 1) * 2 ** (2 * n + 1)) for n in range(400))
    below = Fraction(int(logarithm * 10**digits), 10**digits)
    above = below + Fraction(1, 10**digits)
    assert exp_bounds(below)[1] < 3 < exp_bounds(above)[0]
    assert largest_threshold(Nats(below)) == 3 * 2**62 - 1
    assert largest_threshold(Nats(above)) == 3 * 2**62


@pytest.mark.parametrize(("heads", "tails"), [(1, 1), (2, 1), (1, 2), (6, 5)])
def test_without_epsilon_the_coin_is_level(heads, tails):
    assert largest_threshold(Nats.of(0), heads, tails) == int(Fraction(WORD * tails, heads + tails))


@pytest.mark.parametrize("epsilon", [44.37, 60, 100, "60 + ln 3"])
def test_heads_are_never_certain(epsilon):
    assert largest_threshold(Nats.of(epsilon)) == WORD - 1


def test_rational_odds_are_met_exactly():
    assert largest_threshold(Nats.of("ln 3")) == 3 * 2**62


HEAVY = [
    1,
    2,
    7,
    WORD - 1,
    WORD,
    3 * WORD,
    WORD**3 + 1,
    Fraction(1, 3),
    Fraction(WORD * 17, 8),
    Fraction(WORD, 2**40 + 1),
]


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", ["0", *EPSILONS])
@pytest.mark.parametrize("heavy", HEAVY, ids=str)
def test_least_weight_is_enough_and_one_less_is_not(epsilon, heavy, exp_bounds):
    low, high = enclose(epsilon, exp_bounds)
    found = least_weight(Nats.of(epsilon), heavy)
    assert isinstance(found, int)
    assert low * found >= heavy
    assert (high if epsilon != "0" else 1) * (found - 1) < heavy


@in_one("epsilon", ["0", *EPSILONS])
@in_one("light", [1, 2, 7, WORD - 1, WORD, WORD**3 + 1])
def test_most_weight_is_allowed_and_one_more_is_not(epsilon, light, exp_bounds):
    low, high = enclose(epsilon, exp_bounds)
    found = most_weight(Nats.of(epsilon), light)
    assert isinstance(found, int)
    assert found <= low * light
    assert found + 1 > (high if epsilon != "0" else 1) * light


@in_one("epsilon", ["0", "1", "ln 3", "1 + ln 3", "40"])
def test_nothing_weighs_against_nothing(epsilon):
    assert least_weight(Nats.of(epsilon), 0) == most_weight(Nats.of(epsilon), 0) == 0


def test_weights_meet_rational_odds_exactly():
    third = Nats.of("ln 3")
    assert (least_weight(third, 9), least_weight(third, 10), least_weight(third, Fraction(1, 5))) == (3, 4, 1)
    assert (most_weight(third, 3), most_weight(third, 0)) == (9, 0)


@in_one("digits", [30, 39, 40, 41, 80])
def test_weights_are_right_however_close_their_limit_is_to_an_integer(digits, exp_bounds):
    logarithm = 2 * sum(Fraction(1, (2 * n + 1) * 2 ** (2 * n + 1)) for n in range(400))
    below = Fraction(int(logarithm * 10**digits), 10**digits)
    above = below + Fraction(1, 10**digits)
    assert (least_weight(Nats(below), 3 * WORD), least_weight(Nats(above), 3 * WORD)) == (WORD + 1, WORD)
    assert (most_weight(Nats(below), WORD), most_weight(Nats(above), WORD)) == (3 * WORD - 1, 3 * WORD)


@in_one("epsilon", EPSILONS)
@in_one("k, size", [(2, 1), (7, 2), (25, 7), (64, 1), (64, 33), (64, 63)])
def test_subset_selection_weighs_its_heads_by_the_subsets_without(k, size, epsilon, exp_bounds):
    mechanism = SubsetSelection(k, epsilon, size)
    assert is_largest(mechanism.threshold, enclose(epsilon, exp_bounds), heads=k - size, tails=size)


@in_one("epsilon", EPSILONS)
@in_one("design", [(2, 1, 1), (13, 4, 5), (101, 5, 25), (1009, 18, 18)])
def test_cyclic_subsets_weigh_their_heads_by_the_points_outside_a_block(design, epsilon, exp_bounds):
    prime, _, size = design
    mechanism = CyclicSubsets(2, epsilon, design)
    assert is_largest(mechanism.threshold, enclose(epsilon, exp_bounds), heads=prime - size, tails=size)


@in_one("epsilon", EPSILONS)
@in_one("k, field", [(4, 3), (9, 5), (100, 2), (43_750, 3)])
def test_projective_response_weighs_its_heads_by_the_points_off_a_hyperplane(k, field, epsilon, exp_bounds):
    mechanism = ProjectiveResponse(k, epsilon, field)
    off = field ** (len(_digits(mechanism.outputs, field)) - 1)
    on = (off - 1) // (field - 1)
    assert on + off == mechanism.outputs
    assert is_largest(mechanism.threshold, enclose(epsilon, exp_bounds), heads=off, tails=on)


def _digits(points, field):
    """The points of the space, 11...1 in base q."""
    digits = []
    while points:
        points, digit = divmod(points, field)
        digits.append(digit)
    assert set(digits) == {1}
    return digits


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("within", ["hadamard", "projective", "subset", "randomized"])
def test_high_low_response_hides_with_the_least_weight_that_is_enough(within, epsilon, exp_bounds):
    mechanism = HighLow(11, [2, 3, 5, 7, 10], epsilon, within)
    low, high = enclose(epsilon, exp_bounds)
    codes = [y for y in range(mechanism.inner.outputs) if mechanism.inner.weight(0, y)]
    heaviest = max(Fraction(mechanism.inner.weight(0, y), mechanism.inner.denominator) for y in codes)
    assert low * Fraction(mechanism.hidden, WORD * len(codes)) >= heaviest
    assert high * Fraction(mechanism.hidden - 1, WORD * len(codes)) < heaviest


@pytest.mark.each_value
@pytest.mark.parametrize("second", EPSILONS[::2])
@pytest.mark.parametrize("first", EPSILONS)
def test_no_whole_weights_near_the_best_two_differ_more(first, second, exp_bounds):
    low_1, low_2 = (enclose(epsilon, exp_bounds)[0] for epsilon in (first, second))
    mechanism = BinaryOptimal(first, second)
    a, b = mechanism.first, mechanism.second
    assert a <= low_1 * b
    assert WORD - b <= low_2 * (WORD - a)
    allowed = [
        (x, y)
        for x in range(a - 6, min(a + 7, WORD + 1))
        for y in range(max(b - 6, 0), b + 7)
        # Equal bounds give Warner's integers, which may differ by one less.
        if x - y > a - b + (first == second) and x <= low_1 * y and WORD - y <= low_2 * (WORD - x)
    ]
    assert not allowed
