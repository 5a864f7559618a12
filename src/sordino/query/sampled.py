"""One of several queries, drawn for each person without looking at the record.

Its codes are a disjoint union of the queries' codes, so the draw is public. Losses do not add up across queries:
whatever is drawn, only one mechanism has seen the record.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import accumulate

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.errors import SordinoError
from sordino.exact.messages.arguments import checked_class
from sordino.exact.messages.brief import Brief, shown
from sordino.exact.source import LARGEST_BOUND, Source, SystemSource, Words, uniform_below
from sordino.exact.steady import steady
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.channel import LARGEST_CODE_BITS, foreign_code, read_codes
from sordino.query.query import Query


@checked_class
@dataclass(frozen=True, repr=False)
class Sampled(Brief):
    """One of several queries, drawn for each person.

    Attributes:
        queries: in a fixed order; each one's codes follow those of the one before it.
        weights: whole numbers; a person answers query j with probability weights[j] / sum(weights).

    Example:
        >>> from sordino import Query, RandomizedResponse, Value
        >>> smoker = Query(Value("smoker"), RandomizedResponse(2, "1"))
        >>> colour = Query(Value("colour"), RandomizedResponse(3, "1"))
        >>> asked = Sampled((smoker, colour), (1, 1))
        >>> codes = asked.privatize([[0, 1], [2, 0]])
        >>> [part.n for part in asked.split(asked.tally(codes))] in ([2, 0], [1, 1], [0, 2])
        True
    """

    queries: tuple[Query, ...]
    weights: tuple[int, ...]

    def __post_init__(self) -> None:
        whole = all(type(weight) is int and weight >= 1 for weight in self.weights)
        if not self.queries or len(self.queries) != len(self.weights) or not whole or sum(self.weights) > LARGEST_BOUND:
            raise SordinoError(
                f"each of one or more queries must have a whole weight >= 1, {LARGEST_BOUND} together at most",
                found=shown(self.weights),
            )
        if self.code_bits > LARGEST_CODE_BITS:
            raise SordinoError(
                f"a report must fit in {LARGEST_CODE_BITS} bits",
                found=f"{self.code_bits} for all queries together",
                step="ask fewer, or smaller ones",
            )

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Each query's first code, and after the last one the number of all codes."""
        return tuple(accumulate((query.mechanism.outputs for query in self.queries), initial=0))

    @property
    def outputs(self) -> int:
        """Codes are numbers in 0..outputs-1."""
        return self.offsets[-1]

    @property
    def code_bits(self) -> int:
        """Bits of one report."""
        return (self.outputs - 1).bit_length()

    @cached_property
    def fingerprint(self) -> str:
        """A short hash of all mechanisms, their order and weights; that of its mechanism for a single query."""
        if len(self.queries) == 1:
            return self.queries[0].mechanism.fingerprint
        texts = (f"{w} {q.mechanism.parameters}" for q, w in zip(self.queries, self.weights, strict=True))
        return sha256(" || ".join(texts).encode()).hexdigest()[:16]

    @cached_property
    def first_counters(self) -> tuple[int, ...]:
        """Each query's first counter, and after the last one the number of all counters."""
        return tuple(accumulate((query.mechanism.counters for query in self.queries), initial=0))

    def draw(self, count: int, source: Source) -> NDArray[np.intp]:
        """Which query each of some people answers, shape (count,); no words are drawn where there is only one."""
        if len(self.queries) == 1:
            return np.zeros(count, dtype=np.intp)
        choice = uniform_below(sum(self.weights), source.public(count))
        return np.searchsorted(np.cumsum(self.weights), choice.astype(np.intp), side="right")

    @steady
    def privatize(self, values: Sequence[ArrayLike], source: Source | None = None) -> Words:
        """Draw a query and a report for each person.

        Args:
            values: for each query what its channel takes: indices of shape (n,), or numbers of shape (n, d).
            source: where random words come from; fresh ones from the operating system by default.

        Returns:
            Codes, uint64, shape (n,).
        """
        source = source or SystemSource()
        if len(values) != len(self.queries):
            raise SordinoError("there must be a value for each query", found=f"{len(values)} columns")
        # All values are looked at before the draw: a refusal that depended on it would let a second try choose.
        columns = [query.mechanism.checked(column) for query, column in zip(self.queries, values, strict=True)]
        if len({len(column) for column in columns}) > 1:
            raise SordinoError("there must be a value for each person", found="columns of different lengths")
        if len(self.queries) == 1:
            return self.queries[0].mechanism.privatize(columns[0], source)
        drawn = self.draw(len(columns[0]), source)
        codes = np.empty(len(drawn), dtype=np.uint64)
        for j, (query, column) in enumerate(zip(self.queries, columns, strict=True)):
            rows = np.flatnonzero(drawn == j)
            own = query.mechanism.privatize(column[rows], source.take(rows))
            codes[rows] = own + np.uint64(self.offsets[j])
        return codes

    def tally(self, codes: ArrayLike) -> Aggregate:
        """Count the reports of all queries, one query's counters after the other's.

        Raises:
            SordinoError: a code that none of the queries can send.
        """
        if len(self.queries) == 1:
            return self.queries[0].mechanism.tally(codes)
        array = read_codes(codes)
        position = self.first_invalid(array)
        if position is not None:
            raise foreign_code(self.outputs, position)
        parts = [query.mechanism.tally(own).counts for query, own, _ in self._split(array.astype(np.uint64))]
        return Aggregate(self.fingerprint, len(array), np.concatenate(parts))

    def first_invalid(self, codes: NDArray[np.integer]) -> int | None:
        """The position of the first code that none of the queries can send."""
        outside = (codes >= self.outputs) | (codes < 0)
        wrong = [int(np.argmax(outside))] if outside.any() else []
        for query, own, rows in self._split(np.where(outside, 0, codes).astype(np.uint64)):
            position = query.mechanism.first_invalid(own)
            if position is not None:
                wrong.append(int(rows[position]))
        return min(wrong, default=None)

    def split(self, aggregate: Aggregate) -> tuple[Aggregate, ...]:
        """The tally of each query's own reports."""
        if aggregate.fingerprint != self.fingerprint:
            raise SordinoError("a tally must be of these queries", found=f"one of {aggregate.fingerprint}")
        parts = []
        for query, first, end in zip(self.queries, self.first_counters, self.first_counters[1:], strict=False):
            counts = aggregate.counts[first:end]
            parts.append(Aggregate(query.mechanism.fingerprint, query.mechanism.reports(counts), counts))
        return tuple(parts)

    def reports(self, counts: NDArray[np.integer]) -> int:
        """How many reports the counters of all queries hold."""
        bounds = zip(self.queries, self.first_counters, self.first_counters[1:], strict=False)
        return sum(query.mechanism.reports(counts[first:end]) for query, first, end in bounds)

    def possible(self, counts: NDArray[np.integer]) -> bool:
        """Whether reports can add up to the counters of all queries."""
        bounds = zip(self.queries, self.first_counters, self.first_counters[1:], strict=False)
        return all(query.mechanism.possible(counts[first:end]) for query, first, end in bounds)

    def _split(self, codes: Words) -> list[tuple[Query, Words, NDArray[np.intp]]]:
        """Each query with its own codes and their positions."""
        parts: list[tuple[Query, Words, NDArray[np.intp]]] = []
        if len(self.queries) == 1:
            return [(self.queries[0], codes, np.arange(len(codes)))]
        which = np.searchsorted(np.array(self.offsets[:-1], dtype=np.uint64), codes, side="right") - 1
        for j, query in enumerate(self.queries):
            rows = np.flatnonzero(which == j)
            parts.append((query, codes[rows] - np.uint64(self.offsets[j]), rows))
        return parts
