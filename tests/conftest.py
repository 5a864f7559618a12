"""Shared settings and witnesses: a run that counts on every tool fails if any test was skipped.

A `Channel` holds a mechanism beside what its integer weights say when every one of them is read; e^epsilon is enclosed
here by its power series, so that no witness repeats a formula of the package.
"""

import os
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import ceil

import numpy as np
import pytest
from hypothesis import settings

from sordino.mechanism.blockwise import Blockwise
from sordino.mechanism.hadamard import HadamardResponse
from sordino.mechanism.projective import ProjectiveResponse
from sordino.mechanism.randomized import RandomizedResponse
from sordino.mechanism.subset import SubsetSelection

settings.register_profile("sordino", deadline=None, derandomize=True)
settings.load_profile("sordino")

SIZES = (1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 64)
EPSILONS = {
    "0.001": (Fraction(1, 1000), 1),
    "0.5": (Fraction(1, 2), 1),
    "1": (Fraction(1), 1),
    "ln 3": (Fraction(0), 3),
    "4": (Fraction(4), 1),
    "20": (Fraction(20), 1),
    "40": (Fraction(40), 1),
}


@cache
def exp_bounds(rational: Fraction, ratio: Fraction | int = 1) -> tuple[Fraction, Fraction]:
    """Rationals around ratio e^rational, rational >= 0: the power series, and twice as many terms as it needs."""
    term = total = Fraction(1)
    for n in range(1, 3 * ceil(rational) + 80):
        term *= rational / n
        total += term
    # Each later term is below half of the one before it.
    return ratio * total, ratio * (total + term)


@dataclass(frozen=True)
class Channel:
    """A mechanism, the block of each value, its epsilon and e^epsilon, and its dense integer weights."""

    mechanism: RandomizedResponse | HadamardResponse | Blockwise
    labels: tuple[int, ...]
    epsilon: str

    @property
    def exp_epsilon(self) -> tuple[Fraction, Fraction]:
        return exp_bounds(*EPSILONS[self.epsilon])

    @cached_property
    def codes(self) -> list[int]:
        """The codes that some value can send."""
        values = range(self.mechanism.k)
        return [y for y in range(self.mechanism.outputs) if any(self.mechanism.weight(x, y) for x in values)]

    @cached_property
    def rows(self) -> list[list[int]]:
        return [[self.mechanism.weight(x, y) for y in self.codes] for x in range(self.mechanism.k)]

    @cached_property
    def tallies(self) -> np.ndarray:
        """Shape (codes, counters): what one report of each code is counted as."""
        return np.array([self.mechanism.tally(np.array([y], dtype=np.uint64)).counts for y in self.codes])

    @cached_property
    def matrix(self) -> np.ndarray:
        return np.array([[weight / self.mechanism.denominator for weight in row] for row in self.rows])

    @cached_property
    def blocks(self) -> list[list[int]]:
        return [[x for x, label in enumerate(self.labels) if label == b] for b in dict.fromkeys(self.labels)]

    @cached_property
    def loss_ratio(self) -> Fraction:
        """The largest ratio of two values' weights on one output, over all values of one block."""
        ratios = [Fraction(1)]
        for block in self.blocks:
            columns = zip(*(self.rows[x] for x in block), strict=True)
            ratios += [Fraction(max(column), min(column)) for column in columns if max(column)]
        return max(ratios)


def _staircase(k: int) -> tuple[int, ...]:
    """Blocks of 1, 2, 3, ... values that lie scattered over the domain."""
    labels = [step for step in range(k) for _ in range(step + 1)][:k]
    return tuple(labels[(x * 37 + 5) % k] if k % 37 else labels[x] for x in range(k))


KINDS = {
    "randomized": lambda k, e: (RandomizedResponse(k, e), (0,) * k),
    "hadamard": lambda k, e: (HadamardResponse(k, e), (0,) * k),
    "projective": lambda k, e: (ProjectiveResponse(k, e), (0,) * k),
    "projective-4": lambda k, e: (ProjectiveResponse(k, e, 4), (0,) * k),
    "projective-7": lambda k, e: (ProjectiveResponse(k, e, 7), (0,) * k),
    "projective-8": lambda k, e: (ProjectiveResponse(k, e, 8), (0,) * k),
    "subset": lambda k, e: (SubsetSelection(k, e), (0,) * k),
    "subset-2": lambda k, e: (SubsetSelection(k, e, 2), (0,) * k),
    "blocks-hadamard": lambda k, e: (Blockwise(_staircase(k), e, "hadamard"), _staircase(k)),
    "blocks-randomized": lambda k, e: (Blockwise(_staircase(k), e, "randomized"), _staircase(k)),
    "blocks-subset": lambda k, e: (Blockwise(_staircase(k), e, "subset"), _staircase(k)),
    "blocks-projective": lambda k, e: (Blockwise(_staircase(k), e, "projective"), _staircase(k)),
    "blocks-best": lambda k, e: (Blockwise(_staircase(k), e), _staircase(k)),
    "singles": lambda k, e: (Blockwise(range(k), e), tuple(range(k))),
    "whole": lambda k, e: (Blockwise([7] * k, e), (0,) * k),
}


SMALLEST = {"projective": 2, "projective-4": 2, "projective-7": 2, "projective-8": 2, "subset": 2, "subset-2": 3}
"""Numbers of values below which there is no such mechanism."""

LARGEST = {"subset": 9, "subset-2": 9, "whole": 9}
"""Numbers of values beyond which there are too many codes to list."""


def pairs(sizes: tuple[int, ...]) -> list[tuple[str, int]]:
    return [(kind, k) for kind in KINDS for k in sizes if SMALLEST.get(kind, 1) <= k <= LARGEST.get(kind, 64)]


@cache
def make_channel(kind: str, k: int, epsilon: str) -> Channel:
    mechanism, labels = KINDS[kind](k, epsilon)
    return Channel(mechanism, labels, epsilon)


@pytest.fixture(
    params=pairs(SIZES),
    ids=lambda pair: f"{pair[0]}-{pair[1]}",
)
def awkward(request):
    """The same kind of mechanism and number of values at every epsilon."""
    return [make_channel(*request.param, epsilon) for epsilon in EPSILONS]


@pytest.fixture(
    params=pairs((1, 2, 7, 17)),
    ids=lambda pair: f"{pair[0]}-{pair[1]}",
)
def channel(request):
    """One mechanism of moderate size, at epsilon 1."""
    return make_channel(*request.param, "1")


@pytest.fixture(name="exp_bounds", scope="session")
def exp_bounds_fixture():
    """Rationals around ratio e^rational."""
    return exp_bounds


POLYNOMIALS = {4: 0b111, 8: 0b1011, 16: 0b10011, 32: 0b100101, 64: 0b1000011, 128: 0b10000011}
"""What products are taken modulo in fields whose order is a power of two."""


@cache
def _products(q: int) -> np.ndarray:
    """All products of a field: of a power of two by adding doubled numbers without carries."""
    numbers = np.arange(q)
    products = np.outer(numbers, numbers)
    if q not in POLYNOMIALS:
        return products % q
    products[:] = 0
    for bit in reversed(range(q.bit_length() - 1)):
        products <<= 1
        products ^= np.where(products & q, POLYNOMIALS[q], 0)
        products ^= np.where(numbers >> bit & 1, numbers[:, None], 0)
    return products


@pytest.fixture(scope="session")
def inner_products():
    """A function of a field's order and two arrays of vectors: all inner products, shape (first, second)."""

    def matrix(q, first, second):
        terms = [_products(q)[np.ix_(a, b)] for a, b in zip(first.T, second.T, strict=True)]
        return np.bitwise_xor.reduce(terms) if q in POLYNOMIALS else np.sum(terms, axis=0) % q

    return matrix


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if os.environ.get("SORDINO_NO_SKIPS") and skipped and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
