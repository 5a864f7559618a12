"""Honest reports are seldom called impossible, whoever sent them; what no people can send is seen."""

import numpy as np
import pytest
from scipy import optimize, stats

from sordino import RandomizedResponse, SubsetSelection, estimate
from sordino.estimation.tests import MOST_VALUES, _nearest_shares, can_be_tested, population_test
from sordino.mechanism.channel import Aggregate

SURVEYS = 200


def tallies(mechanism, shares, n, generator):
    """Tallies of honest reports, each drawn from the probabilities of codes that the mechanism's matrix has."""
    codes = shares @ mechanism.probabilities()
    for counts in generator.multinomial(n, codes / codes.sum(), size=SURVEYS):
        yield Aggregate(mechanism.fingerprint, n, counts.astype(np.int64))


@pytest.mark.parametrize("n", [100, 3000])
@pytest.mark.parametrize("epsilon", ["1", "4"])
@pytest.mark.parametrize("shares", [[1, 0, 0, 0, 0], [0.5, 0.5, 0, 0, 0], [0.2] * 5, [0.96, 0.01, 0.01, 0.01, 0.01]])
def test_honest_reports_are_called_impossible_as_seldom_as_is_said(shares, epsilon, n):
    mechanism, generator = RandomizedResponse(5, epsilon), np.random.default_rng(17)
    p_values = np.array(
        [
            population_test(estimate(mechanism, own, "unbiased")).p_value
            for own in tallies(mechanism, np.array(shares), n, generator)
        ]
    )
    for level in (0.01, 0.05):
        assert (p_values <= level).sum() <= stats.binom.ppf(1 - 1e-6, SURVEYS, level)


def test_the_nearest_people_are_those_of_another_solver():
    """Sequential quadratic programming over the simplex finds no nearer ones."""
    generator = np.random.default_rng(2)
    for _ in range(20):
        units, value = generator.normal(size=(4, 5)), generator.normal(0.2, 0.3, 5)
        distance = lambda p: float(((units @ (value - p)) ** 2).sum())  # noqa: B023
        found = _nearest_shares(units, value)
        other = optimize.minimize(
            distance,
            np.full(5, 0.2),
            bounds=[(0, 1)] * 5,
            constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        assert found.min() >= 0
        assert found.sum() == pytest.approx(1, abs=1e-12)
        assert distance(found) <= other.fun + 1e-6


def test_codes_that_hold_two_targets_are_seen_though_each_is_one_of_the_plans():
    """Each forged report holds the same two of eight values: no people's shares go up together so."""
    mechanism, generator = SubsetSelection(8, "1"), np.random.default_rng(4)
    honest = mechanism.privatize(generator.choice(6, 20_000))
    target = max(honest.tolist(), key=lambda code: mechanism.weight(6, code) + mechanism.weight(7, code))
    codes = np.concatenate([honest, np.full(5000, target, dtype=np.uint64)])
    assert population_test(estimate(mechanism, mechanism.tally(honest), "unbiased")).p_value > 0.01
    assert population_test(estimate(mechanism, mechanism.tally(codes), "unbiased")).p_value < 1e-6


def test_few_reports_and_many_values_are_not_tested():
    few, many = RandomizedResponse(3, "1"), RandomizedResponse(MOST_VALUES + 1, "1")
    assert not can_be_tested(estimate(few, few.tally(few.privatize([0] * 99)), "unbiased"))
    assert can_be_tested(estimate(few, few.tally(few.privatize([0] * 100)), "unbiased"))
    assert not can_be_tested(estimate(many, many.tally(many.privatize([0] * 100)), "unbiased"))
