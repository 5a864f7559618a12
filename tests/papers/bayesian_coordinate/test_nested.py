"""Nested reports: levels of coordinate DP by enumeration, exact errors, unbiased means, the layout of codes."""

import tracemalloc
from fractions import Fraction
from itertools import combinations, product
from math import prod

import numpy as np
import pytest

from sordino import Nats, SordinoError
from sordino.exact.coin import WORD
from sordino.papers.bayesian_coordinate.means import L2Ball
from sordino.papers.bayesian_coordinate.nested import NestedMean


def heads_of(nested, records, seed):
    """Shape (levels, n): how many of 2^64 words set each bit of each record, given the seed."""
    rows = []
    for level in nested.levels:
        directions = level.steered.directions(np.full(len(records), seed, dtype=np.uint64))
        rows.append([int(word) for word in level.steered.thresholds(records[:, level.columns], directions)])
    return rows


def likelihoods(nested, records, seed):
    """For each pattern of bits, each record's whole-number weight given the seed."""
    heads = heads_of(nested, records, seed)
    for bits in product((0, 1), repeat=len(heads)):
        yield [
            prod(own[x] if bit else WORD - own[x] for bit, own in zip(bits, heads, strict=True))
            for x in range(len(records))
        ]


class Recorded:
    """A source that keeps the words it gives."""

    def __init__(self, seed):
        self.rng, self.given = np.random.default_rng(seed), []

    def stream(self, values):
        self.count = len(values)
        return self

    def take(self, rows):
        self.count = len(range(self.count)[rows])
        return self

    def next(self):
        self.given.append(self.rng.integers(0, 2**64, self.count, dtype=np.uint64))
        return self.given[-1].copy()


def test_each_number_keeps_its_budget_exactly_and_reaches_it(exp_bounds):
    cube = np.array(list(product((-1.0, 1.0), repeat=4)))
    inside = np.random.default_rng(4).uniform(-1, 1, (5, 4))
    # For each number the pairs of records that differ in it only.
    pairs = [
        [(a, b) for a, b in combinations(range(16), 2) if np.flatnonzero(cube[a] != cube[b]).tolist() == [i]]
        for i in range(4)
    ]
    for budgets in (("1/2", "2", "1", "1"), ("1", "1", "1", "1"), ("0", "3", "1/4", "3")):
        nested = NestedMean(budgets)
        allowed = [exp_bounds(Fraction(budget))[0] for budget in budgets]
        reached = [Fraction(1)] * 4
        largest = Fraction(1)
        for seed in range(60):
            for weights in likelihoods(nested, np.vstack((cube, inside, inside * [1, 0, 1, 1])), seed):
                largest = max(largest, Fraction(max(weights), min(weights)))
                for i in range(4):
                    for a, b in pairs[i]:
                        light, heavy = sorted((weights[a], weights[b]))
                        if heavy * reached[i].denominator > light * reached[i].numerator:
                            reached[i] = Fraction(heavy, light)
                # Inside the cube: two records that differ in number 1 only.
                for x in range(16, 21):
                    assert max(weights[x], weights[x + 5]) <= allowed[1] * min(weights[x], weights[x + 5])
        assert largest <= max(allowed)
        assert largest > max(allowed) * (1 - Fraction(1, 10**9))
        for i, most in enumerate(allowed):
            assert reached[i] <= most
            if budgets[i] == min(budgets):
                assert reached[i] > most * (1 - Fraction(1, 10**9))


@pytest.mark.parametrize("budgets", [("1/2", "2", "1"), tuple(range(1, 40))], ids=["one-word", "two-words"])
def test_bits_are_set_below_their_thresholds(budgets):
    nested = NestedMean(budgets)
    records = np.random.default_rng(0).uniform(-1, 1, (50, len(budgets)))
    source = Recorded(1)
    codes = nested.privatize(records, source)
    size = len(nested.levels)
    assert len(source.given) == size + 1
    for person in range(50):
        word = int(source.given[0][person])
        seed, code = (word >> size, int(codes[person])) if size <= 32 else (word, int(codes[person, 1]))
        heads = heads_of(nested, records[person : person + 1], seed)
        bits = [int(source.given[k + 1][person]) < heads[k][0] for k in range(size)]
        assert code % 2**size == sum(bit << k for k, bit in enumerate(bits))
        assert (code >> size if size <= 32 else int(codes[person, 0])) == seed


def test_exact_errors_of_one_level():
    for epsilon, error in ((1, 689.7), (4, 150.8), (10, 139.5)):
        assert NestedMean([epsilon] * 10).exact_mse() == pytest.approx(error, abs=0.05)
    assert NestedMean(["0.2"] * 10).exact_mse() / 10_000 == pytest.approx(1.5033, abs=5e-5)
    # The bound (17) leaves out a constant and a floor: it is below the truth.
    assert NestedMean([1] * 10).published_bound() == pytest.approx(100)
    assert NestedMean(["1", "2", "2"]).published_bound() == pytest.approx(3 + 2 / (1 / 3 + 1 / 2))


def test_errors_are_those_of_simulated_means(fixed):
    nested = NestedMean([3, 1, 3, 2])
    record, n = np.array([0.9, -1.0, 0.0, 0.5]), 40_000
    codes = nested.privatize(np.tile(record, (n, 1)), fixed(n))
    estimates = np.zeros((n, 4))
    for k, level in enumerate(nested.levels):
        estimates[:, level.columns] += (
            nested.weights[k, level.columns] * level.steered.scale * nested._directions(codes, k)
        )
    assert np.allclose(nested.means(nested.tally(codes)), estimates.mean(axis=0), atol=1e-6)
    exact = nested.variances(record**2)
    assert (np.abs(estimates.mean(axis=0) - record) < 5 * np.sqrt(exact / n)).all()
    assert np.allclose(estimates.var(axis=0), exact, rtol=0.03)
    # Squares below 1 are taken as 1 where the tally does not tell them.
    assert (nested.noise() - record**2 >= exact - 1e-12).all()
    assert nested.exact_mse(record**2) == pytest.approx(exact.sum())


def test_weights_are_the_best_for_numbers_at_the_ends():
    nested = NestedMean(["1/2", "1", "3"])
    assert np.allclose(nested.weights.sum(axis=0), 1)
    assert nested.weights[1:, 0].tolist() == [0, 0]
    least = nested.variances()[2]
    moments = np.array([level.steered.second_moment for level in nested.levels])
    for move in np.random.default_rng(0).normal(size=(50, 3)):
        other = nested.weights[:, 2] + 0.1 * (move - move.mean())
        assert (other**2 * (moments - 1)).sum() >= least


def test_equal_budgets_share_a_level_in_any_order():
    nested = NestedMean(["2", "0.5", "2", "1", "0.5"])
    assert [level.columns.tolist() for level in nested.levels] == [[0, 1, 2, 3, 4], [0, 2, 3], [0, 2]]
    assert [str(level.step) for level in nested.levels] == ["1/2", "1/2", "1"]
    ordered = NestedMean(["0.5", "0.5", "1", "2", "2"])
    assert np.allclose(nested.variances()[[1, 4, 3, 0, 2]], ordered.variances())
    assert len(NestedMean(["1", Nats.of("1/2") + "1/2"]).levels) == 1
    one = NestedMean([1] * 7)
    assert one.levels[0].steered.threshold == L2Ball(7, 7**0.5, 1).threshold
    assert np.allclose(one.noise(), L2Ball(7, 7**0.5, 1).noise())
    assert sum((level.step for level in nested.levels), Nats.of(0)) == 2


def test_a_budget_of_zero_is_not_asked(fixed):
    nested = NestedMean(["0", "2", "2"])
    assert [level.columns.tolist() for level in nested.levels] == [[1, 2]]
    records = np.random.default_rng(0).choice([-1.0, 1.0], (20_000, 3))
    means = nested.means(nested.tally(nested.privatize(records, fixed(20_000))))
    assert np.isnan(means[0])
    assert np.abs(means[1:] - records.mean(axis=0)[1:]).max() < 5 * np.sqrt(nested.variances()[1:].max() / 20_000)
    assert nested.variances()[0] == np.inf == nested.exact_mse()
    silent = NestedMean([0, 0])
    codes = silent.privatize(np.zeros((3, 2)))
    assert not silent.informative
    with pytest.raises(SordinoError, match="tell something"):
        silent.means(silent.tally(codes))


@pytest.mark.long
def test_the_covariance_holds_for_people_drawn_at_random(fixed):
    nested = NestedMean(["1", "3", "3"])
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (50_000, 3), p=[0.3, 0.7])
    tally = nested.tally(nested.privatize(signs, fixed(50_000)))
    means = nested.means(tally)
    covariance = nested.covariance(tally) * tally.n
    assert np.allclose(np.diag(covariance), nested.noise() - means**2)
    assert np.array_equal(covariance, covariance.T)
    repeats = []
    for batch in range(400):
        own = slice(batch * 125, batch * 125 + 125)
        repeats.append(nested.means(nested.tally(nested.privatize(signs[own]))))
    assert np.allclose(np.var(repeats, axis=0) * 125, np.diag(covariance), rtol=0.45)


@pytest.mark.long
def test_codes_of_many_levels_have_several_words(fixed):
    nested = NestedMean(np.linspace(1, 8, 70))
    assert nested.layout.words == 3
    records = np.random.default_rng(1).choice([-1.0, 1.0], (3000, 70), p=[0.2, 0.8])
    codes = nested.privatize(records, fixed(3000))
    assert codes.shape == (3000, 3)
    tally = nested.tally(codes[:1000]) + nested.tally(codes[1000:])
    assert np.array_equal(tally.counts, nested.tally(codes).counts)
    error = nested.means(tally) - records.mean(axis=0)
    assert (np.abs(error) < 6 * np.sqrt(nested.variances() / 3000)).all()
    bad = codes.copy()
    bad[5, 2] |= np.uint64(1) << np.uint64(63)
    with pytest.raises(SordinoError, match="position 5"):
        nested.tally(bad)
    for codes_of_others in (codes[:, :2], codes[:, 0], codes.astype(float), -codes.astype(np.int64) | -1):
        with pytest.raises(SordinoError):
            nested.tally(codes_of_others)
    assert NestedMean(range(1, 33)).layout.words == 1


@pytest.mark.long
def test_reports_and_their_tally_take_bounded_memory():
    nested = NestedMean(["0.2"] * 50 + ["2"] * 50)
    records = np.ones((40_000, 100))
    tracemalloc.start()
    codes = nested.privatize(records)
    nested.tally(codes)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < records.nbytes


def test_mistakes_are_named():
    for budgets in ([], "1", [1, -1], [1, "nan"], [1, None]):
        with pytest.raises(SordinoError):
            NestedMean(budgets)
    nested = NestedMean([1, 2])
    for records in ([[0.0, 1.1]], [[0.0, np.nan]], [[-np.inf, 0]]):
        with pytest.raises(SordinoError, match=r"record 0") as caught:
            nested.privatize(np.array(records))
        assert "1.1" not in str(caught.value)
    with pytest.raises(SordinoError, match="made them"):
        nested.means(NestedMean([1, 1]).tally([1]))
