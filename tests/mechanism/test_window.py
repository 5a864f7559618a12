"""Windows: the law from the definition, the level that is reached, the exact noise of a number, records, refusals."""

import math
from fractions import Fraction

import numpy as np
import pytest

from in_one import in_one
from sordino import LDP, Nats, Number, Query, RandomizedResponse, SordinoError, WindowResponse, certify
from sordino.document.codec import decode
from sordino.exact.coin import WORD
from sordino.testing import check_mechanism

SHAPES = [(2, "1", 1), (3, "0.3", 1), (4, "2", 3), (7, "5", 2), (2, "1", 4), (5, "ln 3", 5), (3, "30", 2)]
shapes = pytest.mark.parametrize(("k", "epsilon", "window"), SHAPES)


@shapes
def test_a_code_is_uniform_in_the_window_or_among_the_others(k, epsilon, window):
    mechanism = WindowResponse(k, epsilon, window)
    inside = Fraction(mechanism.threshold, WORD)
    assert mechanism.outputs == k + window - 1
    for value in range(k):
        own = set(range(value, value + window))
        for code in range(mechanism.outputs):
            share = inside / window if code in own else (1 - inside) / (k - 1)
            assert Fraction(mechanism.weight(value, code), mechanism.denominator) == share


@shapes
def test_all_parts_are_those_of_the_weights(k, epsilon, window):
    check_mechanism(WindowResponse(k, epsilon, window), LDP(epsilon))


@shapes
def test_the_threshold_is_the_largest_that_keeps_epsilon(k, epsilon, window, exp_bounds):
    mechanism = WindowResponse(k, epsilon, window)
    low, high = exp_bounds(*((0, 3) if epsilon == "ln 3" else (Fraction(epsilon), 1)))

    def ratio(threshold):
        return Fraction((k - 1) * threshold, window * (WORD - threshold))

    assert ratio(mechanism.threshold) <= low
    assert mechanism.threshold == WORD - 1 or ratio(mechanism.threshold + 1) > high or ratio(mechanism.threshold) == low
    certificate = certify(mechanism, LDP(epsilon))
    assert certificate.holds
    assert Nats.of(epsilon) - certificate.slack == Nats.log(ratio(mechanism.threshold))
    assert not certify(
        WindowResponse.from_threshold(k, min(mechanism.threshold + 2**40, WORD - 1), window), LDP(epsilon)
    ).holds


def test_how_often_thresholds_were_drawn_is_known_and_no_bit_is_rarer_than_a_lie():
    bits = WindowResponse(4, "ln 3", 3)
    # Of ten reports two below the first threshold and two above, none about the second, six above the third.
    known = bits.known_distribution(np.array([2, 0, 0, 2, 0, 6]) / 10)
    assert known * 3 == pytest.approx([1 / 2, 1 / 2, 1 / 4, 1 / 2, 1 / 2, 3 / 4])
    law = np.array([0.1, 0.2, 0.3, 0.2, 0.2])
    assert WindowResponse(4, "ln 3", 2).known_distribution(law) is law


@in_one("epsilon", ["0.01", "1", "ln 3", "5", "40"])
def test_two_values_are_randomized_response(epsilon):
    bit = RandomizedResponse(2, epsilon)
    window = WindowResponse(2, epsilon)
    assert window.threshold == bit.threshold
    np.testing.assert_array_equal(window.probabilities(), bit.probabilities())
    several = RandomizedResponse(5, epsilon)
    np.testing.assert_allclose(WindowResponse(5, epsilon).probabilities(), several.probabilities(), rtol=1e-15)


@shapes
def test_what_grows_by_equal_steps_is_told_by_the_code_alone(k, epsilon, window):
    mechanism = WindowResponse(k, epsilon, window)
    law = mechanism.probabilities()
    for functional in (np.linspace(-1, 1, k), np.arange(k) * 3.5 - 2, np.linspace(4, -7, k), np.full(k, 2.5)):
        counts = mechanism.code_values(functional)
        scale = np.abs(counts).max()
        np.testing.assert_allclose(law @ counts, functional, atol=1e-12 * scale)
        np.testing.assert_allclose(np.diff(counts, 2), 0, atol=1e-12 * scale)
    if k == 2:
        return
    # Anything else by least squares: no unbiased counts vary less at uniform values.
    other = np.random.default_rng(1).normal(size=k)
    counts = mechanism.code_values(other)
    scale = np.abs(counts).max()
    np.testing.assert_allclose(law @ counts, other, atol=1e-10 * scale)
    free = np.linalg.svd(law)[2][k:]
    np.testing.assert_allclose((counts * law.mean(axis=0)) @ free.T, 0, atol=1e-10 * scale)


@shapes
def test_a_number_has_its_mean_and_its_variance(k, epsilon, window):
    mechanism = WindowResponse(k, epsilon, window)
    query, counts = Query(Number(0, k), mechanism), mechanism.code_values(np.linspace(-1, 1, k))
    for number in np.linspace(-1, 1, 41).tolist():
        law = [float(share) for share in query.law([number])]
        mean = math.fsum(p * w for p, w in zip(law, counts, strict=True))
        assert mean == pytest.approx(number, abs=1e-12 * np.abs(counts).max())
        second = math.fsum(p * w * w for p, w in zip(law, counts, strict=True))
        # From point to point E[g^2] is linear.
        squares = mechanism.adjoint(counts**2)
        assert second == pytest.approx(np.interp(number, np.linspace(-1, 1, k), squares), rel=1e-9)


@in_one(("k", "window"), [(1, 1), (0, 1), (2, 0), (2.0, 1), (2, True), (1025, 1), (2, 1025), ("2", 1), (2, None)])
def test_sizes_that_make_no_channel_are_refused(k, window):
    with pytest.raises(SordinoError):
        WindowResponse(k, "1", window)
    with pytest.raises(SordinoError):
        WindowResponse.from_threshold(k, WORD - 1, window)


@in_one("epsilon", ["-1", "inf", "nan", "101", "", None])
def test_epsilons_that_cannot_be_promised_are_refused(epsilon):
    with pytest.raises(SordinoError):
        WindowResponse(3, epsilon)


def test_an_epsilon_below_the_coins_granularity_is_refused():
    with pytest.raises(SordinoError, match="raise epsilon"):
        WindowResponse(3, 0)
    for threshold in (WORD // 2 - 1, WORD, 0, -1, 0.5, True, None):
        with pytest.raises(SordinoError):
            WindowResponse.from_threshold(2, threshold)
    fair = WindowResponse(2, 0)
    assert fair.threshold == WORD // 2
    assert not fair.informative
    with pytest.raises(SordinoError, match="depend on the values"):
        fair.code_values(np.array([-1.0, 1.0]))


@shapes
def test_a_frozen_channel_is_the_same(k, epsilon, window):
    mechanism = WindowResponse(k, epsilon, window)
    assert mechanism.record == {"k": k, "window": window, "threshold": str(mechanism.threshold)}
    for again in (WindowResponse.from_threshold(k, mechanism.threshold, window), decode(mechanism.document_fields)):
        assert (again, again.fingerprint) == (mechanism, mechanism.fingerprint)
    others = [WindowResponse(*shape).fingerprint for shape in SHAPES if shape != (k, epsilon, window)]
    assert mechanism.fingerprint not in others


def test_a_value_at_a_point_is_told_as_it_is_where_hardly_anybody_lies():
    mechanism = WindowResponse(5, "45")
    assert mechanism.privatize(np.arange(5).repeat(50)).tolist() == np.arange(5).repeat(50).tolist()
    spread = WindowResponse(3, "45", 4)
    codes = spread.privatize(np.full(8000, 1))
    assert set(codes.tolist()) == {1, 2, 3, 4}
    assert (np.abs(np.bincount(codes.astype(int))[1:] - 2000) < 6 * math.sqrt(2000)).all()
