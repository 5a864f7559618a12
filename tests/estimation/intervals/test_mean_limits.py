"""Limits of a mean of few large amounts: those of its likelihood, and right as often as they say."""

import numpy as np
import pytest
from scipy import optimize, stats

from sordino.estimation.intervals.mean_limits import ADDED, MOMENTS, mean_limits, three_amounts

AMOUNTS = np.array([-3.9, 0.0, 8.8])
"""What a report adds to the share of a place on a line: from a neighbour's code, from elsewhere, from its own."""

ENDS = np.array([AMOUNTS[0]]), np.array([AMOUNTS[-1]])


def limits(counts, error):
    low, high = mean_limits(AMOUNTS[:, None], np.array(counts, dtype=float)[:, None], ENDS, error)
    return low[0], high[0]


def likeliest(counts, mean):
    """The largest log-likelihood of any distribution with this mean, by a general solver."""

    def short(parts):
        return -(counts * np.log(np.maximum(parts, 1e-300))).sum()

    held = [
        {"type": "eq", "fun": lambda parts: parts.sum() - 1},
        {"type": "eq", "fun": lambda parts: parts @ AMOUNTS - mean},
    ]
    start = counts / counts.sum()
    found = optimize.minimize(
        short, start, bounds=[(1e-12, 1)] * 3, constraints=held, tol=1e-14, options={"maxiter": 1000}
    )
    return -found.fun


# The oldest SciPy says so of its own steps.
@pytest.mark.filterwarnings("ignore:Values in x were outside bounds:RuntimeWarning")
@pytest.mark.parametrize("counts", [(2, 30, 3), (0, 20, 4), (7, 40, 0), (10, 10, 30)])
@pytest.mark.parametrize("error", [0.05, 1e-4])
def test_they_are_where_the_deviance_is_z_squared(counts, error):
    for limit, end in zip(limits(counts, error), (0, 2), strict=True):
        more = np.array(counts, dtype=float)
        more[end] += ADDED
        own = (more * np.log(np.where(more > 0, more / more.sum(), 1))).sum()
        assert 2 * (own - likeliest(more, limit)) == pytest.approx(stats.norm.isf(error / 2) ** 2, rel=1e-3)


@pytest.mark.parametrize("n", [5, 40, 200])
def test_of_two_amounts_they_hold_a_binomial_probability_as_often_as_is_said(n):
    successes = np.arange(n + 1.0)
    amounts, counts = np.repeat([[0.0], [1.0]], n + 1, axis=1), np.stack([n - successes, successes])
    low, high = mean_limits(amounts, counts, (np.zeros(n + 1), np.ones(n + 1)), 0.05)
    for share in (0, 1e-4, 0.003, 0.01, 0.03, 0.1, 0.35, 0.5, 0.8, 0.99, 1):
        chance = stats.binom.pmf(successes, n, share)
        assert chance[(low <= share) & (share <= high)].sum() >= 0.935
    exact = stats.beta.ppf(0.975, successes[1:-1] + 1, n - successes[1:-1])
    exact -= stats.beta.ppf(0.025, successes[1:-1], n - successes[1:-1] + 1)
    assert ((high - low)[1:-1] < 1.02 * exact).all()


@pytest.mark.parametrize("error", [0.2, 0.05, 1e-3])
@pytest.mark.parametrize("expected", [0.1, 0.3, 1.0, 3.0, 8.0])
def test_a_place_where_nobody_is_has_0_in_its_interval_as_often_as_is_said(expected, error):
    """However few codes come there from elsewhere: all that can come, by enumeration."""
    other = -expected * AMOUNTS[2] / AMOUNTS[0]
    n, missed = 2000, 0.0
    own = np.arange(int(expected + 12 * np.sqrt(expected) + 12))
    others = np.arange(int(other + 12 * np.sqrt(other) + 12))
    i, j = (grid.ravel() for grid in np.meshgrid(own, others, indexing="ij"))
    low, _ = mean_limits(
        np.repeat(AMOUNTS[:, None], len(i), axis=1),
        np.stack([j, n - i - j, i]).astype(float),
        (np.full(len(i), AMOUNTS[0]), np.full(len(i), AMOUNTS[2])),
        error,
    )
    chance = stats.poisson.pmf(i, expected) * stats.poisson.pmf(j, other)
    missed = chance[low > 0].sum()
    assert missed <= 1.25 * error / 2


def test_one_large_amount_does_not_rule_0_out_and_many_do():
    assert limits((0, 1999, 1), 0.05)[0] < 0
    assert limits((20, 1880, 100), 0.05)[0] > 0


def test_limits_that_are_nearly_sure_are_numbers_within_the_ends():
    for counts in ((0, 10**6, 1), (5, 10, 3), (0, 0, 4)):
        low, high = limits(counts, 1e-200)
        assert AMOUNTS[0] <= low < high <= AMOUNTS[2]


def test_amounts_that_are_all_at_an_end_have_it_for_a_limit():
    for counts, side in (((50, 0, 0), 0), ((0, 0, 50), 1)):
        assert limits(counts, 0.05)[side] == pytest.approx(AMOUNTS[2 * side])
        assert AMOUNTS[0] < limits(counts, 0.05)[1 - side] < AMOUNTS[2]


def test_amounts_that_are_all_alike_leave_a_width():
    low, high = limits((0, 50, 0), 0.05)
    assert AMOUNTS[0] < low < 0 < high < AMOUNTS[2]


def test_each_mean_is_worked_out_as_if_alone():
    rng = np.random.default_rng(3)
    counts = rng.poisson([[3.0], [500.0], [2.0]], (3, 40)).astype(float)
    amounts = np.repeat(AMOUNTS[:, None], 40, axis=1)
    ends = np.full(40, AMOUNTS[0]), np.full(40, AMOUNTS[2])
    together = np.array(mean_limits(amounts, counts, ends, 0.05)).T
    alone = [limits(counts[:, place], 0.05) for place in range(40)]
    np.testing.assert_allclose(together, alone, rtol=1e-9)


def moments_of(amounts, parts):
    """The means of powers, summed amount by amount."""
    return np.array([sum(p * a**power for a, p in zip(amounts, parts, strict=True)) for power in range(1, MOMENTS + 1)])


@pytest.mark.parametrize("seed", range(5))
def test_they_have_the_first_five_moments(seed):
    rng = np.random.default_rng(seed)
    kinds = [(rng.normal(size=40) * 10, rng.dirichlet(np.full(40, 0.2))) for _ in range(8)]
    moments = np.stack([moments_of(*kind) for kind in kinds], axis=1)
    amounts, parts = three_amounts(moments)
    np.testing.assert_allclose(parts.sum(axis=0), 1)
    for power in range(1, MOMENTS + 1):
        np.testing.assert_allclose((parts * amounts**power).sum(axis=0), moments[power - 1], rtol=1e-6, atol=1e-6)
    # Within the least and the largest amount.
    assert (amounts[parts > 1e-9].min() >= -50) & (amounts.max() <= 50)


@pytest.mark.parametrize(
    "kind",
    [
        ((0.0,), (1.0,)),
        ((1.4,), (1.0,)),
        ((0.0, 8.8), (1 - 1e-6, 1e-6)),
        ((-3.9, 0.0, 8.8), (2e-6, 1 - 3e-6, 1e-6)),
        ((-34.0, 0.0, 77.0), (0.01, 0.985, 0.005)),
        ((-1.0, 1.0), (0.5, 0.5)),
    ],
)
def test_as_few_amounts_are_found_again(kind):
    amounts, parts = three_amounts(moments_of(*kind)[:, None])
    for amount, part in zip(*kind, strict=True):
        near = np.abs(amounts[:, 0] - amount) < 1e-4
        assert parts[near, 0].sum() == pytest.approx(part, rel=1e-3)
