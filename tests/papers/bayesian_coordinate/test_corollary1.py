"""Corollary 1's bound by hand, beside exact errors that other tests know."""

from fractions import Fraction
from math import exp, log

import pytest

from sordino import SordinoError
from sordino.papers.bayesian_coordinate import corollary1 as corollary
from sordino.papers.bayesian_coordinate.corollary1 import QS, corollary1

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def rows():
    calls = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corollary, "QS", tuple(Fraction(q) for q in ("0", "0.1", "0.2", "0.4", "1")))
        rows = corollary1(advance=calls.append)
    assert sum(calls) == len(rows) == 5
    return {row.q: row for row in rows}


def test_the_bound_is_that_of_the_paper(rows):
    assert rows[0].corollary == pytest.approx((10 * 2 / 0.2**2 + 8**2 / 2**2) / 10_000)
    largest = log((exp(0.1) + 0.4 - 1) / 0.4)
    expected = 10 * 2 / 0.2**2 + 8**2 / (0.8 * 0.2**2 + (largest - 0.1) ** 2)
    assert rows[0.4].corollary == pytest.approx(expected / 10_000)
    assert [row.corollary for row in rows.values()] == sorted(row.corollary for row in rows.values())


def test_the_theorems_bound_is_for_the_budgets_of_zeta_one_half(rows):
    # At q = 1 both budgets are delta / 2: one level with d / (delta / 2)^2 for each number.
    assert rows[1].theorem == pytest.approx(10 * 10 / 0.1**2 / 10_000)
    # At q = 0 they are delta and epsilon.
    expected = 2 * 10 / 0.2**2 + 8 / (0.2**2 / 10 + 1.8**2 / 8)
    assert rows[0].theorem == pytest.approx(expected / 10_000, rel=1e-3)


def test_at_full_dependence_half_of_the_delta_costs_four_times_as_much(rows):
    assert rows[1].paper_exact / rows[1].baseline_duchi == pytest.approx(3.98, abs=0.005)


def test_everything_but_the_papers_budgets_is_as_in_the_figure(rows):
    for row, tight, sampled in ((rows[0.1], 0.7355, 0.1236), (rows[0.2], 1.0440, 0.1798)):
        found = (row.tight_exact, row.sampled_exact, row.baseline_duchi, row.baseline_sampled)
        assert found == pytest.approx((tight, sampled, 1.5033, 1.0057), abs=5.1e-5)
        assert row.best_exact < row.sampled_exact < row.tight_exact < row.zeta_exact < row.paper_exact


def test_other_settings(monkeypatch):
    monkeypatch.setattr(corollary, "QS", (QS[0], QS[-1]))
    (first, *_, last) = corollary1(4, 4, "1/3", Fraction(1))
    # With all numbers sensitive no dependence matters, and everything nested is LDP at delta.
    assert first.corollary == last.corollary == pytest.approx(16 * 9 / 10_000)
    assert first.tight_exact == pytest.approx(first.baseline_duchi)
    assert first.best_exact <= first.baseline_sampled < first.baseline_duchi


@pytest.mark.parametrize(
    "setting", [(3, 0, "0.1", "1"), (3, 4, "0.1", "1"), (3, 1, "0.5", "1"), (3, 1, "0", "1"), (3, 1, "-1", "1")]
)
def test_what_the_corollary_is_not_about_is_refused(setting):
    with pytest.raises(SordinoError):
        corollary1(*setting)


def test_a_delta_of_which_nothing_can_be_told_is_refused():
    with pytest.raises(SordinoError, match="raise"):
        corollary1(3, 1, Fraction(1, 10**20), "1")
