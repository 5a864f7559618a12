"""One number in [-1, 1] by one bit.

Guarantee: epsilon-LDP, exactly: Pr(1 | x) is a whole number over 2^64, clamped to [2^64 - T, T], with T the largest
coin that epsilon allows. Pr(1 | x) = 1/2 + x tanh(epsilon / 2) / 2. The estimate of a mean is that of 2 bit - 1 times
C = 2^64 / (2 T - 2^64) = coth(epsilon / 2); n Var = C^2 - mean^2, the least of all unbiased estimates for small
epsilon. Cost: one word a number.
Source: Duchi, Jordan and Wainwright 2018, for one dimension; also the response of the BCDP paper to one number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounds import read_epsilon
from sordino.definition.sampling import Answer, AnswerType
from sordino.domain.statistic import Moments
from sordino.exact.coin import WORD, largest_threshold
from sordino.exact.messages.arguments import checked, checked_class
from sordino.exact.nats import Nats, NatsLike
from sordino.exact.sign import HALF, SignCoins
from sordino.exact.source import Stream, Words
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.number import NumberChannel
from sordino.mechanism.signed import (
    bit_level,
    bit_scale,
    means_of_signs,
    read_threshold,
    require_informative,
    variances_of_signs,
)


@checked_class
@dataclass(frozen=True, init=False)
class OneBit(NumberChannel):
    """A number in [-1, 1] to a bit.

    Attributes:
        threshold: the coin's T: of x = 1 the bit is 1 with probability T / 2^64, of x = -1 it is 0 with that.

    Example:
        >>> mechanism = OneBit("ln 3")
        >>> float(mechanism.scale), mechanism.noise()
        (2.0, array([4.]))
    """

    threshold: int

    def __init__(self, epsilon: NatsLike) -> None:
        self._set(largest_threshold(read_epsilon(epsilon)))

    @classmethod
    @checked
    def from_threshold(cls, threshold: int) -> Self:
        """The channel of a frozen plan, with its own integer; `level` tells what it guarantees."""
        mechanism = cls.__new__(cls)
        mechanism._set(threshold)
        return mechanism

    def _set(self, threshold: int) -> None:
        object.__setattr__(self, "threshold", read_threshold(threshold))

    @property
    def level(self) -> Nats:
        """The loss of a report at most, exactly: between -1 and 1, and less between any two other numbers."""
        return bit_level(self.threshold)

    @property
    def ends(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The weights of the two codes at x = -1 and x = 1, as a `ChannelTable` reads them.

        The weights of every other number lie between: whatever holds for these two rows holds for all numbers.
        """
        least, most = (self._coin.weight(end) for end in (-1.0, 1.0))
        return (WORD - least, least), (WORD - most, most)

    def codes(self, which: int) -> Sequence[int]:  # noqa: ARG002 - there is one type
        """Both."""
        return range(2)

    def probability(self, record: Sequence[float], code: int) -> Fraction:
        """Pr(code | record), in the integers of the sampler."""
        one = Fraction(self._coin.weight(record[0]), WORD)
        return one if code else 1 - one

    @property
    def scale(self) -> Fraction:
        """C, the inverse of the mean of 2 bit - 1 at x = 1."""
        return bit_scale(self.threshold)

    @property
    def parameters(self) -> str:
        """All that defines the channel, as canonical text."""
        return f"one-bit threshold={self.threshold}"

    @property
    def moments(self) -> Moments:
        """The number itself."""
        return Moments.first(1)

    @property
    def types(self) -> tuple[AnswerType, ...]:
        """Everybody gives the one answer."""
        return ((Answer(((0,),), self.level, linear=True),),)

    @property
    def outputs(self) -> int:
        """A bit."""
        return 2

    @property
    def informative(self) -> bool:
        """Whether the bit depends on the number."""
        return self.threshold > HALF

    def means(self, aggregate: Aggregate) -> NDArray[np.float64]:
        """C times the mean of 2 bit - 1, shape (1,)."""
        return means_of_signs(self._signs(aggregate), self._scales, self.moments.names)

    def covariance(self, aggregate: Aggregate) -> NDArray[np.float64]:
        """(C^2 - mean^2) / (n - 1), shape (1, 1)."""
        return np.diag(variances_of_signs(self._signs(aggregate), self._scales, self.moments.names))

    def noise(self) -> NDArray[np.float64]:
        """C^2."""
        require_informative(self.informative)
        return self._scales**2

    def _sample(self, values: NDArray[np.float64], stream: Stream) -> Words:
        return self._coin.positive(values[:, 0], stream.next()).astype(np.uint64)

    def _signs(self, aggregate: Aggregate) -> NDArray[np.int64]:
        return self.own_counts(aggregate).reshape(1, 2)

    @cached_property
    def _scales(self) -> NDArray[np.float64]:
        require_informative(self.informative)
        return np.array([float(self.scale)])

    @cached_property
    def _coin(self) -> SignCoins:
        return SignCoins((self.threshold,))
