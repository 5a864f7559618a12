"""Every coin's threshold is the largest integer that its channel's inequality allows, by the power series of e^x."""

from fractions import Fraction

import pytest

from sordino.exact.coin import WORD, largest_threshold
from sordino.exact.nats import Nats
from sordino.mechanism.hadamard import HadamardResponse
from sordino.mechanism.randomized import RandomizedResponse

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


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("heads", "tails"), [(1, 1), (1, 7), (24, 1), (38, 12), (2**40, 3), (3, 2**40)])
def test_threshold_is_the_largest_allowed(epsilon, heads, tails, exp_bounds):
    threshold = largest_threshold(Nats.of(epsilon), heads, tails)
    assert is_largest(threshold, enclose(epsilon, exp_bounds), heads, tails)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("k", SIZES)
def test_randomized_response_weighs_its_heads_by_the_other_values(epsilon, k, exp_bounds):
    assert is_largest(RandomizedResponse(k, epsilon).threshold, enclose(epsilon, exp_bounds), heads=k - 1)


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
