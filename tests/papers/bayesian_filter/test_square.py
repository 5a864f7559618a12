"""Squares of linear models over a box: losses against a fine grid, through the public filter, with other queries."""

from functools import cache
from itertools import product
from math import log

import numpy as np
import pytest

from chances import chances
from sordino import LDP, BayesianFilter, Box, LinearQuery, LogisticQuery, SordinoError, realized_loss
from sordino.papers import SquareQuery

BOX = Box([-1, 0], [1, 3])
GRID = np.array(list(product(np.linspace(-1, 1, 31), np.linspace(0, 3, 31))))
QUERIES = [
    SquareQuery([1.0, 0.5], -0.5, 2.0, "1"),
    SquareQuery([0.0, 1.0], -1.0, 2.5, "2"),
    LinearQuery([0.5, 0.25], 0.0, -0.5, 1.25, "1"),
    LogisticQuery([1.0, -1.0], 0.3, "1"),
]


@cache
def log_chance(query, code):
    ones = np.array(chances(query, GRID), dtype=np.float64)
    return np.log(ones if code else 1 - ones)


@pytest.mark.parametrize("codes", list(product((0, 1), repeat=4)))
def test_losses_are_those_of_a_fine_grid(codes):
    total = sum(log_chance(query, code) for query, code in zip(QUERIES, codes, strict=True))
    bounds = realized_loss(BOX, QUERIES, codes, 1e-3)
    assert np.ptp(total) <= bounds.upper
    assert bounds.lower <= np.ptp(total) + 0.05
    assert bounds.upper - bounds.lower < 0.01


def test_the_evidence_of_an_answer_is_its_probability():
    for query, code in product(QUERIES[:2], (0, 1)):
        report = query.evidence(BOX, code)
        off = log_chance(query, code) - report.at(GRID)
        assert np.ptp(off) <= 2 * (report.radius + report.margin) + 1e-12
        assert report.radius < 1e-9


def test_appendix_a_is_asked_through_the_public_filter():
    box = Box([-1], [1])
    mean, square = LinearQuery([1.0], 0, -1, 1, "1"), SquareQuery([1.0], 0, 1, "1")
    for budget, fits in (("1.68", False), ("1.70", True)):
        asked = BayesianFilter(box, LDP(budget)).after(mean, 1)
        assert asked.accepts(square) == fits
    done = BayesianFilter(box, LDP("2")).after(mean, 1).after(square, 1)
    assert done.spent == pytest.approx(1.413790, abs=1e-3)
    assert done.spent >= 1.413789
    assert BayesianFilter(box, LDP("1")).accepts(SquareQuery([1.0], 0, 1, "1"))


def test_a_square_that_does_not_reach_far_reveals_less():
    narrow = Box([-0.5], [0.5])
    query = SquareQuery([1.0], 0, 1, "1")
    e = np.e
    for code, loss in ((1, log((0.75 + 0.25 * e) / 1)), (0, log(e / (0.75 * e + 0.25)))):
        assert realized_loss(narrow, [query], [code], 1e-6).upper == pytest.approx(loss, abs=1e-5)


def test_models_beyond_their_reach_are_refused():
    with pytest.raises(SordinoError, match="stay between -2 and 2"):
        BayesianFilter(BOX, LDP(1)).accepts(SquareQuery([1.0, 1.0], 0.0, 2.0, "0.1"))
    with pytest.raises(SordinoError, match="reach must be above 0"):
        SquareQuery([1.0], 0.0, 0.0, "1")
    with pytest.raises(SordinoError, match="as many numbers"):
        BayesianFilter(BOX, LDP(1)).accepts(SquareQuery([1.0], 0.0, 1.0, "0.1"))
    assert BayesianFilter(BOX, LDP(1)).accepts(SquareQuery([1.0, 1.0], 0.0, 4.0, "0.1"))
