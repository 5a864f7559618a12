"""Margins, conditional shares and differences of a table: against codes one by one and derivatives by small steps."""

from itertools import permutations

import numpy as np
import pytest

from sordino import Aggregate, KeyedSource, RandomizedResponse, SordinoError, SubsetSelection
from sordino.estimation.joint.table_cells import LARGEST_TABLE, Cells, Within, sums_over
from sordino.estimation.share_estimate import estimate

SHAPE = (3, 2, 2)
SHARES = np.random.default_rng(3).dirichlet(np.ones(12))


def told(mechanism, n=4000, run=0, shares=SHARES):
    values = np.random.default_rng(run).choice(mechanism.k, n, p=shares)
    source = KeyedSource(run.to_bytes(32, "little"), "cells").for_records(np.arange(n))
    return estimate(mechanism, mechanism.tally(mechanism.privatize(values, source)))


def share_of(cells):
    """Of the second attribute's first value among those with the first attribute's value 1: by the words alone."""
    table = np.asarray(cells).reshape(SHAPE)
    return table[1, 0, :].sum() / table[1].sum()


def less(cells):
    table = np.asarray(cells).reshape(SHAPE)
    return share_of(cells) - table[2, 0, :].sum() / table[2].sum()


def slopes(function, at):
    steps = 1e-6 * np.eye(len(at))
    return np.array([(function(at + step) - function(at - step)) / 2e-6 for step in steps])


def test_rows_are_added_up_over_any_axes_in_any_order():
    cells, rows = Cells((3, 2, 4), None, np.eye(24)), np.random.default_rng(2).random((24, 5))
    for count in (1, 2, 3):
        for axes in permutations(range(3), count):
            np.testing.assert_allclose(cells._added_up(rows, axes), sums_over((3, 2, 4), axes) @ rows)


@pytest.mark.parametrize("mechanism", [RandomizedResponse(12, "3"), SubsetSelection(12, "1")], ids=["rr", "subset"])
def test_what_is_told_is_what_the_words_say(mechanism):
    found = told(mechanism, 40_000)
    cells = Cells.of(SHAPE, found)
    # The covariance of the estimates, from the reports of many surveys.
    within, apart = cells.within([1], [0], 0.95).table_shares, cells.within([1], [0], 0.95).difference(1, 2)
    assert within.value[2] == pytest.approx(share_of(found.value))
    assert within.fitted[2] == pytest.approx(share_of(found.fitted))
    assert apart.value[0] == pytest.approx(less(found.value))
    for value, stderr, function in (
        (within.value[2], within.stderr[2], share_of),
        (apart.value[0], apart.stderr[0], less),
    ):
        slope = slopes(function, found.value)
        assert value == pytest.approx(function(found.value))
        # Limits of many reports are nearly normal, and hardly wider.
        assert 1 - 1e-5 <= stderr / np.sqrt(slope @ cells.covariance @ slope) <= 1.05
    margin = cells.margin([2, 0], 0.95)
    np.testing.assert_allclose(margin.value, found.value.reshape(SHAPE).sum(axis=1).T.reshape(-1))
    # An end of the interval is as far from the sums as z standard errors of what is left there.
    for end in (within.low[2], within.high[2]):
        functional = np.zeros(SHAPE)
        functional[1, 0, :] = 1
        functional[1] -= end
        functional = functional.reshape(-1)
        off = (functional @ found.value) ** 2 / (functional @ cells.covariance @ functional)
        assert 1.959964**2 * (1 - 1e-5) < off < 1.959964**2 * 1.03


def test_the_covariance_is_that_of_many_surveys():
    """Of tallies as they come: each with its own noise."""
    mechanism, n = RandomizedResponse(4, "1"), 500
    law, rng = mechanism.forward(np.array([0.4, 0.3, 0.2, 0.1])), np.random.default_rng(0)
    tallies = rng.multinomial(n, law, size=4000)
    values = np.stack([mechanism.decode(tally / n) for tally in tallies])
    whole = estimate(mechanism, Aggregate(mechanism.fingerprint, n * 4000, tallies.sum(axis=0)))
    expected = whole.covariance(np.eye(4)) * 4000
    np.testing.assert_allclose(np.cov(values.T), expected, atol=0.1 * expected.max())


def test_nobody_among_whom_a_share_could_be():
    mechanism = RandomizedResponse(4, "1")
    cells = Cells.of((2, 2), estimate(mechanism, mechanism.tally([0, 1, 0, 1, 0, 1])))
    within = cells.within([1], [0], 0.95).table_shares
    assert np.isnan(within.value[2:]).all()
    assert (within.low[2:].tolist(), within.high[2:].tolist()) == ([0, 0], [1, 1])


def test_a_table_too_large_is_refused():
    mechanism = RandomizedResponse(2 * LARGEST_TABLE, "1")
    with pytest.raises(SordinoError, match=r"at most 1,024 cells; found 2,048"):
        Cells.of((2, LARGEST_TABLE), estimate(mechanism, mechanism.tally([0, 1])))


def test_a_quotient_is_unknown_where_its_limits_exclude_nothing_that_is_possible():
    low, high = np.array([0.1, 0.0, -0.5, 0.2]), np.array([0.9, 1.0, 1.5, 1.0])
    value, unmoved = np.array([0.5, 0.5, 0.5, 0.9]), np.zeros((4, 1))
    found = Within(1, 1.96, value, unmoved, unmoved, low, high, None)
    assert found.unknown.tolist() == [False, True, True, False]
    assert np.isnan(found.table_shares.value).tolist() == found.unknown.tolist()


def test_margins_of_a_rare_value_hold_where_epsilon_is_large():
    """Few reports tell it, however little noise they have: normal limits held it in 81 of 100 such surveys."""
    mechanism, n, held = RandomizedResponse(6, "8"), 300, np.zeros(3)
    shares = np.outer([0.01, 0.04, 0.95], [0.5, 0.5])
    law = mechanism.forward(shares.ravel())
    for counts in np.random.default_rng(4).multinomial(n, law / law.sum(), size=300):
        margin = Cells.of((3, 2), estimate(mechanism, Aggregate(mechanism.fingerprint, n, counts))).margin([0], 0.95)
        held += (margin.low <= shares.sum(axis=1)) & (shares.sum(axis=1) <= margin.high)
    assert held.min() > 0.91 * 300, held / 300


def test_few_people_who_answer_alike_leave_a_standard_error():
    """What nobody of five was seen to have: a standard error of .0004 beside an interval from 0 to .47."""
    mechanism = RandomizedResponse(4, "10")
    within = Cells.of((2, 2), estimate(mechanism, mechanism.tally([0] * 95 + [3] * 5))).within([1], [0], 0.95)
    for told in (within.table_shares, within.difference(0, 1)):
        assert (told.stderr >= (told.high - told.low) / (2 * 1.96)).all()
        assert (told.stderr < 0.2).all()
    assert within.table_shares.stderr[2] > 0.1


@pytest.mark.parametrize("n", [1, 2, 4, 20])
def test_nothing_is_said_of_people_whom_noise_alone_may_have_made(n):
    """One report said "59 % (10 % to 100 %)" beside "-18 % (0 % to 6 %)"; half of what was shown so missed."""
    for run in range(40):
        cells = Cells.of((4, 3), told(SubsetSelection(12, 1), n=n, run=run))
        assert np.isnan(cells.within([1], [0], 0.95).table_shares.value).all(), run


def test_of_reports_that_tell_nearly_all_few_are_enough():
    mechanism = RandomizedResponse(12, "6")
    some = [told(mechanism, n=40, run=run, shares=np.full(12, 1 / 12)) for run in range(40)]
    shown = [~np.isnan(Cells.of((4, 3), one).within([1], [0], 0.95).table_shares.value) for one in some]
    assert np.mean(shown) > 0.9
