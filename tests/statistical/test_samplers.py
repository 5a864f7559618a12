"""Samplers against their own columns by chi-square, with a power check: a 30 % wrong epsilon must fail."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from sordino import (
    BinaryOptimal,
    BitFlips,
    Blockwise,
    ChannelTable,
    CyclicSubsets,
    HadamardResponse,
    HighLow,
    Nats,
    ProjectiveResponse,
    RandomizedResponse,
    SubsetSelection,
    WindowResponse,
)
from weights import flips

pytestmark = pytest.mark.statistical

REPORTS = 600_000
NEVER = 1e-9
"""A right sampler fails once in a thousand million runs."""

BLOCKS = np.array([0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4])[np.random.default_rng(7).permutation(17)]


def table_of(epsilon):
    """Randomized response over five values with half of the truth moved to a code of its own for the first two."""
    lie = 10**12
    truth = int(lie * np.exp(float(epsilon)))
    rows = [[truth if x == y else lie for y in range(5)] + [0] for x in range(5)]
    for row in rows:
        row[0], row[5] = row[0] // 2, row[0] - row[0] // 2
    return rows


BUILD = {
    **{f"randomized-{k}": lambda e, k=k: RandomizedResponse(k, e) for k in (2, 3, 10, 25)},
    **{f"cyclic-{k}": lambda e, k=k: CyclicSubsets(k, e, (13, 4, 5)) for k in (4, 13)},
    **{f"hadamard-{k}": lambda e, k=k: HadamardResponse(k, e) for k in (1, 2, 3, 10, 31)},
    **{f"blocks-{w}": lambda e, w=w: Blockwise(BLOCKS, e, w) for w in ("randomized", "hadamard", "best", "subset")},
    **{f"projective-{k}": lambda e, k=k: ProjectiveResponse(k, e, 3) for k in (4, 13)},
    **{f"subset-{k}-of-{n}": lambda e, k=k, n=n: SubsetSelection(n, e, k) for k, n in ((1, 2), (2, 5), (3, 8))},
    **{
        f"high-low-{w}": lambda e, w=w: HighLow(11, [1, 4, 5, 9, 10], e, w)
        for w in ("randomized", "hadamard", "projective", "subset")
    },
    "high-low-one": lambda e: HighLow(4, [2], e),
    "binary": lambda e: BinaryOptimal(e, Nats.of(e) + "1/2"),
    "binary-one-way": lambda e: BinaryOptimal(e, "inf"),
    "table": lambda e: ChannelTable(table_of(e)),
    **{f"window-{k}-{w}": lambda e, k=k, w=w: WindowResponse(k, e, w) for k, w in ((2, 1), (6, 1), (5, 3), (3, 7))},
    **{f"flips-{k}": lambda e, k=k: BitFlips(flips(k, Fraction(np.exp(float(e))))) for k in (2, 4, 16)},
}
EPSILONS = [("0.5", "0.65", "0.35"), ("1", "1.3", "0.7"), ("4", "5.2", "2.8")]


def expected_counts(mechanism, codes, per_value):
    """Shape (k, codes), from the column classes' weights: each value's codes, sorted from heavy to light."""
    weights = [[] for _ in range(mechanism.k)]
    for column in mechanism.columns():
        for part in column.parts:
            for value in part.values:
                weights[value] += [weight for weight, outputs in part.weights for _ in range(outputs)]
    rows = [sorted(row, reverse=True) + [0] * (len(codes) - len(row)) for row in weights]
    return per_value * np.array([[weight / mechanism.denominator for weight in row] for row in rows])


def possible_codes(mechanism):
    return [y for y in range(mechanism.outputs) if any(mechanism.weight(x, y) for x in range(mechanism.k))]


def p_value(sampler, mechanism):
    """Of the sampler's counts under the mechanism's columns; zero if a code occurs that cannot."""
    per_value = REPORTS // mechanism.k
    codes = possible_codes(mechanism)
    reports = sampler.privatize(np.repeat(np.arange(mechanism.k), per_value)).astype(np.int64)
    if not np.isin(reports, codes).all():
        return 0.0
    places = np.searchsorted(codes, reports).reshape(mechanism.k, -1)
    counts = np.stack([np.bincount(row, minlength=len(codes)) for row in places])
    # Which codes are heavy for a value is the channel's word; how heavy they are is the columns'.
    weights = np.array([[mechanism.weight(x, y) / mechanism.denominator for y in codes] for x in range(mechanism.k)])
    counts = np.take_along_axis(counts, np.argsort(-weights, axis=1, kind="stable"), axis=1)
    expected = expected_counts(mechanism, codes, per_value)
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
