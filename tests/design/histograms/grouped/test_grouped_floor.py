"""Floors from groups of values: below every channel, by brute force and by listing, whatever floats found; near."""

from fractions import Fraction

import numpy as np
import pytest

from sordino.definition.matrix import PairwiseLDP
from sordino.design.histograms import variance_floor
from sordino.design.histograms.best_mechanism import candidates, optimal_channel
from sordino.design.histograms.columns.extreme_rays import floors
from sordino.design.histograms.grouped import grouped_floor as tested
from sordino.design.histograms.grouped.group_inequality import GroupColumns, GroupInequality
from sordino.design.histograms.grouped.grouped_floor import grouped_floor, largest_spread, whole_form, with_least
from sordino.design.histograms.listed_floor import listed_columns, listed_floor
from sordino.design.histograms.proved_trace import BITS, proved_trace
from sordino.design.histograms.value_classes import ValueClasses, classes_of
from sordino.design.histograms.variance_floor import matrix_floor, uniform_floor
from sordino.exact.nats import Nats


def alone(bounds):
    """Each value of a class of its own, as values of groups are."""
    return ValueClasses((1,) * len(bounds), tuple(map(tuple, bounds)))


def drawn(k, seed, low, high):
    """A symmetric matrix of bounds in 64ths of a nat."""
    bounds = np.triu(np.random.default_rng([seed, k]).integers(low, high, size=(k, k)), 1)
    return PairwiseLDP([[f"{bound}/64" for bound in row] for row in (bounds + bounds.T).tolist()])


def largest(definition):
    rows = [float(bound) for row in definition.bounds for bound in row if bound is not None]
    power = Fraction(np.exp(max(rows)))
    return power * (1 - Fraction(1, 10**9)), power * (1 + Fraction(1, 10**9))


@pytest.mark.each_value
@pytest.mark.parametrize("unprotected", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(5))
def test_no_channel_lies_below(monkeypatch, witness, seed, unprotected):
    monkeypatch.setattr(tested, "GROUP", 3)
    matrix = witness.random_bounds(np.random.default_rng([seed, 4]), 4, unprotected)
    floor = grouped_floor(witness.nats(matrix), None)
    least = witness.least_variance(witness.all_rays(floors(np.array(matrix, dtype=float)))) + 1 / 4
    assert 0.2 * least < floor <= least * (1 + 1e-6)


@pytest.mark.each_value
@pytest.mark.parametrize("seed", range(3))
def test_no_channel_lies_below_what_groups_with_the_least_entry_prove(monkeypatch, witness, seed):
    monkeypatch.setattr(tested, "GROUP", 3)
    matrix = witness.random_bounds(np.random.default_rng([seed, 5]), 5, 0)
    definition = PairwiseLDP(witness.nats(matrix))
    floor = grouped_floor(definition.bounds, largest(definition))
    least = witness.least_variance(witness.all_rays(floors(np.array(matrix, dtype=float)))) + 1 / 5
    assert 0.5 * least < floor <= least * (1 + 1e-6)


def test_every_column_keeps_the_bounds_of_its_least_entry(witness):
    generator = np.random.default_rng(6)
    matrix = witness.random_bounds(generator, 4, 0)
    bounds = with_least(PairwiseLDP(witness.nats(matrix)).bounds)
    powers = np.exp([[float(bound) for bound in row] for row in bounds])
    rays = witness.all_rays(floors(np.array(matrix, dtype=float)))
    mixed = generator.exponential(size=(200, len(rays))) ** 4 @ rays
    for column in [*rays, *mixed]:
        entries = np.append(column, column.min())
        assert (entries[:, None] <= powers * entries * (1 + 1e-6)).all()


def test_entries_beside_the_column_count_in_what_is_left():
    # All that is left is (sum of v + y)^2, at most 9 for two values of sum 2 and an entry beside of 1.
    form = np.full((3, 3), 4**BITS, dtype=object)
    assert proved_trace(np.zeros((2, 2)), np.zeros(2), form) == -9
    assert proved_trace(np.zeros((2, 2)), np.zeros(2), form, np.array([[0.0, 0.0, 1.0]])) == -18


def test_the_least_entry_tells_more_of_bounds_that_differ_little(monkeypatch):
    monkeypatch.setattr(tested, "GROUP", 4)
    definition = drawn(9, 1, 58, 71)
    among = grouped_floor(definition.bounds, largest(definition), 2)
    monkeypatch.setattr(tested._InequalityRounds, "_lift", lambda _: None)
    assert among > 1.02 * grouped_floor(definition.bounds, largest(definition), 2)


@pytest.mark.parametrize(("low", "high"), [(32, 97), (58, 71)])
def test_groups_tell_nearly_all_of_a_few_more_values(low, high):
    definition = drawn(8, 1, low, high)
    exact = listed_floor(classes_of(definition.bounds))
    assert 0.95 * exact < grouped_floor(definition.bounds, largest(definition)) <= exact * Fraction(1001, 1000)


def test_bounds_that_are_all_equal_have_the_floor_of_ldp():
    same = PairwiseLDP([["0" if x == y else "1" for y in range(9)] for x in range(9)])
    floor = grouped_floor(same.bounds, largest(same), 2) - Fraction(1, 9)
    assert 0.999 < floor / uniform_floor(9, Nats.of(1)) <= 1 + Fraction(1, 10**6)


@pytest.mark.parametrize(("k", "epsilon"), [(2, "1"), (5, "3"), (9, "1/2"), (40, "1")])
def test_the_largest_spread_is_that_of_subset_selection(k, epsilon):
    power = Fraction(np.exp(float(Nats.of(epsilon))))
    assert float((k - 1) ** 2 / largest_spread(k, power)) == pytest.approx(float(uniform_floor(k, Nats.of(epsilon))))


@pytest.mark.parametrize("small", [1, 1000])
@pytest.mark.parametrize("part", [0.0, 1e-6, 0.3])
def test_every_column_keeps_what_is_said_of_a_group(witness, part, small):
    generator = np.random.default_rng(5)
    matrix = [[bound / small for bound in row] for row in witness.random_bounds(generator, 4, 0)]
    listed = listed_columns(alone(witness.nats(matrix)))
    found = GroupColumns(listed).middle()
    moved = GroupInequality(
        found.root + part * generator.normal(size=(4, 4)) * found.root.max(),
        found.prices + part * generator.normal(size=4),
    )
    # Symmetric, as is asked for.
    form = whole_form(listed, GroupInequality((moved.root + moved.root.T) / 2, moved.prices))
    rays = witness.all_rays(floors(np.array(matrix, dtype=float)))
    mixed = generator.exponential(size=(200, len(rays))) ** 4 @ rays
    scale = 16 * 4**BITS
    for column in [*rays, *mixed]:
        exact = [Fraction(entry) for entry in (column / column.mean()).tolist()]
        told = np.array(exact) @ form @ np.array(exact)
        # The witness's rays keep their bounds but for its rounding, to eight digits.
        assert told / scale > -1e-6 * small


def test_what_floats_get_wrong_proves_less_and_nothing_false(monkeypatch):
    definition = drawn(8, 2, 32, 97)
    exact = listed_floor(classes_of(definition.bounds))
    generator = np.random.default_rng(3)
    right = tested._trace

    def wrong(matrix, form, k):
        noise = 0.05 * generator.normal(size=matrix.shape) * np.abs(matrix).max()
        noise[k:, k:] = np.abs(noise[k:, k:])
        return right(matrix + noise + noise.T, form, k)

    monkeypatch.setattr(tested, "_trace", wrong)
    for rounds in (1, 1, 2):
        spread = largest(definition) if rounds > 1 else None
        assert grouped_floor(definition.bounds, spread, rounds) <= exact * Fraction(1001, 1000)


def test_bounds_of_other_kinds_are_left_to_products(monkeypatch):
    monkeypatch.setattr(variance_floor, "grouped_floor", lambda *_: 1 / 0)
    line = PairwiseLDP([[f"{abs(x - y)}" for y in range(13)] for x in range(13)])
    assert matrix_floor.__wrapped__(line) > 0


def test_many_values_that_bound_each_other_directly():
    definition = drawn(13, 1, 32, 97)
    least = min(channel.total_variance for channel in candidates(13, definition, designed=False).values())
    products = variance_floor._in_parts(definition.bounds, variance_floor.MOST_KINDS)
    assert 1.2 * max(products) < matrix_floor(definition, rounds=2) < least


@pytest.mark.long
@pytest.mark.parametrize(("low", "high", "near"), [(32, 97, 0.85), (58, 71, 0.85)])
def test_a_channel_is_near(low, high, near):
    definition = drawn(13, 1, low, high)
    assert near < matrix_floor(definition) / Fraction(optimal_channel(definition).total_variance) <= 1
