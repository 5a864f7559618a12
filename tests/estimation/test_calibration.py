"""Weights that agree with known totals, and their variances, against the textbook's formulas and dense derivatives."""

import numpy as np
import pytest

from sordino import SordinoError
from sordino.estimation.calibration import CellWeights, KnownShares

REPORTS = np.array([400, 100, 250, 50, 120, 80])
ROWS, COLUMNS = np.repeat([0, 1, 2], 2), np.tile([0, 1], 3)


def weights(reports, known, design=None, fixed=()):
    return CellWeights.calibrate(reports, np.ones(len(reports)) if design is None else design, known, fixed)


def test_one_grouping_is_post_stratification():
    shares = np.array([0.2, 0.5, 0.3])
    found = weights(REPORTS, [KnownShares(ROWS, shares)])
    within = REPORTS / np.bincount(ROWS, REPORTS)[ROWS]
    assert found.share == pytest.approx(shares[ROWS] * within)
    # Strata with their own spread: the variance of a stratified mean, and nothing for a number of strata alone.
    values, errors = np.array([[0.1], [0.1], [0.4], [0.4], [0.7], [0.7]]), np.full((6, 1), 0.05)
    value, stderr = found.weigh(values, errors)
    assert value[0] == pytest.approx(0.2 * 0.1 + 0.5 * 0.4 + 0.3 * 0.7)
    assert stderr[0] == pytest.approx(0.05 * np.sqrt((found.share**2).sum()))


def test_two_groupings_agree_and_keep_odds_ratios():
    known = [KnownShares(ROWS, np.array([0.2, 0.5, 0.3])), KnownShares(COLUMNS, np.array([0.6, 0.4]))]
    found = weights(REPORTS, known)
    for one in known:
        assert one.of(found.share) == pytest.approx(one.shares, abs=1e-11)
    before, after = np.log(REPORTS.reshape(3, 2)), np.log(found.share.reshape(3, 2))
    assert np.diff(np.diff(after, axis=0), axis=1) == pytest.approx(np.diff(np.diff(before, axis=0), axis=1))


def test_the_variance_of_raking_is_that_of_its_derivative():
    """How the weighted number moves with each count, by finite differences through the whole fit."""
    known = [KnownShares(ROWS, np.array([0.2, 0.5, 0.3])), KnownShares(COLUMNS, np.array([0.6, 0.4]))]
    values = np.array([0.1, 0.9, 0.3, 0.2, 0.8, 0.1])
    reports = REPORTS.astype(np.float64)

    def weighted(counts):
        return float(weights(counts, known).share @ values)

    slopes = np.array([(weighted(reports + step) - weighted(reports - step)) / 2e-3 for step in 1e-3 * np.eye(6)])
    n = reports.sum()
    covariance = np.diag(reports) - np.outer(reports, reports) / n
    _, stderr = weights(REPORTS, known).weigh(values[:, None], np.zeros((6, 1)))
    assert stderr[0] ** 2 == pytest.approx(slopes @ covariance @ slopes, rel=1e-5)


def test_design_weights_are_fixed_strata():
    design = np.array([2.0, 2.0, 5.0, 5.0, 1.0, 1.0])
    found = weights(REPORTS, [], design, [ROWS])
    assert found.share == pytest.approx(REPORTS * design / (REPORTS * design).sum())
    _, stderr = found.weigh(np.arange(6.0)[:, None], np.full((6, 1), 0.1))
    assert stderr[0] == pytest.approx(0.1 * np.sqrt((found.share**2).sum()))
    assert found.design_effect == pytest.approx(
        1 + np.var(np.repeat(design, REPORTS)) / np.mean(np.repeat(design, REPORTS)) ** 2
    )


def test_design_weights_are_where_calibration_begins():
    design, shares = np.array([1.0, 9.0] * 3), np.array([0.2, 0.5, 0.3])
    found = weights(REPORTS, [KnownShares(ROWS, shares)], design, [COLUMNS])
    own = REPORTS * design
    assert found.share == pytest.approx(shares[ROWS] * own / np.bincount(ROWS, own)[ROWS])


def test_a_known_group_without_reports_is_refused():
    with pytest.raises(SordinoError) as raised:
        weights(REPORTS, [KnownShares(ROWS, np.array([0.2, 0.5, 0.2, 0.1]))])
    assert "a group without any" in str(raised.value)


def test_totals_that_no_weights_have_are_refused():
    """Everybody of the first row is in the first column, which is known to have fewer."""
    rows, columns = np.array([0, 1, 1]), np.array([0, 0, 1])
    known = [KnownShares(rows, np.array([0.7, 0.3])), KnownShares(columns, np.array([0.5, 0.5]))]
    with pytest.raises(SordinoError) as raised:
        weights(np.array([10, 10, 10]), known)
    assert "totals that no weights of these reports have" in str(raised.value)
