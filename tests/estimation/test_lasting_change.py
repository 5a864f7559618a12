"""Whether a series changed for good: the chain's integral against draws, its level, and what it names."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtr

from sordino import SordinoError
from sordino.estimation.lasting_change import errors_at_all_cuts, lasting_change, probability_within
from sordino.estimation.smooth_series import pooled_errors
from sordino.papers.year import weekly_shares


def differences(estimates, stderrs):
    """Written out: at each cut the weighted mean after minus that before, in standard errors; shape (..., T - 1)."""
    precision = stderrs**-2
    found = []
    for cut in range(1, len(stderrs)):
        sides = [precision[:cut] / precision[:cut].sum(), precision[cut:] / precision[cut:].sum()]
        error = np.sqrt((sides[0] ** 2 * stderrs[:cut] ** 2).sum() + (sides[1] ** 2 * stderrs[cut:] ** 2).sum())
        found.append((estimates[..., cut:] @ sides[1] - estimates[..., :cut] @ sides[0]) / error)
    return np.stack(found, axis=-1)


@pytest.mark.parametrize("periods", [2, 3, 12, 52])
def test_the_probability_is_that_of_all_cuts_together(periods):
    generator = np.random.default_rng(periods)
    stderrs = generator.uniform(0.5, 2, periods)
    clearest = np.abs(differences(generator.normal(0, stderrs, (30_000, periods)), stderrs)).max(axis=1)
    parts = np.cumsum(stderrs**-2)[:-1] / (stderrs**-2).sum()
    for bound in (1.5, 2.5, 3.0):
        assert probability_within(parts, bound) == pytest.approx((clearest <= bound).mean(), abs=0.011)


@pytest.mark.parametrize("few", [1000, 100, 3])
def test_a_period_of_few_reports_among_many_is_nearly_no_period(few):
    """What lay between the integral's nodes was lost: 38 % of constant series were said to change."""
    reports = np.full(20, 1e6)
    alike = np.arange(1, 19) / 19
    for place in (1, 10, 18):
        reports[:] = 1e6
        reports[place] = few
        parts = np.cumsum(reports)[:-1] / reports.sum()
        for bound in (2.0, 2.9, 4.5):
            # What a path does between a cut and one that is left out is allowed for: at most so much less.
            beside = probability_within(alike, bound)
            assert beside - 0.012 <= probability_within(parts, bound) <= beside + 1e-3
        assert errors_at_all_cuts(parts, 0.95) == pytest.approx(errors_at_all_cuts(alike, 0.95), abs=0.02)


def test_many_periods_that_hardly_differ_are_told_by_draws():
    """Half of the periods have a thousandth of the others' reports each, in a row; against draws of all cuts."""
    generator = np.random.default_rng(8)
    stderrs = np.where(np.arange(40) % 20 < 10, 1.0, 30.0)
    clearest = np.abs(differences(generator.normal(0, stderrs, (20_000, 40)), stderrs)).max(axis=1)
    parts = np.cumsum(stderrs**-2)[:-1] / (stderrs**-2).sum()
    for bound in (1.5, 2.5, 3.0):
        # Less where cuts are left out, by what a path may do in between.
        within = (clearest <= bound).mean()
        assert within - 0.025 <= probability_within(parts, bound) <= within + 0.012


def test_one_cut_is_one_normal_and_many_are_between_it_and_bonferroni():
    assert probability_within([0.3], 2.0) == pytest.approx(1 - 2 * ndtr(-2.0))
    parts = np.arange(1, 52) / 52
    within = 1 - probability_within(parts, 3.0)
    assert 2 * ndtr(-3.0) < within < 51 * 2 * ndtr(-3.0)
    bound = errors_at_all_cuts(parts, 0.95)
    assert 2.7 < bound < 3.1
    assert probability_within(parts, bound) == pytest.approx(0.95, abs=1e-3)
    assert errors_at_all_cuts(parts, 1 - 1e-6) > 5


@pytest.mark.parametrize(("periods", "spread"), [(52, 3.0), (52, 6.0), (12, 8.0)])
def test_limits_hold_where_periods_have_reports_of_every_order_of_magnitude(periods, spread):
    """Cuts beside a period of few reports nearly coincide: a quadrature that takes them apart finds no limits."""
    generator = np.random.default_rng(periods)
    stderrs = np.exp(-spread * generator.normal(size=periods) / 2)
    parts = np.cumsum(stderrs**-2)[:-1] / (stderrs**-2).sum()
    bounds = [errors_at_all_cuts(parts, confidence) for confidence in (0.95, 0.9995, 1 - 1e-9)]
    assert bounds == sorted(bounds)
    clearest = np.abs(differences(generator.normal(0, stderrs, (10_000, periods)), stderrs)).max(axis=1)
    assert (clearest <= bounds[0]).mean() == pytest.approx(0.95, abs=0.01)


def test_the_clearest_change_is_that_of_all_differences_written_out():
    generator = np.random.default_rng(2)
    for _ in range(20):
        stderrs = generator.uniform(0.5, 2, 15)
        estimates = generator.normal(0, stderrs)
        own = differences(estimates, stderrs)
        found = lasting_change(estimates, stderrs)
        assert found.since == np.abs(own).argmax() + 1
        assert found.change / found.stderr == pytest.approx(own[found.since - 1])
        low, high = found.interval(0.9)
        assert (low > 0 or high < 0) == (found.p_value < 0.1)


def test_at_most_five_per_cent_of_constant_series_are_said_to_change():
    generator, said = np.random.default_rng(1), 0
    bound = errors_at_all_cuts(np.arange(1, 52) / 52, 0.95)
    for _ in range(2000):
        found = lasting_change(generator.normal(0.3, 0.024, 52), np.full(52, 0.024))
        clear = abs(found.change) > bound * found.stderr
        said += clear
    assert 0.035 < said / 2000 < 0.065


def test_a_constant_rare_value_of_few_reports_is_not_said_to_change_too_often():
    """Counts of 2 % among 120 reports a period: their own standard errors would say so in 14 % of series."""
    generator, said, bound = np.random.default_rng(6), np.zeros(2), errors_at_all_cuts(np.arange(1, 52) / 52, 0.95)
    for _ in range(600):
        asked = generator.poisson(120, 52)
        estimates, stderrs = weekly_shares(generator.binomial(asked, 0.02), asked, Fraction(4), generator)
        usable = stderrs > 0
        pairs = (estimates, pooled_errors(stderrs, asked)), (estimates[usable], stderrs[usable])
        said += [abs(found.change) > bound * found.stderr for found in map(lasting_change, *zip(*pairs, strict=True))]
    assert said[0] / 600 < 0.085
    assert said[1] / 600 > 0.1


@pytest.mark.parametrize("count", [1, 3, 13, 14, 40])
def test_pooled_errors_are_those_of_the_nearest_periods(count):
    generator = np.random.default_rng(count)
    stderrs, reports = generator.uniform(0.01, 0.03, count), generator.integers(100, 900, count)
    for at, found in enumerate(pooled_errors(stderrs, reports)):
        first = min(max(at - 6, 0), max(count - 13, 0))
        near = np.arange(first, min(first + 13, count))
        expected = np.average(reports[near] * stderrs[near] ** 2, weights=reports[near]) / reports[at]
        assert found == pytest.approx(np.sqrt(expected))


def test_a_jump_is_named_with_its_place_and_size():
    truth = np.where(np.arange(300) < 120, 0.3, 0.4)
    estimates = np.random.default_rng(4).normal(truth, 0.02)
    found = lasting_change(estimates, np.full(300, 0.02))
    assert found.since == pytest.approx(120, abs=2)
    low, high = found.interval(0.95)
    assert low < 0.1 < high
    assert high - low < 0.02
    assert found.p_value < 1e-9


@pytest.mark.parametrize(
    ("estimates", "stderrs"),
    [
        (np.ones(1), np.ones(1)),
        (np.ones(3), np.ones(2)),
        (np.ones(3), np.zeros(3)),
        (np.array([1, np.nan, 1]), np.ones(3)),
        (np.ones(3), np.array([1, np.inf, 1])),
    ],
)
def test_what_has_no_change_to_test_is_refused(estimates, stderrs):
    with pytest.raises(SordinoError, match="two or more"):
        lasting_change(estimates, stderrs)


def test_one_estimate_with_nearly_all_precision_breaks_nothing():
    stderrs = np.ones(20)
    stderrs[7] = 1e-7
    found = lasting_change(np.arange(20.0), stderrs)
    assert 0 <= found.p_value <= 1
    assert np.isfinite(found.interval(0.95)).all()
