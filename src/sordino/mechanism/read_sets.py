"""Some of the sets that subsets meet, as values 0..k-1: those that can be read of a record, which are few of all sets.

Guarantee: that of the subsets, whose weights these are. It is what a person's filter looks at, and never drawn from.
Cost: weights of n codes on k values in n k L steps, all at once.
"""

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from sordino.exact.combinatorics.subsets import members
from sordino.exact.source import Words
from sordino.mechanism.base import Mechanism
from sordino.mechanism.meeting_subsets import MeetingSubsets


@dataclass(frozen=True, eq=False)
class ReadSets(Mechanism):
    """Subsets that meet one of some sets.

    Attributes:
        subsets: of all sets.
        sets: their values, shape (k,).
    """

    k: int = field(init=False)
    subsets: MeetingSubsets
    sets: NDArray[np.intp]

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", len(self.sets))

    @property
    def parameters(self) -> str:
        return f"{self.subsets.parameters} of the sets {sha256(self.sets.astype('<i8').tobytes()).hexdigest()}"

    @property
    def outputs(self) -> int:
        return self.subsets.outputs

    @property
    def denominator(self) -> int:
        return self.subsets.denominator

    def weight(self, value: int, code: int) -> int:
        return self.subsets.weight(int(self.sets[value]), code)

    @property
    def weight_ends(self) -> tuple[int, int]:
        return self.subsets.weight_ends

    def marks(self, codes: Words) -> tuple[tuple[int, ...], NDArray[np.integer]]:
        """The two weights, and whether each code meets each set, shape (n, k)."""
        own, items = self.subsets, self.subsets.items
        held = np.zeros((len(codes), items), dtype=np.int16)
        np.put_along_axis(held, members(codes, items, own.size), 1, axis=1)
        shared = np.zeros((len(codes), self.k), dtype=np.int16)
        for place in self._members.T:
            shared += held[:, place]
        return own.weights, (shared >= own.least).astype(np.int8)

    @cached_property
    def _members(self) -> NDArray[np.intp]:
        """The items of each set, shape (k, L)."""
        return members(self.sets.view(np.uint64), self.subsets.items, self.subsets.chosen)
