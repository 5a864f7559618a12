"""Exact laws of channels from numbers: type by type and code by code alike, and those that the sampler has."""

from fractions import Fraction

import numpy as np
import pytest

from sordino.domain.statistic import Moments
from sordino.mechanism.levels import LevelResponse
from sordino.mechanism.mixture import Mixture
from sordino.mechanism.one_bit import OneBit
from sordino.mechanism.sampled_bits import SampledBits
from sordino.mechanism.sign_tables import Row, SignTables
from sordino.mechanism.signs import SignResponse
from sordino.papers.bayesian_coordinate.ball import L2Ball
from sordino.papers.bayesian_coordinate.nested import NestedMean

PAIR = (6 << 60, 3 << 60, 5 << 60, 2 << 60)
CHANNELS = {
    "bit": OneBit("1"),
    "levels": LevelResponse(4, "1", 2),
    "bits": SampledBits(Moments(3, ((2,), (0, 1), (1, 1))), ["0.3", "40", "1"], [5, 1, 2]),
    "signs": SignResponse(3, "1", 2),
    "tables": SignTables(3, ((3 << 62, 1 << 62), PAIR), (Row((1,), 0), Row((2, 0), 1)), (1, 2)),
    "mixture": Mixture(3, [[((0,), OneBit("1"))], [((2, 1), SignResponse(2, "1", 1)), ((0,), OneBit("2"))]], [1, 3]),
}


@pytest.mark.parametrize("name", CHANNELS)
def test_laws_of_types_are_those_of_codes(name):
    channel = CHANNELS[name]
    rng = np.random.default_rng(7)
    records = np.concatenate([rng.uniform(-1, 1, (3, channel.d)), rng.choice([-1.0, 0.0, 1.0], (5, channel.d))])
    whole = [Fraction(0)] * len(records)
    for which in range(len(channel.types)):
        weights, unit = channel.laws(records, which)
        # One record at a time, the units can be others.
        for n, record in enumerate(records):
            shares = [channel.probability(record.tolist(), code) for code in channel.codes(which)]
            assert [int(weight) * unit for weight in weights[n]] == shares
            alone, own = channel.laws(record[None], which)
            assert [int(weight) * own for weight in alone[0]] == shares
            whole[n] += sum(shares)
    assert whole == [1] * len(records)
    codes = [code for which in range(len(channel.types)) for code in channel.codes(which)]
    assert sorted(codes) == list(range(channel.outputs))


class Words:
    """A stream that gives words that were written down, the same to everybody."""

    def __init__(self, *words):
        self.words = list(words)

    def next(self):
        return np.array([self.words.pop(0)], dtype=np.uint64)


@pytest.mark.parametrize(
    "channel", [L2Ball(3, 2.0, "1"), NestedMean(["0.5", "1", "2"]), NestedMean(["1", "3"], inner="one-bit")]
)
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
    assert channel.packing.words == 2
    record = [0.0] * 35
    code = channel.privatize(np.zeros((1, 35)))[0]
    whole = (int(code[0]) << 64) + int(code[1])
    # Every bit is fair where the record says nothing.
    assert channel.probability(record, whole) == Fraction(1, 2 ** (64 + 35))
    assert channel.probability(record, whole + (1 << 40)) == 0
    assert channel.codes(0)[-1] == 2**128 - 1
