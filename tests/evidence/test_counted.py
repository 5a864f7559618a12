"""Counts of weights beside products of all weights."""

from fractions import Fraction
from math import prod

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sordino.evidence.counted import CountedEvidence

ROWS = st.lists(st.tuples(st.lists(st.sampled_from([1, 2, 4, 5, 12]), min_size=3, max_size=3)), max_size=12)


def counted(rows):
    evidence = CountedEvidence(3)
    for row in rows:
        distinct = tuple(sorted(set(row)))
        evidence = evidence.plus(distinct, np.array([distinct.index(weight) for weight in row]))
    return evidence


@given(ROWS)
def test_ratios_are_those_of_all_weights(found):
    rows = [row for (row,) in found]
    evidence, products = counted(rows), [prod(row[value] for row in rows) for value in range(3)]
    whole = evidence.whole(np.ones(3, dtype=bool))
    for heavy in range(3):
        for light in range(3):
            true = Fraction(products[heavy], products[light])
            powers = evidence.ratio(heavy, light).items()
            assert prod((Fraction(base) ** exponent for base, exponent in powers), start=Fraction(1)) == true
            assert Fraction(whole[heavy], whole[light]) == true
            alike = all(row[heavy] == row[light] for row in rows)
            assert not alike or evidence.class_of_value[heavy] == evidence.class_of_value[light]
            assert true == 1 or evidence.class_of_value[heavy] != evidence.class_of_value[light]


def test_answers_that_cancel_leave_small_numbers():
    evidence = counted([[2**64 - 1, 3, 3], [3, 2**64 - 1, 3], [3, 3, 2**64 - 1]] * 400 + [[5, 1, 1]])
    assert evidence.whole(np.ones(3, dtype=bool)).tolist() == [5, 1, 1]
    assert not [exponent for exponent in evidence.ratio(0, 1).values() if abs(exponent) > 1]


def test_values_that_cannot_cause_the_reports_count_nothing():
    evidence = CountedEvidence(3).plus((0, 1, 2), np.array([0, 1, 2])).plus((0, 7), np.array([0, 1, 1]))
    assert evidence.whole(np.array([False, True, True])).tolist() == [0, 1, 2]
    assert evidence.ratio(2, 1) == {2: 1, 1: -1}


def test_only_the_weights_of_an_answer_are_counted():
    """A channel of a thousand values may have a million different weights: a row for each would fill the memory."""
    many = tuple(range(1, 1001))
    evidence = CountedEvidence(3).plus(many, np.array([3, 11, 3])).plus(many, np.array([3, 11, 3]))
    assert {weights: counts.tolist() for weights, counts in evidence.counts.items()} == {(1, 3): [[0, 2, 0]]}
    assert evidence.ratio(1, 0) == {3: 2, 1: -2}
