"""Signs that tell a number: a report +1 with probability 1/2 + x (T / 2^64 - 1/2), for x in [-1, 1].

The threshold of every x is a whole number, clamped to [2^64 - T, T] after all arithmetic: two numbers differ by a
factor of at most T / (2^64 - T) in either report, whatever the floats before it did, and x = 1 and x = -1 reach the
two ends exactly. T = 2^64 rounds a number to a sign without bias. The mean of the report is (2 T / 2^64 - 1) x, to
2^-53 of it and 2^-63. One word a report.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.exact.coin import WORD
from sordino.exact.source import Words

HALF = WORD // 2
"""The threshold of a fair coin."""


@dataclass(frozen=True)
class SignCoins:
    """One coin, or one for each of several statistics.

    Attributes:
        thresholds: each T, from 2^63 (nothing is told) to 2^64 (the sign of 1 and -1 is told).
    """

    thresholds: tuple[int, ...]

    def positive(
        self, numbers: NDArray[np.float64], words: Words, which: NDArray[np.intp] | None = None
    ) -> NDArray[np.bool_]:
        """Whether each report is +1.

        Args:
            numbers: in [-1, 1], shape (n,).
            words: uniform, shape (n,).
            which: the coin of each, shape (n,); the only one by default.
        """
        reached = self._wrong_below(numbers, which)
        # A uniform word read as a signed number is below -2^63 + t with probability t / 2^64.
        wrong: NDArray[np.bool_] = words.view(np.int64) < reached
        wrong ^= numbers >= 0
        return wrong

    def weight(self, number: float, coin: int = 0) -> int:
        """2^64 Pr(+1 | number), exactly: what the sampler does with it."""
        reached = self._wrong_below(np.array([number], dtype=np.float64), np.array([coin]))
        wrong = HALF + int(reached[0])
        return WORD - wrong if number >= 0 else wrong

    def weights(self, numbers: NDArray[np.float64], coin: int = 0) -> Words:
        """The weights of several numbers by one coin, whose threshold is below 2^64, shape (n,)."""
        reached = self._wrong_below(numbers, np.full(len(numbers), coin))
        half = np.uint64(HALF)
        return np.where(numbers >= 0, half - reached.view(np.uint64), half + reached.view(np.uint64))

    def _wrong_below(self, numbers: NDArray[np.float64], which: NDArray[np.intp] | None) -> NDArray[np.int64]:
        """-|x| (T - 2^63), rounded towards 0 and not below -(T - 2^63), which a word has to be below to be wrong."""
        slope, least = self._slopes, self._least
        if self._are_alike:
            slope, least = slope[:1], least[:1]
        elif which is not None:
            slope, least = slope.take(which), least.take(which)
        product = np.abs(numbers)
        # What is no number in [-1, 1] is clamped like everything else.
        with np.errstate(invalid="ignore", over="ignore"):
            product *= slope
            reached = product.astype(np.int64)
        np.clip(reached, least, 0, out=reached)
        return reached

    @cached_property
    def _slopes(self) -> NDArray[np.float64]:
        """2^63 - T as floats that are not above it, so that a number of size 1 reaches its end."""
        return np.array([-_float_up(threshold - HALF) for threshold in self.thresholds])

    @cached_property
    def _least(self) -> NDArray[np.int64]:
        return np.array([HALF - threshold for threshold in self.thresholds], dtype=np.int64)

    @cached_property
    def _are_alike(self) -> bool:
        return len(set(self.thresholds)) == 1


def _float_up(whole: int) -> float:
    nearest = float(whole)
    return nearest if int(nearest) >= whole else float(np.nextafter(nearest, np.inf))
