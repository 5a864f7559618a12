"""Bounds for one statistic serve answers that are linear in it, and no others: laws of one mean that are far apart."""

import numpy as np
import pytest

from sordino import Dependence, Nats, Number, Query, RandomizedResponse, Sampled, SordinoError, WindowResponse
from sordino.audit.answers import answers
from sordino.definition.sampling import Answer, sampling_deltas

# Given one value of the first attribute the number is -1 or 1, given the other it is 0: of one mean, never the same.
PRIOR = [["1/4", 0, "1/4"], [0, "1/2", 0]]
NUMBERS = (-1.0, 0.0, 1.0)
DEPENDENCE = Dependence.from_prior(PRIOR, [(1,)], [None, NUMBERS])
BIT, LEVELS = RandomizedResponse(2, "2"), WindowResponse(3, "2")


def told(query):
    """The exact loss about the first attribute, under the prior: halves of -1 and 1, or 0."""
    low, middle, high = (query.law([0.0, number]) for number in NUMBERS)
    either = [(one + other) / 2 for one, other in zip(low, high, strict=True)]
    pairs = [*zip(either, middle, strict=True), *zip(middle, either, strict=True)]
    return max(Nats.log(one / other) for one, other in pairs)


def test_half_a_gap_of_means_serves_a_bit_only():
    assert DEPENDENCE.of(0, (1,)) == 0
    assert DEPENDENCE.of_rest(0) == 1
    bit, levels = Query(Number(1), BIT), Query(Number(1, 3), LEVELS)
    assert told(bit) == 0 == sampling_deltas(answers(bit), DEPENDENCE)[0]
    # Several levels tell what a bound of 0 would deny.
    assert told(levels) > 1
    ((answer,),) = answers(levels)
    assert told(levels) <= sampling_deltas(answers(levels), DEPENDENCE)[0] == answer.level


@pytest.mark.parametrize("query", [Query(Number(0), BIT), Query(Number(0, 5), WindowResponse(5, "2"))])
def test_an_answer_about_the_number_itself_counts_fully(query):
    # Whatever the numbers that people have, and whatever the rest is said to depend on.
    ((answer,),) = answers(query)
    assert sampling_deltas(answers(query), Dependence.bounded([0])) == (answer.level,)


def test_drawn_queries_keep_what_they_are():
    asked = Sampled((Query(Number(0), BIT), Query(Number(1, 3), LEVELS), Query(Number(1), BIT)), (1, 1, 1))
    (first,), (levels,), (alone,) = types = answers(asked)
    assert (first.linear, levels.linear, alone.linear) == (True, False, True)
    # Whatever is drawn, one query has seen the record: levels do not add up.
    assert sampling_deltas(types, DEPENDENCE)[0] == max(first.level, levels.level)
    # Together they would.
    assert sampling_deltas([(first, levels)], DEPENDENCE)[0] == first.level + levels.level
    assert sampling_deltas([(first, alone)], DEPENDENCE)[0] == first.level


def test_a_linear_answer_is_about_one_statistic():
    with pytest.raises(SordinoError, match="about one statistic"):
        Answer(((0,), (1,)), Nats.of(1), linear=True)
    # One sign of a table is a bit.
    assert Answer(((1,),), Nats.log(3), (3, 1)).sole_statistic == (1,)
    assert Answer(((1,),), Nats.log(3)).sole_statistic is None
    assert np.isclose(float(sampling_deltas([(Answer(((1,),), Nats.log(3), (3, 1)),)], DEPENDENCE)[0]), 0)
