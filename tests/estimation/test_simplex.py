"""Projection onto distributions: against bisection and a general optimizer, and its defining properties."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize

from in_one import in_one
from sordino import Partition
from sordino.estimation.simplex import project, project_rows

shares = st.floats(-10, 10).map(lambda share: round(share, 6))


@st.composite
def blocks_to_project(draw):
    """A vector, a label for each value, a total for each block as it first appears."""
    k = draw(st.integers(1, 25))
    vector = np.array(draw(st.lists(shares, min_size=k, max_size=k)))
    labels = draw(st.lists(st.integers(0, 3), min_size=k, max_size=k))
    totals = draw(st.lists(st.sampled_from([0.0, 0.0, 1e-9, 0.25, 1.0, 7.0]), min_size=4, max_size=4))
    return vector, labels, np.array(totals[: len(set(labels))])


def by_bisection(vector, total):
    """Lower all entries by the one level that leaves the total above zero."""
    if total == 0:
        return np.zeros_like(vector)
    level = brentq(
        lambda x: np.maximum(vector - x, 0).sum() - total, vector.min() - total - 1, vector.max(), xtol=1e-14
    )
    return np.maximum(vector - level, 0)


@given(blocks_to_project())
def test_each_block_is_projected_onto_its_total(drawn):
    vector, labels, totals = drawn
    found = project(vector, Partition.of(labels), totals)
    for label, total in zip(dict.fromkeys(labels), totals, strict=True):
        own = np.array(labels) == label
        np.testing.assert_allclose(found[own], by_bisection(vector[own], total), atol=1e-9)


@given(blocks_to_project(), st.data())
def test_weights_say_how_far_each_entry_gives_way(drawn, data):
    ratio, labels, totals = drawn
    powers = data.draw(st.lists(st.integers(-12, 3), min_size=len(ratio), max_size=len(ratio)))
    weights = 10.0 ** np.array(powers)
    found = project(ratio * weights, Partition.of(labels), totals, weights)
    assert found.min() >= 0
    for label, total in zip(dict.fromkeys(labels), totals, strict=True):
        own = np.array(labels) == label
        assert found[own].sum() == pytest.approx(total, rel=1e-9, abs=1e-12 * weights[own].max())
        # All kept entries were lowered by one level times their weights; the others would have fallen below zero.
        lowered, kept = ratio[own] - found[own] / weights[own], found[own] > 0
        noise = 1e-12 * (1 + found[own] / weights[own])
        for other, slack in zip(lowered[kept], noise[kept], strict=True):
            assert np.all(lowered - noise <= other + slack)


def exact_support(vector, weights, total):
    """Which entries of the nearest vector are positive, in fractions: enter them until the next would be zero."""
    if total == 0:
        return np.zeros(len(vector), dtype=bool)
    entries, weights = [Fraction(x) for x in vector.tolist()], [Fraction(w) for w in weights.tolist()]
    order = sorted(range(len(entries)), key=lambda i: -entries[i] / weights[i])
    kept = []
    for i in order:
        level = (sum(entries[j] for j in kept) - Fraction(total)) / sum(weights[j] for j in kept) if kept else None
        if kept and entries[i] / weights[i] <= level:
            break
        kept.append(i)
    return np.isin(np.arange(len(vector)), kept)


@pytest.mark.each_value
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_zeros_are_exactly_zero(seed, weighted):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(300, 1200))
    vector = rng.normal(0, 0.01, k)
    vector[:5] += rng.dirichlet(np.ones(5))
    labels = rng.integers(0, 6, k) if seed % 4 < 2 else np.zeros(k, dtype=int)
    blocks = Partition.of(labels)
    totals = rng.dirichlet(np.ones(blocks.m))
    totals[1:3] = 0
    weights = 10.0 ** rng.integers(-3, 3, k) if weighted else np.ones(k)
    found = project(vector * weights, blocks, totals, weights if weighted else None)
    for block, total in enumerate(totals):
        own = blocks.block == block
        expected = exact_support((vector * weights)[own], weights[own], float(total))
        np.testing.assert_array_equal(found[own] > 0, expected)
        # Karush, Kuhn and Tucker: one level lowers all that stays, and what does not stay lies below it.
        lowered = vector[own] - found[own] / weights[own]
        if total > 0:
            assert np.ptp(lowered[expected]) < 1e-12
            assert np.all(lowered[~expected] <= lowered[expected].min() + 1e-12)
    np.testing.assert_allclose(blocks.totals(found), totals, atol=1e-12)


@given(blocks_to_project())
def test_a_projection_is_a_distribution_and_stays_one(drawn):
    vector, labels, totals = drawn
    blocks = Partition.of(labels)
    found = project(vector, blocks, totals)
    assert found.min() >= 0
    np.testing.assert_allclose(blocks.totals(found), totals, atol=1e-9)
    np.testing.assert_allclose(project(found, blocks, totals), found, atol=1e-9)


@given(st.lists(shares, min_size=1, max_size=25), st.randoms(use_true_random=False))
def test_the_order_of_the_values_does_not_matter(vector, random):
    shuffled = list(range(len(vector)))
    random.shuffle(shuffled)
    np.testing.assert_allclose(project(np.array(vector)[shuffled]), project(np.array(vector))[shuffled], atol=1e-12)


@in_one("seed", range(8))
def test_no_distribution_is_nearer(seed):
    rng = np.random.default_rng(seed)
    vector = rng.normal(scale=0.5, size=int(rng.integers(2, 9)))
    optimum = minimize(
        lambda x: np.sum((x - vector) ** 2),
        np.full(len(vector), 1 / len(vector)),
        jac=lambda x: 2 * (x - vector),
        method="SLSQP",
        bounds=[(0, None)] * len(vector),
        constraints=[{"type": "eq", "fun": lambda x: x.sum() - 1}],
        options={"ftol": 1e-15, "maxiter": 500},
    )
    np.testing.assert_allclose(project(vector), optimum.x, atol=1e-6)


@pytest.mark.parametrize(
    ("vector", "expected"),
    [([0.2, 0.3, 0.5], [0.2, 0.3, 0.5]), ([5.0], [1.0]), ([-3.0, -3.0], [0.5, 0.5]), ([2.0, 0.0, -1.0], [1, 0, 0])],
)
def test_known_projections(vector, expected):
    given_vector = np.array(vector)
    np.testing.assert_allclose(project(given_vector), expected)
    np.testing.assert_array_equal(given_vector, vector)


@pytest.mark.parametrize("k", [1, 2, 7, 8, 9, 130, 1000])
def test_rows_are_projected_as_each_is_by_itself(k):
    rng = np.random.default_rng(k)
    for spread in (0.01, 1, 1e8):
        rows, totals = rng.normal(1 / k, spread, (40, k)), rng.choice([0.0, 0.3, 1.0], 40)
        rows[::5] = rows[::5].round(1)
        found = project_rows(rows, totals)
        for one, row, total in zip(found, rows, totals, strict=True):
            assert one.tobytes() == project(row, totals=np.array([total])).tobytes()
            # By blocks of another partition of the same: its own code.
            blocks = Partition.of(np.append(np.zeros(k, dtype=np.intp), 1))
            apart = project(np.append(row, 5.0), blocks, np.array([total, 1.0]))
            np.testing.assert_allclose(one, apart[:k], atol=1e-12 * max(1.0, spread))
