"""Channels of several queries whose tallies stand one after the other."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, Generic, TypeVar

from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.exact.messages.brief import Brief
from sordino.mechanism.channel import LARGEST_CODE_BITS, Channel

Query_co = TypeVar("Query_co", bound=Channel, covariant=True)


@dataclass(frozen=True, repr=False)
class SeveralQueries(Brief, Channel, Generic[Query_co]):
    """A channel with the counters of several, in a fixed order."""

    queries: tuple[Query_co, ...]

    @property
    def informative(self) -> bool:
        return all(query.informative for query in self.queries)

    @cached_property
    def first_counters(self) -> tuple[int, ...]:
        """Each query's first counter, and after the last one the number of all counters."""
        return tuple(accumulate((query.counters for query in self.queries), initial=0))

    @property
    def counters(self) -> int:
        return self.first_counters[-1]

    def _require_report(self, step: str) -> None:
        if self.code_bits > LARGEST_CODE_BITS:
            rule, found = f"a report must fit in {LARGEST_CODE_BITS} bits", f"{self.code_bits} for all queries together"
            raise SordinoError(rule, found=found, step=step)

    def _parts(self, counters: NDArray[Any]) -> Iterator[tuple[Query_co, NDArray[Any]]]:
        """Each query with its own counters, along the last axis."""
        for query, first, end in zip(self.queries, self.first_counters, self.first_counters[1:], strict=False):
            yield query, counters[..., first:end]
