"""The Bayes rule for total variation against the expected distance itself, which is integrated here."""

from itertools import permutations

import numpy as np
import pytest

from sordino import Partition
from sordino.estimation.neighbours.noise import ShareNoise
from sordino.estimation.neighbours.posterior import EDGES, SHARES, Posteriors
from sordino.estimation.neighbours.smoothing import equal_quantiles

BLOCKS = Partition.of([0, 0, 0, 1, 1])
TOTALS = np.array([0.5, 0.2])
STDERR = np.array([0.1, 0.1, 0.2, 0.05, 0.05])


def posteriors():
    weights = np.random.default_rng(4).dirichlet(np.full(len(SHARES), 0.2), 5)
    weights[:, SHARES > 5] = 0
    cumulative = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    return Posteriors(np.arange(5), cumulative, np.zeros(5), ShareNoise(STDERR, np.zeros(5)))


def expected_distance(found, shares):
    """The sum of E|p - a|: the integral of F up to a, and of 1 - F from there on."""
    total = 0.0
    line = np.linspace(0, EDGES[-1], 100_001)
    for row, stderr, share in zip(found.cumulative, STDERR, shares, strict=True):
        function = np.interp(line, np.concatenate([[0], EDGES]), row)
        below = line * stderr < share
        total += stderr * (function[below].sum() + (1 - function[~below]).sum()) * (line[1] - line[0])
    return total


def test_no_share_can_pass_between_two_values_of_a_block_and_lower_the_expected_distance():
    found = posteriors()
    shares = equal_quantiles(found, BLOCKS, TOTALS)
    assert shares.min() >= 0
    np.testing.assert_allclose(BLOCKS.totals(shares), TOTALS, rtol=1e-9)
    least = expected_distance(found, shares)
    for first, second in [*permutations(range(3), 2), *permutations((3, 4), 2)]:
        for passed in (0.003, 0.03):
            moved = shares.copy()
            moved[first] += passed
            moved[second] -= passed
            if moved.min() >= 0:
                assert expected_distance(found, moved) > least - 1e-6


def test_an_estimate_of_many_standard_errors_speaks_for_itself():
    noise = ShareNoise(np.ones(3), np.zeros(3))
    plain = Posteriors(np.zeros(3, np.intp), np.ones((1, len(SHARES))), np.array([20.0, 30.0, 8.0]), noise)
    totals = np.array([57.0])
    shares = equal_quantiles(plain, Partition.of([0, 0, 0]), totals)
    assert shares == pytest.approx([19.67, 29.67, 7.67], abs=0.01)


def test_blocks_in_which_nobody_is_have_no_shares():
    shares = equal_quantiles(posteriors(), BLOCKS, np.array([1.0, 0.0]))
    assert (shares[3:] == 0).all()
    assert shares[:3].sum() == pytest.approx(1)
