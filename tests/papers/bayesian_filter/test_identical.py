"""Figures 3 and 4 against what other programs found, and Theorem 6.3's closed form; Example 2 of the BCDP paper."""

import math
from fractions import Fraction

import pytest

from sordino.papers.bayesian_coordinate.composition import bcdp_composition, mechanism
from sordino.papers.bayesian_filter.identical import KNOWN, RATIOS, expected_answers, fig4, identical, steps

pytestmark = pytest.mark.long


def test_expected_answers_are_those_found_elsewhere():
    calls = []
    every = identical(calls.append)
    rows = {(row.values, row.budget): row for row in every if row.epsilon == 1}
    assert set(rows) == set(KNOWN)
    assert sum(calls) == steps() == len(every)
    for row in every:
        assert row.epsilon == 1 or row.expected == pytest.approx(row.closed, rel=1e-9)
    for place, expected in KNOWN.items():
        assert rows[place].expected == pytest.approx(expected, abs=6e-5)
    for (values, _), row in rows.items():
        assert (row.closed is not None) == (values == 2)
        if values == 2:
            assert row.expected == pytest.approx(row.closed, rel=1e-9)


def test_figure_4_and_the_two_false_conjectures():
    rows = {(row.values, row.budget): row.ratio for row in fig4()}
    for place, ratio in RATIOS.items():
        assert rows[place] == pytest.approx(ratio, abs=6e-5)
    for k in range(1, 11):
        assert rows[2, k] == pytest.approx(k * math.tanh(1 / k / 2) / math.tanh(1 / 2))
    assert all(ratio >= 1 - 1e-12 for (values, _), ratio in rows.items() if values <= 5)
    # More values do not always mean more answers; many small questions are not always worse.
    assert KNOWN[3, 2] < KNOWN[2, 2]
    assert rows[8, 2] < 1


def test_theorem_6_3_as_printed():
    """(54) with a total budget of 2 and five answers' worth."""
    k, total = 5, 2.0
    numerator = -k * math.exp(-2 * total) + 2 * k * math.exp(-total) - k
    printed = numerator / (math.tanh(total / k / 2) * math.expm1(-2 * total))
    assert expected_answers(2, k, Fraction(2, 5)) == pytest.approx(printed)


def test_example_2_is_a_channel_that_tells_nothing_alone():
    report = mechanism()
    for code in range(8):
        weights = [report.weight(x, code) for x in range(8)]
        assert sum(weights[:4]) == sum(weights[4:])
    assert [(row.delta, row.first, row.second) for row in bcdp_composition()] == [
        (delta, True, False) for delta in ("0", "1", "10", "100")
    ]
