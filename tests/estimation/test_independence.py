"""The test of independence against Pearson's where nothing is hidden, and its level and power where much is."""

import numpy as np
import pytest
from scipy import stats

from sordino import LDP, BlockLDP, HadamardResponse, HighLowLDP, best_mechanism
from sordino.definition.combined import combined_definition
from sordino.estimation.cramers_v import cramers_v
from sordino.estimation.tests import IndependenceTest

SURVEYS = 2000


def multinomial(shares):
    return np.diag(shares) - np.outer(shares, shares)


def covariance_of(mechanism):
    moments = [mechanism.second_moments(np.eye(mechanism.k), mechanism.forward(own)) for own in np.eye(mechanism.k)]
    return lambda shares: np.tensordot(shares, np.stack(moments), 1) - np.outer(shares, shares)


def rare(count):
    """Margins whose last value half a per cent has."""
    shares = np.append(np.linspace(1, 2, count - 1), 0)
    return np.append(0.995 * shares[:-1] / shares.sum(), 0.005)


def simulate(mechanism, cells, n, count=SURVEYS):
    """Tests of tables that people are asked for with a mechanism whose codes are counted."""
    law = mechanism.forward(cells.ravel())
    tallies = np.random.default_rng(0).multinomial(n, law / law.sum(), size=count)
    covariance, (low, high) = covariance_of(mechanism), mechanism.contribution_range
    for estimate in mechanism.decode(tallies / n):
        yield IndependenceTest.of(estimate.reshape(cells.shape), covariance, n, high - low)


def level(found):
    allowed = [one.test.p_value <= 0.05 for one in found if one.has_level]
    return np.mean(allowed), len(allowed)


def test_without_noise_it_is_pearsons():
    counts = np.array([[210, 180, 95], [160, 230, 125]])
    n = counts.sum()
    found = IndependenceTest.of(counts / n, multinomial, int(n), np.ones(6))
    pearson = stats.chi2_contingency(counts, correction=False)
    assert found.test.degrees == pearson.dof == 2
    # Neyman's fit differs from Pearson's in what is of second order.
    assert found.test.statistic == pytest.approx(pearson.statistic, rel=0.02)
    assert cramers_v(found, 0.95).value == pytest.approx(np.sqrt(pearson.statistic / n - 2 / n), rel=0.05)


DENSE = {
    "2 x 2, epsilon 1, few": (LDP("1"), (2, 2), 2_000),
    "2 x 2, epsilon 4, few": (LDP("4"), (2, 2), 2_000),
    "2 x 5, epsilon 4, few": (LDP("4"), (2, 5), 2_000),
    "5 x 7, epsilon 4, few": (LDP("4"), (5, 7), 2_000),
    "5 x 7, epsilon 4, many": (LDP("4"), (5, 7), 200_000),
    "2 x 2, sensitive": (
        combined_definition([HighLowLDP(2, [0], "1"), HighLowLDP(2, [1], "1")], [2, 2]),
        (2, 2),
        2_000,
    ),
    "2 x 5, sensitive": (
        combined_definition([HighLowLDP(2, [0], "4"), HighLowLDP(5, [4], "4")], [2, 5]),
        (2, 5),
        20_000,
    ),
    "2 x 5, blocks": (combined_definition([LDP("4"), BlockLDP([[0, 1], [2, 3, 4]], "4")], [2, 5]), (2, 5), 20_000),
}


REFUSED = "2 x 2, sensitive"


@pytest.mark.statistical
@pytest.mark.parametrize("rarely", [False, True], ids=["common", "rare"])
@pytest.mark.parametrize("name", DENSE)
def test_it_errs_as_often_as_it_says(name, rarely):
    definition, shape, n = DENSE[name]
    margins = [rare(count) if rarely else np.full(count, 1 / count) for count in shape]
    mechanism = best_mechanism(shape[0] * shape[1], definition, 64)
    found, count = level(simulate(mechanism, np.outer(*margins), n))
    # Where little is hidden of values that few people have, most surveys are refused a test.
    assert (count < SURVEYS / 2) is (rarely and name == REFUSED)
    if rarely and name == REFUSED:
        return
    margin = 3 * np.sqrt(0.05 * 0.95 / count)
    assert 0.05 - margin <= found <= 0.05 + margin


def test_noise_of_margins_is_corrected_for():
    """Where margins are hardly known, the statistic is on average what its degrees of freedom are."""
    mechanism = best_mechanism(25, LDP("1"), 64)
    moments, (low, high) = covariance_of(mechanism), mechanism.contribution_range
    cells, n = np.full((5, 5), 0.04), 1_600
    sizes, directions = np.linalg.eigh(moments(cells.ravel()))
    draws = np.random.default_rng(0).standard_normal((400, 25)) @ (directions * np.sqrt(np.maximum(sizes, 0) / n)).T
    found = [IndependenceTest.of(cells + draw.reshape(5, 5), moments, n, high - low) for draw in draws]
    assert np.mean([one.curvature for one in found]) > 0.03
    mean = np.mean([one.test.statistic for one in found]) / 16
    assert found[0].test.degrees == 16
    assert abs(mean - 1) < 3 * np.sqrt(2 / 16 / len(found))


def test_a_sum_of_estimates_that_varies_counts_as_a_degree_of_freedom():
    """By a design of sets estimates do not add up to one: what is left of the cells varies by that too."""
    mechanism, cells, n = HadamardResponse(6, "1"), np.outer([0.4, 0.6], [0.2, 0.3, 0.5]), 1_000_000
    everywhere = np.ones(6)
    assert everywhere @ covariance_of(mechanism)(cells.ravel()) @ everywhere > 0.01
    found = list(simulate(mechanism, cells, n, 1_000))
    degrees = found[0].test.degrees
    assert degrees == 3
    mean, error = np.mean([one.test.statistic for one in found]), np.sqrt(2 * degrees / len(found))
    assert abs(mean - degrees) < 3 * error


def test_power_rises_to_one():
    mechanism, cells = best_mechanism(4, LDP("1"), 64), np.array([[0.35, 0.15], [0.15, 0.35]])
    powers = [level(simulate(mechanism, cells, n, 300))[0] for n in (300, 1_000, 3_000, 10_000)]
    assert powers == sorted(powers)
    assert powers[0] < 0.6
    assert powers[-1] > 0.99


def test_few_reports_have_no_test():
    mechanism, cells = best_mechanism(25, LDP("0.5"), 64), np.full((5, 5), 0.04)
    assert not any(one.has_level for one in simulate(mechanism, cells, 2_000, 5))
    assert all(one.has_level for one in simulate(mechanism, cells, 200_000, 5))
    # A few people of whom nothing is hidden: no chi-square distribution.
    near = best_mechanism(4, LDP("12"), 64)
    assert not any(one.has_level for one in simulate(near, np.outer(rare(2), rare(2)), 2_000, 5))


@pytest.mark.parametrize("strength", [0.0, 0.2, 0.8])
def test_intervals_of_strength_hold(strength):
    mechanism = best_mechanism(4, LDP("1"), 64)
    cells = np.array([[1 + strength, 1 - strength], [1 - strength, 1 + strength]]) / 4
    limits = [cramers_v(one, 0.95) for one in simulate(mechanism, cells, 10_000, 150)]
    held = [one.low - 1e-9 <= strength <= one.high + 1e-9 for one in limits]
    assert sum(held) >= stats.binom.ppf(1e-4, len(held), 0.95)
    if strength:
        assert np.mean([one.value for one in limits]) == pytest.approx(strength, abs=0.02)
