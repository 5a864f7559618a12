"""Figure 3: exact errors against known numbers, simulated ones against laws that were worked out without them."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2

from sordino.papers.bayesian_coordinate import fig3 as figure
from sordino.papers.bayesian_coordinate.fig3 import ASKING_NOBODY, QS, SIMULATED, draw_people, fig3, steps

pytestmark = pytest.mark.long

COLUMNS = {
    "paper_exact": [0.3180, 0.6457, 1.3646, 1.5633, 2.0899, 3.8681, 8.2813, 30.827, 1.5033],
    "tight_exact": [0.3180, 0.3995, 0.5671, 0.7355, 1.0440, 1.5033, 1.5033, 1.5033, 1.5033],
    "sampled_exact": [0.0925, 0.0925, 0.0994, 0.1236, 0.1798, 0.3236, 0.5092, 0.7365, 1.0057],
    "baseline_duchi": [1.5033] * 9,
    "baseline_sampled": [1.0057] * 9,
}
"""Computed from the definitions by other programs."""
ZETA = [0.3180, 0.4180, 0.6458, 0.8997, 1.4203, 1.5055, 1.5042, 1.5119, 1.5033]
"""On a grid, so never below the best."""
MIXTURE = [0.0321, 0.0450, 0.0652, 0.0948, 0.1563, 0.3236, 0.5092, 0.7365, 1.0057]
PROJECTED = [0.248, 0.383, 0.995, 1.058, 1.255, 1.739, 2.278, 2.639, 1.422]
"""The median of the paper's mechanism after projection, from few simulated runs."""


@pytest.fixture(scope="module")
def rows():
    calls = []
    rows, spreads = fig3(0, calls.append)
    assert spreads == ()
    assert sum(calls) == steps(0) == len(rows)
    return rows


def column(rows, name):
    return [getattr(row, name) for row in rows]


def test_q_is_the_papers(rows):
    assert column(rows, "q") == [0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1]


@pytest.mark.parametrize("name", COLUMNS)
def test_exact_errors_are_the_known_ones(rows, name):
    # Four digits of each, as they are printed.
    assert column(rows, name) == pytest.approx(COLUMNS[name], abs=5.1e-5, rel=2e-5)


def test_the_best_zeta_is_at_least_as_good_as_on_a_grid(rows):
    for found, known, tight, paper in zip(
        column(rows, "zeta_exact"), ZETA, COLUMNS["tight_exact"], COLUMNS["paper_exact"], strict=True
    ):
        assert min(known, paper) * 0.98 < found < min(known, paper) + 5.1e-5
        assert found > tight - 5.1e-5


def test_the_best_is_as_good_as_the_best_mixture_known(rows):
    for row, known in zip(rows, MIXTURE, strict=True):
        assert row.best_exact <= row.sampled_exact
        assert row.best_exact <= row.baseline_sampled
        if row.q < 0.3:
            assert row.best_exact < 1.02 * known


def test_the_printed_scale_costs_four_times_as_much_and_more(rows):
    for row in rows:
        # Twice an unbiased estimate is off by twice its noise, and by the mean itself: .001 for these people.
        assert row.paper_printed == pytest.approx(4 * row.paper_exact + 0.001)


@pytest.mark.parametrize("mean", [Fraction(0), Fraction(3, 5)])
@pytest.mark.parametrize("q", [Fraction(0), Fraction(2, 5), Fraction(1)])
def test_people_depend_on_each_other_by_q(mean, q):
    n = 400_000
    people = draw_people(n, q, mean, np.random.default_rng(3), 3)
    assert set(np.unique(people)) == {-1, 1}
    assert people.mean(axis=0) == pytest.approx([float(mean)] * 3, abs=5 / np.sqrt(n))
    for one in range(3):
        others = np.delete(people, one, axis=1) @ [2, 1]
        laws = [np.histogram(others[people[:, one] == value], 4, (-4, 4))[0] for value in (-1, 1)]
        up, down = (law / law.sum() for law in laws)
        assert np.abs(up - down).sum() / 2 == pytest.approx(float(q), abs=0.01)


@pytest.fixture(scope="module")
def simulated():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figure, "QS", (Fraction(1, 10), Fraction(4, 5)))
        calls = []
        _, spreads = fig3(24, calls.append)
        assert sum(calls) == steps(24) == 2 + 2 * 2 * 24
        assert fig3(1)[1] == fig3(1)[1]
    return {(spread.q, spread.mean, spread.mechanism, spread.projected): spread for spread in spreads}


def quartiles(spread):
    return np.array([spread.lower, spread.median, spread.upper])


def test_every_law_and_mechanism_is_simulated(simulated):
    named = {(q, mean) for q in (0.1, 0.8) for mean in (0, 0.6)}
    kinds = {(name, projected) for name in SIMULATED for projected in (False, True)} | {(ASKING_NOBODY, False)}
    assert set(simulated) == {(*own, *kind) for own in named for kind in kinds}
    assert all(s.lower <= s.median <= s.upper for s in simulated.values())


def test_the_ball_is_as_far_off_as_it_must_be(simulated):
    # Its ten errors are alike and hardly depend on each other: their squares add up to a chi-square.
    found = [
        quartiles(spread) for key, spread in simulated.items() if key[2] == "baseline_duchi" and not spread.projected
    ]
    expected = chi2(10).ppf([0.25, 0.5, 0.75]) / 10 * 1.5033
    # 96 runs: a standard error of a twentieth; 30 % too much noise would be seen.
    assert np.mean(found, axis=0) == pytest.approx(expected, rel=0.2)


def test_two_numbers_of_the_papers_mechanism_make_up_its_error(simulated):
    # At q = .8 the sensitive ones have nearly all of it; the squares of two equal errors are exponential.
    found = [
        quartiles(spread) for key, spread in simulated.items() if key[0] == 0.1 and key[2] == "paper" and not key[3]
    ]
    sensitive = 1.5633 - 8 * 14.943108 / 10 / 10_000
    assert np.mean(found, axis=0)[1] < np.log(2) * sensitive * 1.6
    assert np.mean(found, axis=0)[1] > np.log(2) * sensitive * 0.6


def test_projection_never_hurts_and_helps_most_where_means_are_near_an_end(simulated):
    for (q, mean, name, projected), spread in simulated.items():
        if projected:
            assert (quartiles(spread) <= quartiles(simulated[q, mean, name, False]) + 1e-12).all()
    assert simulated[0.8, 0, "paper", True].median < 0.3 * simulated[0.8, 0, "paper", False].median
    assert simulated[0.1, 0.6, "paper", True].median < 0.8 * simulated[0.1, 0, "paper", True].median


def test_saying_zero_is_good_only_where_the_means_are_zero(simulated):
    assert simulated[0.1, 0, ASKING_NOBODY, False].median < 0.002
    assert simulated[0.1, 0.6, ASKING_NOBODY, False].median == pytest.approx(10 * 0.36, rel=0.05)
    assert all(simulated[0.1, 0.6, name, True].median < 2 for name in SIMULATED)


def test_projected_medians_are_near_the_known_ones():
    _, spreads = fig3(100)
    found = [s.median for s in spreads if (s.mean, s.mechanism, s.projected) == (0, "paper", True)]
    assert len(found) == len(QS)
    # Either side is a median of few runs of errors that vary as much as they are large.
    assert found == pytest.approx(PROJECTED, rel=0.3)
