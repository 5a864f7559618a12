"""What every mechanism offers: a channel from values to codes made of integer weights, and what its tally tells.

Sampler, certificate and estimator read the same integers. A tally is a vector of counters that add: how often each code
was sent, or where codes are too many for that, what the estimator needs of them. `forward` and `adjoint` are the
channel as a linear map from values to expected counters. An estimate of the share of x is the mean over the reports of
a function g_x(code) with E[g_x | x'] = 1{x = x'}; `decode` and `decode_squares` give the means of g_x and g_x^2, both
linear in the counters.
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

LARGEST_CODE_BITS = 64
"""Bits of a report at most."""

CHUNK = 1 << 15
"""Values privatized at a time: their words and temporaries stay in the processor's cache."""


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
        """Codes are numbers in 0..outputs-1."""

    @property
    @abstractmethod
    def denominator(self) -> int:
        """Pr(code | value) = weight / denominator, in integers."""

    @property
    @abstractmethod
    def parameters(self) -> str:
        """All that defines the channel, as canonical text."""

    @abstractmethod
    def weight(self, value: int, code: int) -> int:
        """Pr(code | value) times the denominator, exactly."""

    @abstractmethod
    def columns(self) -> Iterator[ColumnClass]:
        """All codes that can be sent, in classes."""

    @abstractmethod
    def forward(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """The expected counters of one report, shape (counters,), of a value with law p, shape (k,)."""

    @abstractmethod
    def adjoint(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The expected weight of each value's counters, shape (k,), for weights of shape (counters,)."""

    @property
    @abstractmethod
    def informative(self) -> bool:
        """Whether reports depend on the values, so that there is an unbiased estimate."""

    @abstractmethod
    def decode(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of each g_x, shape (..., k), of counters per report, shape (..., counters)."""

    @abstractmethod
    def decode_squares(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of each g_x squared, shape (..., k), of counters per report, shape (..., counters)."""

    @property
    @abstractmethod
    def swing(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the largest g_x(code) over all codes, shape (k,) each."""

    @abstractmethod
    def _sample(self, values: NDArray[np.intp], stream: Stream) -> Words:
        """One code for each value; as many words for each, whatever the value."""

    @property
    def counters(self) -> int:
        """The length of a tally: one counter a code, unless the mechanism says otherwise."""
        return self.outputs

    @property
    def counts_codes(self) -> bool:
        """Whether a tally says how often each code was sent."""
        return self.counters == self.outputs

    @property
    def partition(self) -> Partition:
        """The blocks that every report tells; one block of all values, unless the mechanism is blockwise."""
        return Partition(np.zeros(self.k, dtype=np.intp))

    @property
    def excess(self) -> NDArray[np.float64] | None:
        """For each counter, (the sum over the block of g_x - 1) / size of the block, shape (counters,).

        None where the counters do not tell it: estimates then cannot be shifted to their block's share.
        """
        return None

    @property
    def block_of_counter(self) -> NDArray[np.intp]:
        """The block of the partition that each counter is about, shape (counters,)."""
        return np.zeros(self.counters, dtype=np.intp)

    def reports(self, counters: NDArray[np.integer]) -> int:
        """How many reports a tally holds."""
        return int(counters.sum())

    def possible(self, counters: NDArray[np.integer]) -> bool:
        """Whether reports can add up to these tallies, shape (..., counters), of numbers >= 0."""
        del counters
        return True

    def block_shares(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
        """The share of the reports from each block of the partition, shape (m,), of counters per report."""
        total: NDArray[np.float64] = law.sum(axis=-1, keepdims=True)
        return total

    def impossible(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Whether each code below `outputs` is one that no value can send."""
        return np.zeros(len(codes), dtype=np.bool_)

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
        return float(self.variance().sum()) if self.informative else np.inf

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
        indices = self.checked(values)
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
        array = read_codes(codes)
        position = self.first_invalid(array)
        if position is not None:
            raise foreign_code(self.outputs, position)
        zeros = np.zeros(len(array), dtype=np.intp)
        counts = self._count(array.astype(np.uint64, copy=False), zeros, 1)[0]
        return Aggregate(self.fingerprint, len(array), counts)

    def first_invalid(self, codes: NDArray[np.integer]) -> int | None:
        """The position of the first code that the mechanism cannot send."""
        if not codes.size:
            return None
        wrong = np.zeros(len(codes), dtype=np.bool_)
        if int(codes.max()) >= self.outputs or int(codes.min()) < 0:
            wrong = (codes >= self.outputs) | (codes < 0)
        inside = codes[~wrong]
        wrong[~wrong] = self.impossible(inside)
        return int(np.argmax(wrong)) if wrong.any() else None

    def _count(self, codes: Words, group: NDArray[np.intp], groups: int) -> NDArray[np.int64]:
        """The tallies of several groups of reports, shape (groups, counters); `group` says whose each code is."""
        at = codes.astype(np.int64, copy=False)
        if groups > 1:
            at = group * self.outputs + at
        counts = np.bincount(at, minlength=groups * self.outputs).astype(np.int64, copy=False)
        return counts.reshape(groups, self.outputs)

    def evidence(self, code: int) -> FiniteEvidence:
        """What one report says about each value."""
        return FiniteEvidence.of_weights((self.weight(value, code) for value in range(self.k)), self.denominator)

    def probabilities(self) -> NDArray[np.float64]:
        """The dense channel, shape (k, outputs); for small k."""
        return np.array([[self.weight(x, y) / self.denominator for y in range(self.outputs)] for x in range(self.k)])

    def variance(self, p: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """The exact variance, times n, of each unbiased estimate, shape (k,), for independent people with law p.

        Uniform p by default. Source: context-aware LDP paper, (15)-(19), as corrected.
        """
        law = np.full(self.k, 1 / self.k) if p is None else np.asarray(p, dtype=np.float64)
        return self.moment(law) - law**2

    def moment(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of each g_x squared, shape (k,), over the reports of values with law p, shape (k,)."""
        return self.decode_squares(self.forward(p))

    @property
    def _chunk(self) -> int:
        return CHUNK

    def checked(self, values: ArrayLike) -> NDArray[np.intp]:
        """The values as indices, shape (n,).

        Raises:
            SordinoError: other than whole numbers 0..k-1 in one row (named by position, never by value).
        """
        array = np.asarray(values)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise SordinoError(
                "values must be whole numbers in one row", found=f"type {array.dtype}, {array.ndim} axes"
            )
        if array.size and (int(array.max()) >= self.k or int(array.min()) < 0):
            position = int(np.flatnonzero((array >= self.k) | (array < 0))[0])
            raise SordinoError(f"values must lie in 0..{self.k - 1}", found=f"another at position {position}")
        return array.astype(np.intp, copy=False)


def read_codes(codes: ArrayLike) -> NDArray[np.integer]:
    """Codes as whole numbers in one row.

    Raises:
        SordinoError: other numbers, or another shape.
    """
    array = np.asarray(codes)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise SordinoError("codes must be whole numbers in one row", found=f"type {array.dtype}, {array.ndim} axes")
    return array if array.size else array.astype(np.uint64)


def foreign_code(outputs: int, position: int) -> SordinoError:
    """The refusal of a code that cannot have been sent."""
    return SordinoError(
        f"codes must be among those that can be sent, below {outputs}",
        found=f"another at position {position}",
        step="check that the reports belong to this plan",
    )
