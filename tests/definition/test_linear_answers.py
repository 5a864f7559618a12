"""Bounds for one statistic serve answers that are linear in it, and no others: laws of one mean that are far apart."""

from fractions import Fraction

import numpy as np
import pytest
from sordino.mechanism.levels import LevelResponse
from sordino.mechanism.mixture import Mixture
from sordino.mechanism.one_bit import OneBit

from sordino.definition.dependence import Dependence
from sordino.definition.sampling import Answer, sampling_deltas
from sordino.errors import SordinoError
from sordino.exact.nats import Nats

# Given one value of the first attribute the number is -1 or 1, given the other it is 0: of one mean, never the same.
PRIOR = [["1/4", 0, "1/4"], [0, "1/2", 0]]
NUMBERS = (-1.0, 0.0, 1.0)
DEPENDENCE = Dependence.from_prior(PRIOR, [(1,)], [None, NUMBERS])


def told(channel):
    """The exact loss about the first attribute, under the prior."""
    rows = [[Fraction(share) for share in row] for row in PRIOR]
    losses = []
    for code in range(channel.outputs):
        likely = [channel.probability([number], code) for number in NUMBERS]
        first, second = (sum(p * w for p, w in zip(row, likely, strict=True)) / sum(row) for row in rows)
        losses += [Nats.log(first / second), Nats.log(second / first)]
    return max(losses)


def placed(channel):
    """What the channel's answers are about, as the second attribute."""
    return [tuple(Answer(((1,),), one.level, one.errors, one.linear) for one in answers) for answers in channel.types]


def test_half_a_gap_of_means_serves_a_bit_only():
    assert DEPENDENCE.of(0, (1,)) == 0
    assert DEPENDENCE.of_rest(0) == 1
    bit, levels = OneBit("2"), LevelResponse(3, "2")
    assert told(bit) == 0 == sampling_deltas(placed(bit), DEPENDENCE)[0]
    # Several levels tell what a bound of 0 would deny.
    assert told(levels) > 1
    assert told(levels) <= sampling_deltas(placed(levels), DEPENDENCE)[0] == levels.level


def test_an_answer_about_the_number_itself_counts_fully():
    # Whatever the numbers that people have, and whatever the rest is said to depend on.
    for channel in (OneBit("2"), LevelResponse(5, "2")):
        assert sampling_deltas(channel.types, Dependence.bounded([0])) == (channel.level,)


def test_parts_of_a_mixture_keep_what_they_are():
    mixture = Mixture(2, [[((0,), OneBit("1")), ((1,), LevelResponse(3, "2"))], [((1,), OneBit("2"))]], [1, 1])
    (bit, levels), (alone,) = mixture.types
    assert (bit.linear, levels.linear, alone.linear) == (True, False, True)
    first = OneBit("1").level + LevelResponse(3, "2").level
    assert sampling_deltas(mixture.types, DEPENDENCE)[0] == first
    assert sampling_deltas([(bit, alone)], DEPENDENCE)[0] == bit.level


def test_a_linear_answer_is_about_one_statistic():
    with pytest.raises(SordinoError, match="about one statistic"):
        Answer(((0,), (1,)), Nats.of(1), linear=True)
    # One sign of a table is a bit.
    assert Answer(((1,),), Nats.log(3), (3, 1)).alone == (1,)
    assert Answer(((1,),), Nats.log(3)).alone is None
    assert np.isclose(float(sampling_deltas([(Answer(((1,),), Nats.log(3), (3, 1)),)], DEPENDENCE)[0]), 0)
