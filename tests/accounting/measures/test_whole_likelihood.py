"""Ratios of likelihoods in counts of weights, beside fractions over all records."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sordino.accounting.measures import whole_likelihood
from sordino.accounting.measures.whole_likelihood import WholeFactors

SHAPE = (2, 3, 2, 2)
RECORDS = list(product(*map(range, SHAPE)))
KINDS = ((1, 3), (10, 30, 33), (3 * 10**30, 9 * 10**30 + 1), (2, 4, 8), (7,))
"""Weights of answers; some of their ratios are powers of each other, or nearly."""


def answered(rng, count, kinds=KINDS):
    """Random answers about up to three attributes: as the class holds them, and the likelihood of each record."""
    factors, likelihood = WholeFactors(), dict.fromkeys(RECORDS, Fraction(1))
    for _ in range(count):
        places = tuple(sorted(rng.choice(4, rng.integers(1, 4), replace=False).tolist()))
        distinct = kinds[rng.integers(len(kinds))]
        place = rng.integers(0, len(distinct), [SHAPE[one] for one in places])
        factors = factors.plus(places, distinct, place)
        for record in RECORDS:
            likelihood[record] *= distinct[place[tuple(record[one] for one in places)]]
    return factors, likelihood


def ratio(likelihood, place):
    """The largest ratio; None where it is infinite."""
    worst = Fraction(1)
    for first, second in product(RECORDS, repeat=2):
        beside = [one for one in range(4) if first[one] != second[one]]
        if (place is None or beside == [place]) and likelihood[first]:
            if not likelihood[second]:
                return None
            worst = max(worst, likelihood[first] / likelihood[second])
    return worst


@pytest.mark.parametrize("kinds", [KINDS, (*KINDS, (0, 1, 2))])
def test_ratios_are_those_of_fractions_over_all_records(kinds):
    rng, infinite = np.random.default_rng(5), 0
    for count in (0, 1, 2, 4, 8, 12) * 3:
        factors, likelihood = answered(rng, count, kinds)
        for place in (None, *range(4)):
            expected = ratio(likelihood, place)
            # Where answers are impossible elsewhere it may stay open; it is never less.
            found = factors.ratio(place)
            assert found == expected or (0 in kinds[-1] and (found is None or found > expected))
            infinite += expected is None
    assert bool(infinite) == (0 in kinds[-1])


def test_what_is_too_large_to_work_out_stays_open(monkeypatch):
    factors, likelihood = answered(np.random.default_rng(6), 12)
    monkeypatch.setattr(whole_likelihood, "LARGEST_WHOLE", 8)
    assert factors.ratio(None) is factors.ratio(1) is None
    assert ratio(likelihood, None) is not None


def test_thousands_of_answers_are_counted_and_not_multiplied():
    """Only the last one is told; exponents tell, whatever the number of answers."""
    factors = WholeFactors()
    for step in range(2_000):
        place = np.array([[0, 1], [1, 0]]) if step % 2 else np.array([[1, 0], [0, 1]])
        factors = factors.plus((0, 2), (2**64 - 3, 2**64), place)
    factors = factors.plus((2,), (5, 8), np.array([1, 0]))
    assert factors.powers(None) == {5: -1, 8: 1} == factors.powers(2)
    assert factors.powers(0) == {}
