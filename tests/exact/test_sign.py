"""Signs that tell a number: weights against exact arithmetic, the sampler against the last word of either face."""

from fractions import Fraction

import numpy as np

from in_one import in_one
from sordino.exact.coin import WORD
from sordino.exact.sign import HALF, plus_weight, round_to_plus

NUMBERS = [0.0, -0.0, 5e-324, -1e-300, 2**-64, 1e-9, 0.3, -0.3, 1 / 3, 0.999999999, 1 - 2**-53, 1.0, -1.0]


def test_the_weight_of_a_number_is_the_line_between_the_ends():
    assert (plus_weight(1.0), plus_weight(-1.0), plus_weight(0.0)) == (WORD, 0, HALF)
    for number in NUMBERS:
        weight = plus_weight(number)
        assert 0 <= weight <= WORD
        assert abs(weight - HALF - Fraction(number) * HALF) <= 1 + HALF * 2**-52
        assert weight + plus_weight(-number) == WORD


def test_the_sampler_turns_at_the_weight():
    for number in NUMBERS:
        wrong = WORD - plus_weight(number) if number >= 0 else plus_weight(number)
        # Words from 2^63 upwards are the negative ones, so the first `wrong` of them are wrong.
        words = [(HALF + place) % WORD for place in (0, wrong - 1, wrong, WORD - 1) if 0 <= place < WORD]
        found = round_to_plus(np.full(len(words), number), np.array(words, dtype=np.uint64))
        is_wrong = [(word - HALF) % WORD < wrong for word in words]
        assert found.tolist() == [said != (number >= 0) for said in is_wrong]


@in_one("number", [np.nan, np.inf, -np.inf, 1e300, -7.0, 1.0000001])
def test_whatever_the_floats_did_the_weight_stays_between_its_ends(number):
    assert 0 <= plus_weight(number) <= WORD


def test_numbers_and_words_are_left_alone():
    numbers, words = np.array([-0.5, 0.5]), np.array([3, WORD - 1], dtype=np.uint64)
    round_to_plus(numbers, words)
    assert (numbers.tolist(), words.tolist()) == ([-0.5, 0.5], [3, WORD - 1])
