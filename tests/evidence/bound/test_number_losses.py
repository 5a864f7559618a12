"""Bounds on what evidence tells along one number, cell by cell: around the largest difference on dense grids."""

import numpy as np
import pytest

from sordino import Box, LinearQuery, LogisticQuery
from sordino.evidence.bound.number_losses import CELLS, Along, Reach, rises
from sordino.evidence.box_evidence import BoxEvidence

SQUARE = Box([-1, -1], [1, 1])
AXIS = np.linspace(-1, 1, 81)
GRID = np.stack(np.meshgrid(AXIS, AXIS, indexing="ij"), axis=-1)


def drawn(generator, count):
    reports = []
    for _ in range(count):
        theta, epsilon = generator.uniform(-1, 1, 2), str(round(generator.uniform(0.1, 1.5), 3))
        if generator.random() < 0.5:
            query = LinearQuery(theta, 0, -2, 2, epsilon)
        else:
            query = LogisticQuery(theta * 3, generator.uniform(-1, 1), epsilon)
        reports.append(query.evidence(SQUARE, int(generator.integers(2))))
    return reports


def true_gaps(reports, number):
    """The sum at each pair of values of a number, less that at the other, at the other number's worst."""
    table = sum(report.at(GRID.reshape(-1, 2)) for report in reports).reshape(81, 81)
    lines = table if number == 1 else table.T
    return np.array([[(lines[:, u] - lines[:, v]).max() for v in range(81)] for u in range(81)])


@pytest.mark.parametrize("number", [0, 1])
def test_each_cell_bounds_its_own_values_and_all_of_them_the_loss(number):
    generator = np.random.default_rng(8)
    for count in (1, 3, 9):
        reports, along, evidence = drawn(generator, count), Along.of_no_reports(number), BoxEvidence(SQUARE)
        for report in reports:
            along, evidence = along.after(Reach.of(report)), evidence + report
        gaps = true_gaps(reports, number)
        before, lower = along.upper, 0.0
        for _ in range(30):
            along, found, work = along.tighten(evidence, lower + 1e-4, 64)
            lower = max(lower, found)
            if not work:
                break
        spread = 2 * evidence.radius + 1e-12
        places = [[round((at + 1) * 40) for at in cell[:2]] for cell in CELLS]
        for top, (u, v) in zip(along.tops, places, strict=True):
            assert top >= gaps[u, v] - spread
        # Between the values that stand for cells the sum is bent.
        assert along.upper >= gaps.max() - spread
        assert along.upper <= before
        assert gaps.max() + 1e-3 >= lower >= gaps.max() - along.errors.max() - 0.02


def test_cells_hold_every_two_values():
    values = np.random.default_rng(9).uniform(-1, 1, (200, 2))
    values[::3, 0], values[::5, 1] = 1, -1
    for pair in values[values[:, 0] != values[:, 1]]:
        assert (np.abs(pair - CELLS[:, :2]) <= CELLS[:, 2:]).all(axis=1).any()


def test_boxes_are_carried_to_the_next_report():
    generator = np.random.default_rng(10)
    first, second = (drawn(generator, 6) for _ in range(2))
    along, evidence = Along.of_no_reports(0), BoxEvidence(SQUARE)
    for report in first:
        along, evidence = along.after(Reach.of(report)), evidence + report
    for _ in range(20):
        along, _, work = along.tighten(evidence, 0.0, 64)
        if not work:
            break
    at = int((along.tops + along.errors).argmax())
    carried = along
    for report in second:
        carried, evidence = carried.after(Reach.of(report)), evidence + report
    leaves = carried.covers[at].raise_bounds(evidence, 0, CELLS[at])
    gap = true_gaps([*first, *second], 0)[tuple(round((value + 1) * 40) for value in CELLS[at][:2])]
    assert gap <= leaves.bound.max() + 1e-12
    assert leaves.bound.max() <= carried.tops[at] + 1e-12


def test_a_rise_has_no_slope_along_its_number():
    (report,) = drawn(np.random.default_rng(11), 1)
    risen = rises(report, 1, CELLS[0])
    assert (risen.slopes[:, 1] == 0).all()
    assert risen.radius == report.radius


def test_between_the_values_of_cells_the_sum_is_bent():
    """Two answers whose sum is largest inside of the range: no cell's own values are as far apart as others are."""
    queries = (LogisticQuery([2.0, 0.0], 1.5, "1"), 1), (LogisticQuery([2.0, 0.0], -1.5, "1"), 0)
    reports = [query.evidence(SQUARE, code) for query, code in queries]
    along, evidence = Along.of_no_reports(0), BoxEvidence(SQUARE)
    for report in reports:
        along, evidence = along.after(Reach.of(report)), evidence + report
    for _ in range(30):
        along, _, work = along.tighten(evidence, 0.0, 64)
        if not work:
            break
    gaps = true_gaps(reports, 0)
    places = [[round((at + 1) * 40) for at in cell[:2]] for cell in CELLS]
    assert max(gaps[u, v] for u, v in places) < gaps.max() - 0.01
    assert gaps.max() <= along.upper


def test_looking_again_at_what_is_known_is_no_work():
    reports, along, evidence = drawn(np.random.default_rng(12), 3), Along.of_no_reports(0), BoxEvidence(SQUARE)
    for report in reports:
        along, evidence = along.after(Reach.of(report)), evidence + report
    enough = along.upper
    along, _, _ = along.tighten(evidence, enough, 64)
    assert along.tighten(evidence, along.upper, 64)[2] == 0
