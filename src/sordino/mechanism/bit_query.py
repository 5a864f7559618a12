"""Questions about a number that is affine in the record, answered by one bit: what all of them share.

The statistic v = theta . x + intercept becomes a share s(v) in [0, 1] of the way from the lower to the upper end; the
answer is 1 (the upper end) where a random word is below the threshold (2^64 - T) + floor(s (2T - 2^64)), clamped into
[2^64 - T, T] after all float arithmetic. Guarantee: exactly epsilon-LDP for all records whatever the floats did, as T
is the largest integer with T <= e^epsilon (2^64 - T). Units: nats; records are float64 of shape (n, d), or (d,).
Source: Bayesian privacy filter paper, (8), and (9) as corrected. Cost: one coin; two words a record, as everywhere.
"""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.definition.bounds import read_epsilon
from sordino.domain.box import Box, read_records
from sordino.domain.interval import read_number
from sordino.errors import SordinoError
from sordino.evidence.box import UNIT, BoxEvidence
from sordino.exact.coin import WORD, largest_threshold
from sordino.exact.messages.brief import shown
from sordino.exact.nats import Nats, NatsLike
from sordino.exact.select import select, whole
from sordino.exact.source import Stream, Words
from sordino.exact.steady import steady
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.channel import Channel

MOST_TOLD = 44.4
"""Above 64 ln 2 nats, the odds of 2^64 - 1 words to one."""


@dataclass(frozen=True, init=False)
class BitQuery(Channel):
    """A question about an affine statistic, answered by one bit.

    Attributes:
        theta: the d coefficients.
        intercept: what is added.
        epsilon: the most that the answer may tell.
        threshold: the coin's T.
    """

    theta: tuple[float, ...]
    intercept: float
    epsilon: Nats
    threshold: int

    @property
    @abstractmethod
    def ends(self) -> tuple[float, float]:
        """What the answers 0 and 1 stand for."""

    @abstractmethod
    def share(self, statistic: NDArray[np.float64]) -> NDArray[np.float64]:
        """How far each statistic is from the lower to the upper end, within [0, 1]."""

    @abstractmethod
    def evidence(self, box: Box, code: int) -> BoxEvidence:
        """What one answer says about a record in the box.

        Raises:
            SordinoError: a box of another number of numbers, or one that the question does not fit.
        """

    def require_fit(self, box: Box) -> None:
        """Check that the question can be asked about every record in the box.

        Raises:
            SordinoError: a box of another number of numbers, or one that the question does not fit.
        """
        if box.d != self.d:
            raise SordinoError("theta must have as many numbers as a record", found=f"{self.d} and {box.d}")

    @property
    def d(self) -> int:
        """How many numbers a record has."""
        return len(self.theta)

    @property
    def outputs(self) -> int:
        """One bit."""
        return 2

    @property
    def parameters(self) -> str:
        """All that defines the channel, as canonical text."""
        numbers = " ".join(number.hex() for number in (*self.theta, self.intercept, *self.ends))
        return f"{type(self).__name__} {numbers} threshold={self.threshold}"

    @property
    def informative(self) -> bool:
        """Whether the answer depends on the record."""
        return self.span > 0

    @property
    def span(self) -> int:
        """2T - 2^64: how much more often the upper end is answered at the upper than at the lower end."""
        return 2 * self.threshold - WORD

    def checked(self, values: ArrayLike) -> NDArray[Any]:
        """The records as float64, shape (n, d).

        Raises:
            SordinoError: other than d finite numbers for each person (named by position, never by value).
        """
        return read_records(values, self.d)

    @steady
    def statistic(self, records: NDArray[np.float64]) -> NDArray[np.float64]:
        """The statistic of each record, shape (n,); summed in order, so that no batch changes a report."""
        total = np.full(len(records), self.intercept)
        for coefficient, numbers in zip(self.theta, records.T, strict=True):
            total += coefficient * numbers
        return total

    @steady
    def thresholds(self, records: NDArray[np.float64]) -> Words:
        """The integer that each record's word is compared with: Pr(1 | record) is this over 2^64, exactly."""
        share = self.share(self.statistic(records))
        # At the upper end the product may round down by 2^-53, or up to 2^64, which is no 64-bit word.
        product = np.minimum(share * float(self.span), np.nextafter(2.0**64, 0))
        span = np.uint64(self.span)
        result: Words = np.uint64(WORD - self.threshold) + np.minimum(select(share >= 1, span, whole(product)), span)
        return result

    def mean(self, aggregate: Aggregate) -> float:
        """The unbiased estimate of the mean of the statistic, from the tally of the answers.

        Source: Bayesian privacy filter paper, (9), as corrected: the estimate is affine in the share of answers 1.

        Raises:
            SordinoError: another question's tally, no answers, or answers that tell nothing.
        """
        low, high = self.ends
        return low + (high - low) * (self._share_of_ones(aggregate) * WORD - (WORD - self.threshold)) / self.span

    def standard_error(self, aggregate: Aggregate) -> float:
        """The estimated standard error of `mean`, for independent people."""
        ones, (low, high) = self._share_of_ones(aggregate), self.ends
        return (high - low) * WORD / self.span * sqrt(ones * (1 - ones) / aggregate.n)

    def _share_of_ones(self, aggregate: Aggregate) -> float:
        if aggregate.fingerprint != self.fingerprint:
            raise SordinoError("an estimate needs the tally of its own question", found="another's")
        if not (self.informative and aggregate.n):
            raise SordinoError("an estimate needs answers that depend on the records", found=f"{aggregate.n} answers")
        return float(aggregate.counts[1] / aggregate.n)

    def _sample(self, values: NDArray[Any], stream: Stream) -> Words:
        word = stream.next()
        stream.next()
        return (word < self.thresholds(values)).astype(np.uint64)

    def _set_form(self, theta: Iterable[float], intercept: float, epsilon: NatsLike) -> None:
        """Check and set the fields of the class."""
        if isinstance(theta, str | bytes) or not isinstance(theta, Iterable):
            raise SordinoError("theta must be a list of numbers", found=type(theta).__name__)
        numbers = tuple(read_number(number, f"theta[{j}]") for j, number in enumerate(theta))
        if not numbers:
            raise SordinoError("theta must have at least one number", found="none")
        object.__setattr__(self, "theta", numbers)
        object.__setattr__(self, "intercept", read_number(intercept, "the intercept"))
        object.__setattr__(self, "epsilon", read_epsilon(epsilon))
        object.__setattr__(self, "threshold", _coin(self.epsilon)[0])

    def _require_code(self, code: int) -> None:
        if code not in (0, 1):
            raise SordinoError("an answer must be 0 or 1", found=shown(code))

    def _size(self, box: Box) -> float:
        """The largest sum of absolute values on the way to the statistic: what its rounding is relative to."""
        return float(np.abs(self._coefficients) @ box.largest) + abs(self.intercept)

    def _radius(self, off: float) -> float:
        """How far ln Pr(answer) may be from that of shares that are off by so much, in nats."""
        low, span = (WORD - self.threshold) / WORD, self.span / WORD
        relative = (span * (off + 8 * UNIT) + 2.0**-62) / low
        return relative / (1 - relative) if relative < 1 else np.inf

    @cached_property
    def level(self) -> float:
        """Nats, rounded up: epsilon, or what any coin can tell at most where that is less."""
        return _coin(self.epsilon)[1]

    @cached_property
    def _coefficients(self) -> NDArray[np.float64]:
        return np.array(self.theta)


def coin_weights(threshold: int) -> NDArray[np.float64]:
    """Pr(1) at the lower end, and how much more it is at the upper end; shape (2, 1)."""
    return np.array([[(WORD - threshold) / WORD], [(2 * threshold - WORD) / WORD]])


@lru_cache(maxsize=256)
def _coin(epsilon: Nats) -> tuple[int, float]:
    """The threshold of an epsilon, and its level; the questions of a stream have few epsilons."""
    return largest_threshold(epsilon), min(epsilon.ceil(), MOST_TOLD)


def statistic_rounding(d: int) -> float:
    """Relative to `_size`: what summing d products and a constant in any order may be off by, and then some."""
    return (d + 16) * 4 * UNIT
