"""The columns of a finite mechanism: the exact weights of each output, and their logarithms.

A filter looks at what every possible output would say. Few different weights occur in a mechanism, so they are kept
once, and each output's weights are places among them. A factor common to all weights of an output tells nothing about
the value, so weights stand for probabilities.
Units: nats. Cost: outputs x values marks, once for each mechanism; they are never looked at one by one.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.definition.pairwise import LDP
from sordino.definition.prior import log_of
from sordino.errors import SordinoError
from sordino.evidence.finite import FiniteEvidence, reach_of
from sordino.exact.floats import Floats
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism

LISTED = 1 << 21
"""Largest number of weights of a mechanism that are read."""

ROWS = 1 << 16
"""Numbers worked on at a time: they stay in the processor's cache."""


@dataclass(frozen=True, eq=False)
class Columns:
    """Some outputs of a mechanism.

    Attributes:
        distinct: the different whole weights, ascending.
        place: where each weight stands among them, shape (outputs, k).
    """

    distinct: tuple[int, ...]
    place: NDArray[np.integer]

    @classmethod
    def of(cls, mechanism: Mechanism, codes: ArrayLike | None = None) -> "Columns":
        """The columns of some codes, by default of all."""
        if codes is None and not can_list(mechanism):
            raise SordinoError(f"at most {LISTED} weights can be listed", found=f"{mechanism.outputs} x {mechanism.k}")
        asked = np.arange(mechanism.outputs, dtype=np.uint64) if codes is None else np.asarray(codes, dtype=np.uint64)
        number: dict[int, int] = {}
        found = []
        for rows in parts(len(asked), mechanism.k):
            weights, marks = mechanism.marks(asked[rows])
            own = [number.setdefault(int(weight), len(number)) for weight in weights]
            # Few different weights: a byte holds a place among them.
            found.append((own, marks.astype(np.min_scalar_type(len(weights)), copy=False)))
        ascending = sorted(number)
        rank = np.empty(len(number), dtype=np.min_scalar_type(len(number)))
        rank[[number[weight] for weight in ascending]] = np.arange(len(number))
        place: NDArray[Any] = np.empty((len(asked), mechanism.k), dtype=rank.dtype)
        for rows, (own, marks) in zip(parts(len(asked), mechanism.k), found, strict=True):
            np.take(rank[own], marks, out=place[rows], mode="clip")
        # Of no codes at all nothing is told: one weight stands for all.
        return cls(tuple(ascending) or (1,), place)

    @cached_property
    def logs(self) -> Floats:
        """Shape (outputs, k): the logarithm of each weight's ratio to the largest of all; minus infinity for zero."""
        return np.take(self.logarithms, self.place, mode="clip")

    @cached_property
    def logarithms(self) -> Floats:
        largest = self.distinct[-1]
        return np.array([log_of(weight, largest) for weight in self.distinct])

    @cached_property
    def reach(self) -> float:
        """The largest finite distance of a logarithm from 0."""
        return reach_of(self.logarithms)

    @cached_property
    def radius(self) -> float:
        """Nats: how far each finite logarithm may be off."""
        several = np.count_nonzero(np.isfinite(self.logarithms)) > 1
        return 4 * math.ulp(max(self.reach, 1.0)) if several else 0.0

    def evidence(self, column: int) -> FiniteEvidence:
        return FiniteEvidence(self.logarithms[self.place[column]], self.radius)

    def weights(self, column: int) -> NDArray[np.object_]:
        """The whole weights of one output, shape (k,)."""
        distinct: NDArray[np.object_] = np.array(self.distinct, dtype=object)
        weights: NDArray[np.object_] = distinct[self.place[column]]
        return weights


def can_list(mechanism: Mechanism) -> bool:
    """Whether all weights of a mechanism are few enough to be kept."""
    return mechanism.outputs * mechanism.k <= LISTED


def parts(n: int, k: int) -> Iterator[slice]:
    """Rows of k numbers, so many at a time that they stay in the processor's cache."""
    step = max(ROWS // k, 1)
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))


Ratio: TypeAlias = Fraction | None
"""How much likelier reports are under one hypothesis than under another; None where the other excludes them."""


def epsilon_ratio(mechanism: Mechanism) -> Ratio:
    """e^epsilon of the least epsilon that a mechanism satisfies under LDP, exactly."""
    if mechanism.weight_ends is not None:
        return ratio_of(*mechanism.weight_ends)
    most: Ratio = Fraction(1)
    anything = LDP(0)
    for stack in mechanism.stacks():
        for column in anything.distinct(stack):
            for extreme in anything.extremes(column):
                most = larger(most, ratio_of(extreme.heavy, extreme.light))
    return most


def larger(first: Ratio, second: Ratio) -> Ratio:
    """The larger of two; None is infinite."""
    return None if first is None or second is None else max(first, second)


def level_above(ratios: Sequence[Ratio]) -> Floats:
    """Logarithms in nats, rounded up."""
    above = {ratio: math.inf if ratio is None else Nats.log(ratio).ceil() for ratio in set(ratios)}
    return np.array([above[ratio] for ratio in ratios])


def ratio_of(heavy: int, light: int) -> Ratio:
    """Of two weights; 1 where the first is 0, which favours nothing."""
    if not heavy:
        return Fraction(1)
    return Fraction(heavy, light) if light else None
