"""Cyclic designs against their blocks, listed one by one."""

import numpy as np
import pytest

from in_one import in_one
from sordino.exact.combinatorics import cyclic_design
from sordino.exact.combinatorics.cyclic_design import CyclicDesign, divisors, prime_factors, primitive_root

DESIGNS = [(2, 1, 1), (3, 2, 2), (5, 1, 2), (7, 3, 3), (7, 3, 4), (13, 2, 6), (13, 4, 5), (31, 5, 10), (31, 15, 16)]


def listed(p, order, size):
    """All blocks as sets, from powers of a root found by trying."""
    root = next(g for g in range(1, p) if len({pow(g, n, p) for n in range(p - 1)}) == p - 1)
    families = (p - 1) // order
    base = {pow(root, families * n + a, p) for a in range(size // order) for n in range(order)}
    base |= {0} if size % order else set()
    return [{(c + pow(root, a, p) * d) % p for d in base} for a in range(families) for c in range(p)]


@in_one(("p", "order", "size"), DESIGNS)
def test_blocks_are_translates_of_multiples_of_the_base_set(p, order, size):
    design, blocks = CyclicDesign(p, order, size), listed(p, order, size)
    assert len(blocks) == design.blocks
    held = design.holds(np.arange(design.blocks)[:, None], np.arange(p))
    assert [set(np.flatnonzero(row).tolist()) for row in held] == blocks
    assert sorted([*design.base, *design.rest]) == list(range(p))


@in_one(("p", "order", "size"), DESIGNS)
def test_all_pairs_of_points_share_equally_many_blocks(p, order, size):
    blocks = listed(p, order, size)
    for x in range(p):
        assert sum(x in block for block in blocks) == (p - 1) // order * size
        for y in range(x):
            assert sum({x, y} <= block for block in blocks) == size * (size - 1) // order


@in_one(("p", "order", "size"), DESIGNS)
def test_sums_over_points_and_over_blocks_are_those_of_the_list(p, order, size):
    design, blocks = CyclicDesign(p, order, size), listed(p, order, size)
    points, weights = np.arange(2 * p).reshape(2, p) ** 2.0, np.arange(2 * design.blocks).reshape(2, -1) ** 2.0
    over_blocks, over_points = design.over_blocks(points), design.over_points(weights)
    for row in range(2):
        assert over_blocks[row].tolist() == [sum(points[row, x] for x in block) for block in blocks]
        expected = [sum(w for w, block in zip(weights[row], blocks, strict=True) if x in block) for x in range(p)]
        assert over_points[row].tolist() == expected


@pytest.mark.parametrize("shape", [(), (1,), (3,), (7,), (2, 4), (0,)])
def test_sums_of_many_rows_are_those_of_each(shape, monkeypatch):
    design = CyclicDesign(13, 4, 5)
    monkeypatch.setattr(cyclic_design, "ROWS", 3)
    rows = np.random.default_rng(4).standard_normal((*shape, design.p))
    held = np.array([design.holds(np.array(block), np.arange(design.p)) for block in range(design.blocks)])
    found = design.over_blocks(rows)
    assert found.shape == (*shape, design.blocks)
    np.testing.assert_allclose(found, rows @ held.T, atol=1e-12)


@pytest.mark.parametrize(("p", "order", "size"), [(97, 48, 48), (97, 32, 33), (101, 50, 51)])
def test_sums_of_many_rows_over_large_blocks_are_those_of_the_list(p, order, size, monkeypatch):
    design = CyclicDesign(p, order, size)
    monkeypatch.setattr(cyclic_design, "TRANSFORMED", 3 * design.families << 8)
    held = np.array([design.holds(np.array(block), np.arange(p)) for block in range(design.blocks)])
    whole, drawn = np.eye(p) * 7.0, np.random.default_rng(4).standard_normal((40, p))
    assert (design.over_blocks(whole) == whole @ held.T).all()
    np.testing.assert_allclose(design.over_blocks(drawn), drawn @ held.T, atol=1e-11)


def test_factors_divisors_and_roots_are_those_of_trying_all():
    for number in range(1, 400):
        assert divisors(number) == [d for d in range(1, number + 1) if number % d == 0]
        assert prime_factors(number) == [d for d in divisors(number) if len(divisors(d)) == 2]
    for p in (2, 3, 5, 7, 41, 191, 409):
        root = primitive_root(p)
        assert len({pow(root, n, p) for n in range(p - 1)}) == p - 1
        assert all(len({pow(g, n, p) for n in range(p - 1)}) < p - 1 for g in range(1, root))
