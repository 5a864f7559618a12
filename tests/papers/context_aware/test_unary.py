"""Unary encoding: published variances of RAPPOR and uRAP by bits, and what it refuses."""

import math

import numpy as np
import pytest

from in_one import in_one
from sordino import HighLow, SordinoError, SubsetSelection
from sordino.exact.coin import WORD
from sordino.papers.context_aware.unary import UnaryEncoding


def test_a_rare_value_has_the_published_variance():
    for k in (2, 10, 64):
        variance = UnaryEncoding(k, "1").variance(np.eye(k)[0])
        np.testing.assert_allclose(variance[1:], 1 / (4 * math.sinh(0.25) ** 2), rtol=1e-9)
        assert variance[1] == pytest.approx(3.918, abs=5e-4)


@in_one("epsilon", ["0.5", "1", "4"])
@in_one("sensitive", [None, [0, 3]])
def test_variances_are_those_of_one_bit_each(epsilon, sensitive):
    k = 5
    p = np.array([0.1, 0.2, 0.05, 0.25, 0.4])
    half = math.exp(float(epsilon) / 2)
    keep = half / (half + 1)
    own = [0, 1, 2, 3, 4] if sensitive is None else sensitive
    expected = np.empty(k)
    for x in range(k):
        if x in own:
            share = p[x] * keep + (1 - p[x]) * (1 - keep)
            expected[x] = share * (1 - share) / (2 * keep - 1) ** 2
        else:
            # Told with 1 - e^(-eps / 2): a noisy bit's odds over e^eps.
            told = p[x] * (1 - 1 / half)
            expected[x] = told * (1 - told) / (1 - 1 / half) ** 2
    np.testing.assert_allclose(UnaryEncoding(k, epsilon, sensitive).variance(p), expected, rtol=1e-9)


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", ["0.5", "1", "3"])
@pytest.mark.parametrize("k", [3, 10, 64])
def test_subset_selection_and_high_low_response_are_better_in_as_many_bits(k, epsilon):
    assert SubsetSelection(k, epsilon).total_variance < UnaryEncoding(k, epsilon).total_variance
    for s in (1, 2, k // 2, k - 1):
        assert HighLow(k, range(s), epsilon).total_variance < UnaryEncoding(k, epsilon, range(s)).total_variance


def test_tallies_count_bits_and_reports():
    mechanism = UnaryEncoding(4, "1")
    tally = mechanism.tally([0b0000, 0b1011, 0b0001])
    assert tally.counts.tolist() == [2, 1, 0, 1, 3]
    assert (tally.n, mechanism.reports(tally.counts), mechanism.counts_codes) == (3, 3, False)


def test_one_value_counts_its_bit_and_its_reports():
    mechanism = UnaryEncoding(1, "1")
    assert (mechanism.outputs, mechanism.counters, mechanism.counts_codes) == (2, 2, False)
    assert mechanism.tally([0, 1, 1]).counts.tolist() == [2, 3]


def test_only_one_value_that_is_not_sensitive_can_tell_itself():
    mechanism = UnaryEncoding(5, "1", [1, 2])
    codes = [0b00110, 0b00111, 0b10000, 0b01001]
    with pytest.raises(SordinoError, match="found an unknown code at position 3"):
        mechanism.tally(codes)
    assert mechanism.tally(codes[:3]).counts.tolist() == [1, 2, 2, 0, 1, 3]
    assert [mechanism.weight(0, code) > 0 for code in codes] == [True, True, False, False]
    assert [mechanism.weight(1, code) > 0 for code in codes] == [True, False, False, False]


def test_64_values_fill_the_whole_word():
    mechanism = UnaryEncoding(64, "1")
    codes = mechanism.privatize(np.arange(6400) % 64)
    tally = mechanism.tally(codes)
    assert (tally.n, mechanism.code_bits) == (6400, 64)
    expected = mechanism.forward(np.full(64, 1 / 64)) * 6400
    np.testing.assert_allclose(tally.counts, expected, atol=6 * 40)


@pytest.mark.parametrize("k", [0, 65, -1])
def test_there_are_1_to_64_values(k):
    with pytest.raises(SordinoError, match="1 to 64 values"):
        UnaryEncoding(k, "1")


@pytest.mark.parametrize("sensitive", [[], range(4), [4], [0, 0]])
def test_sensitive_values_are_some_of_them(sensitive):
    with pytest.raises(SordinoError, match="sensitive"):
        UnaryEncoding(4, "1", sensitive)


def test_all_values_are_noisy_unless_some_are_named():
    assert UnaryEncoding(3, "1").sensitive.tolist() == [0, 1, 2]
    assert UnaryEncoding(3, "1", [2, 0]).others.tolist() == [1]


def test_without_epsilon_nothing_is_learned():
    for mechanism in (UnaryEncoding(4, 0), UnaryEncoding(4, 0, [1, 2])):
        assert (mechanism.threshold, mechanism.hidden) == (WORD // 2, WORD)
        assert mechanism.total_variance == np.inf
        with pytest.raises(SordinoError, match="raise epsilon"):
            mechanism.decode(mechanism.forward(np.full(4, 0.25)))
