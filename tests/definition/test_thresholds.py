"""Bounds on distribution functions: over all small joint priors no report tells more than they say, and one as much.

The priors are enumerated with whole weights, the channels by their own, and losses are ratios of integers: nothing here
knows the rule that is tested.
"""

from collections import defaultdict
from fractions import Fraction
from itertools import product

import pytest

from sordino import ChannelTable, Dependence, Nats, RandomizedResponse, SordinoError, WindowResponse
from sordino.audit.answers import level_of, monotone_pieces
from sordino.definition.sampling import Answer, sampling_deltas
from sordino.design.numbers.bins_channel import threshold_bits
from sordino.design.numbers.level_limits import LevelLimits

K = 3
CHANNELS = {
    "thresholds": (threshold_bits(K, Nats.of("ln 3")), 1),
    "wide windows": (WindowResponse(K, "ln 3", 4), 1),
    "one code": (WindowResponse(K, "ln 3", 1), 2),
    "rising": (ChannelTable([[6, 2], [5, 3], [2, 6]]), 1),
}


def laws():
    """Of the number, given a value of the attribute: whole weights that add up to 4."""
    return [law for law in product(range(5), repeat=K) if sum(law) == 4]


def priors():
    """Pairs of laws given the attribute's two values, whatever their own odds: these do not enter."""
    return product(laws(), repeat=2)


def apart(law, other):
    """The largest difference of the distribution functions."""
    return max(abs(Fraction(sum(law[:t]) - sum(other[:t]), 4)) for t in range(1, K))


def realized(mechanism, law, other):
    """The most that any code favours one value of the attribute over the other: coins and thresholds drawn included."""
    ratio = Fraction(1)
    for code in range(mechanism.outputs):
        weights = [mechanism.weight(value, code) for value in range(K)]
        one, two = (sum(w * p for w, p in zip(weights, given, strict=True)) for given in (law, other))
        ratio = max(ratio, Fraction(one, two), Fraction(two, one))
    return Nats.log(ratio)


def told(mechanism, pieces, bound):
    answer = Answer(((1,),), level_of(mechanism), pieces=pieces)
    return sampling_deltas([(answer,)], Dependence((Fraction(1),) * 2, {}, {}, {(0, 1): bound}))


@pytest.mark.parametrize("name", CHANNELS)
def test_no_prior_within_the_bound_loses_more(name):
    mechanism, pieces = CHANNELS[name]
    assert monotone_pieces(mechanism) == pieces
    largest = defaultdict(lambda: Nats.of(0))
    for law, other in priors():
        bound = apart(law, other)
        largest[bound] = max(largest[bound], realized(mechanism, law, other))
    assert set(largest) == {Fraction(part, 4) for part in range(5)}
    for bound, loss in largest.items():
        delta, own = told(mechanism, pieces, bound)
        assert loss <= delta <= own == level_of(mechanism)
        if name == "thresholds":
            # Reached: nothing smaller could be promised, half of it for instance.
            assert loss == delta
            assert bound == 0 or told(mechanism, pieces, bound / 2)[0] < loss


def test_a_window_needs_twice_the_bound():
    """Of a bump between two thresholds both differences count, where they go opposite ways."""
    mechanism, _ = CHANNELS["one code"]
    loss = realized(mechanism, (1, 2, 1), (2, 0, 2))
    assert apart((1, 2, 1), (2, 0, 2)) == Fraction(1, 4)
    assert told(mechanism, 1, Fraction(1, 4))[0] < loss <= told(mechanism, 2, Fraction(1, 4))[0]


def test_thresholds_tell_of_the_third_what_two_attributes_hide_by_pairs():
    """The number is above its threshold where two fair bits differ: either bit alone says nothing, and q is 0."""
    mechanism = threshold_bits(2, Nats.of("ln 3"))
    given = [[Fraction(1, 2)] * 2, [Fraction(1, 2)] * 2]
    weights = [[mechanism.weight(value, code) for value in range(2)] for code in range(2)]
    each = [[sum(w * p for w, p in zip(row, law, strict=True)) for law in given] for row in weights]
    assert all(one == two for one, two in each)
    assert told(mechanism, 1, Fraction(0))[0] == 0
    # Both together decide it: no bound for either is one for both, so several answers take those for the rest.
    answer = Answer(((1,),), Nats.of("ln 3"), pieces=1)
    dependence = Dependence((Fraction(1),) * 3, {}, {}, {(0, 1): Fraction(0), (2, 1): Fraction(0)})
    other = Answer(((2,),), Nats.of("ln 3"), linear=True)
    assert sampling_deltas([(answer, other)], dependence)[0] == Nats.of("ln 9")


def test_bounds_of_others_never_stand_in_for_them():
    """Neither for means, nor for tables; those for all others together do, whose variation is no less."""
    answer = Answer(((1,),), Nats.of("ln 3"), pieces=1)
    half = (Fraction(1, 2), Fraction(1))
    assert sampling_deltas([(answer,)], Dependence(half))[0] == Nats.of("ln 2")
    means = Dependence((Fraction(1),) * 2, {(0, (1,)): Fraction(0)})
    assert sampling_deltas([(answer,)], means)[0] == Nats.of("ln 3")
    bits = Dependence((Fraction(1),) * 2, {}, {}, {(0, 1): Fraction(0)})
    assert sampling_deltas([(Answer(((1,),), Nats.of("ln 3"), linear=True),)], bits)[0] == Nats.of("ln 3")


def test_levels_are_the_largest_that_keep_every_delta():
    # Of the number itself a report tells all, however little everything else depends on it.
    rest = Fraction(1), Fraction(1, 10), Fraction(1)
    dependence = Dependence(rest, {}, {}, {(0, 1): Fraction(1, 10), (2, 1): Fraction(1, 4)})
    deltas = [Nats.of("0.2"), Nats.of("1"), Nats.of("1/2")]
    for pieces in (1, 2):
        level = LevelLimits(deltas, Nats.of(3), dependence).of_bins(1, pieces)
        kept = sampling_deltas([(Answer(((1,),), level, pieces=pieces),)], dependence)
        assert all(one <= delta for one, delta in zip(kept, deltas, strict=True))
        more = sampling_deltas([(Answer(((1,),), level + Nats.of("1e-9"), pieces=pieces),)], dependence)
        assert any(one > delta for one, delta in zip(more, deltas, strict=True))


def test_pieces_are_counted_in_the_integers():
    assert monotone_pieces(RandomizedResponse(2, "1")) == 1
    assert monotone_pieces(threshold_bits(70, Nats.of(1))) == 1
    assert [monotone_pieces(WindowResponse(40, "1", window)) for window in (1, 38, 39, 40, 41)] == [2, 2, 1, 1, 1]
    # Level, up, level, down, up again.
    assert monotone_pieces(ChannelTable([[1, 7], [1, 7], [4, 4], [4, 4], [2, 6], [3, 5]])) == 3
    assert monotone_pieces(ChannelTable([[1, 1], [1, 1], [1, 1]])) == 1


def test_own_thresholds_and_answers_of_other_kinds_have_no_such_bound():
    with pytest.raises(SordinoError, match="reveal that number"):
        Dependence((Fraction(1),) * 2, {}, {}, {(1, 1): Fraction(1, 2)})
    with pytest.raises(SordinoError, match="about one number"):
        Answer(((0,), (1,)), Nats.of(1), pieces=1)
    with pytest.raises(SordinoError, match="about one number"):
        Answer(((0, 1),), Nats.of(1), pieces=1)
