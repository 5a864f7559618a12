"""One bit about a vector: its exact odds given the direction, the law of the published mechanism, its tally."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sordino import KeyedSource, SordinoError
from sordino.exact.coin import WORD
from sordino.papers.bayesian_coordinate.means import L2Ball
from sordino.papers.bayesian_coordinate.steered import unit_vectors

EPSILONS = {"0.001": Fraction(1, 1000), "0.5": Fraction(1, 2), "2": Fraction(2), "20": Fraction(20), "40": Fraction(40)}
KEY = bytes(range(32))


class Words:
    """A source that gives everybody the same words."""

    def __init__(self, *words):
        self.words = list(words)

    def stream(self, values):
        self.count = len(values)
        return self

    def take(self, rows):
        self.count = len(range(self.count)[rows])
        return self

    def next(self):
        return np.full(self.count, self.words.pop(0), dtype=np.uint64)


def cube(d):
    return np.array(list(product((-1.0, 1.0), repeat=d)))


def published(v, epsilon, radius, n, rng):
    """Mechanism 2 as printed, with half its B: a coin for the side, a coin for the half-sphere, rejection."""
    d = len(v)
    half_sphere = np.abs(rng.normal(size=(2_000_000, d)) @ np.eye(d)[0])
    lengths = rng.chisquare(d - 1, 2_000_000) if d > 1 else np.zeros(2_000_000)
    mean_inner = (half_sphere / np.sqrt(half_sphere**2 + lengths)).mean()
    b = radius * (np.exp(epsilon) + 1) / (np.exp(epsilon) - 1) / mean_inner
    length = np.linalg.norm(v)
    side = np.where(rng.random(n) < 0.5 + length / (2 * radius), 1, -1)[:, None] * v
    towards = np.where(rng.random(n) < np.exp(epsilon) / (np.exp(epsilon) + 1), 1, -1)
    z = rng.normal(size=(n, d))
    z *= b / np.linalg.norm(z, axis=1)[:, None]
    return z * (np.sign((z * side).sum(axis=1)) * towards)[:, None], b


def test_the_length_of_an_estimate():
    for d, epsilon, length in ((1, "0.5", 4.082988), (2, "2", 2.916831), (10, "0.5", 49.911266), (10, "2", 16.050806)):
        assert L2Ball(d, d**0.5, epsilon).scale == pytest.approx(length, abs=5e-7)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_odds_stay_within_epsilon_in_whole_numbers_and_reach_it(epsilon, exp_bounds):
    allowed = exp_bounds(EPSILONS[epsilon])[0]
    rng = np.random.default_rng(1)
    for d in (1, 2, 6):
        ball = L2Ball(d, d**0.5, epsilon)
        inside = rng.normal(size=(200, d))
        inside *= d**0.5 * rng.random((200, 1)) / np.linalg.norm(inside, axis=1)[:, None]
        # Lengths a rounding above the radius, and hardly any.
        odd = np.array([1e-320, 1e-200, 1 + 5e-10])[:, None] * np.ones(d)
        vectors = np.vstack((cube(d), inside, np.zeros((1, d)), odd))
        for seed in range(20):
            seeds = np.full(len(vectors), seed, dtype=np.uint64)
            heads = [int(word) for word in ball.thresholds(vectors, seeds)]
            # All pairs of vectors: both faces of the bit.
            assert max(heads) <= allowed * min(heads)
            assert WORD - min(heads) <= allowed * (WORD - max(heads))
            assert max(heads[: 2**d]) == ball.threshold
            assert min(heads[: 2**d]) == WORD - ball.threshold
            assert heads[-4] == WORD // 2
        # The next larger threshold would exceed it.
        top = ball.threshold + 1
        assert top == WORD or top > exp_bounds(EPSILONS[epsilon])[0] * (WORD - top)


def test_a_tie_tosses_within_the_same_odds():
    ball = L2Ball(2, 1.0, "1")
    direction = unit_vectors(np.array([9], dtype=np.uint64), 0, 2)[0]
    across = np.array([[direction[1], -direction[0]], [-direction[1], direction[0]]])
    heads = ball.thresholds(across, np.array([9, 9], dtype=np.uint64))
    for word in heads:
        assert WORD - ball.threshold <= int(word) <= ball.threshold
        assert abs(int(word) - WORD // 2) > 0.999999 * (ball.threshold - WORD // 2)


def test_the_bit_is_set_below_its_threshold():
    ball = L2Ball(3, 2.0, "0.7")
    vector = np.array([[0.3, -1.0, 0.4]])
    seed = 2**63 - 12345
    heads = int(ball.thresholds(vector, np.array([seed], dtype=np.uint64))[0])
    for word, bit in ((heads - 1, 1), (heads, 0)):
        code = int(ball.privatize(vector, Words(2 * seed + 1, word))[0])
        assert (code >> 1, code & 1) == (seed, bit)


def test_thresholds_lean_as_far_as_the_vector_is_long():
    ball = L2Ball(4, 2.0, "1.5")
    rng = np.random.default_rng(3)
    vectors = rng.uniform(-0.9, 0.9, (50, 4))
    seeds = rng.integers(0, 2**63, 50, dtype=np.uint64)
    signs = np.sign([u @ v for u, v in zip(unit_vectors(seeds, 0, 4), vectors, strict=True)])
    expected = 0.5 + signs * np.linalg.norm(vectors, axis=1) / 2 / 2 * np.tanh(0.75)
    assert np.allclose(ball.thresholds(vectors, seeds) / WORD, expected, atol=1e-12)


@pytest.mark.first_cases(1)
@pytest.mark.parametrize(("d", "radius", "epsilon"), [(1, 1.0, 1.0), (2, 1.5, 0.8), (5, 5**0.5, 2.0)])
def test_reports_follow_the_published_mechanism_with_half_its_length(d, radius, epsilon, fixed):
    n, rng = 120_000, np.random.default_rng(5)
    v = rng.uniform(-1, 1, d) * radius / d**0.5
    theirs, b = published(v, epsilon, radius, n, rng)
    ball = L2Ball(d, radius, epsilon)
    assert ball.scale == pytest.approx(b, rel=2e-3)
    codes = ball.privatize(np.tile(v, (n, 1)), fixed(n))
    ours = ball.scale * ball._directions(codes, 0)
    for sample in (ours, theirs):
        assert np.allclose(np.linalg.norm(sample, axis=1), b, rtol=3e-3)
        assert np.abs(sample.mean(axis=0) - v).max() < 6 * b / np.sqrt(d * n)
        covariance = np.cov(sample.T, bias=True).reshape(d, d)
        expected = b**2 / d * np.eye(d) - np.outer(v, v)
        assert np.abs(covariance - expected).max() < 6 * b**2 / np.sqrt(n) + 6e-3 * b**2


def test_a_wrong_length_would_be_found(fixed):
    """The check above fails for an estimate that is twice too long."""
    ball = L2Ball(2, 1.5, 0.8)
    v = np.array([0.8, -0.5])
    codes = ball.privatize(np.tile(v, (120_000, 1)), fixed(120_000))
    doubled = 2 * ball.scale * ball._directions(codes, 0)
    assert np.abs(doubled.mean(axis=0) - v).max() > 6 * ball.scale / np.sqrt(2 * 120_000)


def test_means_and_their_covariance_come_from_the_tally(fixed):
    rng = np.random.default_rng(2)
    ball = L2Ball(6, 6**0.5, "1")
    vectors = np.clip(rng.normal(0.3, 0.5, (30_000, 6)), -1, 1)
    codes = ball.privatize(vectors, fixed(30_000))
    tally = ball.tally(codes)
    signs = 1 - 2.0 * (codes % 2 == 0)
    plain = ball.scale * (unit_vectors(codes >> np.uint64(1), 0, 6) * signs[:, None]).mean(axis=0)
    assert np.allclose(ball.means(tally), plain, atol=1e-7)
    covariance = ball.covariance(tally)
    assert np.allclose(covariance * 30_000, ball.scale**2 / 6 * np.eye(6) - np.outer(plain, plain))
    assert (np.abs(plain - vectors.mean(axis=0)) < 5 * np.sqrt(np.diag(covariance))).all()
    assert np.allclose(ball.noise(), ball.scale**2 / 6)


def test_tallies_add_in_any_order_and_hold_a_thousand_million_reports():
    ball = L2Ball(300, 300**0.5, "1")
    codes = ball.privatize(np.ones((2500, 300)))
    whole = ball.tally(codes)
    shuffled = np.random.default_rng(0).permutation(codes)
    parts = ball.tally(shuffled[:7]) + ball.tally(shuffled[7:])
    assert np.array_equal(whole.counts, parts.counts)
    assert ball.reports(whole.counts) == 2500
    assert ball.possible(whole.counts)
    assert not ball.possible(np.append(np.full(300, 5 * 2**33), 4))
    one = L2Ball(1, 1.0, "1")
    # A direction of one number is all that there is: the largest that a counter can grow by.
    each = one.tally(one.privatize(np.ones((1000, 1)))).counts
    assert each[0] <= 1000 * 2**33
    assert 10**9 * 2**33 < 2**63
    grouped = ball._count(codes, np.arange(2500) % 3, 3)
    assert np.array_equal(grouped[1], ball.tally(codes[1::3]).counts)


def test_reports_of_one_key_repeat(fixed):
    ball = L2Ball(3, 2.0, "1")
    vectors = np.random.default_rng(0).uniform(-1, 1, (100, 3))
    assert np.array_equal(ball.privatize(vectors, fixed(100)), ball.privatize(vectors, fixed(100)))
    again = KeyedSource(KEY, "test").for_records(np.arange(100)[::-1])
    assert np.array_equal(ball.privatize(vectors[::-1], again)[::-1], ball.privatize(vectors, fixed(100)))


def test_its_level_is_that_of_its_coin():
    ball = L2Ball(3, 1.0, "ln 3")
    assert ball.epsilon <= "ln 3"
    assert float(ball.epsilon) == pytest.approx(np.log(3))
    frozen = L2Ball.from_threshold(3, 1.0, ball.threshold)
    assert frozen == ball
    assert frozen.fingerprint == ball.fingerprint != L2Ball(3, 1.1, "ln 3").fingerprint


def test_nothing_is_learned_at_epsilon_zero():
    ball = L2Ball(3, 1.0, 0)
    assert ball.scale == np.inf
    assert not ball.informative
    tally = ball.tally(ball.privatize(np.zeros((5, 3))))
    with pytest.raises(SordinoError, match="tell something"):
        ball.means(tally)


def test_mistakes_are_named_by_position_only():
    ball = L2Ball(2, 1.0, "1")
    for values in ([[0.0, 0.0], [0.9, 0.9]], [[0.0, 0.1], [np.nan, 0]], [[0.0, 0.1], [np.inf, 0]]):
        with pytest.raises(SordinoError, match="position 1") as caught:
            ball.privatize(np.array(values))
        assert "0.9" not in str(caught.value)
    for values in (np.zeros((3, 3)), np.zeros(2), np.zeros((2, 2), dtype=complex), [["a", "b"]]):
        with pytest.raises(SordinoError, match="rows of 2 numbers"):
            ball.privatize(values)
    for dimension, radius, epsilon in ((0, 1, 1), (2, 0, 1), (2, np.inf, 1), (2, 1, -1), (2.5, 1, 1)):
        with pytest.raises(SordinoError):
            L2Ball(dimension, radius, epsilon)
    with pytest.raises(SordinoError, match="made them"):
        ball.means(L2Ball(2, 1.0, "2").tally([1, 2]))
    with pytest.raises(SordinoError, match="needs 1 to"):
        ball.means(ball.tally([]))
    with pytest.raises(SordinoError, match="threshold"):
        L2Ball.from_threshold(2, 1.0, 5)
