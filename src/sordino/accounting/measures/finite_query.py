"""A query as a filter over a finite domain sees it: its columns, and what each value is to its mechanism."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.accounting.measures.grouped import QueryLosses
from sordino.accounting.measures.measure import Measure
from sordino.accounting.measures.mechanism_columns import Columns, can_list
from sordino.accounting.measures.ratio import epsilon_ratio
from sordino.domain.record import Record
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.mechanism.base import Mechanism
from sordino.query.query import Query

REMEMBERED = 32
"""Mechanisms whose columns are kept at most."""


@dataclass(frozen=True, eq=False)
class FiniteQuery:
    """A query as this domain sees it.

    Attributes:
        spread: what the mechanism is told of each value, shape (k,); None where it is told the value.
    """

    mechanism: Mechanism
    spread: NDArray[np.intp] | None
    known: QueryLosses

    @cached_property
    def columns(self) -> Columns:
        """Of all answers, read once they are needed."""
        return Columns.of(self.mechanism)

    def column(self, code: int) -> tuple[Columns, int]:
        """The columns that hold an answer, and where."""
        return (self.columns, code) if "columns" in vars(self) else (Columns.of(self.mechanism, [code]), 0)

    def domain_columns(self, place: NDArray[np.integer]) -> NDArray[np.integer]:
        """Columns, shape (..., values of the mechanism), as the domain sees them, shape (..., k)."""
        return place if self.spread is None else place[..., self.spread]


def known_query(query: object, measure: Measure, record: Record | None, memo: dict[str, FiniteQuery]) -> FiniteQuery:
    """The query, read once.

    Args:
        record: the attributes, where the values are records.
        memo: what was read, by the queries' parameters: equal texts, equal queries.

    Raises:
        SordinoError: a query that does not fit the domain.
    """
    if not isinstance(query, Mechanism | Query):
        rule = "a filter over a finite domain takes finite mechanisms and questions about attributes"
        raise SordinoError(rule, found=type(query).__name__)
    key = query.parameters
    known = memo.get(key)
    if known is None:
        known = _read(query, measure, record)
        while len(memo) >= REMEMBERED:
            memo.pop(next(iter(memo)))
        memo[key] = known
    return known


def _read(query: Mechanism | Query, measure: Measure, record: Record | None) -> FiniteQuery:
    k = measure.k
    spread: NDArray[np.intp] | None = None
    if isinstance(query, Query) and record is not None:
        mechanism, spread = query.finite(record), query.index(record, record.values(np.arange(k)))
    elif isinstance(query, Mechanism):
        mechanism = query
        if mechanism.k != k:
            raise SordinoError(f"a query must be about the domain's {k} values", found=shown(mechanism.k))
    else:
        raise SordinoError(
            "a question about attributes needs a filter over a Record",
            found="a different finite domain",
            step="make the filter over Record({name: Categories(...)})",
        )
    own = measure.own(mechanism, spread)
    outputs = mechanism.outputs if can_list(mechanism) else None
    return FiniteQuery(mechanism, spread, QueryLosses.of(epsilon_ratio(mechanism), own, outputs))
