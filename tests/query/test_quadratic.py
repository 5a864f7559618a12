"""Models with products: losses against fine grids, bounds of boxes against points, through the public filter."""

from functools import cache
from itertools import combinations, product
from math import log

import numpy as np
import pytest

from chances import chances
from sordino import (
    LDP,
    BayesianFilter,
    Box,
    CoordinateDP,
    Interval,
    LinearQuery,
    LogisticQuery,
    QuadraticQuery,
    SordinoError,
    realized_loss,
)
from sordino.accounting.measures.cell_query import cell_query_of
from sordino.domain.mixed_record import MixedRecord
from sordino.evidence.bound.problem import Problem

BOX = Box([-1, 0], [1, 3])
GRID = np.array(list(product(np.linspace(-1, 1, 31), np.linspace(0, 3, 31))))
QUERIES = [
    QuadraticQuery({(0, 1): 1.0}, [0.0, 0.0], 0.0, -3, 3, "1"),
    QuadraticQuery({(0, 0): 1.0, (1, 0): -0.5, (1, 1): 0.2}, [0.3, -0.1], 0.1, -1, 2, "2"),  # cut at -1 and 2
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


def test_no_point_of_a_box_is_above_its_bounds():
    generator = np.random.default_rng(1)
    d = 3
    pairs = [(i, j) for i in range(d) for j in range(i, d)]
    for _ in range(20):
        # Some curved the same way, so that a form is largest within a box.
        drawn = zip(pairs, generator.uniform(-1, 1, len(pairs)), strict=True)
        products = {(i, j): float(number) - 2 * (i == j) for (i, j), number in drawn}
        low, high = generator.uniform(-9, -7), generator.uniform(7, 9)
        query = QuadraticQuery(products, generator.uniform(-1, 1, d).tolist(), 0.5, low, high, "1")
        report = query.evidence(Box([-1, 0, -2], [1, 1, 0.5]), int(generator.integers(2)))
        ends = np.sort(generator.uniform(-1, 1, (2, 4, d)), axis=0)
        points = ends[0] + generator.uniform(0, 1, (200, 4, d)) * (ends[1] - ends[0])
        for top in (True, False):
            problem = Problem.of(report, top=top)
            least, largest = problem.ranges(*ends)
            forms = problem.forms(points)
            assert (least <= forms).all()
            assert (forms <= largest).all()
            tilt = generator.uniform(-1, 1, (4, 1))
            highest = problem.highest(tilt, *ends) + (tilt * problem.intercepts).sum(axis=1)
            assert ((tilt * forms).sum(axis=2) <= highest + 1e-12).all()
            step = 1e-6 * np.eye(d)
            slopes = [problem.forms(points + one) - problem.forms(points - one) for one in step]
            pull = problem.pull(np.broadcast_to(tilt, (200, 4, 1)), points)
            assert np.allclose(np.concatenate(slopes, axis=2) * tilt / 2e-6, pull, atol=1e-6)


def test_appendix_a_is_asked_through_the_filter():
    box = Box([-1], [1])
    mean, square = LinearQuery([1.0], 0, -1, 1, "1"), QuadraticQuery({(0, 0): 1.0}, [0.0], 0, 0, 1, "1")
    for budget, fits in (("1.68", False), ("1.70", True)):
        asked = BayesianFilter(box, LDP(budget)).after(mean, 1)
        assert asked.accepts(square) == fits
    done = BayesianFilter(box, LDP("2")).after(mean, 1).after(square, 1)
    assert done.spent == pytest.approx(1.413790, abs=1e-3)
    assert done.spent >= 1.413789
    assert BayesianFilter(box, LDP("1")).accepts(square)


@pytest.mark.parametrize("d", [2, 3, 6])
def test_products_that_cancel_are_accepted_beyond_the_sum_of_their_epsilons(d):
    generator = np.random.default_rng((d, 7))
    pairs, record = list(combinations(range(d), 2)), np.zeros(d)
    asked, outputs = [], []
    protected = BayesianFilter(Box([-1] * d, [1] * d), LDP("1"))
    while len(asked) < 60:
        query = QuadraticQuery({pairs[generator.integers(len(pairs))]: 1.0}, record, 0, -1, 1, "0.1")
        if not protected.accepts(query):
            break
        asked.append(query)
        outputs.append(int(generator.integers(2)))
        protected = protected.after(query, outputs[-1])
    assert len(asked) >= 15
    # What was accepted keeps the promise.
    corners = list(product((-1.0, 1.0), repeat=d))
    total = np.zeros(len(corners))
    for query, output in zip(asked, outputs, strict=True):
        ones = np.array(chances(query, corners), dtype=np.float64)
        total += np.log(ones if output else 1 - ones)
    assert np.ptp(total) <= protected.spent <= 1


def test_a_square_that_does_not_reach_far_reveals_less():
    narrow = Box([-0.5], [0.5])
    query = QuadraticQuery({(0, 0): 1.0}, [0.0], 0, 0, 1, "1")
    e = np.e
    for code, loss in ((1, log((0.75 + 0.25 * e) / 1)), (0, log(e / (0.75 * e + 0.25)))):
        assert realized_loss(narrow, [query], [code], 1e-6).upper == pytest.approx(loss, abs=1e-5)


def test_what_cannot_be_asked_is_refused():
    square = QuadraticQuery({(0, 0): 1.0}, [0.0], 0, 0, 1, "1")
    for products, found in (
        ({(0, 2): 1.0}, r"\(0, 2\)"),
        ({0: 1.0}, "0"),
        ({(0, 1): 1.0, (1, 0): 1.0}, "twice"),
        (3, "int"),
    ):
        with pytest.raises(SordinoError, match=found):
            QuadraticQuery(products, [0.0, 0.0], 0, 0, 1, "1")
    with pytest.raises(SordinoError, match="at most 32"):
        QuadraticQuery({}, [0.0] * 33, 0, 0, 1, "1")
    with pytest.raises(SordinoError, match="as many numbers"):
        BayesianFilter(BOX, LDP(1)).accepts(square)
    with pytest.raises(SordinoError, match="billionth"):
        BayesianFilter(Box([1e8], [1e8 + 1]), LDP(1)).accepts(square)
    with pytest.raises(SordinoError, match="a model with products"):
        BayesianFilter(Box([-1], [1]), CoordinateDP(["2"])).accepts(square)
    cells = MixedRecord({"x": Interval(-1, 1)}).cells
    with pytest.raises(SordinoError, match="a model with products"):
        cell_query_of(square, cells)
