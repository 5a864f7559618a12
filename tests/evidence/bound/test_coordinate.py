"""Bounds on what evidence tells of one number: around dense grids, of one report and of several."""

import numpy as np
import pytest

from sordino import Box, LinearQuery, LogisticQuery, TruncatedLinearQuery
from sordino.evidence.bound.number_losses import CoordinateLoss, largest_alone
from sordino.evidence.box_evidence import BoxEvidence

BOX = Box([-1, 0], [1, 2])
STEPS = 201
TINY = 1e-12
"""Of the witness, which is a sum of floats."""
AXES = (np.linspace(-1, 1, STEPS), np.linspace(0, 2, STEPS))
GRID = np.stack(np.meshgrid(*AXES, indexing="ij"), axis=-1).reshape(-1, 2)


def on_grid(reports, number):
    """The largest difference along a number, at points of the grid."""
    table = sum((report.at(GRID) for report in reports), np.zeros(len(GRID))).reshape(STEPS, STEPS)
    return np.ptp(table, axis=number).max()


def drawn(generator, count):
    """Random questions of all kinds and their answers, as evidence."""
    reports = []
    for _ in range(count):
        theta, epsilon = generator.uniform(-1, 1, 2), str(round(generator.uniform(0.1, 2), 3))
        if generator.random() < 0.2:
            theta[generator.integers(2)] = 0.0
        kind = generator.integers(3)
        if kind == 0:
            # Within plus and minus three, whatever theta is.
            query = LinearQuery(theta, 0, -3, 3, epsilon)
        elif kind == 1:
            query = LogisticQuery(theta * 10 ** generator.uniform(-1, 1.5), generator.uniform(-3, 3), epsilon)
        else:
            query = TruncatedLinearQuery(theta * 4, generator.uniform(-1, 1), -1, 1, epsilon)
        reports.append(query.evidence(BOX, int(generator.integers(2))))
    return reports


@pytest.mark.parametrize("rounds", [40, pytest.param(120, marks=pytest.mark.long)])
@pytest.mark.parametrize("number", [0, 1])
def test_one_report_tells_no_more_and_hardly_less(number, rounds):
    generator = np.random.default_rng(5)
    for report in drawn(generator, rounds):
        true, bound = on_grid([report], number), largest_alone(report)[number]
        assert true <= bound + TINY
        assert bound <= report.ceiling
        # The grid misses the best window by less than a step, in which no function rises by more than this.
        slack = sum(float((terms.shape.steepest * np.abs(terms.slopes).sum(axis=1)).sum()) for terms in report.groups)
        assert bound <= true + 4 / (STEPS - 1) * slack + 1e-9


@pytest.mark.parametrize("rounds", [1, pytest.param(3, marks=pytest.mark.long)])
@pytest.mark.parametrize("number", [0, 1])
def test_bounds_are_around_the_loss_whatever_the_limit(number, rounds):
    generator = np.random.default_rng(6)
    for count in (1, 2, 3, 5, 8) * rounds:
        reports = drawn(generator, count)
        loss = CoordinateLoss.of_no_reports(BOX, number)
        for report in reports:
            loss = loss.after(report)
        true = on_grid(reports, number)
        for nodes in (0, 1, 40, 3000):
            solved = loss.solve(nodes, tolerance=1e-4)
            assert true - TINY <= solved.upper <= loss.upper
            assert solved.lower <= solved.upper
        assert solved.upper <= true + 0.05
        assert solved.lower >= true - 1e-3


def test_solving_stops_at_a_goal_and_says_on_which_side():
    reports = drawn(np.random.default_rng(7), 6)
    loss = CoordinateLoss.of_no_reports(BOX, 0)
    for report in reports:
        loss = loss.after(report)
    true = on_grid(reports, 0)
    assert loss.upper > true + 0.01
    assert loss.solve(3000, true + 0.01).upper <= true + 0.01
    assert loss.solve(3000, true - 0.01).lower > true - 0.01


def test_nothing_told_is_nothing_lost():
    loss = CoordinateLoss.of_no_reports(BOX, 0)
    assert loss.solve(10).upper == loss.upper == 0
    assert loss.after(BoxEvidence(BOX)).upper == 0
    assert largest_alone(LinearQuery([1.0, 0.0], 0, -1, 1, "0").evidence(BOX, 1))[0] == 0
