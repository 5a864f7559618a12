"""A number by levels: exact variances, better than what is published, and the rounding between levels."""

import math

import numpy as np
import pytest

from sordino import LevelResponse, OneBit, SordinoError
from sordino.exact.coin import WORD


def moments_of(channel, number):
    """The mean and the variance of one report's estimate, from its law and what each code counts as."""
    shares = [float(channel.probability([number], code)) for code in range(channel.outputs)]
    worth = [channel.means(channel.tally([code]))[0] for code in range(channel.outputs)]
    mean = math.fsum(p * w for p, w in zip(shares, worth, strict=True))
    return mean, math.fsum(p * (w - mean) ** 2 for p, w in zip(shares, worth, strict=True))


@pytest.mark.parametrize(
    ("levels", "epsilon", "window"), [(2, "1", 1), (3, "0.3", 1), (4, "2", 3), (7, "5", 2), (2, "1", 4)]
)
def test_every_number_has_its_mean_and_the_variance_that_is_told(levels, epsilon, window):
    channel = LevelResponse(levels, epsilon, window)
    numbers = np.linspace(-1, 1, 41)
    found = np.array([moments_of(channel, number) for number in numbers])
    np.testing.assert_allclose(found[:, 0], numbers, atol=1e-12)
    np.testing.assert_allclose(channel.variance(numbers), found[:, 1], rtol=1e-9)
    squares = found[:, 1] + numbers**2
    assert channel.noise() == pytest.approx([squares.max()])
    fine = channel.variance(np.linspace(-1, 1, 20_001))
    assert fine.max() <= channel.worst_variance * (1 + 1e-12)
    assert fine.max() == pytest.approx(channel.worst_variance, rel=1e-6)
    assert np.trapezoid(fine, dx=1e-4) / 2 == pytest.approx(channel.average_variance, rel=1e-6)


def test_two_levels_are_one_bit():
    for epsilon in ("0.01", "1", "5"):
        channel, bit = LevelResponse(2, epsilon), OneBit(epsilon)
        assert channel.threshold == bit.threshold
        assert channel.noise() == pytest.approx(bit.noise())


def piecewise(epsilon, number):
    """The variance of the piecewise mechanism, integrated from its density."""
    half = math.exp(epsilon / 2)
    end = (half + 1) / (half - 1)
    left = (end + 1) / 2 * number - (end - 1) / 2
    high = (half**2 - half) / (2 * half + 2)

    def square(a, b):
        return (b**3 - a**3) / 3

    inside = high * square(left, left + end - 1)
    outside = high / half**2 * (square(-end, left) + square(left + end - 1, end))
    return inside + outside - number**2


@pytest.mark.parametrize("epsilon", [1.5, 2, 3, 4, 6])
def test_the_best_levels_beat_one_bit_and_the_published_mechanisms(epsilon):
    channel = LevelResponse.best(epsilon)
    numbers = np.linspace(-1, 1, 201)
    bit = OneBit(epsilon).noise()[0] - numbers**2
    smooth = np.array([piecewise(epsilon, number) for number in numbers])
    share = 1 - math.exp(-epsilon / 2)
    hybrid = share * smooth + (1 - share) * bit
    assert channel.worst_variance < bit.max()
    assert channel.worst_variance < smooth.max()
    if epsilon >= 2:
        assert channel.worst_variance < hybrid.max()
    average = LevelResponse.best(epsilon, "average")
    assert average.average_variance < min(bit.mean(), smooth.mean(), hybrid.mean())
    assert average.average_variance <= channel.average_variance


def test_a_small_epsilon_needs_a_bit_only():
    assert (LevelResponse.best("0.5").levels, LevelResponse.best("0.5").window) == (2, 1)


@pytest.mark.parametrize("epsilon", ["1", "2", "4"])
def test_the_best_is_the_best_of_its_neighbours(epsilon):
    channel = LevelResponse.best(epsilon)
    around = [(channel.levels + a, channel.window + b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
    others = [LevelResponse(g, epsilon, w).worst_variance for g, w in around if g >= 2 and w >= 1]
    assert channel.worst_variance == pytest.approx(min(others))


def test_a_number_at_a_level_is_not_rounded():
    channel = LevelResponse(5, "40")
    numbers = np.array([-1, -0.5, 0, 0.5, 1])
    for _ in range(20):
        assert channel.privatize(numbers).tolist() == [0, 1, 2, 3, 4]
    between = channel.privatize(np.full(4000, 0.375))
    assert set(between.tolist()) == {2, 3}
    assert np.mean(between == 3) == pytest.approx(0.75, abs=0.05)


@pytest.mark.parametrize(("levels", "window"), [(1, 1), (0, 1), (2, 0), (2.0, 1), (2, True), (70_000, 1), (2, 70_000)])
def test_levels_and_windows_that_make_no_channel_are_refused(levels, window):
    with pytest.raises(SordinoError, match="whole number"):
        LevelResponse(levels, "1", window)


def test_an_epsilon_below_the_coins_granularity_is_refused():
    with pytest.raises(SordinoError, match="raise epsilon"):
        LevelResponse(3, 0)
    for threshold in (WORD // 2 - 1, WORD, 0.5):
        with pytest.raises(SordinoError, match="raise epsilon"):
            LevelResponse.from_threshold(2, threshold)
    fair = LevelResponse(2, 0)
    assert not fair.informative
    with pytest.raises(SordinoError, match="raise epsilon"):
        fair.noise()


def test_the_variance_is_refused_outside():
    with pytest.raises(SordinoError, match="in record 1"):
        LevelResponse(2, "1").variance([0, 1.5])


def test_the_covariance_is_that_of_the_codes_and_never_nothing():
    channel = LevelResponse(3, "2")
    codes = [0, 0, 1, 2, 2, 2]
    worth = [channel.means(channel.tally([code]))[0] for code in codes]
    assert channel.covariance(channel.tally(codes))[0, 0] == pytest.approx(np.var(worth, ddof=1) / 6)
    assert channel.covariance(channel.tally([1] * 10))[0, 0] == pytest.approx(channel.variance([0])[0] / 10)
