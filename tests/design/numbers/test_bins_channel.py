"""Which channel a number's bins are asked through: the one that tells best what is asked, by exact variances."""

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from in_one import in_one
from sordino import LDP, HierarchyResponse, Interval, Nats, WindowResponse
from sordino.audit.certificate import certify
from sordino.design.numbers.bins_channel import (
    FANS,
    BinLevels,
    BinsAsked,
    bins_channel,
    half_width,
    hierarchy,
    square_wave,
    threshold_bits,
)
from sordino.domain.bins import Bins

PEOPLE = 16_280


def asked(k, ranges=(), quantiles=0, *, spikes=False, missing=0.0):
    ends = Interval(0, 1_000_000)
    return BinsAsked.of(Bins.equal(ends, k), ranges, quantiles, spikes=spikes, missing=missing)


def chosen(level, *about, **how):
    return bins_channel(asked(*about, **how), BinLevels.uniform(Nats.of(level)))[1]


def variances(mechanism, functionals):
    """Of a dense channel, at evenly spread values, by least squares of the smallest norm."""
    channel = mechanism.probabilities()
    root = np.sqrt(channel.mean(axis=0))
    found = [np.linalg.lstsq(channel / root, functional, rcond=None)[0] for functional in functionals]
    return [float(one @ one - functional.mean() ** 2) for one, functional in zip(found, functionals, strict=True)]


def inside(k, *ranges):
    return [np.where((np.arange(k) >= first) & (np.arange(k) < last), 1.0, 0.0) for first, last in ranges]


EIGHTHS = [[0, 125_000], [125_000, 250_000]]


@pytest.mark.each_value
@pytest.mark.parametrize(("level", "most"), [("1", 0.028), ("2", 0.013), ("4", 0.005)])
@pytest.mark.parametrize("spikes", [False, True])
def test_ranges_are_asked_by_what_tells_them_best(level, most, spikes):
    """A square wave tells them with .155, .062 and .0136."""
    mechanism = chosen(level, 256, EIGHTHS, spikes=spikes)
    errors = np.sqrt(np.array(variances(mechanism, inside(256, (0, 32), (32, 64)))) / PEOPLE)
    assert errors.max() <= most
    assert certify(mechanism, LDP(level)).holds


@pytest.mark.parametrize("level", ["1/4", "1", "3", "8"])
@pytest.mark.parametrize("k", [2, 5, 12])
@pytest.mark.parametrize(("ranges", "quantiles"), [(True, 0), (False, 1), (True, 3), (False, 0)])
def test_no_candidate_has_less_noise_in_what_is_asked(level, k, ranges, quantiles):
    nats, edges = Nats.of(level), [(0, place) for place in range(1, k)]
    cuts = [(0, 1), (1, 2)] if ranges else []
    bins = Bins.equal(Interval(0, 1_000_000), k).edges
    mechanism = chosen(level, k, [[bins[first], bins[last]] for first, last in cuts], quantiles)
    fans = [hierarchy(k, nats, fan) for fan in range(2, k + 1) if fan in FANS or fan == k]

    def noise(one):
        told = variances(one, inside(k, *cuts, *edges))
        of_edges = (quantiles or not cuts) * float(np.mean(told[len(cuts) :]))
        return sum(told[: len(cuts)]) + of_edges

    least = min(noise(one) for one in (square_wave(k, nats), threshold_bits(k, nats), *fans))
    assert noise(mechanism) == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize(("ranges", "quantiles"), [(EIGHTHS, 0), ([], 3), (EIGHTHS, 1)])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_spikes_do_not_decide_how_ranges_and_quantiles_are_asked(ranges, quantiles, missing):
    smooth, spiky = (chosen("1", 64, ranges, quantiles, spikes=spikes, missing=missing) for spikes in (False, True))
    assert smooth.fingerprint == spiky.fingerprint
    assert isinstance(smooth, HierarchyResponse)


def test_a_curve_that_is_smoothed_is_asked_by_neighbouring_codes_and_no_other():
    assert chosen("1", 64).fingerprint == square_wave(64, Nats.of(1)).fingerprint
    assert isinstance(chosen("1", 64, spikes=True), HierarchyResponse)
    # Of few bins nothing is smoothed.
    assert isinstance(chosen("1", 31), HierarchyResponse)
    assert isinstance(chosen("1", 32), WindowResponse)


def test_a_larger_level_for_bits_is_used_where_it_tells_more():
    levels = BinLevels(Nats.of("1/10"), Nats.of("1/5"), Nats.of(2))
    level, mechanism = bins_channel(asked(64, EIGHTHS), levels)
    assert level == Nats.of(2)
    assert mechanism.cuts == 63
    # Not at a level that is hardly larger.
    level, mechanism = bins_channel(asked(64, EIGHTHS), BinLevels(Nats.of(1), Nats.of(1), Nats.of("11/10")))
    assert level == Nats.of(1)
    assert isinstance(mechanism, HierarchyResponse)


def test_of_a_number_that_may_be_missing_a_hierarchy_has_a_place_for_none():
    mechanism = chosen("1", 64, EIGHTHS, missing=0.1)
    assert mechanism.k == 65
    assert certify(mechanism, LDP("1")).holds


@in_one("k, epsilon", [(2, "1"), (16, "1/2"), (40, "ln 3"), (40, "4"), (12, "1/1000000")])
def test_near_codes_have_one_weight_and_far_ones_another(k, epsilon):
    channel = square_wave(k, Nats.of(epsilon))
    weights = [[channel.weight(value, code) for code in range(channel.outputs)] for value in range(k)]
    assert {sum(row) for row in weights} == {channel.denominator}
    near = [[code for code, weight in enumerate(row) if weight == max(row)] for row in weights]
    if channel.window < channel.outputs:
        assert near == [list(range(value, value + channel.window)) for value in range(k)]
    most = max(Fraction(max(column), min(column)) for column in zip(*weights, strict=True))
    # The exact verdict of another part, and floats: within e^epsilon, and hardly below it.
    assert certify(channel, LDP(epsilon)).holds
    assert 0 <= float(Nats.of(epsilon)) - log(most) + 1e-15 < 1e-9


@in_one("epsilon", [0.2, 1.0, 2.5, 5.0])
def test_the_width_keeps_the_most_information(epsilon):
    """The most that a report can tell is the entropy of an even report, less that of the report of one number."""

    def information(b):
        far = 1 / (2 * b * exp(epsilon) + 1)
        near = far * exp(epsilon)
        return log(1 + 2 * b) + 2 * b * near * log(near) + far * log(far)

    best = half_width(epsilon)
    assert all(information(best) > information(best * part) for part in (0.8, 0.95, 1.05, 1.2))


def test_tiny_epsilons_have_the_widest_wave():
    assert half_width(1e-9) == pytest.approx(half_width(0.0011), abs=1e-3)
    assert square_wave(64, Nats.of("1/100000")).window == 64
