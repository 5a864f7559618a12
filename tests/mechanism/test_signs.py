"""Signs of several numbers: the corrected figures, the best size, pairs in the tally, and what is refused."""

import math
from itertools import combinations, product

import numpy as np
import pytest

from sordino import SignResponse, SordinoError
from sordino.exact.coin import WORD


def dense_noise(m, epsilon, size, tolerance):
    """m / (s c^2) with c from all patterns of signs, in floats."""
    patterns = list(product((1, -1), repeat=size))
    weight = [math.exp(epsilon) if pattern.count(-1) <= tolerance else 1.0 for pattern in patterns]
    c = sum(w * pattern[0] for w, pattern in zip(weight, patterns, strict=True)) / sum(weight)
    return m / (size * c**2)


@pytest.mark.parametrize(("size", "noise"), [(1, 1.724), (2, 1.322)])
def test_the_corrected_figures(size, noise):
    assert SignResponse(8, "2", size).noise() / 8 == pytest.approx([noise] * 8, abs=5e-4)
    assert SignResponse(8, "2", 1).noise()[0] == pytest.approx(8 / math.tanh(1) ** 2)


@pytest.mark.parametrize("epsilon", [0.2, 1, 4])
def test_the_noise_is_that_of_all_patterns(epsilon):
    for m, size in ((1, 1), (5, 2), (5, 5), (4, 3), (9, 6)):
        for tolerance in range(size):
            noise = SignResponse(m, epsilon, size, tolerance).noise()
            np.testing.assert_allclose(noise, dense_noise(m, epsilon, size, tolerance), rtol=1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1, 2, 3.5, 6])
def test_the_best_is_the_best_of_all(epsilon):
    m = 7
    noises = {(s, j): dense_noise(m, epsilon, s, j) for s in range(1, m + 1) for j in range(s)}
    best = SignResponse.best(m, epsilon)
    assert best.noise()[0] == pytest.approx(min(noises.values()))
    assert best.noise()[0] <= SignResponse(m, epsilon, 1).noise()[0]
    fewer = SignResponse.best(m, epsilon, code_bits=6)
    fitting = [noises[s, j] for s, j in noises if math.comb(m, s) * 2**s <= 2**6]
    assert fewer.code_bits <= 6
    assert fewer.noise()[0] == pytest.approx(min(fitting))


def test_one_coordinate_is_best_for_a_small_epsilon_and_two_near_2():
    assert (SignResponse.best(8, "0.2").size, SignResponse.best(8, "2").size) == (1, 2)


def naive_covariance(channel, codes):
    """From the reports themselves: who had which numbers drawn, and the signs."""
    subsets = sorted(combinations(range(channel.m), channel.size), key=lambda chosen: sum(1 << j for j in chosen))
    told = np.full((len(codes), channel.m), np.nan)
    for row, code in enumerate(codes):
        for place, number in enumerate(subsets[code >> channel.size]):
            told[row, number] = 1 if code >> place & 1 else -1
    told /= float(channel.slope)
    means = np.nanmean(told, axis=0)
    left = np.nan_to_num(told - means) / (~np.isnan(told)).sum(axis=0)
    return means, left.T @ left, (~np.isnan(told)).sum(axis=0)


@pytest.mark.parametrize(("m", "size"), [(2, 2), (4, 2), (5, 3), (3, 1)])
def test_means_and_covariance_are_those_of_the_reports_themselves(m, size):
    channel = SignResponse(m, "2", size)
    records = np.random.default_rng(2).uniform(-0.2, 0.9, (400, m))
    records[:, -1] = records[:, 0]
    codes = channel.privatize(records)
    means, covariance, drawn = naive_covariance(channel, codes.tolist())
    tally = channel.tally(codes)
    np.testing.assert_allclose(channel.means(tally), means, atol=1e-12)
    if (np.abs(means) < 1).all():
        # Variances are divided by one person less than the naive ones.
        covariance[np.diag_indices(m)] *= drawn / (drawn - 1)
        np.testing.assert_allclose(channel.covariance(tally), covariance, atol=1e-12)
    assert np.linalg.eigvalsh(channel.covariance(tally)).min() > 0


def test_tallies_to_which_no_reports_add_up():
    channel = SignResponse(4, "1", 2)
    good = channel.tally(channel.privatize(np.zeros((50, 4)))).counts
    stack = np.stack([good, 2 * good])
    assert channel.possible(stack)
    for place in range(channel.counters):
        assert not channel.possible(good + np.eye(channel.counters, dtype=np.int64)[place])
    single = SignResponse(4, "1", 1)
    assert single.possible(np.arange(8))


@pytest.mark.parametrize(("size", "tolerance"), [(0, 0), (5, 0), (2, 2), (2, -1), (1.0, 0), (True, 0), (2, 0.5)])
def test_sizes_and_tolerances_that_make_no_channel_are_refused(size, tolerance):
    with pytest.raises(SordinoError, match="signs"):
        SignResponse(4, "1", size, tolerance)


def test_reports_that_do_not_fit_are_refused():
    with pytest.raises(SordinoError, match="64 bits"):
        SignResponse(1000, "1", 8)
    with pytest.raises(SordinoError, match="enough for one of 8"):
        SignResponse.best(8, "1", code_bits=3)
    assert SignResponse.best(1000, "9").code_bits <= 64


def test_thresholds_on_the_wrong_side_are_refused():
    even = WORD // 4  # One of four patterns is within.
    assert not SignResponse.from_threshold(3, even, 2).informative
    assert SignResponse(3, 0, 2).threshold == even
    for threshold in (even - 1, WORD, float(even)):
        with pytest.raises(SordinoError, match="threshold"):
            SignResponse.from_threshold(3, threshold, 2)
    with pytest.raises(SordinoError, match="raise epsilon"):
        SignResponse(3, 0, 2).noise()


def test_several_drawn_numbers_are_one_answer_and_single_ones_are_many():
    assert [kind[0].statistics for kind in SignResponse(3, "1", 1).types] == [((0,),), ((1,),), ((2,),)]
    ((answer,),) = SignResponse(3, "1", 2).types
    assert answer.statistics == ((0,), (1,), (2,))
    assert answer.level <= "1"


def test_a_number_of_which_no_sign_came_is_named():
    channel = SignResponse(3, "1", 1)
    with pytest.raises(SordinoError, match=r"nobody about \(2,\)"):
        channel.means(channel.tally([0, 2]))
