"""Signs that tell a number: thresholds against exact arithmetic, the sampler against the last word of either face."""

from fractions import Fraction

import numpy as np

from in_one import in_one
from sordino.exact.coin import WORD
from sordino.exact.sign import HALF, SignCoins

NUMBERS = [0.0, -0.0, 5e-324, -1e-300, 2**-64, 1e-9, 0.3, -0.3, 1 / 3, 0.999999999, 1 - 2**-53, 1.0, -1.0]
THRESHOLDS = [HALF, HALF + 1, HALF + 12345, 13485734923847239847, WORD - 513, WORD - 78, WORD - 2, WORD - 1, WORD]


@in_one("threshold", THRESHOLDS)
def test_the_weight_of_a_number_is_the_line_between_the_ends(threshold):
    coins = SignCoins((threshold,))
    assert (coins.weight(1.0), coins.weight(-1.0), coins.weight(0.0)) == (threshold, WORD - threshold, HALF)
    for number in NUMBERS:
        weight = coins.weight(number)
        assert WORD - threshold <= weight <= threshold
        assert abs(weight - HALF - Fraction(number) * (threshold - HALF)) <= 1 + (threshold - HALF) * 2**-52
        assert weight + coins.weight(-number) == WORD


@in_one("threshold", THRESHOLDS)
def test_the_sampler_turns_at_the_weight(threshold):
    coins = SignCoins((threshold,))
    for number in NUMBERS:
        wrong = WORD - coins.weight(number) if number >= 0 else coins.weight(number)
        # Words from 2^63 upwards are the negative ones, so the first `wrong` of them are wrong.
        words = [(HALF + place) % WORD for place in (0, wrong - 1, wrong, WORD - 1) if 0 <= place < WORD]
        found = coins.positive(np.full(len(words), number), np.array(words, dtype=np.uint64))
        is_wrong = [(word - HALF) % WORD < wrong for word in words]
        assert found.tolist() == [said != (number >= 0) for said in is_wrong]


@in_one("threshold", [HALF, HALF + 12345, WORD - 78])
@in_one("number", [np.nan, np.inf, -np.inf, 1e300, -7.0, 1.0000001])
def test_whatever_the_floats_did_the_threshold_stays_between_its_ends(number, threshold):
    assert WORD - threshold <= SignCoins((threshold,)).weight(number) <= threshold


def test_each_statistic_has_its_own_coin():
    thresholds = (HALF + 5, WORD - 9, HALF)
    coins = SignCoins(thresholds)
    assert [coins.weight(1.0, which) for which in range(3)] == list(thresholds)
    which = np.array([2, 0, 1, 1, 0])
    numbers, words = np.array([0.5, -1, 1, -0.25, 1]), np.array([7, HALF, WORD - 1, HALF, 3], dtype=np.uint64)
    together = coins.positive(numbers, words, which)
    apart = [SignCoins((thresholds[w],)).positive(numbers[[i]], words[[i]])[0] for i, w in enumerate(which)]
    assert together.tolist() == apart


def test_numbers_and_words_are_left_alone():
    numbers, words = np.array([-0.5, 0.5]), np.array([3, WORD - 1], dtype=np.uint64)
    SignCoins((WORD - 9,)).positive(numbers, words)
    assert (numbers.tolist(), words.tolist()) == ([-0.5, 0.5], [3, WORD - 1])
