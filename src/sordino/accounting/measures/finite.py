"""A filter's decisions about a value of a finite domain, or a record that is one of few: the whole likelihood is kept.

Guarantee: every decision is exact. Floats rounded outward decide where they can; else the products of the whole weights
of all answers. Cost: outputs x values for a decision by the full rule; values for the simplified one.
Source: Bayesian privacy filter paper, Algorithms 2 and 3.
"""

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.accounting.measures.grouped import GroupedState, QueryLosses
from sordino.accounting.measures.measure import Measure, Ratio, epsilon_ratio
from sordino.accounting.measures.mechanism_columns import Columns, can_list
from sordino.domain.record import Record
from sordino.errors import RefusedError, SordinoError
from sordino.evidence.bound.loss import LossBounds
from sordino.evidence.finite import FiniteEvidence
from sordino.exact.messages.brief import shown
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism
from sordino.query.query import Query

REMEMBERED = 32
"""Mechanisms whose columns are kept at most."""


@dataclass(frozen=True, eq=False)
class FiniteQuery:
    """A query as this domain sees it.

    Attributes:
        mechanism: answers it.
        spread: what the mechanism is told of each value, shape (k,).
        columns: of all answers; None where they are too many.
        known: for decisions.
    """

    mechanism: Mechanism
    spread: NDArray[np.intp]
    columns: Columns | None
    known: QueryLosses

    def column(self, code: int) -> tuple[Columns, int]:
        """The columns that hold an answer, and where."""
        return (Columns.of(self.mechanism, range(code, code + 1)), 0) if self.columns is None else (self.columns, code)


@dataclass(frozen=True, eq=False)
class FiniteState(GroupedState):
    """Queries about a value and their answers.

    Attributes:
        measure: the definition.
        record: the attributes, where the values are records.
        evidence: what all answers about the present version say.
        reports: its queries and answers.
        memo: what is known of mechanisms, shared by all states of one filter; it changes no decision.
    """

    measure: Measure
    record: Record | None
    evidence: FiniteEvidence
    reports: tuple[tuple[Any, int], ...] = ()
    memo: dict[str, FiniteQuery] = field(default_factory=dict)

    @classmethod
    def start(cls, measure: Measure, record: Record | None = None) -> "FiniteState":
        """Nothing asked yet."""
        return cls(measure.bounds, 0.0, measure, record, FiniteEvidence.nothing(measure.k))

    @cached_property
    def levels(self) -> NDArray[np.float64]:
        """As the definition measures the evidence."""
        return self.measure.levels(self.evidence)

    def ratio(self, group: int) -> Ratio:
        """Of the exact products."""
        return self._ratios[group]

    def known(self, query: Any) -> QueryLosses:
        """The columns of its mechanism, read once."""
        return self._asked(query).known

    def then(self, query: Any, code: int) -> "FiniteState | None":
        """With one more column."""
        asked = self._asked(query)
        columns, place = asked.column(code)
        report = FiniteEvidence(columns.logs[place][asked.spread], columns.radius)
        evidence = self.evidence + report
        if np.isneginf(evidence.log).all():
            return None
        return replace(self, evidence=evidence.centred, reports=(*self.reports, (query, code)))

    def about(self, group: int) -> str:
        """As the measure says."""
        return self.measure.about(group)

    def changed(self) -> "FiniteState":
        """What this version lost is taken from the bounds; of pairs with bounds of their own the most of any.

        Raises:
            SordinoError: a definition whose losses about two versions do not add.
        """
        if not self.measure.versions:
            raise RefusedError(
                "a changed record is not covered by beliefs about one version of it",
                found=type(self.measure).__name__,
                step="promise LDP or coordinate DP, or start with a definition of all versions as one record",
            )
        ratios = self._ratios
        if self.measure.pools_versions and ratios:
            ratios = [None if None in ratios else max(ratio for ratio in ratios if ratio is not None)] * len(ratios)
        return replace(
            self,
            bounds=self.left_after_change(ratios),
            lost=self.spent,
            evidence=FiniteEvidence.nothing(self.measure.k),
            reports=(),
        )

    @property
    def realized(self) -> LossBounds:
        """Of the exact products."""
        most, least = max(self.weights), min(self.weights)
        loss = Nats.log(Fraction(most, least)) if least else None
        return LossBounds(math.inf, math.inf) if loss is None else LossBounds(loss.floor(), loss.ceil())

    @cached_property
    def weights(self) -> NDArray[np.object_]:
        """Whole numbers proportional to the likelihood of all answers, shape (k,)."""
        total = np.full(self.measure.k, 1, dtype=object)
        counts = Counter((_key(query), code) for query, code in self.reports)
        queries = {_key(query): query for query, _ in self.reports}
        for (key, code), count in counts.items():
            asked = self._asked(queries[key])
            columns, place = asked.column(code)
            powers = np.array([weight**count for weight in columns.distinct], dtype=object)
            total = total * powers[columns.place[place]][asked.spread]
        return total

    @cached_property
    def _ratios(self) -> list[Ratio]:
        return self.measure.ratios(self.weights)

    def _asked(self, query: Any) -> FiniteQuery:
        if not isinstance(query, Mechanism | Query):
            raise SordinoError(
                "a filter over a finite domain takes finite mechanisms and questions about attributes",
                found=type(query).__name__,
            )
        key = _key(query)
        known = self.memo.get(key)
        if known is None:
            known = self._read(query)
            while len(self.memo) >= REMEMBERED:
                self.memo.pop(next(iter(self.memo)))
            self.memo[key] = known
        return known

    def _read(self, query: Any) -> FiniteQuery:
        k = self.measure.k
        if isinstance(query, Query) and self.record is not None:
            mechanism, spread = query.finite(self.record), query.index(self.record, self.record.values(np.arange(k)))
        elif isinstance(query, Mechanism):
            mechanism, spread = query, np.arange(k)
            if mechanism.k != k:
                raise SordinoError(f"a query must be about the domain's {k} values", found=shown(mechanism.k))
        else:
            raise SordinoError(
                "a question about attributes needs a filter over a Record", found="another finite domain"
            )
        columns = Columns.of(mechanism) if can_list(mechanism) else None
        own = self.measure.own(mechanism, spread)
        outputs = mechanism.outputs if columns is not None else None
        return FiniteQuery(mechanism, spread, columns, QueryLosses.of(epsilon_ratio(mechanism), own, outputs))


def _key(query: Any) -> str:
    """Equal texts, equal queries."""
    parameters: str = query.parameters
    return parameters
