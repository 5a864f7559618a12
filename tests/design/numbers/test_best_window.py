"""The best window for one number: better than one bit and than what is published, and the best of all that are near."""

import math

import numpy as np
import pytest

from in_one import in_one
from sordino import Number, Query, RandomizedResponse, Sampled, SordinoError, WindowResponse
from sordino.design.numbers.sampled_levels import best_window
from sordino.design.numbers.sampled_mean import is_better
from sordino.estimation.moment_estimator import MomentEstimator

FINE = np.linspace(-1, 1, 201)


def by(mechanism):
    return MomentEstimator.of(Query(Number(0, mechanism.k), mechanism))


def variance_of(mechanism, numbers, share=1.0):
    """E[g^2 | x] / share - x^2, from the law of each code: what codes count as is linear in them."""
    law, points = mechanism.probabilities(), np.linspace(-1, 1, mechanism.k)
    basis = np.stack([np.ones(mechanism.outputs), np.arange(mechanism.outputs)], axis=1)
    counts = basis @ np.linalg.lstsq(law @ basis, points)[0]
    return np.interp(numbers, points, law @ counts**2) / share - numbers**2


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


@in_one("epsilon", [1.5, 2, 3, 4, 6])
def test_the_best_window_beats_one_bit_and_the_published_mechanisms(epsilon):
    window = best_window(epsilon)
    own = variance_of(window, FINE)
    bit = variance_of(RandomizedResponse(2, epsilon), FINE)
    smooth = np.array([piecewise(epsilon, number) for number in FINE])
    share = 1 - math.exp(-epsilon / 2)
    hybrid = share * smooth + (1 - share) * bit
    assert own.max() < bit.max()
    assert own.max() < smooth.max()
    if epsilon >= 2:
        assert own.max() < hybrid.max()


def test_at_4_the_largest_variance_is_a_quarter_below():
    smooth = max(piecewise(4, number) for number in FINE)
    assert variance_of(best_window("4"), FINE).max() < 0.75 * smooth


def test_a_small_epsilon_needs_a_bit_only():
    assert (best_window("0.5").k, best_window("0.5").window) == (2, 1)


@in_one("share", [1.0, 0.1])
@in_one("epsilon", ["1", "2", "4"])
def test_the_best_is_the_best_of_its_neighbours(epsilon, share):
    window = best_window(epsilon, share=share)
    around = [(window.k + a, window.window + b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
    fine = np.linspace(-1, 1, 20_001)
    others = [variance_of(WindowResponse(g, epsilon, w), fine, share).max() for g, w in around if g >= 2 and w >= 1]
    own = variance_of(window, fine, share).max()
    assert own == pytest.approx(min(others), rel=1e-6)
    # What is said of it is what it is.
    said = by(window).largest_variance(share)[0]
    assert own <= said * (1 + 1e-12)
    assert own == pytest.approx(said, rel=1e-6)


@in_one("epsilon", ["-1", "inf", "101", None, ""])
def test_amounts_that_cannot_be_promised_are_refused(epsilon):
    with pytest.raises(SordinoError):
        best_window(epsilon)


def test_what_is_better_in_one_way_only_is_not_taken():
    """One window is better at the worst number, the other where numbers are spread evenly: neither replaces it."""
    spread = WindowResponse(62, "3", 22)
    worst, even = (Sampled((Query(Number(0, w.k), w),), (1,)) for w in (best_window("3"), spread))
    fine, (first, second) = np.linspace(-1, 1, 20_001), (worst.mechanisms[0], even.mechanisms[0])
    assert variance_of(first, fine).max() < variance_of(second, fine).max()
    assert variance_of(first, fine).mean() > variance_of(second, fine).mean()
    assert not is_better(worst, even)
    assert not is_better(even, worst)
    bit = Sampled((Query(Number(0), RandomizedResponse(2, "3")),), (1,))
    assert is_better(worst, bit)
    assert is_better(even, bit)
