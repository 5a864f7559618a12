"""Cyclic subsets: as good as subset selection over all subsets, at any number of values up to thousands."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from in_one import in_one
from sordino import (
    LDP,
    CyclicSubsets,
    HadamardResponse,
    ProjectiveResponse,
    RandomizedResponse,
    SordinoError,
    SubsetSelection,
)
from sordino.audit.certificate import certify
from sordino.mechanism.cyclic_subsets import LARGEST_CODES, best_designs


@in_one(("design", "size"), [((13, 4, 4), 4), ((13, 4, 5), 5), ((13, 1, 3), 3), ((31, 5, 10), 10)])
@in_one("epsilon", ["0.3", "2"])
def test_the_variance_is_that_of_all_subsets(design, size, epsilon):
    k = design[0]
    cyclic, subsets = CyclicSubsets(k, epsilon, design), SubsetSelection(k, epsilon, size)
    assert cyclic.threshold == subsets.threshold
    for p in (np.full(k, 1 / k), np.eye(k)[3], np.arange(k) / (k * (k - 1) / 2)):
        np.testing.assert_allclose(cyclic.variance(p), subsets.variance(p), rtol=1e-12)


@pytest.mark.parametrize("k", [13, 10])
def test_the_variance_is_that_of_the_estimates_of_the_law_of_the_codes(k):
    mechanism = CyclicSubsets(k, "1", (13, 4, 5))
    p = np.random.default_rng(k).dirichlet(np.ones(k))
    dense = mechanism.probabilities()
    estimates = np.array([mechanism.decode(code) for code in np.eye(mechanism.outputs)])
    np.testing.assert_allclose(dense @ estimates, np.eye(k), atol=1e-9)
    np.testing.assert_allclose(p @ dense @ estimates**2 - p**2, mechanism.variance(p), rtol=1e-9)
    functional = np.arange(k) ** 2.0
    contributions = mechanism.code_values(functional)
    np.testing.assert_allclose(dense @ contributions, functional, atol=1e-9)
    np.testing.assert_allclose(contributions, estimates @ functional, atol=1e-9)


def least(k, epsilon):
    """The sum of n Var of subset selection at its best size, over all sizes: the least there is under LDP."""
    power, sums = np.exp(float(epsilon)), []
    for size in range(1, k):
        hit = size * power / (size * power + k - size)
        miss = (hit * (size - 1) + (1 - hit) * size) / (k - 1)
        sums.append(size * (k - size) / k / (hit - miss) ** 2)
    return min(sums)


@in_one("epsilon", ["0.5", "1", "2", "4"])
@in_one("k", [65, 100, 150, 365, 1024, 2000])
def test_what_is_chosen_is_within_a_percent_of_the_least_variance_there_is(k, epsilon):
    chosen = min(kind(k, epsilon).total_variance for kind in (CyclicSubsets, RandomizedResponse))
    assert 1 - 1e-9 < chosen / least(k, epsilon) < 1.01
    others = (kind(k, epsilon).total_variance for kind in (RandomizedResponse, HadamardResponse, ProjectiveResponse))
    assert chosen <= min(others)


@pytest.mark.each_value
@pytest.mark.parametrize("design", [(53, 4, 4), (53, 13, 14), (101, 1, 30)])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_a_certificate_is_tight(design, epsilon):
    mechanism = CyclicSubsets(50, epsilon, design)
    certificate = certify(mechanism, LDP(epsilon))
    assert certificate.holds
    assert 0 <= certificate.slack < 1e-12
    more = CyclicSubsets.from_threshold(50, mechanism.threshold + 1, design)
    assert not certify(more, LDP(epsilon)).holds


def test_rows_are_whole_and_the_class_speaks_of_a_code_that_parts_two_values():
    mechanism = CyclicSubsets(10, "1", (13, 4, 5))
    (only,) = mechanism.columns()
    for value in range(10):
        weights = [mechanism.weight(value, code) for code in range(mechanism.outputs)]
        assert sum(weights) == mechanism.denominator
        assert sorted(weights) == sorted(w for weight, number in only.parts[0].weights for w in [weight] * number)
    assert mechanism.weight(0, only.code) > mechanism.weight(1, only.code)
    assert Fraction(mechanism.weight(0, only.code), mechanism.weight(1, only.code)) < Fraction(2718282, 1000000)


@pytest.mark.parametrize(("k", "epsilon"), [(9, 2.5), (100, 1.0), (1000, 4.0), (5000, 3.0)])
def test_designs_become_shorter_and_worse(k, epsilon):
    designs = best_designs(k, epsilon)
    bits = [(p * (p - 1) // h - 1).bit_length() for p, h, _ in designs]
    assert all(first > second for first, second in pairwise(bits))
    variances = [CyclicSubsets(k, str(epsilon), design).total_variance for design in designs]
    assert all(first <= 1.001 * second for first, second in pairwise(variances))


@in_one(
    ("design", "rule", "found"),
    [
        ((7, 3, 3), "a prime from k = 10", "7"),
        ((15, 7, 7), "a prime from k = 10", "15"),
        ((LARGEST_CODES + 7, 1, 1), "a prime from k = 10", "1048583"),
        ((13, 5, 5), "divide 12", "5"),
        ((13, 0, 3), "divide 12", "0"),
        ((13, -4, 4), "divide 12", "-4"),
        ((13, 4, 6), "a multiple of 4 or one more", "6"),
        ((13, 4, 0), "1 to 12 points", "0"),
        ((13, 4, 13), "1 to 12 points", "13"),
        ((2003, 1, 36), "at most 1048576 blocks", "4010006 blocks of 36"),
        ((1009, 1, 504), "points in all", "1017072 blocks of 504"),
    ],
)
def test_a_design_that_there_is_not_is_refused(design, rule, found):
    with pytest.raises(SordinoError, match=rule) as caught:
        CyclicSubsets.from_threshold(10, 2**63, design)
    assert caught.value.found == found


def test_more_values_than_a_design_can_have_are_refused():
    for k in (100_000, LARGEST_CODES + 1, 2**31):
        with pytest.raises(SordinoError, match="at most 1048576 blocks"):
            CyclicSubsets(k, "1")


def test_one_value_has_nothing_to_hide():
    mechanism = CyclicSubsets(1, "1")
    assert set(mechanism.privatize([0] * 100).tolist()) <= set(range(mechanism.outputs))
    assert mechanism.probabilities().sum() == pytest.approx(1)
