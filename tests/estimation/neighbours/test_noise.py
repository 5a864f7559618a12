"""Units of noise against the counts of k-ary randomized response, whose probabilities are written out."""

from math import exp

import numpy as np
import pytest
from scipy import stats

from sordino.estimation.neighbours.noise import ShareNoise
from sordino.mechanism.blockwise import Blockwise
from sordino.mechanism.randomized import RandomizedResponse

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
