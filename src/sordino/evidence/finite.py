"""Evidence about a value of a finite domain: the function x -> ln Pr(V | x) of a set of reports V.

`FiniteEvidence` holds it in floats with a certified radius, for filters and odometers, where reports accumulate.
`ColumnClass` holds it in exact integers for whole classes of single outputs, and `ColumnStack` for many such classes
that differ in nothing but their values, for certificates.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError

LOG_ULPS = 2
"""Units in the last place by which a float logarithm of an integer may be off (platform libraries stay within one)."""


@dataclass(frozen=True, eq=False)
class FiniteEvidence:
    """What reports say about each value.

    Source: Bayesian privacy filter paper, (27): the products of probabilities whose ratio is the loss.

    Attributes:
        log: float64, shape (k,): ln Pr(V | x); minus infinity where V is impossible.
        radius: nats; each finite entry is within this of the truth.

    Reports with fresh randomness about an unchanged value add: `first + second`.

    Example:
        >>> report = FiniteEvidence.of_weights([3, 1], 4)
        >>> (report + report).log.round(4).tolist()
        [-0.5754, -2.7726]
    """

    log: NDArray[np.float64]
    radius: float = 0.0

    @classmethod
    def of_weights(cls, weights: Iterable[int], denominator: int) -> "FiniteEvidence":
        """The evidence of one output whose probabilities are weight / denominator."""
        scale = math.log(denominator)
        log = np.array([math.log(w) - scale if w else -math.inf for w in weights])
        largest = scale + reach_of(log)
        return cls(log, 3 * LOG_ULPS * math.ulp(largest))

    @classmethod
    def of_no_reports(cls, k: int) -> "FiniteEvidence":
        return cls(np.zeros(k))

    @cached_property
    def reach(self) -> float:
        """The largest finite distance of an entry from 0."""
        return reach_of(self.log)

    @property
    def without_constant(self) -> "FiniteEvidence":
        """The same with 0 as its largest entry: a factor common to all values tells nothing, and costs precision."""
        largest = float(self.log.max())
        if largest == 0 or math.isinf(largest):
            return self
        log = self.log - largest
        return FiniteEvidence(log, math.nextafter(self.radius + math.ulp(reach_of(log)), math.inf))

    def __add__(self, other: "FiniteEvidence") -> "FiniteEvidence":
        """The evidence of both sets of reports together; the radius covers the rounding of the sum."""
        if self.log.shape != other.log.shape:
            raise SordinoError(
                "evidence adds over one domain", found=f"{len(self.log)} values and {len(other.log)} values"
            )
        log = self.log + other.log
        rounding = math.ulp(reach_of(log))
        return FiniteEvidence(log, math.nextafter(self.radius + other.radius + rounding, math.inf))


def reach_of(log: NDArray[np.float64]) -> float:
    """The largest finite distance of a logarithm from 0."""
    return float(np.abs(log[np.isfinite(log)]).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class ValueClass:
    """Values that a class of outputs treats alike.

    Attributes:
        values: shape (size,), the indices of the values.
        weights: pairs (weight, outputs): *each* of the values has the integer weight on exactly that many of the
        outputs.
        shared: of two weights, on how many of the outputs any two of the values both have the first one, and any three
        if that is known; empty where pairs of values differ in it.
    """

    values: NDArray[np.intp]
    weights: tuple[tuple[int, int], ...]
    shared: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class ColumnClass:
    """Outputs with evidence of one shape, in exact integers over the mechanism's denominator.

    Attributes:
        k: the number of values of the domain.
        count: how many outputs.
        code: one of them, on which the class's largest ratio is attained.
        parts: the values by treatment; a value in no part has weight zero on all of these outputs.
    """

    k: int
    count: int
    code: int
    parts: tuple[ValueClass, ...]


@dataclass(frozen=True, eq=False)
class ColumnStack:
    """Classes of outputs that are alike but for their values and codes: those of all blocks of one size.

    Attributes:
        k: the number of values of the domain.
        count: how many outputs each class has.
        codes: one output of each class, as `ColumnClass.code`.
        parts: the values of each class by treatment, shape (classes, size); no value stands in two classes, or twice.
    """

    k: int
    count: int
    codes: Sequence[int]
    parts: tuple[ValueClass, ...]

    @classmethod
    def of(cls, column: ColumnClass) -> "ColumnStack":
        """A class by itself."""
        parts = tuple(ValueClass(part.values[np.newaxis], part.weights, part.shared) for part in column.parts)
        return cls(column.k, column.count, (column.code,), parts)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, place: int) -> ColumnClass:
        parts = tuple(ValueClass(part.values[place], part.weights, part.shared) for part in self.parts)
        return ColumnClass(self.k, self.count, self.codes[place], parts)

    def __iter__(self) -> Iterator[ColumnClass]:
        return (self[place] for place in range(len(self)))
