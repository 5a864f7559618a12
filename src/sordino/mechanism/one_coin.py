"""Mechanisms whose only parameter is one coin: built from an epsilon, or from the threshold of a frozen plan."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Self

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

    def __init__(self, k: int, epsilon: NatsLike) -> None:
        bound = read_epsilon(epsilon)
        self._fill(k, largest_threshold(bound, heads=self._heads(k)))
        # Rounded down, the threshold of a tiny epsilon could make the truth less likely than a lie, which also tells
        # it.
        if k > 1 and bound < Nats.log(Fraction(WORD - self.threshold, self._heads(k) * self.threshold)):
            raise SordinoError(
                f"epsilon must be larger than a 64-bit coin's granularity for {k} values",
                found=repr(str(bound)),
                step="raise epsilon",
            )

    @classmethod
    def from_threshold(cls, k: int, threshold: int) -> Self:
        """The channel of a frozen plan, with its own integer; certify tells what it guarantees."""
        mechanism = cls.__new__(cls)
        mechanism._fill(k, threshold)  # noqa: SLF001 - an instance of this very class
        return mechanism

    @staticmethod
    def _heads(k: int) -> int:
        """The a in a T <= e^eps (2^64 - T)."""
        raise NotImplementedError

    def _fill(self, k: int, threshold: int) -> None:
        if not 1 <= k <= LARGEST_BOUND:
            raise SordinoError(f"a mechanism must have 1 to {LARGEST_BOUND} values", found=f"k = {k}")
        if not 0 < threshold < WORD:
            raise SordinoError("a coin's threshold must lie in 1..2^64-1", found=str(threshold))
        object.__setattr__(self, "k", k)
        object.__setattr__(self, "threshold", threshold)

    @cached_property
    def partition(self) -> Partition:
        """All values share one group."""
        return Partition(np.zeros(self.k, dtype=np.intp))
