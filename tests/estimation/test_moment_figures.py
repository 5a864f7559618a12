"""The errors of queries about numbers against known figures, and that dividing by those who were drawn is better."""

import math
from itertools import combinations

import numpy as np
import pytest

from enumerated import (
    bits,
    laws_of,
    table,
)
from sordino import (
    BitFlips,
    Query,
    RandomizedResponse,
    Sampled,
    Signs,
)
from sordino.estimation.moment_estimator import MomentEstimator


def test_the_noise_of_the_sampling_rule_at_zero_dependence():
    """The corrected figures: ten numbers, two of them at 0.2 and eight at 2, best weights: 0.0925 at 10,000 people."""
    levels = ["0.2"] * 2 + ["2"] * 8
    scales = [1 / math.tanh(float(level) / 2) for level in levels]
    weights = tuple(round(2**20 * scale / sum(scales)) for scale in scales)
    noise = MomentEstimator.of(bits(*((j,) for j in range(10)), coins=levels, weights=weights)).noise()
    assert noise.sum() == pytest.approx(sum(scales) ** 2, rel=1e-9)
    assert (noise.sum() - 10) / 1e4 == pytest.approx(0.0925, abs=5e-5)


def subsets(m, size, mechanism):
    """Signs of some of m numbers, drawn uniformly."""
    chosen = [Query(Signs(places), mechanism) for places in combinations(range(m), size)]
    return Sampled(tuple(chosen), (1,) * len(chosen))


@pytest.mark.parametrize(("size", "noise"), [(1, 1.724), (2, 1.322)])
def test_the_corrected_figures_of_signs(size, noise):
    asked = subsets(8, size, RandomizedResponse(2**size, "2"))
    assert MomentEstimator.of(asked).noise() / 8 == pytest.approx([noise] * 8, abs=5e-4)


@pytest.mark.parametrize("epsilon", [0.2, 1, 4])
def test_the_noise_of_signs_is_that_of_all_patterns(epsilon):
    """m / (s c^2), c the mean of a sent sign; a pattern with few wrong signs is likelier by e^epsilon."""
    for m, size in ((1, 1), (5, 2), (5, 5), (4, 3)):
        for tolerance in range(size):
            weights = [math.exp(epsilon) if flips.bit_count() <= tolerance else 1.0 for flips in range(2**size)]
            c = sum(-w if flips & 1 else w for flips, w in enumerate(weights)) / sum(weights)
            flips = BitFlips(table(*(round(weight * 2**40) for weight in weights)))
            noise = MomentEstimator.of(subsets(m, size, flips)).noise()
            np.testing.assert_allclose(noise, m / (size * c**2), rtol=1e-9)


def test_dividing_by_those_who_were_drawn_beats_dividing_by_those_expected():
    """Exact variances at n people who all have the number 0.9: enumerated by the numbers of both bits."""
    asked, n = bits((0,), (1,), coins=["4", "4"], weights=(1, 1)), 40
    estimator = MomentEstimator.of(asked)
    minus, plus = (float(share) for share in laws_of(asked, (0.9, 0.9))[:2])
    scale, first, second, linear, total = 1 / math.tanh(2), 0.0, 0.0, 0.0, 0.0
    for ones in range(n + 1):
        for zeros in range(n + 1 - ones):
            ways = math.comb(n, ones) * math.comb(n - ones, zeros)
            share = ways * plus**ones * minus**zeros * 0.5 ** (n - ones - zeros)
            linear += share * (scale * (ones - zeros) / (n / 2) - 0.9) ** 2
            if ones + zeros and ones + zeros < n:
                mean = estimator.means(asked.tally([1] * ones + [0] * zeros + [2] * (n - ones - zeros)))[0]
                total, first, second = total + share, first + share * mean, second + share * mean**2
    assert linear == pytest.approx((estimator.noise()[0] - 0.81) / n)
    assert second / total - (first / total) ** 2 == pytest.approx((scale**2 - 0.81) / (n / 2), rel=0.1)
    assert second / total - (first / total) ** 2 < linear / 2
