"""A filter's decisions about numbers and categories that change a limited number of times, by cells of the numbers.

Guarantee: no possible set of answers is more than e^epsilon times as likely under one history with at most so many
changes as under another. A history of records goes through the cells that hold them with no more changes, and in each
cell the largest and the smallest probability of an answer are known: so the likeliest history has at most the largest
product of the largest, and the least likely at least the smallest product of the smallest. The sum of all epsilons
bounds the loss too. Losses are upper bounds: by how much, is what a question varies within a cell.
Cost: of a decision outputs x cells, of an answer (changes + 1) x cells.
Sources: `history`; `cells` for what is known of each cell.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from sordino.accounting.measures.grouped import UNDECIDED, GroupedState, QueryLosses
from sordino.accounting.measures.product import ProductState
from sordino.accounting.measures.ratio import Ratio, level_above
from sordino.accounting.state import Binding, FilterQuery
from sordino.definition.pairwise import LDP, widen_gaps
from sordino.domain.mixed.mixed_record import MixedRecord
from sordino.errors import SordinoError
from sordino.evidence.bound.loss import LossBounds
from sordino.evidence.factored import Factor
from sordino.evidence.histories import HistoryEvidence
from sordino.exact.arrays import Floats
from sordino.exact.messages.brief import shown
from sordino.exact.nats import Nats
from sordino.query.query import Query
from sordino.query.statistic import Values


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
        """What is known of it from above."""
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
        """Floats decide, but for the sum of epsilons."""
        return UNDECIDED

    def within(self, group: int) -> bool:
        return self._keeps(self.basic, group)

    def within_raised(self, group: int, known: QueryLosses) -> bool:
        return self._keeps(self._basic_with(known.epsilon), group)

    def _keeps(self, basic: Ratio, group: int) -> bool:
        """Whether the sum of epsilons keeps a bound, exactly."""
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
