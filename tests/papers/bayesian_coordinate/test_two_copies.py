"""Mean products from two nested reports: unbiased, in whole numbers, with directions of their own."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sordino import Nats, SordinoError
from sordino.exact.coin import WORD
from sordino.papers.bayesian_coordinate.least_squares import UNITS, TwoCopies, half
from sordino.papers.bayesian_coordinate.nested import NestedMean


def estimates(copies, codes):
    """Both copies' estimates, level by level."""
    size = len(copies.copy.levels)
    both = np.zeros((2, len(codes), copies.d))
    for k, level in enumerate(copies.levels):
        bits = (codes >> np.uint64(k)) & np.uint64(1)
        directions = level.steered.directions(codes >> np.uint64(2 * size))
        weight = copies.copy.weights[k % size, level.columns] * level.steered.scale
        both[k // size][:, level.columns] += np.where(bits, 1, -1)[:, None] * directions * weight
    return both


def test_both_copies_together_keep_the_budgets(exp_bounds):
    budgets = ("1", "2", "3")
    copies = TwoCopies(budgets)
    cube = np.array(list(product((-1.0, 1.0), repeat=3)))
    largest = Fraction(1)
    alone = [Fraction(1)] * 3
    for seed in range(40):
        heads = []
        for level in copies.levels:
            directions = level.steered.directions(np.full(8, seed, dtype=np.uint64))
            heads.append([int(word) for word in level.steered.thresholds(cube[:, level.columns], directions)])
        for a, b in product(range(8), repeat=2):
            # The likeliest bits are those that favour the first record.
            ratio = Fraction(1)
            for own in heads:
                ratio *= max(Fraction(own[a], own[b]), Fraction(WORD - own[a], WORD - own[b]))
            largest = max(largest, ratio)
            moved = np.flatnonzero(cube[a] != cube[b])
            if len(moved) == 1:
                alone[moved[0]] = max(alone[moved[0]], ratio)
    assert exp_bounds(Fraction(3))[0] * (1 - Fraction(1, 10**9)) < largest <= exp_bounds(Fraction(3))[0]
    for ratio, budget in zip(alone, budgets, strict=True):
        assert ratio <= exp_bounds(Fraction(budget))[0]


def test_half_a_budget_is_never_more_than_half():
    assert half(Nats.of("3/7")) == Fraction(3, 14)
    for amount in (Nats.of("ln 3"), Nats.of("1 + ln 5/4")):
        assert half(amount) + half(amount) <= amount
        assert half(amount) + half(amount) > amount - "1e-15"


def test_the_copies_are_independent_given_the_record(fixed):
    copies = TwoCopies(["1", "1", "4"])
    codes = copies.privatize(np.zeros((40_000, 3)), fixed(40_000))
    first, second = estimates(copies, codes)
    spread = np.sqrt(copies.copy.variances(0))
    assert np.abs(first.T @ second / 40_000 / np.outer(spread, spread)).max() < 5 / np.sqrt(40_000)


def test_a_tally_is_the_sum_of_whole_products(fixed):
    copies = TwoCopies(["2", "4", "4"])
    records = np.random.default_rng(0).uniform(-1, 1, (2000, 3))
    codes = copies.privatize(records, fixed(2000))
    first, second = np.rint(estimates(copies, codes) / copies.largest * UNITS).astype(int)
    sums = first.T @ second + second.T @ first + 2000 * 2 * UNITS**2
    tally = copies.tally(codes)
    assert tally.counts.tolist() == [*sums[np.triu_indices(3)].tolist(), 2000]
    parts = copies.tally(codes[:3]) + copies.tally(codes[3:][::-1])
    assert np.array_equal(parts.counts, tally.counts)
    grouped = copies._count(codes, np.arange(2000) % 2, 2)
    assert np.array_equal(grouped[1], copies.tally(codes[1::2]).counts)
    assert copies.possible(tally.counts)
    assert not copies.possible(np.append(np.full(6, 5 * UNITS**2), 1))
    assert copies.reports(tally.counts) == 2000
    assert 10**9 * 4 * UNITS**2 < 2**63


def test_products_are_unbiased_and_as_noisy_as_told(fixed):
    copies = TwoCopies(["4", "8", "8"])
    record, n = np.array([1.0, -1.0, 1.0]), 60_000
    codes = copies.privatize(np.tile(record, (n, 1)), fixed(n))
    products = copies.products(copies.tally(codes))
    assert np.array_equal(products, products.T)
    deviations = np.sqrt((copies.noise() - 1) / n)
    assert (np.abs(products - np.outer(record, record)) < 5 * deviations).all()
    first, second = estimates(copies, codes)
    per_person = (first[:, :, None] * second[:, None, :] + second[:, :, None] * first[:, None, :]) / 2
    assert np.allclose(per_person.mean(axis=0), products, atol=1e-3 * copies.noise().max() ** 0.5)
    # At the corners the noise is exact, but for what it leaves to the record's own products.
    assert np.allclose((per_person**2).mean(axis=0), copies.noise(), rtol=0.06)


def test_squares_come_out_right_inside_the_cube(fixed):
    copies = TwoCopies(["16", "16"])
    records = np.random.default_rng(3).uniform(-1, 1, (60_000, 2))
    products = copies.products(copies.tally(copies.privatize(records, fixed(60_000))))
    truth = records.T @ records / 60_000
    assert (np.abs(products - truth) < 5 * np.sqrt(copies.noise() / 60_000)).all()
    assert np.abs(products - truth).max() < 0.1


def test_many_levels_have_several_words(fixed):
    copies = TwoCopies(np.linspace(1, 10, 20))
    codes = copies.privatize(np.ones((500, 20)), fixed(500))
    assert codes.shape == (500, 2)
    whole = copies.tally(codes)
    assert np.array_equal((copies.tally(codes[:9]) + copies.tally(codes[9:])).counts, whole.counts)
    error = copies.products(whole) - 1
    assert (np.abs(error) < 6 * np.sqrt(copies.noise() / 500)).all()


def test_mistakes_are_named():
    with pytest.raises(SordinoError, match="above 0"):
        TwoCopies(["0", "1"])
    copies = TwoCopies(["1", "1"])
    with pytest.raises(SordinoError, match="made them"):
        copies.products(NestedMean(["1", "1"]).tally([1]))
    with pytest.raises(SordinoError, match="record 1"):
        copies.privatize([[0, 0], [0, 2]])
    with pytest.raises(SordinoError, match="rows of 2 numbers"):
        copies.privatize([0, 0])
