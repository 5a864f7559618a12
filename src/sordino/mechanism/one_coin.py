"""Mechanisms with one coin: built from an epsilon, or from the threshold of a frozen plan."""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from sordino.definition.pairwise import read_epsilon
from sordino.domain.partition import Partition
from sordino.errors import SordinoError
from sordino.exact.coin import WORD, largest_threshold
from sordino.exact.nats import Nats, NatsLike
from sordino.exact.source import LARGEST_BOUND
from sordino.mechanism.base import Mechanism


@dataclass(frozen=True, init=False)
class OneCoin(Mechanism):
    """A mechanism over one group of k values with one coin.

    Attributes:
        threshold: the coin's T: a code supports the value with probability T / 2^64.
    """

    threshold: int

    @property
    @abstractmethod
    def odds(self) -> tuple[int, int]:
        """The a and b of a T <= e^eps b (2^64 - T): what one unit of heads and of tails weighs on one code."""

    @property
    def record(self) -> dict[str, int]:
        """The integers that freeze the channel: the arguments of `from_threshold`."""
        return {"k": self.k, "threshold": self.threshold}

    @cached_property
    def partition(self) -> Partition:
        """All values share one group."""
        return Partition(np.zeros(self.k, dtype=np.intp))

    def _set_size(self, k: int) -> None:
        if not 1 <= k <= LARGEST_BOUND:
            raise SordinoError(f"a mechanism must have 1 to {LARGEST_BOUND} values", found=f"k = {k}")
        object.__setattr__(self, "k", k)

    def _set_threshold(self, threshold: int) -> None:
        if not 0 < threshold < WORD:
            raise SordinoError("a coin's threshold must lie in 1..2^64-1", found=str(threshold))
        object.__setattr__(self, "threshold", threshold)

    def _set_epsilon(self, epsilon: NatsLike) -> None:
        """The largest threshold of an epsilon; the size must be set."""
        bound = read_epsilon(epsilon)
        heads, tails = self.odds
        self._set_threshold(largest_threshold(bound, heads, tails))
        # Rounded down, the threshold of a tiny epsilon could make the truth less likely than a lie, which also tells
        # it.
        if self.k > 1 and bound < Nats.log(Fraction(tails * (WORD - self.threshold), heads * self.threshold)):
            raise SordinoError(
                f"epsilon must be larger than a 64-bit coin's granularity for {self.k} values",
                found=repr(str(bound)),
                step="raise epsilon",
            )
