"""Draws as data: what their interpreter draws is what every mechanism draws, word by word, and what its weights say."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

from conftest import EPSILONS, KINDS
from in_one import in_one
from ring import RingResponse
from sordino import (
    Blockwise,
    CyclicSubsets,
    MetricLDP,
    ProductResponse,
    ProjectiveResponse,
    SordinoError,
    SubsetSelection,
    TreeResponse,
    WindowResponse,
)
from sordino.exact.source import FreshStream
from sordino.mechanism.draws.code_distribution import code_distribution
from sordino.mechanism.draws.draw_program import Draw
from sordino.testing import check_mechanism

SIZES = (1, 2, 3, 7, 8, 13, 31)
TREE = MetricLDP.tree([3, 3, 4, 4, None], "2", ["1/2", 1, 1, 2, None])
GRID = [TreeResponse(MetricLDP((axis,))) for axis in MetricLDP.grid(3, 4, "1/2", "1/3").axes]
LARGE = {
    "subset": SubsetSelection(64, "1"),
    "projective": ProjectiveResponse(3000, "2", 16),
    "projective prime": ProjectiveResponse(3000, "2", 7),
    "cyclic": CyclicSubsets(500, "3"),
    "blocks": Blockwise(np.arange(43_750) // 350 // 5 * 70 + np.arange(43_750) % 350 // 5, "1"),
    "tree": TreeResponse(TREE),
    "line": TreeResponse(MetricLDP.line(40, "2/5")),
    "product": ProductResponse(GRID),
    "ring": RingResponse(24, "1/6"),
}


class Words:
    """The words of each row, which go on from one another: a row's depend on nothing but how many it has drawn."""

    def __init__(self, rows, drawn=None):
        self.rows, self.drawn = rows, np.zeros(len(rows), dtype=np.uint64) if drawn is None else drawn

    def next(self):
        seeds = self.rows.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + self.drawn[self.rows]
        self.drawn[self.rows] += np.uint64(1)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
            seeds = (seeds ^ seeds >> np.uint64(shift)) * np.uint64(factor)
        return seeds

    def take(self, rows):
        return Words(self.rows[rows], self.drawn)


def drawn(sample, values):
    words = Words(np.arange(len(values)))
    return sample(values, words).tolist(), words.drawn.tolist()


def require_same(mechanism, count):
    values = np.arange(count) * 7919 % mechanism.k
    with np.errstate(over="ignore"):
        assert drawn(mechanism._sample, values) == drawn(mechanism.program.sample, values)


@in_one("kind", KINDS)
def test_the_interpreter_draws_what_a_mechanism_draws(kind):
    for k in SIZES:
        for epsilon in [*EPSILONS][::3]:
            try:
                mechanism = KINDS[kind](k, epsilon).mechanism
            except SordinoError:
                continue
            if mechanism.has_draw:
                require_same(mechanism, 200)


@pytest.mark.parametrize("name", LARGE)
def test_so_it_does_of_many_values(name):
    require_same(LARGE[name], 3000)


@pytest.mark.parametrize("name", ["tree", "line", "product", "ring"])
def test_what_a_draw_gives_is_what_the_weights_say(name):
    check_mechanism(LARGE[name])


@pytest.mark.parametrize("k", [1, 2, 3, 4, 7, 24])
def test_a_mechanism_of_somebodys_own_is_a_few_lines(k):
    check_mechanism(RingResponse(k, "1/6"))


def test_a_draw_that_is_not_the_weights_is_found():
    class Skewed(RingResponse):
        @property
        def draw(self):
            return ["%", ["+", "v", ["+", 1, ["pick", ["each", "k", ["at", "weights", 0]]]]], "k"]

    with pytest.raises(SordinoError, match="draw must give the weights of every value on every code"):
        check_mechanism(Skewed(5, "1/2"))


def record(draw, k=3, codes="3", **entries):
    return {"k": k, "codes": codes, "draw": draw, **entries}


@pytest.mark.parametrize(
    ("draw", "expected"),
    [
        (["-", "v", 1], {0: 1}),
        (["^", ["*", "v", 2], 3], {1: 1}),
        (["/", 7, ["+", "v", 1]], {3: 1}),
        (["if", ["coin", str(3 << 62)], "v", 0], {1: Fraction(3, 4), 0: Fraction(1, 4)}),
        (["pick", ["list", 1, 0, 3]], {0: Fraction(1, 4), 2: Fraction(3, 4)}),
        (["+", ["below", 2], ["drop"]], {0: Fraction(1, 2), 1: Fraction(1, 2)}),
        (["coin", 0], {0: 1}),
        (["coin", str(1 << 64)], {1: 1}),
        (["at", ["each", 3, ["*", "i", "i"]], "v"], {1: 1}),
        (["at", ["each", 3, ["if", ["<", "i", 1], 5, "i"]], ["-", "v", 1]], {5: 1}),
    ],
)
def test_operations_give_what_they_say(draw, expected):
    found = Draw(record(draw))
    assert code_distribution(found, 1) == expected
    stream = FreshStream(lambda count: np.random.default_rng(1).integers(0, 2**64, count, dtype=np.uint64), 4000)
    assert set(found.sample(np.ones(4000, dtype=np.intp), stream).tolist()) <= set(expected)


def test_a_mechanism_that_has_drawn_goes_to_another_process():
    window = WindowResponse(5, "1", 2)
    window.privatize(np.arange(5))
    require_same(pickle.loads(pickle.dumps(window)), 20)  # noqa: S301 - what was just written


def test_lists_hold_nothing_that_is_drawn():
    with pytest.raises(SordinoError, match="must not be drawn"):
        Draw(record(["at", ["each", 3, ["drop"]], "v"])).sample(np.arange(3), None)
