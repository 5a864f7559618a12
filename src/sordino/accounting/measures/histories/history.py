"""A filter's decisions about a value that changes a limited number of times: the hypotheses are its histories.

Guarantee: no possible set of answers is more than e^epsilon times as likely under one history with at most so many
changes as under another; nothing is promised about a history with more of them. Where only some pairs of values are
protected, so are two histories whose values are protected from each other, or equal, at every answer: of blocks, those
that are in one block at each answer. A value may change between any two answers, and the filter need not know whether
it did. Decisions are exact, as those about a value that never changes
(`finite`): floats rounded outward decide where they can, else counts of whole weights. Where more counts would be kept
than `histories` keeps, what floats cannot decide is refused.
Answers count in the order of acceptance: each must be of the value then, or before a later one is accepted.
Cost: of a decision outputs x values, of an answer (changes + 1) x values; of pairs each time the square.
Sources: Bayesian privacy filter paper, Algorithms 2 and 3, of records that are histories (proofs/OverTime.v).
"""

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from sordino.accounting.measures.finite_query import FiniteQuery, known_query
from sordino.accounting.measures.grouped import LONGEST, UNDECIDED, GroupedState, QueryLosses
from sordino.accounting.measures.measure import Measure
from sordino.accounting.measures.mechanism_columns import Columns, parts
from sordino.accounting.state import FilterQuery
from sordino.definition.pairwise import widen_gaps
from sordino.domain.record import Record
from sordino.evidence.bound.loss import LossBounds
from sordino.evidence.histories import HistoryEvidence
from sordino.evidence.pair_histories import PairHistoryEvidence
from sordino.exact.arrays import Floats
from sordino.exact.nats import Nats
from sordino.exact.powers import compare_powers
from sordino.exact.rounding import down

ROUNDINGS = 8
"""Radii of evidence by which a level may be off, and what is next to it."""


@dataclass(frozen=True, eq=False)
class HistoryState(GroupedState):
    """Queries about a changing value and their answers.

    Attributes:
        measure: of the values, with one bound.
        record: the attributes, where the values are records.
        changes: of a history at most.
        evidence: what all answers of the present life say.
        memo: what is known of mechanisms, shared by all states of one filter; it changes no decision.
    """

    measure: Measure
    record: Record | None
    changes: int
    evidence: HistoryEvidence | PairHistoryEvidence
    memo: dict[str, FiniteQuery] = field(default_factory=dict, metadata={"derived": True})

    @classmethod
    def start(
        cls, measure: Measure, changes: int, record: Record | None = None, protected: NDArray[np.bool_] | None = None
    ) -> "HistoryState":
        """Nothing asked yet.

        Args:
            protected: which values are protected from each other, shape (k, k), each from itself too; None for all.
        """
        evidence: HistoryEvidence | PairHistoryEvidence = HistoryEvidence.of_no_reports(measure.k, changes)
        if protected is not None:
            evidence = PairHistoryEvidence.of_no_reports(protected, changes)
        return cls(measure.bounds, 0.0, measure, record, changes, evidence)

    @cached_property
    def levels(self) -> Floats:
        return widen_gaps(np.array([self.evidence.gap]), self.evidence.radius)

    def query_losses(self, query: FilterQuery) -> QueryLosses:
        return self._known_query(query).known

    def then(self, query: FilterQuery, code: int) -> "HistoryState | None":
        asked = self._known_query(query)
        columns, row = asked.column(code)
        after = self._evidence_after(asked, columns, row)
        return None if after.is_impossible else replace(self, evidence=after)

    def about(self, group: int) -> str:
        del group
        pairs = " that are protected from each other" if isinstance(self.evidence, PairHistoryEvidence) else ""
        return f"two histories with at most {self.changes} change{'s' if self.changes > 1 else ''}{pairs}"

    def next_version(self) -> "HistoryState":
        """The state of a next life, whose history has as many changes again; what was lost stays lost."""
        return replace(
            self,
            bounds=self.left_after_change([self._exact_loss]),
            lost=self.spent,
            evidence=self.evidence.without_reports,
        )

    @property
    def realized_loss(self) -> LossBounds:
        """Exactly, rounded outward; of very many answers as floats have it. Of pairs between protected histories."""
        ratio = self._ratio
        if ratio is not None:
            loss = Nats.log(ratio)
            return LossBounds(loss.floor(), loss.ceil())
        above = float(self.levels[0])
        below = above if math.isinf(above) else down(down(self.evidence.gap) - 2 * self.evidence.radius)
        return LossBounds(max(below, 0.0), above)

    @property
    def undecided_margin(self) -> float:
        return 0.0 if self.evidence.powers is not None else self.comparison_margin

    @property
    def comparison_margin(self) -> float:
        """More where the evidence is less certain."""
        return UNDECIDED + ROUNDINGS * self.evidence.radius

    def within(self, group: int) -> bool:
        return self._keeps(self.evidence, self.bounds[group])

    def within_raised(self, group: int, known: QueryLosses) -> bool:
        own, bound = known.own[group], self.bounds[group]
        return own is not None and self._keeps(self.evidence, None if bound is None else bound - Nats.log(own))

    def by_answers(self, query: FilterQuery, outputs: int) -> tuple[bool, float]:
        """All answers by floats first, many at a time; then exactly those that floats leave open."""
        asked = self._known_query(query)
        columns = asked.columns
        largest, undecided = 0.0, []
        # As the sum of the evidence and of a column may be off.
        rounding = math.ulp(self.evidence.reach + columns.reach)
        radius = math.nextafter(self.evidence.radius + columns.radius + rounding, math.inf)
        for rows in parts(outputs, self.measure.k):
            log = columns.logarithms[asked.domain_columns(columns.place[rows])]
            levels = widen_gaps(self.evidence.gaps(log), radius)[:, None]
            largest = max(largest, self._largest(levels))
            above = levels[:, 0] - self.floors[0]
            if (above > UNDECIDED + ROUNDINGS * radius).any():
                return False, largest
            undecided += (rows.start + np.flatnonzero(above > 0)).tolist()
        bound = self.bounds[0]
        return all(self._keeps(self._evidence_after(asked, columns, code), bound) for code in undecided), largest

    def _evidence_after(self, asked: FiniteQuery, columns: Columns, row: int) -> HistoryEvidence | PairHistoryEvidence:
        place = asked.domain_columns(columns.place[row])
        return self.evidence.plus(columns.distinct, place, columns.logarithms, columns.radius)

    @staticmethod
    def _keeps(evidence: HistoryEvidence | PairHistoryEvidence, bound: Nats | None) -> bool:
        """Whether evidence keeps a bound, exactly; what is not counted does not."""
        if bound is None:
            return True
        return evidence.powers is not None and compare_powers(evidence.powers, bound) <= 0

    @cached_property
    def _ratio(self) -> Fraction | None:
        """Of the likeliest and the least likely history; None where it is infinite, or has thousands of digits."""
        powers = self.evidence.powers
        if powers is None or sum(base.bit_length() * abs(power) for base, power in powers.items()) > LONGEST:
            return None
        above, below = (prod(base ** max(sign * power, 0) for base, power in powers.items()) for sign in (1, -1))
        return Fraction(above, below)

    @property
    def _exact_loss(self) -> Nats | None:
        """Of very many answers rounded up to a float; None where it is infinite."""
        if self._ratio is not None:
            return Nats.log(self._ratio)
        level = float(self.levels[0])
        return Nats(Fraction(level)) if math.isfinite(level) else None

    def _known_query(self, query: FilterQuery) -> FiniteQuery:
        return known_query(query, self.measure, self.record, self.memo)
