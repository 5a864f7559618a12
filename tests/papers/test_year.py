"""A simulated year: estimates as those of reports one by one, exact errors, and the coverage of smoothed bands."""

from fractions import Fraction
from math import tanh

import numpy as np
import pytest

from sordino import RandomizedResponse, estimate
from sordino.papers.year import (
    CURVES,
    KNOWN,
    PEOPLE,
    WEEKS,
    known_shapes,
    people_with_yes,
    weekly_error,
    weekly_shares,
    year,
)


def test_shares_are_those_of_reports_one_by_one():
    generator = np.random.default_rng(3)
    positive, asked = np.array([300, 700]), np.array([1000, 1000])
    drawn = np.array([weekly_shares(positive, asked, Fraction(1), generator) for _ in range(4000)])
    assert drawn[:, 0].mean(axis=0) == pytest.approx([0.3, 0.7], abs=4 * drawn[0, 1].max() / 4000**0.5)
    channel = RandomizedResponse(2, "1")
    codes = channel.privatize(np.repeat([0, 1], [700, 300]))
    single = estimate(channel, channel.tally(codes))
    # The variance of these people's estimate lacks that of drawing them; its standard error is of a population.
    assert drawn[0, 1, 0] == pytest.approx(single.stderr[1], rel=0.05)
    channel_alone = (1 / tanh(1 / 2) ** 2 - 1) / 4 / 1000
    assert drawn[:, 0, 0].var() == pytest.approx(channel_alone, rel=0.1)


@pytest.mark.parametrize("curve", CURVES)
def test_people_are_whole_and_two_per_cent_change(curve):
    positive = people_with_yes(curve, np.random.default_rng(1))
    assert positive.shape == (WEEKS,)
    assert positive.dtype == np.int64
    assert ((positive >= 0.02 * PEOPLE) & (positive <= 0.98 * PEOPLE)).all()
    if curve == "flips":
        expected = 0.5 - 0.2 * 0.96 ** np.arange(WEEKS)
        assert positive / PEOPLE == pytest.approx(expected, abs=0.01)
    if curve == "turnover":
        assert positive / PEOPLE == pytest.approx(np.full(WEEKS, 0.3), abs=0.01)


def test_known_shapes_are_those_of_the_curves_and_their_errors_those_of_least_squares():
    generator = np.random.default_rng(5)
    for bound in known_shapes():
        columns = KNOWN[bound.curve]
        if bound.curve != "flips":
            share = people_with_yes(bound.curve, generator) / PEOPLE
            assert columns @ np.linalg.lstsq(columns, share, rcond=None)[0] == pytest.approx(share, abs=1e-5)
        error = weekly_error(bound.epsilon)
        noise = generator.normal(0, error, (WEEKS, 400))
        fitted = columns @ np.linalg.lstsq(columns, noise, rcond=None)[0]
        assert np.sqrt(np.mean(fitted**2)) == pytest.approx(bound.error, rel=0.1)
    asked = np.full(WEEKS, PEOPLE // WEEKS)
    _, stderrs = weekly_shares(np.rint(0.3 * asked).astype(int), asked, Fraction(1), generator)
    assert stderrs.mean() == pytest.approx(weekly_error(1), rel=0.01)


@pytest.mark.long
def test_a_year_of_answers_once_and_smoothed():
    """Fewer series than `sordino reproduce year` has by default, so its limits are a little wider here."""
    calls = []
    rows = {(row.curve, row.epsilon): row for row in year(15, calls.append)}
    assert sum(calls) == 15 * len(rows)
    assert set(rows) == {(curve, epsilon) for curve in CURVES for epsilon in (1, 2, 4)}
    for (_, epsilon), row in rows.items():
        # Shares that walk come nearer to one half, where people differ most.
        assert row.unsmoothed < {1: 0.026, 2: 0.016, 4: 0.0125 if row.curve.startswith("wa") else 0.012}[epsilon]
        # Everybody each week at epsilon / 52: (coth(epsilon / 104) / 2)^2 / n, for any share in the middle.
        assert row.each_week == pytest.approx(1 / tanh(epsilon / 104) / 2 / PEOPLE**0.5, rel=0.12)
        assert row.smoothed < (0.95 if row.curve.startswith("wa") else 0.6) * row.unsmoothed
        assert 0.88 < row.coverage <= 1
