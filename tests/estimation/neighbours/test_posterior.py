"""Expected distances and means against sums and integrals that are written out, where noise grows with the share."""

import numpy as np
import pytest
from scipy import integrate, stats

from sordino.estimation.neighbours.noise import ShareNoise
from sordino.estimation.neighbours.posterior import SHARES, Posteriors

GENERATOR = np.random.default_rng(2)
WEIGHTS = GENERATOR.dirichlet(np.full(len(SHARES), 0.2), 3)
STDERR, GROWTH = np.array([0.1, 0.02, 0.3, 0.01]), np.array([0.0, 0.4, 1.0, 0.05])
GRADED = Posteriors(
    np.array([2, 0, 1, 0]), np.cumsum(WEIGHTS, axis=1), np.array([1.0, 0, 2, 30]), ShareNoise(STDERR, GROWTH)
)


def shares_of(value):
    """What the grid's units are worth."""
    return STDERR[value] * (SHARES + GROWTH[value] * SHARES**2 / 4)


@pytest.mark.parametrize("units", [0.0, 0.3, 2.5, 20.0])
def test_a_distance_is_the_sum_over_all_that_the_share_may_be(units):
    given = np.array([units * stderr for stderr in STDERR])
    found = GRADED.distances(given)
    for value in range(3):
        weights = WEIGHTS[GRADED.group[value]]
        assert found[value] == pytest.approx(weights @ abs(shares_of(value) - given[value]), abs=1e-12)


def test_means_are_sums_in_two_parts():
    small, large = GRADED.means_beside(20)
    for value in range(3):
        weights, shares = WEIGHTS[GRADED.group[value]], shares_of(value)
        assert small[value] == pytest.approx(weights[:20] @ shares[:20], abs=1e-12)
        assert large[value] == pytest.approx(weights[20:] @ shares[20:], abs=1e-12)
    np.testing.assert_allclose(GRADED.means(), small + large)


@pytest.mark.parametrize("units", [28.0, 30.5, 40.0])
def test_an_estimate_that_speaks_for_itself_is_normally_about_its_share(units):
    def share(unit):
        return STDERR[3] * (unit + GROWTH[3] * unit**2 / 4)

    given = share(units)
    exact, _ = integrate.quad(lambda unit: abs(share(unit) - given) * stats.norm.pdf(unit - 30), 20, 40, limit=200)
    assert GRADED.distances(np.full(4, given))[3] == pytest.approx(exact, rel=0.05)
