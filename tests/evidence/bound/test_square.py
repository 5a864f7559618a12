"""One polynomial of all reports on a box: around the largest difference of two records, and close for linear models."""

import itertools

import numpy as np
import pytest

from sordino import Box, LinearQuery, LogisticQuery, TruncatedLinearQuery
from sordino.evidence.bound.loss import LARGEST_DIMENSION, BoxLoss, SummedSquares, largest_square

SQUARE = Box([-1, -1], [1, 1])
AXIS = np.linspace(-1, 1, 61)
GRID = np.stack(np.meshgrid(AXIS, AXIS, indexing="ij"), axis=-1).reshape(-1, 2)
TINY = 1e-12


@pytest.mark.parametrize("steep", [0.5, 3.0, 40.0])
def test_no_two_records_are_told_further_apart(steep):
    generator = np.random.default_rng(int(steep))
    for count in (1, 1, 1, 1, 3, 8):
        square, told = SummedSquares.of_no_reports(2), np.zeros(len(GRID))
        for _ in range(count):
            theta, epsilon = generator.uniform(-1, 1, 2), str(round(generator.uniform(0.1, 3), 3))
            query = LogisticQuery(theta * steep, generator.uniform(-1, 1), epsilon)
            if generator.random() < 0.3:
                query = LinearQuery(theta, 0, -2, 2, epsilon)
            report = query.evidence(SQUARE, int(generator.integers(2)))
            square, told = square.after(report), told + report.at(GRID)
        assert square.upper >= np.ptp(told) - TINY


@pytest.mark.parametrize("steep", [2.0, 30.0])
def test_what_is_left_is_looked_at_between_places(steep):
    """Of one number, whose polynomial can be told from its coefficients."""
    line = np.linspace(-1, 1, 20_001)[:, None]
    for intercept in np.linspace(-3, 3, 9):
        report = LogisticQuery([steep], intercept, "2").evidence(Box([-1], [1]), 1)
        square = SummedSquares.of_no_reports(1).after(report)
        rest = report.at(line) - (line * square.first + line**2 * square.second[0]).ravel()
        assert square.left >= np.ptp(rest) - TINY


def test_a_term_with_kinks_has_no_bound():
    report = TruncatedLinearQuery([2.0, 0.0], 0, -1, 1, "1").evidence(SQUARE, 1)
    assert np.isinf(SummedSquares.of_no_reports(2).after(report).upper)
    assert np.isinf(SummedSquares.of_no_reports(200).upper)


@pytest.mark.parametrize("seed", range(3))
def test_a_square_is_bounded_over_the_cube(seed):
    generator = np.random.default_rng(seed)
    corners = np.array(list(itertools.product((-1.0, 1.0), repeat=8)))
    for size in (0.1, 1.0, 10.0):
        first, second = generator.normal(size=8), size * generator.normal(size=(8, 8))
        second = second + second.T
        points = np.concatenate((corners, generator.uniform(-1, 1, (4000, 8))))
        assert largest_square(first, second) >= (points @ first + ((points @ second) * points).sum(axis=1)).max() - TINY


def test_linear_questions_are_decided_without_a_search():
    """Ten numbers: the least value is at a corner, and the largest one is near the best of many points."""
    generator, box = np.random.default_rng(4), Box([-1] * 10, [1] * 10)
    points = np.concatenate(
        (np.array(list(itertools.product((-1.0, 1.0), repeat=10))), generator.uniform(-1, 1, (2000, 10)))
    )
    loss, told = BoxLoss.of_no_reports(box), np.zeros(len(points))
    for _ in range(40):
        theta = generator.normal(size=10)
        query = LinearQuery(theta / np.abs(theta).sum(), 0, -1, 1, "0.1")
        report = query.evidence(box, int(generator.integers(2)))
        loss, told = loss.after(report), told + report.at(points)
    true = np.ptp(told)
    solved = loss.solve(1, true + 0.005)
    assert true <= solved.bounds.upper <= true + 0.005
    assert solved.bottom is loss.bottom
    # Later answers add what they tell at most.
    assert solved.after(report).bounds.upper <= true + 0.005 + report.ceiling + TINY


@pytest.mark.parametrize("d", [2, LARGEST_DIMENSION + 1])
def test_bounds_that_are_known_hold_after_another_report(d):
    box, corners = Box([-1] * d, [1] * d), np.array(list(itertools.product((-1.0, 1.0), repeat=d)))
    report, loss = LinearQuery([1 / d] * d, 0, -1, 1, "0.5").evidence(box, 1), BoxLoss.of_no_reports(box)
    told = np.zeros(len(corners))
    for _ in range(3):
        loss, told = loss.after(report).solve(1), told + report.at(corners)
        assert loss.bounds.upper >= np.ptp(told) - TINY
        # What later reports tell at most is added to what is known: nothing is solved here.
        assert loss.after(report).bounds.upper >= np.ptp(told + report.at(corners)) - TINY


@pytest.mark.parametrize(("d", "held"), [(2, False), (LARGEST_DIMENSION, False), (LARGEST_DIMENSION + 1, True)])
def test_a_loss_holds_a_polynomial_of_more_numbers_than_corners_are_listed_of(d, held):
    box = Box([-1] * d, [1] * d)
    report = LinearQuery([0.5 / d] * d, 0.1, -1, 1, "1").evidence(box, 1)
    assert (BoxLoss.of_no_reports(box).after(report).after(report).square is not None) is held
