"""Exact laws of channels from numbers whose reports hold a seed: those that the sampler has."""

from fractions import Fraction

import numpy as np
import pytest

from sordino.papers.bayesian_coordinate.means import L2Ball
from sordino.papers.bayesian_coordinate.nested import NestedMean


class Words:
    """A stream that gives words that were written down, the same to everybody."""

    def __init__(self, *words):
        self.words = list(words)

    def next(self):
        return np.array([self.words.pop(0)], dtype=np.uint64)


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("channel", [L2Ball(3, 2.0, "1"), NestedMean(["0.5", "1", "2"])])
def test_codes_of_a_seed_are_as_likely_as_the_sampler_makes_them(channel):
    record = np.array([[0.3, -0.9, 0.5][: channel.d]])
    levels = len(channel.levels)
    for seed in (12345, 2**60 + 99):
        for bits in range(1 << levels):
            code = seed << levels | bits
            share = channel.probability(record[0].tolist(), code) * (2**64 >> levels)
            # The words below which each bit is set: with the others set to extremes, bit by bit.
            expected = Fraction(1)
            for j in range(levels):
                low, high = 0, 2**64
                while low < high:
                    middle = (low + high) // 2
                    words = [seed << levels, *([middle] * levels)]
                    shown = int(channel._sample(record, Words(*words))[0])
                    assert shown >> levels == seed
                    low, high = (middle + 1, high) if shown >> j & 1 else (low, middle)
                one = Fraction(low, 2**64)
                expected *= one if bits >> j & 1 else 1 - one
            assert share == expected


def test_a_report_of_several_words_is_one_number():
    channel = NestedMean([f"{j}/40" for j in range(1, 36)])
    assert channel.layout.words == 2
    record = [0.0] * 35
    code = channel.privatize(np.zeros((1, 35)))[0]
    whole = (int(code[0]) << 64) + int(code[1])
    # Every bit is fair where the record says nothing.
    assert channel.probability(record, whole) == Fraction(1, 2 ** (64 + 35))
    assert channel.probability(record, whole + (1 << 40)) == 0
    assert channel.codes(0)[-1] == 2**128 - 1
