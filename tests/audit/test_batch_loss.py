"""Bounds of a batch's divergence against its enumeration: every multiset of codes, every composition of the others."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, erf, exp, log, sqrt

import numpy as np
import pytest

from sordino.audit import batch_loss
from sordino.audit.batch_loss import (
    BatchSize,
    CodeKind,
    ScoreTest,
    TwoCodes,
    divergence_above,
    largest_ratio,
    least_ratio,
)

DELTA = Fraction(1, 10**6)


def compositions(n, k):
    """How many of n people have which of k values."""
    for chosen in combinations_with_replacement(range(k), n):
        yield np.bincount(np.array(chosen, dtype=int), minlength=k)


def exact(channel, n, ratio, share=1.0):
    """The largest divergence over all values of the others, of values 0 and 1; the chances of all counts of codes."""
    k, codes = channel.shape
    if share < 1:
        # What else people are drawn for is one more code, which says nothing.
        channel = np.column_stack((channel * share, np.full(k, 1 - share)))
        codes += 1
    grid = np.zeros((k, *(n + 1,) * (codes - 1)))
    for code in range(codes):
        place = [0] * (codes - 1)
        if code:
            place[code - 1] = 1
        grid[(slice(None), *place)] = channel[:, code]
    axes = tuple(range(1, codes))
    turned = np.fft.fftn(grid, axes=axes)
    found = 0.0
    for counts in compositions(n - 1, k):
        others = np.prod(turned ** counts.reshape(-1, *[1] * (codes - 1)), axis=0)
        one, two = (np.fft.ifftn(others * turned[own]).real for own in (0, 1))
        found = max(found, float(np.maximum(one - float(ratio) * two, 0).sum()))
    return found


def exact_drawn(channel, n, ratio, share):
    """Averaged over how many others are drawn."""
    chances = [comb(n - 1, m) * share**m * (1 - share) ** (n - 1 - m) for m in range(n)]
    return sum(chance * exact(channel, m + 1, ratio) for m, chance in enumerate(chances))


def kinds_of(weights, third):
    last = weights.min(axis=0) if third is None else weights[third]
    rows = zip(*weights[:2].tolist(), last.tolist(), strict=True)
    return tuple(CodeKind(count, *row) for row, count in sorted(Counter(rows).items()))


def random_channels(some, rng):
    """Channels of whole weights over one denominator, some with zeros and with equal columns."""
    for _ in range(some):
        k, codes, n = (int(rng.integers(2, top)) for top in (5, 5, 9))
        weights = rng.integers(1, [3, 10, 1000][int(rng.integers(3))], (k, codes))
        if rng.random() < 0.2:
            weights[int(rng.integers(k)), int(rng.integers(codes))] = 0
        whole = int(np.lcm.reduce(weights.sum(axis=1)))
        weights = weights * (whole // weights.sum(axis=1))[:, np.newaxis]
        yield weights.astype(object), whole, n


@pytest.mark.parametrize("some", [60, pytest.param(500, marks=pytest.mark.long)])
def test_bounds_enclose_the_enumerated_divergence(some):
    rng = np.random.default_rng(44)
    for weights, whole, n in random_channels(some, rng):
        channel = weights.astype(float) / whole
        size, ratio = BatchSize(n), Fraction(exp(float(rng.exponential(0.3))))
        truth = exact(channel, n, ratio)
        assert divergence_above(kinds_of(weights, None), whole, size, ratio, 1e-6) >= truth - 1e-12
        for third in range(len(weights)):
            assert ScoreTest(kinds_of(weights, third), whole, size).below(ratio) <= truth + 1e-12
        if weights.shape == (2, 2):
            chances = tuple(Fraction(int(row[0]), whole) for row in weights)
            two = TwoCodes(chances, size, 1e-9)
            assert truth - 1e-12 <= two.above(ratio) <= truth * 1.0001 + 1e-9
            assert two.below(ratio) <= truth + 1e-12


def test_a_question_that_few_are_drawn_for_is_hidden_by_few():
    """The people of a question are a random number: averaged over it, as it is enumerated."""
    rng = np.random.default_rng(45)
    weights = np.array([[6, 3, 1], [2, 5, 3], [2, 2, 6]], dtype=object)
    channel, share = weights.astype(float) / 10, Fraction(1, 3)
    for n in (2, 4, 6):
        ratio = Fraction(exp(float(rng.exponential(0.2))))
        truth = exact_drawn(channel, n, ratio, float(share))
        size = BatchSize(n, share)
        assert divergence_above(kinds_of(weights, None), 10, size, ratio, 1e-6) >= truth - 1e-12
        assert ScoreTest(kinds_of(weights, 2), 10, size).below(ratio) <= truth + 1e-12
        half = TwoCodes((Fraction(3, 4), Fraction(1, 4)), size, 1e-6)
        assert half.above(ratio) >= exact_drawn(np.array([[0.75, 0.25], [0.25, 0.75]]), n, ratio, float(share)) - 1e-12


def subset_kinds(k, size, epsilon, *, third=False):
    """Subset selection by the numbers of subsets that hold which of two or three values."""
    on, off = Fraction(exp(epsilon)).as_integer_ratio()
    whole = comb(k - 1, size - 1) * on + comb(k - 1, size) * off
    found = Counter()
    for held in np.ndindex(2, 2, 2 if third else 1):
        values = 3 if third else 2
        rest = size - sum(held)
        ways = comb(k - values, rest) if rest >= 0 else 0
        weight = [on if own else off for own in held]
        found[(weight[0], weight[1], weight[2] if third else off)] += ways
    return tuple(CodeKind(count, *weights) for weights, count in found.items() if count), whole, Fraction(on, off)


def epsilons(k, size, epsilon, n):
    kinds, whole, most = subset_kinds(k, size, epsilon)
    batch = BatchSize(n)
    above = least_ratio(lambda r: divergence_above(kinds, whole, batch, r, 1e-6), most, DELTA)
    test = ScoreTest(*subset_kinds(k, size, epsilon, third=True)[:2], batch)
    return log(above), log(largest_ratio(test.about, test.below, most, DELTA))


@pytest.mark.parametrize(
    ("k", "size", "epsilon", "n", "most"),
    [
        (25, 1, 1, 10_000, 0.0150),
        (25, 7, 1, 10_000, 0.0308),
        (1000, 269, 1, 10_000, 0.0300),
        (25, 7, 1, 1000, 0.106),
        (25, 3, 2, 1000, 0.28),
        (25, 2, 3, 1000, 0.63),
        pytest.param(25, 1, 1, 1_000_000, 0.00121, marks=pytest.mark.long),
        pytest.param(25, 7, 1, 1_000_000, 0.0026, marks=pytest.mark.long),
        pytest.param(1000, 269, 1, 1_000_000, 0.0025, marks=pytest.mark.long),
    ],
)
def test_subset_selection_in_a_batch(k, size, epsilon, n, most):
    """Figures of two independent computations; the subsets of 1,000 values are never listed."""
    above, below = epsilons(k, size, epsilon, n)
    assert below < above <= most
    assert above <= 1.15 * below


def test_two_values_by_the_exact_distribution():
    on = Fraction(exp(1)).limit_denominator(2**40)
    chances = (on / (1 + on), 1 / (1 + on))
    two = TwoCodes(chances, BatchSize(10_000), 1e-6)
    above, below = least_ratio(two.above, on, DELTA), largest_ratio(two.about, two.below, on, DELTA)
    assert 0.0350 <= log(below) < log(above) <= 0.0360


def test_randomized_response_nears_its_normal_limit():
    """Everybody else has a third value: the difference of two counts is nearly normal, mu^2 = 2 (p - q)^2 / (n q)."""
    kinds, whole, most = subset_kinds(25, 1, 1, third=True)
    n = 100_000
    test = ScoreTest(kinds, whole, BatchSize(n))
    below = log(largest_ratio(test.about, test.below, most, DELTA))
    hit, miss = exp(1) / (exp(1) + 24), 1 / (exp(1) + 24)
    mu = sqrt(2 / (n * miss)) * (hit - miss)

    def normal(x):
        return (1 + erf(x / sqrt(2))) / 2

    def delta(epsilon):
        return normal(mu / 2 - epsilon / mu) - exp(epsilon) * normal(-mu / 2 - epsilon / mu)

    assert delta(below * 0.98) > 1e-6 > delta(below * 1.02)


def exact_sum(cells, n):
    law = {0: Fraction(1)}
    for _ in range(n):
        step = Counter()
        for place, chance in law.items():
            for more, own in cells.weights.items():
                step[place + more] += chance * Fraction(own, cells.whole)
        law = step
    return law


def test_rounding_errors_are_within_their_bounds_and_not_far_from_them():
    """The triangle wave's mean, whose errors are added, against fractions."""
    rng = np.random.default_rng(46)
    for n in (1, 2, 9, 40):
        places = rng.choice(np.arange(-7, 8), 5, replace=False).tolist()
        weights = rng.integers(1, 50, 5).tolist()
        cells = batch_loss._LatticeSteps(dict(zip(places, weights, strict=True)), sum(weights))
        law = exact_sum(cells, n)
        points = batch_loss.LEAST_LATTICE
        truth = sum(chance * abs((place + points // 2) % points - points // 2) for place, chance in law.items())
        bound = batch_loss._triangle(cells, n, points)
        assert truth <= bound <= truth + Fraction(1, 10**8)


def test_the_lattice_only_enlarges():
    """Whatever the step: no expected positive part of a split law, above any threshold, is below that of the law."""
    rng = np.random.default_rng(47)
    for _ in range(50):
        places = tuple((top, 7, 3) for top in rng.integers(-40, 40, 4).tolist())
        law = batch_loss._Law(places, 16)
        step = Fraction(int(rng.integers(1, 30)), 7)
        cells = batch_loss._split(law, step)
        for threshold in range(-8, 8):
            truth = Fraction(4, 16) * max(-threshold, 0)
            truth += sum(Fraction(own, 16) * max(Fraction(top, bottom) - threshold, 0) for top, bottom, own in places)
            split = sum(own * max(place * step - threshold, 0) for place, own in cells.weights.items()) / cells.whole
            assert truth <= split
        mean = sum(Fraction(top, bottom) * Fraction(weight, 16) for top, bottom, weight in places)
        assert 0 <= step * cells.mean - mean <= step * Fraction(1, 2**63)


def test_tails_bound_what_lies_beyond():
    cells = batch_loss._LatticeSteps({-1: 3, 0: 5, 4: 1}, 9)
    law = exact_sum(cells, 30)
    for top in (5, 20, 40, 80, 119):
        truth = sum(chance * place for place, chance in law.items() if place > top)
        assert truth <= batch_loss._tail(cells.chances, 30, top) < 60
    assert batch_loss._tail(cells.chances, 30, 120) == 0


def test_roots_of_unity_are_within_four_units():
    for count in (1 << 11, 1 << 16):
        turns = np.arange(count, dtype=np.longdouble) * (2 * np.longdouble("3.1415926535897932384626") / count)
        roots = batch_loss._roots(count)
        assert np.abs(roots.real - np.cos(turns)).max() <= 4 * batch_loss.U
        assert np.abs(roots.imag - np.sin(turns)).max() <= 4 * batch_loss.U
    # 120 binary places of pi, from its first hundred decimals.
    decimals = Fraction(31415926535897932384626433832795028841971693993751, 10**49)
    assert abs(Fraction(batch_loss._pi(), 1 << batch_loss.BITS) - decimals) < Fraction(1, 1 << 118)


def test_binomial_probabilities_are_within_their_bounds():
    for n, p in (
        (1, Fraction(1, 3)),
        (60, Fraction(1, 1000)),
        (300, Fraction(3, 4)),
        (40, Fraction(0)),
        (7, Fraction(1)),
    ):
        found = batch_loss._binomial(n, p, 4)
        covered = Fraction(0)
        for place, chance in enumerate(found.chances.tolist(), found.first):
            truth = comb(n, place) * p**place * (1 - p) ** (n - place)
            covered += truth
            assert abs(Fraction(chance) - truth) <= Fraction(found.off) * truth
        assert 1 - covered <= Fraction(found.missing)
