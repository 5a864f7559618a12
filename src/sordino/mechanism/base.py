"""What every mechanism offers: a channel from values to codes made of integer weights, and its transposes.

Sampler, certificate and estimator read the same integers. The estimators of this family share one form: each value x
has a set of codes that *support* it inside a *group* of codes,

    estimate of p_x = (share of supporting codes - miss_x * share of the group) / (hit_x - miss_x),

where hit_x = Pr(support | x) and miss_x = Pr(support | group, another value of the group).
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.domain.partition import Partition
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, FiniteEvidence
from sordino.exact.source import Source, Stream, SystemSource, Words
from sordino.mechanism.aggregate import Aggregate

CHUNK = 1 << 15
"""Values privatized at a time: their words and temporaries stay in the processor's cache."""


@dataclass(frozen=True, eq=False)
class Support:
    """Weights summed over the codes that support each value.

    Attributes:
        support: shape (..., k), over the codes that support x.
        group: shape (..., k), over the codes of x's group.
    """

    support: NDArray[np.float64]
    group: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Mechanism(ABC):
    """A channel from k values to codes.

    Attributes:
        k: values are 0..k-1.
    """

    k: int

    @property
    @abstractmethod
    def outputs(self) -> int:
        """Codes are 0..outputs-1."""

    @property
    @abstractmethod
    def denominator(self) -> int:
        """Pr(code | value) = weight / denominator, in integers."""

    @property
    @abstractmethod
    def parameters(self) -> str:
        """All that defines the channel, as canonical text."""

    @property
    @abstractmethod
    def partition(self) -> Partition:
        """The values whose codes share a group: one block, unless the mechanism is blockwise."""

    @property
    @abstractmethod
    def hit(self) -> NDArray[np.float64]:
        """Shape (k,): Pr(code supports x | x)."""

    @property
    @abstractmethod
    def miss(self) -> NDArray[np.float64]:
        """Shape (k,): Pr(code supports x | another value of x's group)."""

    @abstractmethod
    def weight(self, value: int, code: int) -> int:
        """Pr(code | value) times the denominator, exactly."""

    @abstractmethod
    def columns(self) -> Iterator[ColumnClass]:
        """All outputs, in classes."""

    @abstractmethod
    def support(self, weights: NDArray[np.float64]) -> Support:
        """Weights, shape (..., outputs), summed over each value's supporting codes and over its group."""

    @abstractmethod
    def forward(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """The law of the code, shape (outputs,), of a value with law p, shape (k,)."""

    @abstractmethod
    def _sample(self, values: NDArray[np.intp], stream: Stream) -> Words:
        """One code for each value; two words for each, whatever the value."""

    @property
    def code_bits(self) -> int:
        """Bits of one report."""
        return (self.outputs - 1).bit_length()

    @cached_property
    def fingerprint(self) -> str:
        """A short hash of the parameters: equal channels, equal fingerprints."""
        return sha256(self.parameters.encode()).hexdigest()[:16]

    @property
    def total_variance(self) -> float:
        """All exact variances, summed and times n, at uniform values; infinite if nothing can be learned."""
        return float(self.variance().sum()) if np.all(self.hit > self.miss) else np.inf

    def privatize(self, values: ArrayLike, source: Source | None = None) -> Words:
        """Draw one report for each value.

        Args:
            values: whole numbers 0..k-1, shape (n,).
            source: where random words come from; fresh ones from the operating system by default. A keyed one,
                `KeyedSource(key, task).for_records(ids)`, repeats its reports.

        Returns:
            Codes, uint64, shape (n,). Every call is a new release: privatizing a value twice doubles its loss.

        Raises:
            SordinoError: a value out of range (named by position, never by value).
        """
        indices = self._checked(values)
        stream = (SystemSource() if source is None else source).stream(indices)
        codes = np.empty(len(indices), dtype=np.uint64)
        for start in range(0, len(indices), self._chunk):
            rows = slice(start, start + self._chunk)
            codes[rows] = self._sample(indices[rows], stream.take(rows))
        return codes

    def tally(self, codes: ArrayLike) -> Aggregate:
        """Count the reports.

        Raises:
            SordinoError: a code that this mechanism cannot send.
        """
        array = np.asarray(codes)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise SordinoError("codes must be whole numbers in one row", found=f"type {array.dtype}, {array.ndim} axes")
        if array.size and (int(array.max()) >= self.outputs or int(array.min()) < 0):
            position = int(np.flatnonzero((array >= self.outputs) | (array < 0))[0])
            raise SordinoError(
                f"codes must lie in 0..{self.outputs - 1}",
                found=f"another at position {position}",
                step="check that the reports belong to this plan",
            )
        counts = np.bincount(array.astype(np.int64, copy=False), minlength=self.outputs)
        return Aggregate(self.fingerprint, counts.astype(np.int64, copy=False))

    def evidence(self, code: int) -> FiniteEvidence:
        """What one report says about each value."""
        return FiniteEvidence.of_weights((self.weight(value, code) for value in range(self.k)), self.denominator)

    def adjoint(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The expected weight of the code of each value, shape (k,), for weights of shape (outputs,).

        Within its group a code is uniform on the supporting codes and uniform on the others.
        """
        sums = self.support(weights)
        sizes = self.support(np.ones(self.outputs))
        others = sizes.group - sizes.support
        with np.errstate(invalid="ignore", divide="ignore"):
            outside = np.where(others > 0, (1 - self.hit) * (sums.group - sums.support) / others, 0.0)
        return self.hit * sums.support / sizes.support + outside

    def probabilities(self) -> NDArray[np.float64]:
        """The dense channel, shape (k, outputs); for small k."""
        return np.array([[self.weight(x, y) / self.denominator for y in range(self.outputs)] for x in range(self.k)])

    def variance(self, p: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """The exact variance, times n, of each unbiased estimate, shape (k,), for independent people with law p.

        Uniform p by default. Source: context-aware LDP paper, (15)-(19), as corrected.
        """
        law = np.full(self.k, 1 / self.k) if p is None else np.asarray(p, dtype=np.float64)
        in_group = self.partition.totals(law)[self.partition.block]
        in_support = self.hit * law + self.miss * (in_group - law)
        moment = (1 - self.miss) ** 2 * in_support + self.miss**2 * (in_group - in_support)
        return moment / (self.hit - self.miss) ** 2 - law**2

    @property
    def _chunk(self) -> int:
        return CHUNK

    def _checked(self, values: ArrayLike) -> NDArray[np.intp]:
        array = np.asarray(values)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise SordinoError(
                "values must be whole numbers in one row", found=f"type {array.dtype}, {array.ndim} axes"
            )
        if array.size and (int(array.max()) >= self.k or int(array.min()) < 0):
            position = int(np.flatnonzero((array >= self.k) | (array < 0))[0])
            raise SordinoError(f"values must lie in 0..{self.k - 1}", found=f"another at position {position}")
        return array.astype(np.intp, copy=False)
