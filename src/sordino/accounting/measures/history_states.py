"""A filter's decisions about a record that changes a limited number of times: the hypotheses are its histories.

Guarantee: no possible set of answers is more than e^epsilon times as likely under one history with at most so many
changes as under another; nothing is promised about a history with more of them. Where only some pairs of values are
protected, so are two histories whose values are protected from each other, or equal, at every answer: of blocks, those
that are in one block at each answer. A value may change between any two answers, and the filter need not know whether
it did. Decisions are exact, as those about a value that never changes (`finite_state`): floats rounded outward decide
where they can, else counts of whole weights. Where more counts would be kept than `histories` keeps, what floats cannot
decide is refused.
Answers count in the order of acceptance: each must be of the value then, or before a later one is accepted.
Cost: of a decision outputs x values, of an answer (changes + 1) x values; of pairs each time the square.
Sources: Bayesian privacy filter paper, Algorithms 2 and 3, of records that are histories (proofs/OverTime.v).

A filter's decisions about numbers and categories that change a limited number of times, by cells of the numbers.

Guarantee: no possible set of answers is more than e^epsilon times as likely under one history with at most so many
changes as under another. A history of records goes through the cells that hold them with no more changes, and in each
cell the largest and the smallest probability of an answer are known: so the likeliest history has at most the largest
product of the largest, and the least likely at least the smallest product of the smallest. The sum of all epsilons
bounds the loss too. Losses are upper bounds: by how much, is what a question varies within a cell.
Cost: of a decision outputs x cells, of an answer (changes + 1) x cells.
Sources: those of `HistoryState`; `cell_query` for what is known of each cell.
"""

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from sordino.accounting.measures.finite_state import FiniteQuery, known_query
from sordino.accounting.measures.grouped import LONGEST, UNDECIDED, GroupedState, QueryLosses
from sordino.accounting.measures.measure import Measure
from sordino.accounting.measures.mechanism_columns import Columns, Ratio, level_above, parts
from sordino.accounting.measures.record_state import ProductState
from sordino.accounting.state import Binding, FilterQuery
from sordino.definition.pairwise import LDP, widen_gaps
from sordino.domain.finite_record import Record
from sordino.domain.mixed_record import MixedRecord
from sordino.errors import SordinoError
from sordino.evidence.bound.loss import LossBounds
from sordino.evidence.factored import Factor
from sordino.evidence.histories import HistoryEvidence, PairHistoryEvidence
from sordino.exact.floats import Floats, down
from sordino.exact.messages import shown
from sordino.exact.nats import Nats
from sordino.exact.powers import compare_powers
from sordino.query.query import Query
from sordino.query.statistic import Values

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


@dataclass(frozen=True, eq=False)
class CellHistoryState(GroupedState):
    """Queries about a changing record and their answers.

    Attributes:
        record: of numbers and categories.
        changes: of a history at most.
        reader: what queries say of cells; nothing is asked of it.
        evidence: bounds by cells on what all answers of the present life say.
        basic: e to the sum of the epsilons of that life; None where it is infinite, or far above the bound.
    """

    record: MixedRecord
    changes: int
    reader: ProductState
    evidence: HistoryEvidence
    basic: Ratio = Fraction(1)

    @classmethod
    def start(cls, record: MixedRecord, epsilon: Nats, changes: int) -> "CellHistoryState":
        """Nothing asked yet."""
        reader = ProductState.start(record.cells, LDP(epsilon))
        return cls((epsilon,), 0.0, record, changes, reader, HistoryEvidence.of_bounds(record.cells.k, changes))

    @cached_property
    def levels(self) -> Floats:
        by_cells = widen_gaps(np.array([self.evidence.gap]), self.evidence.radius)
        return np.minimum(by_cells, level_above([self.basic]))

    def query_losses(self, query: FilterQuery) -> QueryLosses:
        statistic = query.statistic if isinstance(query, Query) else None
        numbers = [
            name for name in self.record.numbers if isinstance(statistic, Values) and name in statistic.attributes
        ]
        if numbers:
            rule = "values must be asked of attributes that are counted"
            raise SordinoError(rule, found=f"the number {shown(numbers[0])}", step="ask by a model of it")
        return self.reader.known_query(query).known

    def then(self, query: FilterQuery, code: int) -> "CellHistoryState | None":
        most = least = np.zeros(self.record.cells.shape)
        radius = 0.0
        for factor in self.reader.known_query(query).factors(code):
            most, least = (
                side + self._spread(factor, own) for side, own in ((most, factor.log), (least, factor.least))
            )
            rounding = math.ulp(float(max(np.abs(side[np.isfinite(side)]).max(initial=0.0) for side in (most, least))))
            radius = math.nextafter(radius + factor.radius + rounding, math.inf)
        evidence = self.evidence.plus_bounds(most.ravel(), least.ravel(), radius)
        if evidence.is_impossible:
            return None
        return replace(self, evidence=evidence, basic=self._basic_with(self.query_losses(query).epsilon))

    def about(self, group: int) -> str:
        del group
        return f"two histories with at most {self.changes} change{'s' if self.changes > 1 else ''}"

    def next_version(self) -> "CellHistoryState":
        """The state of a next life, whose history has as many changes again; what was lost stays lost."""
        level = float(self.levels[0])
        lost = [Nats(Fraction(level))] if math.isfinite(level) else []
        lost += [] if self.basic is None else [Nats.log(self.basic)]
        return replace(
            self,
            bounds=self.left_after_change([min(lost, default=None)]),
            lost=self.spent,
            evidence=HistoryEvidence.of_bounds(self.record.cells.k, self.changes),
            basic=Fraction(1),
        )

    @property
    def realized_loss(self) -> LossBounds:
        return LossBounds(0.0, float(self.levels[0]))

    @property
    def binding(self) -> Binding:
        """Exactly, where the sum of epsilons leaves more than is known of cells."""
        by_cells, bound = super().binding, self.bounds[0]
        if bound is None or self.basic is None or by_cells.exactly is not None:
            return by_cells
        exactly = bound - Nats.log(self.basic)
        return by_cells if exactly.floor() < by_cells.left else replace(by_cells, left=exactly.floor(), exactly=exactly)

    @property
    def undecided_margin(self) -> float:
        return UNDECIDED

    def within(self, group: int) -> bool:
        return self._keeps(self.basic, group)

    def within_raised(self, group: int, known: QueryLosses) -> bool:
        return self._keeps(self._basic_with(known.epsilon), group)

    def _keeps(self, basic: Ratio, group: int) -> bool:
        bound = self.bounds[group]
        return bound is None or (basic is not None and Nats.log(basic) <= bound)

    def _basic_with(self, epsilon: Ratio) -> Ratio:
        """The sum of epsilons with one more; None where it is of no use any more."""
        if self.basic is None or epsilon is None or float(level_above([self.basic])[0]) > self.floors[0] + 1:
            return None
        return self.basic * epsilon

    def _spread(self, factor: Factor, side: Floats) -> Floats:
        """What a factor says, with an axis for each attribute."""
        shape = [1] * self.record.d
        for place, size in zip(factor.places, side.shape, strict=True):
            shape[place] = size
        return side.reshape(shape)
