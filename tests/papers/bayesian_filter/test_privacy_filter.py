"""The Bayesian privacy filter paper's numbers: losses against certified ones found elsewhere, accepted queries."""

from itertools import count

import numpy as np
import pytest

from sordino.papers.bayesian_filter.appendix_a import appendix_a
from sordino.papers.bayesian_filter.fig1 import fig1
from sordino.papers.bayesian_filter.health_models import PAPER, PEOPLE, QUESTIONS, health

pytestmark = pytest.mark.long

LOSSES = {
    "0000": 2.35636,
    "0001": 2.29314,
    "0010": 1.70135,
    "0011": 2.57659,
    "0100": 2.56165,
    "0101": 3.03099,
    "0110": 2.34985,
    "0111": 3.60408,
    "1000": 3.35823,
    "1001": 2.14849,
    "1010": 2.62177,
    "1011": 2.09258,
    "1100": 2.23273,
    "1101": 1.58627,
    "1110": 1.80474,
    "1111": 2.38335,
}
"""Of the health questions, each certified by another program to 4e-6."""


def test_appendix_a_has_the_closed_forms_losses():
    rows = {row.outputs: row for row in appendix_a()}
    for outputs, loss in {"11": 1.413790, "01": 1.413790, "10": 1.691376, "00": 1.691376}.items():
        row = rows[outputs]
        assert row.lower - 1e-6 <= loss <= row.upper + 1e-6
        assert row.upper - row.lower <= 1e-5
        assert row.paper == pytest.approx(loss, abs=0.005)


def test_health_has_the_certified_losses():
    rows = health()
    assert [row.outputs for row in rows] == [*LOSSES] == [*PAPER]
    for row in rows:
        assert row.upper - row.lower <= 1e-4
        assert abs(row.lower - LOSSES[row.outputs]) <= 1e-4
        assert abs(row.upper - LOSSES[row.outputs]) <= 1e-4
        # What the paper prints is above the truth.
        assert 0.09 < row.paper - row.upper < 0.16


def test_health_against_a_dense_grid():
    axes = [np.linspace(low, high, 41) for low, high in zip(PEOPLE.low, PEOPLE.high, strict=True)]
    axes[1] = np.linspace(0, 1, 5)
    grid = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 4)
    shares = [(1 + query.model.scale(query.model.statistic(grid))) / 2 for query in QUESTIONS]
    ends = [query.mechanism.probabilities()[:, 1] for query in QUESTIONS]
    likely = [low + (high - low) * share for (low, high), share in zip(ends, shares, strict=True)]
    ones, zeros = [np.log(one) for one in likely], [np.log1p(-one) for one in likely]
    for row in health():
        total = sum(pair[int(output)] for pair, output in zip(zip(zeros, ones, strict=True), row.outputs, strict=True))
        assert np.ptp(total) <= row.upper
        assert np.ptp(total) >= row.lower - 0.02


def ticks():
    """A clock that moves a millisecond at each look."""
    moments = count()
    return lambda: next(moments) / 1000


def test_runs_are_repeatable_and_timed_by_the_clock():
    first = fig1("linear", 2, 3, ticks())
    assert first == fig1("linear", 2, 3, ticks())
    assert first.accepted != fig1("linear", 2, 4, ticks()).accepted
    assert 1 < first.milliseconds_per_query < 2
    assert all(accepted >= 10 for accepted in first.accepted)


def test_more_work_accepts_more_and_groups_less():
    accepted = {
        name: np.median(fig1("logistic", 5, 1, ticks(), **settings).accepted)
        for name, settings in {"none": {"nodes": 0}, "some": {"nodes": 300}, "grouped": {"group": 10}}.items()
    }
    assert 10 <= accepted["none"] < accepted["some"]
    assert accepted["grouped"] < accepted["some"]


def test_linear_models_accept_as_many_as_asked():
    assert np.median(fig1("linear", 50, 1, ticks()).accepted) >= 110


def test_logistic_models_accept_as_many_as_asked():
    assert np.median(fig1("logistic", 50, 1, ticks()).accepted) >= 28
