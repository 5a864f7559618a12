"""Polynomials of all reports on a box: around the largest differences on dense grids, and close to them."""

from dataclasses import replace

import numpy as np
import pytest

from sordino import Box, LinearQuery, LogisticQuery, TruncatedLinearQuery
from sordino.evidence.bound.cubic import Cubic
from sordino.evidence.bound.number_losses import NumberLosses, largest_alone
from sordino.evidence.bound.problem import CELLS
from sordino.evidence.bound.remainder import Fit
from sordino.evidence.box_evidence import BoxEvidence

SQUARE = Box([-1, -1], [1, 1])
SIDE = 81
AXIS = np.linspace(-1, 1, SIDE)
GRID = np.stack(np.meshgrid(AXIS, AXIS, indexing="ij"), axis=-1).reshape(-1, 2)
TINY = 1e-12


def drawn(generator, count, d=2, kinds=3):
    """Random questions and their answers, as evidence."""
    box, reports = Box([-1] * d, [1] * d), []
    for _ in range(count):
        theta, epsilon = generator.uniform(-1, 1, d), str(round(generator.uniform(0.1, 2), 3))
        if generator.random() < 0.1:
            theta[generator.integers(d)] = 0.0
        kind = generator.integers(kinds)
        if kind == 0:
            query = LinearQuery(theta, 0, -d, d, epsilon)
        elif kind == 1:
            query = LogisticQuery(theta * 10 ** generator.uniform(-1, 1.2), generator.uniform(-2, 2), epsilon)
        else:
            query = TruncatedLinearQuery(theta * 2, generator.uniform(-1, 1), -1, 1, epsilon)
        reports.append(query.evidence(box, int(generator.integers(2))))
    return reports


def together(reports):
    evidence, cubic = BoxEvidence(reports[0].box), Cubic.of_no_reports(reports[0].box.d)
    for report in reports:
        evidence, cubic = evidence + report, cubic.after(report, largest_alone(report))
    return evidence, cubic


def on_grid(reports):
    """The largest difference along each number, at points of the grid."""
    table = sum(report.at(GRID) for report in reports).reshape(SIDE, SIDE)
    return np.array([np.ptp(table, axis=number).max() for number in (0, 1)])


@pytest.mark.parametrize("kinds", [1, 2, 3])
def test_no_two_values_are_told_further_apart(kinds):
    generator = np.random.default_rng(kinds)
    for count in (1, 1, 2, 5, 15):
        reports = drawn(generator, count, kinds=kinds)
        evidence, cubic = together(reports)
        true = on_grid(reports)
        for _ in range(4):
            assert (cubic.upper >= true - TINY).all()
            cubic = cubic.tighten(evidence, true)


def test_linear_questions_are_told_as_they_are():
    """Their remainders are next to nothing: what cancels in the sum cancels in the bound."""
    generator = np.random.default_rng(4)
    queries = [LinearQuery(generator.uniform(-0.5, 0.5, 2), 0, -1, 1, "0.1") for _ in range(60)]
    reports = [query.evidence(SQUARE, int(generator.integers(2))) for query in queries]
    _, cubic = together(reports)
    alone = sum(largest_alone(report) for report in reports)
    true = on_grid(reports)
    assert (true < 0.5 * alone).all()
    assert (cubic.upper <= true + 0.004).all()


def test_boxes_that_are_cut_come_close_to_the_loss():
    generator = np.random.default_rng(5)
    queries = [LogisticQuery(generator.uniform(-1.5, 1.5, 2), generator.uniform(-1, 1), "0.1") for _ in range(60)]
    reports = [query.evidence(SQUARE, int(generator.integers(2))) for query in queries]
    evidence, cubic = together(reports)
    true = on_grid(reports)
    assert (cubic.upper > true + 0.04).all()
    for _ in range(6):
        cubic = cubic.tighten(evidence, true)
    assert (cubic.upper <= true + 0.03).all()


def test_cut_boxes_cover_the_cube():
    generator = np.random.default_rng(6)
    reports = drawn(generator, 4, d=3, kinds=2)
    evidence, cubic = together(reports)
    for _ in range(3):
        cubic = cubic.tighten(evidence, np.zeros(3))
    points = generator.uniform(-1, 1, (300, 3))
    for number in range(3):
        own = cubic.number == number
        assert own.sum() > 4
        inside = np.abs(points[:, None, :] - cubic.centre[own]) <= cubic.half[own]
        assert inside.all(axis=2).any(axis=1).all()


@pytest.mark.parametrize("seed", range(4))
def test_a_polynomial_is_bounded_on_its_box(seed):
    """Any coefficients, without remainders: around the largest difference at many points and all corners."""
    generator, d = np.random.default_rng(seed), 4
    cubic = Cubic.of_no_reports(d)
    lines, bends = generator.normal(size=(d, 2, d)), generator.normal(size=(d, d, d)) * 10 ** generator.uniform(-1, 1)
    bends = bends + np.swapaxes(bends, 1, 2)
    for number in range(d):
        lines[number, :, number], bends[number, number], bends[number, :, number] = 0, 0, 0
    level = generator.normal(size=(d, 3))
    cubic = replace(cubic, level=level, lines=lines, bends=bends)
    points = generator.uniform(-1, 1, (20_000, d))
    points[::2] = np.sign(points[::2])
    points[1::4, : d // 2] = np.sign(points[1::4, : d // 2])
    for number in range(d):
        square = ((points @ bends[number]) * points).sum(axis=1)
        for cell, (u, v) in enumerate(CELLS[:, :2]):
            level_of = level[number] @ [u - v, u**2 - v**2, u**3 - v**3]
            values = level_of + points @ ((u - v) * lines[number, 0] + (u**2 - v**2) * lines[number, 1])
            true = (values + (u - v) * square).max()
            assert true - 1e-9 <= cubic.closer[number, cell] <= cubic.tops[number, cell]


@pytest.mark.parametrize("steep", [0.3, 3.0, 30.0])
def test_remainders_are_all_that_is_left(steep):
    """At far more places than they are looked at."""
    generator = np.random.default_rng(int(steep))
    places = np.linspace(-1, 1, 2001)
    for _ in range(5):
        theta = generator.uniform(-1, 1, 2)
        query = LogisticQuery(theta * steep, generator.uniform(-1, 1) * steep, "2")
        (terms,) = query.evidence(SQUARE, 1).groups
        number = int(generator.integers(2))
        fit = Fit.of(terms, np.array([number]), np.zeros((1, 2)), np.ones((1, 2)), cubic=True)
        own, other = terms.slopes[0, number], terms.slopes[0, 1 - number]
        one, two, three = (part[0, 0] for part in fit.coefficients)

        def left(form, terms=terms, one=one, two=two, three=three):
            polynomial = one * form + two * form**2 + three * form**3
            return terms.shape.value((form + terms.intercepts[0])[:, None])[:, 0] - polynomial

        gaps = [(left(other * places + own * u) - left(other * places + own * v)).max() for u, v in CELLS[:, :2]]
        assert (fit.remainders[0] >= np.array(gaps) - TINY).all()
        # The second derivative along the number, from second differences.
        window, step = (abs(own) + abs(other)) * places, 1e-3
        turns = own**2 * (left(window + step) - 2 * left(window) + left(window - step)) / step**2
        assert fit.bends[0, 0] >= -turns.min() - 1e-5 * own**2
        assert fit.bends[0, 1] >= turns.max() - 1e-5 * own**2


def test_between_the_values_of_cells_the_sum_is_bent():
    """Two answers whose sum is largest inside of the range, at neither of the values that stand for it."""
    queries = (LogisticQuery([3.0, 0.0], 0.8, "1"), 1), (LogisticQuery([3.0, 0.0], -2.2, "1"), 0)
    reports = [query.evidence(SQUARE, code) for query, code in queries]
    evidence, cubic = together(reports)
    table = sum(report.at(GRID) for report in reports).reshape(SIDE, SIDE)[:, 0]
    standing = table[[round((at + 1) / 2 * (SIDE - 1)) for at in (-1, -0.5, 0.5, 1)]]
    assert np.ptp(table) > np.ptp(standing) + 0.01
    assert cubic.tighten(evidence, np.zeros(2)).upper[0] >= np.ptp(table)


def test_a_report_is_read_once_however_many_came_before(monkeypatch):
    """With polynomials the cost of a report does not grow with their number."""
    generator = np.random.default_rng(7)
    reports = drawn(generator, 24, d=4, kinds=2)
    evidence, cubic = together(reports[:3])
    _, later = together(reports)
    read = []
    for kind in {type(terms.shape) for report in reports for terms in report.groups}:
        value = kind.value
        monkeypatch.setattr(kind, "value", lambda self, t, value=value: read.append(t.size) or value(self, t))
    sizes = []
    for known in (cubic, later):
        read.clear()
        assert np.isfinite(known.after(reports[0], largest_alone(reports[0])).upper).all()
        sizes.append(sum(read))
    assert sizes[0] == sizes[1]
    assert evidence.n < 4


def test_many_numbers_have_squares_only_and_very_many_none():
    generator = np.random.default_rng(8)
    reports = drawn(generator, 6, d=40, kinds=2)
    _, cubic = together(reports)
    assert not cubic.bends.size
    points = generator.uniform(-1, 1, (4000, 40))
    points[::2] = np.sign(points[::2])
    for number in (0, 17, 39):
        ends = []
        for value in (-1.0, 1.0):
            points[:, number] = value
            ends.append(sum(report.at(points) for report in reports))
        assert cubic.upper[number] >= np.abs(ends[1] - ends[0]).max()
    assert np.isinf(Cubic.of_no_reports(200).upper).all()


def test_what_thresholds_may_be_off_counts_twice():
    (report,) = drawn(np.random.default_rng(9), 1, kinds=1)
    report = replace(report, radius=0.01, ceiling=9.0)
    losses = NumberLosses.of_no_reports(SQUARE)
    for _ in range(5):
        losses = losses.after(report, [True, True])
    true = on_grid([report] * 5)
    for number, most in zip(losses.each, true, strict=True):
        assert most + 0.1 <= number.upper <= most + 0.11
