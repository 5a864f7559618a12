"""Samplers against their own columns by chi-square, with a power check: a 30 % wrong epsilon must fail."""

import numpy as np
import pytest
from scipy import stats

from sordino.mechanism.blockwise import Blockwise
from sordino.mechanism.hadamard import HadamardResponse
from sordino.mechanism.randomized import RandomizedResponse

pytestmark = pytest.mark.statistical

REPORTS = 600_000
NEVER = 1e-9
"""A right sampler fails once in a thousand million runs."""

BLOCKS = np.array([0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4])[np.random.default_rng(7).permutation(17)]
BUILD = {
    **{f"randomized-{k}": lambda e, k=k: RandomizedResponse(k, e) for k in (2, 3, 10, 25)},
    **{f"hadamard-{k}": lambda e, k=k: HadamardResponse(k, e) for k in (1, 2, 3, 10, 31)},
    **{f"blocks-{w}": lambda e, w=w: Blockwise(BLOCKS, e, w) for w in ("randomized", "hadamard", "best")},
}
EPSILONS = [("0.5", "0.65", "0.35"), ("1", "1.3", "0.7"), ("4", "5.2", "2.8")]


def expected_counts(mechanism, per_value):
    """Shape (k, outputs), from the column classes' weights: each value's codes, sorted from heavy to light."""
    weights = [[] for _ in range(mechanism.k)]
    for column in mechanism.columns():
        for part in column.parts:
            for value in part.values:
                weights[value] += [weight for weight, outputs in part.weights for _ in range(outputs)]
    rows = [sorted(row, reverse=True) + [0] * (mechanism.outputs - len(row)) for row in weights]
    return per_value * np.array([[weight / mechanism.denominator for weight in row] for row in rows])


def p_value(sampler, mechanism):
    """Of the sampler's counts under the mechanism's columns; zero if a code occurs that cannot."""
    per_value = REPORTS // mechanism.k
    codes = sampler.privatize(np.repeat(np.arange(mechanism.k), per_value)).astype(np.int64).reshape(mechanism.k, -1)
    counts = np.stack([np.bincount(row, minlength=mechanism.outputs) for row in codes])
    # Which codes are heavy for a value is the channel's word; how heavy they are is the columns'.
    weights = np.array(
        [[mechanism.weight(x, y) / mechanism.denominator for y in range(mechanism.outputs)] for x in range(mechanism.k)]
    )
    counts = np.take_along_axis(counts, np.argsort(-weights, axis=1, kind="stable"), axis=1)
    expected = expected_counts(mechanism, per_value)
    possible = expected > 0
    if counts[~possible].any():
        return 0.0
    statistic = ((counts - expected)[possible] ** 2 / expected[possible]).sum()
    freedom = possible.sum() - mechanism.k
    return stats.chi2.sf(statistic, freedom) if freedom else 1.0


@pytest.mark.parametrize(("epsilon", "more", "less"), EPSILONS)
@pytest.mark.parametrize("name", BUILD)
def test_a_sampler_follows_its_columns_and_a_30_percent_wrong_one_does_not(name, epsilon, more, less):
    build = BUILD[name]
    assert p_value(build(epsilon), build(epsilon)) > NEVER
    for wrong in (more, less):
        assert p_value(build(wrong), build(epsilon)) < NEVER


def test_a_shifted_value_would_be_found():
    mechanism = HadamardResponse(10, "1")
    shifted = Blockwise(np.zeros(10, dtype=int), "1", "hadamard")
    assert p_value(shifted, mechanism) > NEVER

    class Shifted(HadamardResponse):
        def _sample(self, values, stream):
            return super()._sample((values + 1) % 10, stream)

    assert p_value(Shifted(10, "1"), mechanism) < NEVER
