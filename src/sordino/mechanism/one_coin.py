"""Mechanisms with one coin: built from an epsilon, or from the threshold of a frozen plan.

Each value has as many supporting codes as every other, and as many others; the coin chooses between the two, and the
code is uniform on either side.
"""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounds import read_epsilon
from sordino.errors import SordinoError
from sordino.exact.coin import WORD, largest_threshold
from sordino.exact.messages import shown
from sordino.exact.nats import Nats, NatsLike
from sordino.exact.source import LARGEST_BOUND, Stream, Words
from sordino.mechanism.base import Squares
from sordino.mechanism.draws.code_sets import CodeSet, draw_side
from sordino.mechanism.supported import Reading, SupportMechanism


@dataclass(frozen=True, init=False)
class OneCoin(SupportMechanism):
    """A mechanism over one group of k values with one coin.

    Attributes:
        threshold: the coin's T: a code supports the value with probability T / 2^64.
    """

    threshold: int

    @property
    @abstractmethod
    def sides(self) -> tuple[int, int]:
        """How many codes support a value, and how many others can be sent."""

    @cached_property
    def hit(self) -> NDArray[np.float64]:
        """Shape (k,): Pr(code supports x | x), T / 2^64."""
        return np.broadcast_to(np.float64(self.threshold / WORD), self.k)

    @property
    @abstractmethod
    def miss(self) -> NDArray[np.float64]:
        """Shape (k,): Pr(code supports x | another value)."""

    @property
    def support_sizes(self) -> NDArray[np.float64]:
        """How many values each code supports, shape (outputs,); 1 unless the mechanism says otherwise."""
        return np.ones(self.outputs)

    @cached_property
    def code_set(self) -> CodeSet:
        """The codes that support each value."""
        return self.program.code_set

    def sample_uniform(self, stream: Stream) -> Words:
        """A uniform code of those that can be sent, for each value of the stream; one word for each."""
        return self.code_set.uniform(stream)

    def _sample(self, values: NDArray[np.intp], stream: Stream) -> Words:
        # What the draw says, with the set's own tables.
        return draw_side(self.code_set, self.threshold, values, stream)

    @abstractmethod
    def supports(self, codes: Words) -> NDArray[np.bool_]:
        """Whether each code supports each value, shape (n, k), of codes that can be sent."""

    def marks(self, codes: Words) -> tuple[tuple[int, ...], NDArray[np.integer]]:
        """A weight where the code supports the value and one where not, each looked up once; 0 for what is not sent."""
        marks = self.supports(codes).astype(np.int8)
        sendable = ~self.are_impossible(codes)
        marks[~sendable] = 2
        weights = [0, 0, 0]
        for mark in range(2) if marks.size else ():
            place = int((marks == mark).argmax())
            if marks.flat[place] == mark:
                weights[mark] = self.weight(place % self.k, int(codes[place // self.k]))
        return tuple(weights), marks

    @property
    def odds(self) -> tuple[int, int]:
        """The a and b of a T <= e^eps b (2^64 - T): heads are shared by the codes that support, tails by the others."""
        on, off = self.sides
        return max(off, 1), on

    @property
    def record(self) -> dict[str, Any]:
        return {"k": self.k, "threshold": str(self.threshold)}

    @cached_property
    def reading(self) -> Reading:
        return self._reading_of_one.spread(self.k)

    @property
    def squares(self) -> Squares:
        one = self._reading_of_one.squares
        own, least, most = (np.broadcast_to(part[0], self.k) for part in (one.own, one.least, one.most))
        return Squares(own, least, most)

    @property
    def _reading_of_one(self) -> Reading:
        return Reading.of(self.hit[:1], self.miss[:1], alone=self.sides[1] == 0)

    @cached_property
    def excess(self) -> NDArray[np.float64] | None:
        self._require_informative()
        on, off = self.reading.on[0], self.reading.off[0]
        excess: NDArray[np.float64] = ((on - off) * self.support_sizes + self.k * off - 1) / self.k
        return excess

    def unbiased_rows(self, functionals: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.code_values(functionals)

    def code_values(self, functional: NDArray[np.float64]) -> NDArray[np.float64]:
        """By the sum of the functional over the values that each code supports, which the channel itself adds up.

        A supported value has the probability a on a code, another one b: with the functional in the place of the law
        the code's expected counter is a times the sum over the supported values and b times the rest. Of several
        functionals, shape (..., k), it is worked out for all at once.
        """
        if not self.counts_codes:
            return super().code_values(functional)
        self._require_informative()
        total, (on, off) = functional.sum(axis=-1, keepdims=True), self.sides
        hit = float(self.hit[0])
        supported, other = hit / on, (1 - hit) / off if off else 0.0
        sums = (self.forward(functional) - other * total) / (supported - other)
        against = float(self.reading.against[0])
        contributions: NDArray[np.float64] = against * total + (float(self.reading.on[0]) - against) * sums
        return contributions

    def adjoint(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        sums, (on, off) = self.support(weights), self.sides
        outside = (1 - self.hit) * (sums.group - sums.support) / off if off else 0.0
        return self.hit * sums.support / on + outside

    def moment(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """In closed form, shape (..., k) for laws of shape (..., k), which may add up to less than 1."""
        self._require_informative()
        total = p.sum(axis=-1, keepdims=True)
        in_support = self.hit * p + self.miss * (total - p)
        moment: NDArray[np.float64] = self.reading.on**2 * in_support + self.reading.off**2 * (total - in_support)
        return moment

    def _set_size(self, k: int) -> None:
        if not 1 <= k <= LARGEST_BOUND:
            raise SordinoError(f"a mechanism must have 1 to {LARGEST_BOUND} values", found=f"k = {shown(k)}")
        object.__setattr__(self, "k", k)

    def _set_threshold(self, threshold: int) -> None:
        if not 0 < threshold < WORD:
            raise SordinoError("a coin's threshold must lie in 1..2^64-1", found=shown(threshold))
        object.__setattr__(self, "threshold", threshold)

    def _set_epsilon(self, epsilon: NatsLike) -> None:
        """The largest threshold of an epsilon; the size must be set."""
        bound = read_epsilon(epsilon)
        heads, tails = self.odds
        self._set_threshold(largest_threshold(bound, heads, tails))
        # Rounded down, the threshold of a tiny epsilon could make the truth less likely than a lie, which also tells
        # it.
        if self.k > 1 and bound < Nats.log(Fraction(tails * (WORD - self.threshold), heads * self.threshold)):
            rule = f"epsilon must be larger than a 64-bit coin's granularity for {self.k} values"
            raise SordinoError(rule, found=repr(str(bound)), step="raise epsilon")
