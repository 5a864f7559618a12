"""Units of noise against the counts of k-ary randomized response, whose probabilities are written out."""

from itertools import combinations, product
from math import exp

import numpy as np
import pytest
from scipy import stats

from conftest import KINDS, LARGEST, SMALLEST, Channel, make_channel
from sordino import Blockwise, MetricLDP, Partition, ProductResponse, RandomizedResponse, TreeResponse
from sordino.estimation.neighbours.noise import ShareNoise, is_independent

K, N, TOTALS = 20, 2000, np.array([0.1, 0.9])
TELL, OTHER = exp(2) / (exp(2) + 9), 1 / (exp(2) + 9)
NOISE = ShareNoise.of(Blockwise(np.arange(K) % 2, "2", "randomized"), TOTALS, N)


@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize("part", [0.0, 0.1, 0.4, 0.9])
def test_variance_rises_with_the_share_as_counts_say(value, part):
    """The reports of a value are of its own people, and by chance of the others of the block: two binomial counts."""
    share = part * TOTALS[value]
    variance = N * (share * TELL * (1 - TELL) + (TOTALS[value] - share) * OTHER * (1 - OTHER))
    assert NOISE.at(np.full(K, share))[value] ** 2 == pytest.approx(variance / (N * (TELL - OTHER)) ** 2, rel=1e-9)


@pytest.mark.parametrize("part", [0.0, 0.02, 0.1, 0.3])
def test_in_its_units_noise_is_about_one_and_its_mean_is_right_whatever_the_share(part):
    """All counts that 200 people of a block can give, each with its probability."""
    people = round(N * TOTALS[0])
    counts, own = np.arange(people + 1), round(part * people)
    told, chance = stats.binom.pmf(counts, own, TELL), stats.binom.pmf(counts, people - own, OTHER)
    weights = np.convolve(told, chance)[: people + 1]
    units = np.empty(len(counts))
    for count in counts:
        estimate = np.full(K, (count - people * OTHER) / (N * (TELL - OTHER)))
        units[count] = NOISE.units_of_estimates(estimate)[0]
    mean = weights @ units
    assert mean == pytest.approx(NOISE.units(np.full(K, part * TOTALS[0]))[0], abs=0.02)
    assert weights @ (units - mean) ** 2 == pytest.approx(1, abs=0.2)


def test_shares_come_back_from_their_units():
    shares = np.linspace(0, 0.5, K)
    np.testing.assert_allclose(NOISE.shares(NOISE.units(shares)), shares, atol=1e-15)


def test_where_nobody_is_there_is_no_noise():
    noise = ShareNoise.of(Blockwise(np.arange(K) % 2, "2", "randomized"), np.array([0.0, 1.0]), N)
    assert noise.stderr[::2].max() < 1e-300
    assert (noise.growth[::2] == 0).all()


def test_shifted_estimates_have_the_noise_that_is_left():
    mechanism = RandomizedResponse(4, "1")
    shifted = ShareNoise.of(mechanism, np.ones(1), N, subtract=True)
    law = np.full(4, 0.25)
    gain = mechanism.decode(np.eye(4))
    gain -= (gain.sum(axis=1, keepdims=True) - 1) / 4
    # Reports of people who all have one value vary about its own 1, or about 0.
    variance = (law @ gain**2 - 0.25) / N
    np.testing.assert_allclose(shifted.at(law), np.sqrt(variance), rtol=1e-9)


def correlations(channel):
    """Of the errors of any two values, from every weight, at even shares; and the size of each value's noise."""
    law = channel.matrix.mean(axis=0)
    products = (channel.contributions * law) @ channel.contributions.T - 1 / channel.k**2
    spread = np.sqrt(np.diagonal(products))
    return products / np.outer(spread, spread), spread


def differing(channel):
    """By how much correlations differ among values of one block whose noise is of one size."""
    found, spread = correlations(channel)
    apart = [0.0]
    for block, size in product(channel.blocks, np.unique(np.round(spread / spread.min(), 6))):
        alike = [x for x in block if abs(spread[x] / spread.min() - size) < 1e-5]
        if len(alike) > 2:
            apart.append(np.ptp([found[x, y] for x, y in combinations(alike, 2)]))
    return max(apart)


SLIGHTLY = 0.15
"""Codes of few values are not all sent equally often: what supports these is not quite alike for all."""


@pytest.mark.parametrize("kind", KINDS)
def test_noise_that_is_called_independent_knows_no_neighbours(kind):
    k = min(max(13, SMALLEST.get(kind, 1)), LARGEST.get(kind, 64))
    channel = make_channel(kind, 8 if kind == "flips" else k, "1")
    if channel.k > 2 and is_independent(channel.mechanism):
        assert differing(channel) < SLIGHTLY


@pytest.mark.parametrize("axes", [[12], [4, 4]])
def test_noise_under_a_metric_does_and_is_not_called_so(axes):
    metric = MetricLDP.line(12, "1/2") if axes == [12] else MetricLDP.grid(4, 4, "1/2", "1/2")
    parts = [TreeResponse(MetricLDP((axis,))) for axis in metric.axes]
    mechanism = ProductResponse(parts) if len(parts) > 1 else parts[0]
    k = mechanism.k
    channel = Channel(mechanism, metric, ((None,) * k,) * k, (0,) * k, "0.5")
    # In the middle all have noise of one size; those at an end have less.
    assert np.ptp([correlations(channel)[0][5, other] for other in (6, 10)]) > 2 * SLIGHTLY
    assert not is_independent(mechanism)


@pytest.mark.parametrize(("high", "uneven"), [([1.0, 1.0], False), ([1.0, 1.005], False), ([1.0, 1.1], True)])
def test_noise_is_uneven_where_a_block_has_values_of_several_sizes(high, uneven):
    stderr = np.array([1.0, 5.0, 1.0, 5.0]) * np.array([*high, *high])[[0, 2, 1, 3]]
    assert ShareNoise(stderr, np.zeros(4)).is_uneven(Partition.of([0, 1, 0, 1])) is uneven
