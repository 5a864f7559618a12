"""The conformance suite for any mechanism: it passes what is right and names what is not; five methods are one."""

from dataclasses import dataclass

import numpy as np
import pytest

from in_one import in_one
from sordino import (
    LDP,
    BayesianFilter,
    Categories,
    HadamardResponse,
    RandomizedResponse,
    SordinoError,
    SordinoErrors,
    SubsetSelection,
    certify,
    estimate,
)
from sordino.exact.source import uniform_below
from sordino.mechanism.base import Mechanism, Squares
from sordino.testing import check_mechanism


@dataclass(frozen=True, eq=False)
class Neighbours(Mechanism):
    """Values on a circle: half of the reports are true, a quarter each are of the next and of the one before."""

    @property
    def outputs(self):
        return self.k

    @property
    def parameters(self):
        return f"neighbours k={self.k}"

    @property
    def denominator(self):
        return 4 + self.k

    def weight(self, value, code):
        return {0: 3, 1: 2, self.k - 1: 2}.get((code - value) % self.k, 1)

    def _sample(self, values, stream):
        step = np.array([0, 0, 1, self.k - 1, *range(self.k)])
        return ((values + step[uniform_below(4 + self.k, stream).astype(int)]) % self.k).astype(np.uint64)


def test_every_mechanism_of_the_house_keeps_all_its_parts(channel):
    if channel.k * channel.mechanism.outputs <= 1 << 14:
        check_mechanism(channel.mechanism, channel.definition)


def test_a_mechanism_of_ones_own_is_five_methods():
    mechanism, odds = Neighbours(7), LDP("ln 3")
    check_mechanism(mechanism, odds)
    assert certify(mechanism, odds).slack == 0
    codes = mechanism.privatize(np.repeat(np.arange(7), [5000, 0, 1000, 0, 0, 4000, 0]))
    found = estimate(mechanism, mechanism.tally(codes))
    assert np.abs((found.value - [0.5, 0, 0.1, 0, 0, 0.4, 0]) / found.stderr).max() < 7
    told = BayesianFilter(Categories(range(7)), LDP("ln 9")).after(mechanism, 3).after(mechanism, 3)
    assert told.spent == pytest.approx(np.log(9), abs=1e-9)
    assert not told.accepts(mechanism)


def changed(base, **parts):
    return type("Changed", (base,), parts)(5, "1")


def less_noise(mechanism, values, stream):
    """A coin that is 30 % too seldom on the side of noise."""
    codes = RandomizedResponse._sample(mechanism, values, stream)
    return np.where(stream.next() < np.uint64(2**64 * 3 // 10), values.astype(np.uint64), codes)


def more_words(mechanism, values, stream):
    if values[0] == 0:
        stream.next()
    return RandomizedResponse._sample(mechanism, values, stream)


WRONG = {
    "weights of each value must sum": {"weight": lambda self, x, y: RandomizedResponse.weight(self, x, y) + (x == 2)},
    "weights must be integers": {"weight": lambda self, x, y: float(RandomizedResponse.weight(self, x, y))},
    "columns must hold": {"columns": lambda self: list(RandomizedResponse.columns(self))[:-1]},
    "probabilities must be": {"probabilities": lambda self: np.eye(5)},
    "forward must be": {"forward": lambda self, p: RandomizedResponse.forward(self, p)[..., ::-1]},
    "adjoint must be": {"adjoint": lambda self, w: RandomizedResponse.adjoint(self, w) + 1e-6},
    "decode, right on average": {"decode": lambda self, law: RandomizedResponse.decode(self, law) * 1.001},
    "decode_squares must be": {"decode_squares": lambda self, law: RandomizedResponse.decode_squares(self, law) * 1.1},
    "decode_powers must be": {"decode_powers": lambda self, law, power: RandomizedResponse.decode_powers(self, law, 2)},
    "contribution_range must hold": {"contribution_range": property(lambda self: (np.zeros(5), np.ones(5)))},
    "variance must be": {"variance": lambda self, p=None: RandomizedResponse.variance(self, p) * 0.99},
    "evidence must be": {"evidence": lambda self, code: RandomizedResponse.evidence(self, (code + 1) % 5)},
    "code_bits must hold": {"code_bits": 2},
    "some value can send": {"_sample": lambda self, values, stream: stream.next() * np.uint64(0) + np.uint64(9)},
    "drawn from the weights": {"_sample": less_noise},
    "as many random words": {"_sample": more_words},
}


@in_one("words", WRONG)
def test_each_wrong_part_is_named(words):
    with pytest.raises(SordinoErrors, match=words):
        check_mechanism(changed(RandomizedResponse, **WRONG[words]))


def test_all_mistakes_are_told_at_once():
    # Another channel's map has another shape.
    wrong = changed(HadamardResponse, forward=RandomizedResponse.forward, code_bits=1)
    with pytest.raises(SordinoErrors) as found:
        check_mechanism(wrong)
    assert [error.rule.split()[0] for error in found.value.errors] == ["forward", "code_bits"]


def test_a_broken_promise_and_a_large_channel():
    with pytest.raises(SordinoErrors, match="promise must hold"):
        check_mechanism(Neighbours(7), LDP("1"))
    with pytest.raises(SordinoError, match="at most 65536 entries"):
        check_mechanism(SubsetSelection(40, "1", 20))


def test_squares_of_the_dense_channel_are_those_of_its_reports():
    mechanism = Neighbours(5)
    added = mechanism.decode(np.eye(5))
    means = mechanism.probabilities() @ added**2
    found = mechanism.squares
    assert isinstance(found, Squares)
    assert found.own == pytest.approx(np.diagonal(means))
    off = [np.delete(means[:, x], x) for x in range(5)]
    assert found.least == pytest.approx([each.min() for each in off])
    assert found.most == pytest.approx([each.max() for each in off])
