"""Losses of memoised answers against enumeration that shares no formula, and figures found elsewhere."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from sordino import SordinoError
from sordino.papers.memoised import CHANGES, memoised_losses


def enumerated(permanent, first, answers):
    """All histories, all permanent answers, all reports: log-ratios as array (history, history, reports)."""
    keep = np.exp(permanent) / (1 + np.exp(permanent))
    # A first report is right with odds e^first: keep f + (1 - keep)(1 - f).
    right = np.exp(first) / (1 + np.exp(first))
    fresh = (right - 1 + keep) / (2 * keep - 1)
    histories = list(product((0, 1), repeat=answers))
    chances = np.zeros((len(histories), len(histories)))
    for row, history in enumerate(histories):
        for column, reports in enumerate(histories):
            for memory in product((0, 1), repeat=2):
                chance = np.prod([keep if memory[value] == value else 1 - keep for value in (0, 1)])
                for value, report in zip(history, reports, strict=True):
                    chance *= fresh if memory[value] == report else 1 - fresh
                chances[row, column] += chance
    assert chances.sum(axis=1) == pytest.approx(1)
    changes = np.array([sum(a != b for a, b in pairwise(one)) for one in histories])
    return np.abs(np.log(chances[:, None] / chances)).max(axis=2), changes


@pytest.mark.parametrize(("permanent", "first"), [("1", "1/2"), ("2", "1"), ("4", "1/10")])
def test_losses_are_those_of_enumeration(permanent, first):
    rows = memoised_losses(permanent, first)
    for row in rows[:6]:
        losses, changes = enumerated(float(Fraction(permanent)), float(Fraction(first)), row.answers)
        for most, loss in zip(CHANGES, row.losses, strict=True):
            few = changes <= most
            assert loss == pytest.approx(losses[np.ix_(few, few)].max(), abs=1e-9), (row.answers, most)
        never_or_once = losses[np.ix_(changes == 0, changes <= 1)].max()
        assert row.never_or_once == pytest.approx(never_or_once, abs=1e-9), row.answers


def test_figures_found_elsewhere():
    rows = {row.answers: row for row in memoised_losses()}
    assert [round(rows[n].never_or_once, 1) for n in (5, 10, 20, 40)] == [2.5, 5.3, 11.2, 23.0]
    assert rows[2].never_or_once == pytest.approx(0.81, abs=0.005)
    strong = {row.answers: row for row in memoised_losses("2", "1")}
    assert [round(strong[n].never_or_once, 1) for n in (2, 5, 10, 20, 40)] == [1.6, 3.7, 7.1, 14.2, 28.3]


def test_a_value_that_never_changes_costs_its_permanent_answer_at_most():
    rows = memoised_losses()
    never = [row.losses[0] for row in rows]
    assert never == sorted(never)
    assert never[0] == pytest.approx(0.5)
    assert 0.999999 < never[-1] <= 1 + 1e-12
    # From the fourth report on, two values reveal more than two permanent answers would.
    assert min(row.answers for row in rows if row.losses[1] > row.by_value[1]) == 4
    assert all(row.losses[0] <= row.never_or_once <= row.losses[1] <= row.losses[2] for row in rows)


@pytest.mark.parametrize("first", ["0", "1", "2"])
def test_a_first_report_has_noise_of_its_own(first):
    with pytest.raises(SordinoError, match="first report must lose"):
        memoised_losses("1", first)
