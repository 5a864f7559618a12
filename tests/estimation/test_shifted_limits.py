"""Limits of shares that were shifted to add up to the share of their block: they hold, and have a width."""

import numpy as np
import pytest

from sordino import HadamardResponse
from sordino.estimation.intervals.share_interval import share_interval

SURVEYS, PEOPLE = 400, 200


@pytest.mark.parametrize("rare", [0.02, 0.3])
def test_shares_that_were_shifted_lie_within_their_limits(rare):
    mechanism = HadamardResponse(3, "1")
    shares = np.array([1 - 2 * rare, rare, rare])
    draws = np.random.default_rng(8)
    people = draws.choice(3, (SURVEYS, PEOPLE), p=shares)
    codes = mechanism.privatize(people.ravel()).reshape(SURVEYS, PEOPLE)
    found = [share_interval(mechanism, mechanism.tally(own), 0.95, subtract_totals=True) for own in codes]
    low, high = map(np.array, zip(*found, strict=True))
    covered = ((low <= shares) & (shares <= high)).mean(axis=0)
    # Of a hundred surveys five may miss, and no more than eight do in any such draw of four hundred.
    assert covered.min() > 0.92
    assert (low < high).all()


def test_the_limits_of_reports_that_are_all_alike_have_a_width():
    for mechanism in (HadamardResponse(3, "1"), HadamardResponse(20, "1")):
        for code in range(mechanism.outputs):
            tally = mechanism.tally(np.full(2000, code, dtype=np.uint64))
            low, high = share_interval(mechanism, tally, 0.95, subtract_totals=True)
            assert (low < high).all()
