"""Several queries about different numbers of one record, all answered by one person in one report.

Guarantee: the queries read different numbers, each by words of its own, none of which another query sees; so, given the
record, the answers are independent. A report tells of the record what its answers tell together: its level is the sum
of theirs, exactly, and never the largest of them. Of one attribute, too, it tells more than any answer does
(`definition.sampling`): no bound on the dependence of one statistic serves two answers at once.

A code is the queries' codes as digits of mixed radix, the last runs fastest, in 64 bits at most. A tally is that of
each query, one after the other: it adds as every tally does, and does not say what one person answered to two of them.
"""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.domain.scaled import Scaled, read_records
from sordino.errors import SordinoError
from sordino.exact.messages import checked_class, shown
from sordino.exact.source import Stream, Words
from sordino.mechanism.channel import LARGEST_CODE_BITS
from sordino.query.number import NumberStatistic, optional_places
from sordino.query.query import Query
from sordino.query.query_group import QueryGroup, SeveralQueries, query_groups

FEWEST = 2
"""Queries that are answered together: one is by itself."""


@checked_class
@dataclass(frozen=True, repr=False)
class Together(SeveralQueries[Query]):
    """Several queries about different numbers, all of which a person answers.

    Attributes:
        queries: two or more, in a fixed order; no two of them read the same number.

    Example:
        >>> from sordino import LDP, Number, RandomizedResponse, Together, certify
        >>> coin = RandomizedResponse(2, "1")
        >>> both = Together((Query(Number(0), coin), Query(Number(1), coin)))
        >>> both.outputs, certify(both, LDP(2)).holds, certify(both, LDP("1.9")).holds
        (4, True, False)
        >>> both.tally(both.privatize([[0.5, -1], [1, 0]])).counts.reshape(2, 2).sum(axis=1).tolist()
        [2, 2]
    """

    queries: tuple[Query, ...]

    def __post_init__(self) -> None:
        if not FEWEST <= len(self.queries) <= LARGEST_CODE_BITS:
            rule = f"{FEWEST} to {LARGEST_CODE_BITS} queries are answered together"
            raise SordinoError(rule, found=shown(len(self.queries)))
        places = [place for statistic in self.numbers for place in statistic.places]
        if len(set(places)) < len(places):
            raise SordinoError(
                "queries that are answered together must read different numbers",
                found=f"some of them twice among the places {shown(places)}",
                step="ask one query about a number, through a mechanism of both levels together",
            )
        self._require_report("ask fewer together, or smaller ones")

    @property
    def numbers(self) -> tuple[NumberStatistic, ...]:
        """The statistics of the queries."""
        return tuple(query.number for query in self.queries)

    @property
    def d(self) -> int:
        """How many numbers a record must have at least."""
        return max(statistic.d for statistic in self.numbers)

    @property
    def outputs(self) -> int:
        return prod(query.outputs for query in self.queries)

    @property
    def parameters(self) -> str:
        texts = " || ".join(query.parameters for query in self.queries)
        return f"together {len(self.queries)} {sha256(texts.encode()).hexdigest()}"

    @property
    def counts_codes(self) -> bool:
        """Never: what was answered together is counted apart."""
        return False

    def reports(self, counters: NDArray[np.integer]) -> int:
        """Those of the first query: each report answers all."""
        return next(query.reports(own) for query, own in self._parts(counters))

    def possible(self, counters: NDArray[np.integer]) -> bool:
        """Whether each query's are, and all queries have as many reports."""
        each = all(query.possible(own) for query, own in self._parts(counters))
        rows = counters.reshape(-1, self.counters)
        return each and all(len({query.reports(own) for query, own in self._parts(row)}) == 1 for row in rows)

    def are_impossible(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        wrong = np.zeros(len(codes), dtype=np.bool_)
        for query, digit in zip(self.queries, self.digits(codes), strict=True):
            wrong |= query.are_impossible(digit)
        return wrong

    def check_values(self, values: ArrayLike | Scaled) -> NDArray[np.float64]:
        return read_records(values, self.d, optional_places(self.numbers))

    def digits(self, codes: NDArray[np.integer]) -> tuple[Words, ...]:
        """Each query's own codes, shape (n,) each."""
        left, digits = codes.astype(np.uint64), []
        for query in self.queries[::-1]:
            left, digit = np.divmod(left, np.uint64(query.outputs))
            digits.append(digit)
        return tuple(digits[::-1])

    def _sample(self, values: NDArray[Any], stream: Stream) -> Words:
        return self._query_group.answer(values, None, None, stream)

    def _count(self, codes: Words, group: NDArray[np.intp], groups: int) -> NDArray[np.int64]:
        parts = zip(self.queries, self.digits(codes), strict=True)
        return np.concatenate([query._count(digit, group, groups) for query, digit in parts], axis=1)

    @cached_property
    def _query_group(self) -> QueryGroup:
        return query_groups([self.queries])[0]
