"""Differences of shares: against what every single report adds, by the decoder of one report at a time."""

import numpy as np
import pytest

from sordino import (
    Aggregate,
    Blockwise,
    ChannelTable,
    HadamardResponse,
    RandomizedResponse,
    SordinoError,
    SubsetSelection,
)
from sordino.estimation.intervals.contrast import contrast_leverage
from sordino.estimation.share_estimate import estimate
from sordino.estimation.unbiased import Functionals

MECHANISMS = {
    "randomized": RandomizedResponse(5, "1"),
    "hadamard": HadamardResponse(5, "2"),
    "blockwise": Blockwise([[0, 1, 2], [3, 4]], "1", "randomized"),
    "table": ChannelTable([np.roll([6, 3, 1, 1, 1], x).tolist() for x in range(5)]),
}


def found(mechanism, *, subtract_totals=False):
    values = np.random.default_rng(3).choice(5, 2000, p=[0.1, 0.4, 0.2, 0.05, 0.25])
    tally = mechanism.tally(mechanism.privatize(values))
    return tally, estimate(mechanism, tally, "unbiased", subtract_totals=subtract_totals)


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_difference_has_the_error_of_what_each_report_adds_to_it(name):
    mechanism = MECHANISMS[name]
    tally, estimated = found(mechanism)
    each = np.array([mechanism.decode(law) for law in np.eye(mechanism.counters)])
    for first, second in ((0, 1), (4, 2)):
        added = np.repeat(each[:, first] - each[:, second], tally.counts)
        difference = estimated.difference(first, second)
        assert difference.value == pytest.approx(added.mean(), abs=1e-12)
        assert difference.stderr == pytest.approx(added.std() / np.sqrt(tally.n), rel=1e-9)


def test_shares_that_take_from_each_other_differ_less_surely_than_independent_ones():
    _, estimated = found(MECHANISMS["randomized"])
    apart = np.hypot(estimated.stderr[0], estimated.stderr[1])
    assert estimated.difference(0, 1).stderr > 1.05 * apart


def test_totals_are_subtracted_of_both():
    mechanism = MECHANISMS["blockwise"]
    tally, estimated = found(mechanism, subtract_totals=True)
    difference = estimated.difference(0, 1)
    assert difference.value == pytest.approx(estimated.value[0] - estimated.value[1], abs=1e-12)
    each = []
    for report in np.eye(mechanism.counters, dtype=np.int64):
        one = Aggregate(mechanism.fingerprint, 1, report)
        each.append(estimate(mechanism, one, "unbiased", subtract_totals=True).value)
    added = np.repeat(np.array(each)[:, 0] - np.array(each)[:, 1], tally.counts)
    assert difference.stderr == pytest.approx(added.std() / np.sqrt(tally.n), rel=1e-9)


def test_where_all_reports_agree_the_error_is_that_of_people_who_agree():
    mechanism = RandomizedResponse(3, "1")
    stderr = float(estimate(mechanism, mechanism.tally([0] * 50)).difference(1, 2).stderr)
    weights = np.array([[mechanism.weight(x, y) / mechanism.denominator for y in range(3)] for x in range(3)])
    added = np.linalg.inv(weights) @ [0, 1, -1]
    variances = weights @ added**2 - (weights @ added) ** 2
    assert stderr == pytest.approx(np.sqrt(variances.min() / 50), rel=1e-9)


def test_what_is_no_difference_is_named():
    _, estimated = found(MECHANISMS["randomized"])
    for first, second in ((1, 1), (0, 5), (-1, 2)):
        with pytest.raises(SordinoError, match=r"two values among 0\.\.4"):
            estimated.difference(first, second)


def test_subsets_tell_differences_by_how_often_they_hold_two_values():
    """Tallies count values, not subsets: what each report adds is read off its own tally."""
    mechanism = SubsetSelection(6, "1")
    codes = mechanism.privatize(np.random.default_rng(3).choice(6, 4000, p=[0.1, 0.4, 0.2, 0.05, 0.15, 0.1]))
    each = np.array([mechanism.decode(mechanism.tally([code]).counts.astype(float)) for code in codes])
    added = each[:, 0] - each[:, 1]
    found = estimate(mechanism, mechanism.tally(codes), "unbiased").difference(0, 1)
    assert found.value == pytest.approx(added.mean(), abs=1e-12)
    assert found.stderr == pytest.approx(added.std() / np.sqrt(4000), rel=0.02)
    weights = np.array([1.0, -1, 0, 0, 0, 0])
    assert contrast_leverage(mechanism, weights, subtract_totals=False) == pytest.approx(np.ptp(added))
    # As little as where everybody has one value, by many who do.
    alike = mechanism.privatize(np.full(40_000, 3))
    each = np.array([mechanism.decode(mechanism.tally([code]).counts.astype(float)) for code in np.unique(alike)])
    often = np.unique(alike, return_counts=True)[1] / 40_000
    least = often @ (each[:, 0] - each[:, 1]) ** 2
    everybody = np.eye(6)[3]
    assert Functionals(mechanism, weights[None, :]).expected_variances(everybody) == pytest.approx([least], rel=0.05)
