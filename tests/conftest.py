"""Shared settings and witnesses.

A `Channel` holds a mechanism beside what its integer weights say when every one of them is read; e^epsilon is enclosed
here by its power series, so that no witness repeats a formula of the package.
"""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

import numpy as np
import pytest
from hypothesis import settings

from sordino import (
    LDP,
    BinaryOptimal,
    BitFlips,
    BlockLDP,
    Blockwise,
    ChannelTable,
    CyclicSubsets,
    HadamardResponse,
    HighLow,
    HighLowLDP,
    LinearTable,
    Nats,
    PairwiseLDP,
    ProjectiveResponse,
    RandomizedResponse,
    SubsetSelection,
    WindowResponse,
)
from sordino.definition.pairwise import PairwiseDefinition
from sordino.design.numbers.bins_channel import hierarchy
from sordino.mechanism.base import Mechanism
from sordino.mechanism.window import OptionalWindow
from weights import circulant, exp_bounds, flips, linear, optional

settings.register_profile("sordino", deadline=None, derandomize=True, max_examples=20)
settings.register_profile("long", settings.get_profile("sordino"), max_examples=100)
settings.load_profile("sordino")

pytest_plugins = [
    "own_words",
    "collected",
    "told_once",
    "no_skips",
    "own_third",
    "surveys",
    "each_value",
    "commands",
    "beliefs",
]
pytest_plugins += ["handlers"]

DENSE = ChannelTable | WindowResponse | OptionalWindow | BitFlips
"""What is estimated from the dense channel: a report adds a number of its own for each code."""

SIZES = (1, 2, 3, 7, 8, 9)
MORE_SIZES = (4, 16, 17, 31, 64)
"""Larger channels take nearly all of the time and seldom find more: they are for the long run."""

EPSILONS = {
    "0.001": (Fraction(1, 1000), 1),
    "0.5": (Fraction(1, 2), 1),
    "1": (Fraction(1), 1),
    "ln 3": (Fraction(0), 3),
    "4": (Fraction(4), 1),
    "20": (Fraction(20), 1),
    "40": (Fraction(40), 1),
}


def all_alike(k: int, epsilon: str) -> tuple[tuple[str | None, ...], ...]:
    """Every pair of values under one bound."""
    return tuple(tuple(epsilon for _ in range(k)) for _ in range(k))


@dataclass(frozen=True, repr=False)
class Channel:
    """A mechanism beside its dense integer weights, and what it promises.

    Attributes:
        mechanism: over k values.
        definition: what it promises, as the package says it.
        bounds: the same by hand: for each ordered pair of values a name in EPSILONS, None where it is not protected.
        labels: each value's block, which every report tells; one block unless the mechanism is blockwise.
        epsilon: a name in EPSILONS.
    """

    mechanism: Mechanism
    definition: PairwiseDefinition
    bounds: tuple[tuple[str | None, ...], ...]
    labels: tuple[int, ...]
    epsilon: str

    def __repr__(self) -> str:
        """What a failed test says it was about."""
        return f"{type(self.mechanism).__name__} of {self.k} values at {self.epsilon}"

    @property
    def k(self) -> int:
        return self.mechanism.k

    @property
    def scale(self) -> float:
        """How much one report can add to an estimate, as the unit of rounding errors."""
        return float(np.abs(self.contributions).max())

    @cached_property
    def codes(self) -> list[int]:
        """The codes that some value can send."""
        values = range(self.k)
        return [y for y in range(self.mechanism.outputs) if any(self.mechanism.weight(x, y) for x in values)]

    @cached_property
    def rows(self) -> list[list[int]]:
        return [[self.mechanism.weight(x, y) for y in self.codes] for x in range(self.k)]

    @cached_property
    def weights(self) -> np.ndarray:
        """The same as an array of whole numbers of any size, shape (k, codes)."""
        return np.array(self.rows, dtype=object).reshape(self.k, -1)

    @cached_property
    def tallies(self) -> np.ndarray:
        """Shape (codes, counters): what one report of each code is counted as."""
        return np.array([self.mechanism.tally(np.array([y], dtype=np.uint64)).counts for y in self.codes])

    @cached_property
    def matrix(self) -> np.ndarray:
        return (self.weights / self.mechanism.denominator).astype(float)

    @cached_property
    def contributions(self) -> np.ndarray:
        """Shape (k, codes): what one report of each code adds to each value's estimate."""
        return self.mechanism.decode(self.tallies).T

    @cached_property
    def blocks(self) -> list[list[int]]:
        return [[x for x, label in enumerate(self.labels) if label == b] for b in dict.fromkeys(self.labels)]

    @property
    def is_blockwise(self) -> bool:
        return isinstance(self.mechanism, Blockwise)

    @property
    def estimates_by_support(self) -> bool:
        """Whether a report's contribution depends only on whether its code supports the value."""
        return not isinstance(self.mechanism, DENSE | HighLow)

    @cached_property
    def supporting(self) -> np.ndarray:
        """Shape (k, codes): the codes that support each value."""
        marks = np.zeros((self.k, len(self.codes)), dtype=bool)
        for x in range(self.k):
            if isinstance(self.mechanism, BinaryOptimal):
                marks[x] = [code == x for code in self.codes]
            else:
                # Of the codes that only this value can send, all; else those that are likeliest for it.
                others = np.delete(self.weights, x, axis=0)
                own = (self.weights[x] > 0) & ~(others > 0).any(axis=0)
                marks[x] = own if own.any() and self.k > 1 else self.weights[x] == self.weights[x].max()
        return marks

    @cached_property
    def of_group(self) -> np.ndarray:
        """Shape (k, codes): the codes that count as an answer for or against each value."""
        if isinstance(self.mechanism, BinaryOptimal):
            return np.ones((self.k, len(self.codes)), dtype=bool)
        if isinstance(self.mechanism, HighLow):
            # Codes that tell a value belong to it alone, the others to the sensitive values.
            own = (self.weights > 0).sum(axis=0) == 1
            sensitive = np.isin(np.arange(self.k), self.mechanism.sensitive)
            return np.where(sensitive[:, None], ~own[None, :], self.supporting)
        return self.weights > 0

    @cached_property
    def largest_ratios(self) -> dict[str, Fraction | None]:
        """For each bound the largest ratio, at least 1, of two values' weights that it protects; None: infinite."""
        alike = defaultdict(list)
        for x in range(self.k):
            for bound in {*self.bounds[x]} - {None}:
                others = frozenset(y for y in range(self.k) if y != x and self.bounds[x][y] == bound)
                if others:
                    alike[bound, others | {x}].append(x)
        worst: dict[str, Fraction | None] = {}
        for (bound, others), values in alike.items():
            heavy, light = self.weights[values].max(axis=0), self.weights[sorted(others)].min(axis=0)
            possible = heavy > 0
            ratio: Fraction | None = None
            if (light[possible] > 0).all():
                ratio = max(map(Fraction, heavy[possible], light[possible]))
            known = worst.get(bound, Fraction(1))
            worst[bound] = None if ratio is None or known is None else max(known, ratio)
        return worst

    @cached_property
    def slack(self) -> Nats:
        """What the worst pair leaves of its bound."""
        left = [Nats.of(e) - Nats.log(r) if r else Nats.log(0) for e, r in self.largest_ratios.items()]
        return min(left, default=self.definition.epsilon)

    @property
    def keeps_its_bounds(self) -> bool:
        """Whether no ratio exceeds its bound, by enclosures."""
        return all(ratio and ratio <= exp_bounds(*EPSILONS[e])[0] for e, ratio in self.largest_ratios.items())


def _staircase(k: int) -> tuple[int, ...]:
    """Blocks of 1, 2, 3, ... values that lie scattered over the domain."""
    labels = [step for step in range(k) for _ in range(step + 1)][:k]
    return tuple(labels[(x * 37 + 5) % k] if k % 37 else labels[x] for x in range(k))


def odds(epsilon: str) -> Fraction:
    """The largest ratio that an epsilon allows, rounded down."""
    return exp_bounds(*EPSILONS[epsilon])[0]


def _ldp(build):
    def make(k, e):
        return Channel(build(k, e), LDP(e), all_alike(k, e), (0,) * k, e)

    return make


def _blocks(labels_of, build):
    def make(k, e):
        labels = labels_of(k)
        bounds = tuple(tuple(e if a == b else None for b in labels) for a in labels)
        return Channel(build(labels, e), BlockLDP(labels, e), bounds, labels, e)

    return make


def _high_low(sensitive_of, build):
    def make(k, e):
        sensitive = sensitive_of(k)
        bounds = tuple(tuple(e if x in sensitive else None for _ in range(k)) for x in range(k))
        return Channel(build(k, sensitive, e), HighLowLDP(k, sensitive, e), bounds, (0,) * k, e)

    return make


def _binary(first_of, second_of):
    def make(k, e):
        first, second = first_of(e), second_of(e)
        matrix = [["0", first or "inf"], [second or "inf", "0"]]
        bounds = ((None, first), (second, None))
        return Channel(BinaryOptimal(first, second), PairwiseLDP(matrix), bounds, (0, 0), e)

    return make


def scattered(k: int) -> list[int]:
    """Sensitive values here and there."""
    return [x for x in range(k) if x % 3 == 1]


KINDS = {
    "randomized": _ldp(RandomizedResponse),
    "hadamard": _ldp(HadamardResponse),
    "projective": _ldp(ProjectiveResponse),
    "projective-4": _ldp(lambda k, e: ProjectiveResponse(k, e, 4)),
    "projective-7": _ldp(lambda k, e: ProjectiveResponse(k, e, 7)),
    "projective-8": _ldp(lambda k, e: ProjectiveResponse(k, e, 8)),
    "subset": _ldp(SubsetSelection),
    "subset-2": _ldp(lambda k, e: SubsetSelection(k, e, 2)),
    "cyclic": _ldp(CyclicSubsets),
    "cyclic-13": _ldp(lambda k, e: CyclicSubsets(k, e, (13, 4, 5))),
    "table": _ldp(lambda k, e: ChannelTable(circulant(k, odds(e)))),
    "linear": _ldp(lambda k, e: LinearTable(linear(k, odds(e)))),
    "window": _ldp(WindowResponse),
    "window-3": _ldp(lambda k, e: WindowResponse(k, e, 3)),
    "hierarchy": _ldp(lambda k, e: hierarchy(k, Nats.of(e))),
    "optional-window": _ldp(lambda k, e: optional(k - 1, e, 2)),
    "flips": _ldp(lambda k, e: BitFlips(flips(k, odds(e)))),
    "blocks-hadamard": _blocks(_staircase, lambda b, e: Blockwise(b, e, "hadamard")),
    "blocks-randomized": _blocks(_staircase, lambda b, e: Blockwise(b, e, "randomized")),
    "blocks-subset": _blocks(_staircase, lambda b, e: Blockwise(b, e, "subset")),
    "blocks-projective": _blocks(_staircase, lambda b, e: Blockwise(b, e, "projective")),
    "blocks-best": _blocks(_staircase, Blockwise),
    "singles": _blocks(lambda k: tuple(range(k)), Blockwise),
    "whole": _blocks(lambda k: (7,) * k, Blockwise),
    "high-low-hadamard": _high_low(scattered, lambda k, s, e: HighLow(k, s, e, "hadamard")),
    "high-low-projective": _high_low(scattered, lambda k, s, e: HighLow(k, s, e, "projective")),
    "high-low-subset": _high_low(scattered, lambda k, s, e: HighLow(k, s, e, "subset")),
    "high-low-cyclic": _high_low(scattered, lambda k, s, e: HighLow(k, s, e, "cyclic")),
    "high-low-randomized": _high_low(scattered, lambda k, s, e: HighLow(k, s, e, "randomized")),
    "high-low-one": _high_low(lambda k: [k // 2], HighLow),
    "high-low-but-one": _high_low(lambda k: [x for x in range(k) if x != k // 2], HighLow),
    "binary": _binary(lambda e: e, lambda e: "ln 3"),
    "binary-infinite": _binary(lambda e: e, lambda e: None),
    "infinite-binary": _binary(lambda e: None, lambda e: e),
    "binary-unprotected": _binary(lambda e: None, lambda e: None),
}

TWO = ("binary", "binary-infinite", "infinite-binary", "binary-unprotected")

LOTS = [[*KINDS][first::6] for first in range(6)]
"""All kinds: one test looks at a lot, since to begin a test for each takes longer than most take."""

SMALLEST = {
    "subset-2": 3,
    "optional-window": 3,
    **dict.fromkeys(("subset", "linear", "window", "window-3", "hierarchy", "flips", *TWO), 2),
}
SMALLEST |= {kind: 2 for kind in KINDS if kind.startswith(("high-low", "projective"))}
"""Numbers of values below which there is no such mechanism."""

LARGEST = {"subset": 9, "subset-2": 9, "whole": 9, "linear": 9, **dict.fromkeys(TWO, 2)}
LARGEST |= {"high-low-but-one": 9, "high-low-subset": 17, "high-low-randomized": 17, "high-low-one": 17, "table": 17}
LARGEST |= {"singles": 17, "projective-7": 17, "cyclic": 17, "cyclic-13": 13, "high-low-cyclic": 17, "window": 31}
LARGEST |= {"window-3": 31, "hierarchy": 17, "blocks-subset": 17, "blocks-projective": 17, "blocks-randomized": 31}
LARGEST["optional-window"] = 17
"""Numbers of values beyond which there are too many codes to list."""


def pairs(sizes: tuple[int, ...]) -> list[tuple[str, int]]:
    fitting = [(kind, k) for kind in KINDS for k in sizes if SMALLEST.get(kind, 1) <= k <= LARGEST.get(kind, 64)]
    # Bits have a power of two of patterns.
    return [(kind, k) for kind, k in fitting if kind != "flips" or k & (k - 1) == 0]


@cache
def make_channel(kind: str, k: int, epsilon: str) -> Channel:
    return KINDS[kind](k, epsilon)


def kinds(sizes: tuple[int, ...]) -> dict[str, list[int]]:
    """The sizes that each kind of mechanism can have."""
    found = defaultdict(list)
    for kind, k in pairs(sizes):
        found[kind].append(k)
    return found


def telling(sizes: list[int]) -> list[tuple[int, str]]:
    """Each size at some epsilons, and each epsilon at some sizes; of a kind that has few sizes all."""
    some = 3 if len(sizes) > 2 else 1
    return [(k, e) for i, k in enumerate(sizes) for j, e in enumerate(EPSILONS) if (i + j) % some == 0]


def others(kind: str) -> list[tuple[int, str]]:
    """All other sizes and epsilons of a kind."""
    sizes = kinds(SIZES)[kind]
    every = ((k, e) for k in (*sizes, *kinds(MORE_SIZES)[kind]) for e in EPSILONS)
    return [case for case in every if case not in telling(sizes)]


@pytest.fixture(
    params=[
        *((lot, lambda kind: telling(kinds(SIZES)[kind])) for lot in LOTS),
        *(pytest.param(([kind], others), marks=pytest.mark.long, id=f"{kind}-more") for kind in KINDS if others(kind)),
    ]
)
def awkward(request):
    """Mechanisms of some kinds over several numbers of values, at several epsilons."""
    lot, cases_of = request.param
    return [make_channel(kind, k, epsilon) for kind in lot for k, epsilon in cases_of(kind)]


MODERATE = pairs((1, 2, 7, 17))
SELDOM = [(kind, k) for kind, k in MODERATE if k == 2 < LARGEST.get(kind, 64)]
"""Two values, of kinds that can have more."""


@pytest.fixture(
    params=[
        pytest.param(pair, marks=pytest.mark.long if pair in SELDOM else (), id=f"{pair[0]}-{pair[1]}")
        for pair in MODERATE
    ]
)
def channel(request):
    """One mechanism of moderate size, at epsilon 1."""
    return make_channel(*request.param, "1")


@pytest.fixture(
    params=[
        pytest.param([pair for pair in MODERATE if pair not in SELDOM], id="all"),
        pytest.param(SELDOM, marks=pytest.mark.long, id="of two values"),
    ]
)
def channels(request):
    """The same mechanisms, for tests that take less time than it takes to begin one for each."""
    return [make_channel(*pair, "1") for pair in request.param]


@pytest.fixture(name="exp_bounds", scope="session")
def exp_bounds_fixture():
    """Rationals around ratio e^rational."""
    return exp_bounds
