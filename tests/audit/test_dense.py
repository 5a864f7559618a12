"""The certificate at 43,750 values: every integer weight of every output, read or recomputed without the package."""

from fractions import Fraction

import numpy as np
import pytest

from sordino import LDP, BlockLDP, Blockwise, Grid, HadamardResponse, Nats, RandomizedResponse
from sordino.audit.certificate import certify
from sordino.exact.coin import WORD

pytestmark = pytest.mark.long

GRID = Grid(south=25, north=50, west=-130, east=-60, rows=125, columns=350)
CODES = 2**16
CHUNK = 512


def is_allowed(heavy, light, exp_bounds):
    return heavy <= exp_bounds(Fraction(1))[0] * light


@pytest.mark.parametrize("within", ["hadamard", "randomized"])
def test_every_weight_of_every_block_of_five_by_five_cells(within, exp_bounds):
    tiles = GRID.tiles(5, 5)
    mechanism = Blockwise(tiles, "1", within)
    per_block = mechanism.outputs // 1750
    assert per_block == {"hadamard": 32, "randomized": 25}[within]
    worst = Fraction(1)
    for block, first in enumerate(range(0, mechanism.outputs, per_block)):
        # Blocks are numbered as they first appear from the south-west corner, as the tiles are.
        rows = [[mechanism.weight(x, first + y) for y in range(per_block)] for x in np.flatnonzero(tiles == block)]
        assert {sum(row) for row in rows} == {mechanism.denominator}
        worst = max(worst, *(Fraction(max(column), min(column)) for column in zip(*rows, strict=True)))
    assert is_allowed(worst.numerator, worst.denominator, exp_bounds)
    assert certify(mechanism, BlockLDP(tiles, "1")).slack == Nats.of(1) - Nats.log(worst)


def test_every_entry_of_hadamard_response(exp_bounds):
    mechanism = HadamardResponse(GRID.k, "1")
    rows = np.arange(1, GRID.k + 1, dtype=np.uint16)
    odd = np.array([code.bit_count() % 2 for code in range(CODES)], dtype=bool)
    supporting = np.zeros(GRID.k, dtype=np.int64)
    for start in range(0, CODES, CHUNK):
        codes = np.arange(start, start + CHUNK, dtype=np.uint16)
        light = odd[rows[:, None] & codes]
        supporting += CHUNK - np.count_nonzero(light, axis=1)
        # On every code but the first some value is heavy and some is light, and no third weight occurs.
        assert np.all(light.any(axis=0) == (codes > 0))
        assert not np.any(light.all(axis=0))
    assert mechanism.outputs == CODES
    assert np.all(supporting == CODES // 2)
    heavy, light_weight = mechanism.threshold, WORD - mechanism.threshold
    assert (heavy + light_weight) * (CODES // 2) == mechanism.denominator
    assert is_allowed(heavy, light_weight, exp_bounds)
    rng = np.random.default_rng(1)
    for value, code in zip(
        rng.integers(0, GRID.k, 50_000).tolist(), rng.integers(0, CODES, 50_000).tolist(), strict=True
    ):
        assert mechanism.weight(value, code) == (light_weight if odd[(value + 1) & code] else heavy)
    assert certify(mechanism, LDP("1")).slack == Nats.of(1) - Nats.log(Fraction(heavy, light_weight))


def test_forward_and_support_of_hadamard_response_by_the_matrix_itself():
    mechanism = HadamardResponse(GRID.k, "1")
    rng = np.random.default_rng(2)
    rows = np.arange(1, GRID.k + 1)
    p, weights = rng.dirichlet(np.ones(GRID.k)), rng.normal(size=CODES)
    hit = mechanism.threshold / WORD
    odd = np.array([code.bit_count() % 2 for code in range(CODES)], dtype=bool)
    law, support = mechanism.forward(p), mechanism.support(weights).support
    for code in rng.integers(0, CODES, 200).tolist():
        light = odd[rows & code]
        assert law[code] == pytest.approx((p @ np.where(light, 1 - hit, hit)) / (CODES // 2), rel=1e-9)
    for value in rng.integers(0, GRID.k, 200).tolist():
        assert support[value] == pytest.approx(weights[~odd[(value + 1) & np.arange(CODES)]].sum(), abs=1e-8)


def test_rows_of_randomized_response(exp_bounds):
    mechanism = RandomizedResponse(GRID.k, "1")
    for value in (0, 1, 20_000, GRID.k - 1):
        row = [mechanism.weight(value, code) for code in range(GRID.k)]
        assert sum(row) == mechanism.denominator
        assert row.index(max(row)) == value
        assert is_allowed(max(row), min(row), exp_bounds)
        assert certify(mechanism, LDP("1")).slack == Nats.of(1) - Nats.log(Fraction(max(row), min(row)))
