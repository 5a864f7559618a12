"""Rounded channels keep every bound in exact integers, lose next to nothing, and broken ones are refused."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_one import in_one
from sordino import Nats, SordinoError
from sordino.design.integer_channel import integer_channel, needed_pairs, require_valid
from sordino.design.shares.extreme_rays import floors, random_rays

WHOLE = 2**64


def channel_within(matrix, columns, seed):
    """A random channel that keeps the bounds: many vectors of the cone, and what is left of (1, ..., 1)."""
    floor = floors(np.array(matrix, dtype=float))
    rays = random_rays(floor, columns, np.random.default_rng(seed))
    part = 0.9 / rays.sum(axis=0).max()
    while True:
        rest = 1 - part * rays.sum(axis=0)
        if (rest[None, :] >= floor * rest[:, None]).all():
            return np.vstack([part * rays, rest]).T
        part /= 2


def information(channel):
    """What a channel tells at equal shares, whatever the order of its columns and however they are split."""
    return (channel / channel.mean(axis=0)) @ channel.T


@given(seed=st.integers(0, 2**32), k=st.integers(2, 7), unprotected=st.sampled_from([0.0, 0.3, 0.8]))
def test_any_channel_within_the_bounds_is_rounded_to_one(witness, exp_bounds, seed, k, unprotected):
    matrix = witness.random_bounds(np.random.default_rng(seed), k, unprotected)
    channel = channel_within(matrix, 6, seed)
    weights = integer_channel(channel, witness.nats(matrix))
    assert all(sum(row) == WHOLE and min(row) >= 0 for row in weights)
    assert not witness.broken_bounds(weights, matrix, exp_bounds)
    rounded = np.array(weights, dtype=float) / WHOLE
    assert information(rounded) == pytest.approx(information(channel), abs=1e-6)


@in_one("epsilon", ["0.001", "1", "ln 3", "20", "40"])
def test_randomized_response_is_tight_to_its_units(epsilon):
    bound = Nats.of(epsilon)
    k, high = 5, np.exp(float(bound))
    channel = (np.full((k, k), 1.0) + (high - 1) * np.eye(k)) / (high + k - 1)
    weights = integer_channel(channel, [[bound] * k] * k)
    slack = min(
        float(bound + Nats.log(Fraction(weights[z][x], weights[x][x]))) for x in range(k) for z in range(k) if x != z
    )
    # The light weight is at most some units too large: 2^-64 e^epsilon k of it each, and what fills the rows besides.
    assert 0 <= slack <= 1e-9 + 4 * k * high / 2**64
    assert np.array(weights, dtype=float) / WHOLE == pytest.approx(channel, abs=1e-9)


def test_values_that_no_bound_protects_are_reported_exactly():
    weights = integer_channel(np.eye(3), [[None] * 3] * 3)
    assert weights == ((WHOLE, 0, 0), (0, WHOLE, 0), (0, 0, WHOLE))


def test_the_smallest_weights_are_units_where_a_bound_is_beyond_words():
    weights = integer_channel(np.eye(2), [[None, Nats.of("1e9")], [Nats.of("46"), None]])
    assert weights == ((WHOLE - 1, 1), (1, WHOLE - 1))


def test_blocks_stay_apart():
    one = Nats.of(1)
    bounds = [[one if x // 2 == z // 2 else None for z in range(4)] for x in range(4)]
    high = np.e / (1 + np.e)
    block = np.array([[high, 1 - high], [1 - high, high]])
    weights = np.array(integer_channel(np.kron(np.eye(2), block), bounds), dtype=object)
    assert (weights[:2, 2:] == 0).all()
    assert (weights[2:, :2] == 0).all()


def test_columns_are_merged_sorted_and_never_empty():
    one = Nats.of(1)
    channel = np.array([[0.25, 0.5, 0.0, 0.25], [0.25, 0.25, 0.0, 0.5]])
    weights = integer_channel(
        np.column_stack([channel[:, [3, 1, 2]], channel[:, 0] / 2, channel[:, 0] / 2]), [[one] * 2] * 2
    )
    assert weights == ((2**63, 2**62, 2**62), (2**62, 2**63, 2**62))


def test_a_channel_beyond_its_bounds_is_refused():
    with pytest.raises(SordinoError, match="must keep its bounds"):
        integer_channel(np.array([[0.9, 0.1], [0.1, 0.9]]), [[Nats.of(1)] * 2] * 2)


@pytest.mark.parametrize(
    ("weights", "match"),
    [
        (((3 * 2**62 + 1, 2**62 - 1), (2**62, 3 * 2**62)), "keep every bound"),
        (((2**63, 2**63), (2**62, 2**62)), "sum to 2\\^64"),
        (((WHOLE, 0), (2**63, 2**63)), "keep every bound"),
        (((WHOLE + 1, -1), (2**63, 2**63)), "sum to 2\\^64"),
    ],
)
def test_weights_that_break_a_promise_are_refused(weights, match):
    bounds = [[Nats.log(3)] * 2] * 2
    require_valid(((3 * 2**62, 2**62), (2**62, 3 * 2**62)), bounds, needed_pairs(bounds))
    with pytest.raises(SordinoError, match=match):
        require_valid(weights, bounds, needed_pairs(bounds))


def test_a_unit_beyond_an_irrational_bound_is_refused(exp_bounds):
    low, _ = exp_bounds(Fraction(1))
    light = 2**40
    heavy = int(low * light)
    rest = WHOLE - heavy, WHOLE - light
    bounds = [[None, Nats.of(1)], [None, None]]
    require_valid(((heavy, rest[0]), (light, rest[1])), bounds, needed_pairs(bounds))
    with pytest.raises(SordinoError, match="keep every bound"):
        require_valid(((heavy + 1, rest[0] - 1), (light, rest[1])), bounds, needed_pairs(bounds))
