"""A filter's decisions about a value of a finite domain, or a record that is one of few: the whole likelihood is kept.

Guarantee: every decision is exact. Floats rounded outward decide where they can; else the products of the whole weights
of all answers. Cost: outputs x values for a decision by the full rule; values for the simplified one.
Source: Bayesian privacy filter paper, Algorithms 2 and 3.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.accounting.measures.grouped import LONGEST, UNDECIDED, GroupedState, QueryLosses
from sordino.accounting.measures.measure import Measure
from sordino.accounting.measures.mechanism_columns import Columns, Ratio, can_list, epsilon_ratio, parts
from sordino.accounting.state import FilterQuery
from sordino.definition.pairwise import LDP
from sordino.domain.finite_record import Record
from sordino.errors import RefusedError, SordinoError
from sordino.evidence.bound.loss import LossBounds
from sordino.evidence.counted import CountedEvidence
from sordino.evidence.finite import FiniteEvidence
from sordino.exact.floats import Floats, down
from sordino.exact.messages import shown
from sordino.exact.nats import Nats
from sordino.exact.powers import compare_powers
from sordino.mechanism.base import Mechanism
from sordino.query.query import Query

ROUNDINGS = 8
"""Radii of evidence by which a level may be off, and what is next to it."""


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
        return Columns.of(self.mechanism)

    def column(self, code: int) -> tuple[Columns, int]:
        return (self.columns, code) if "columns" in vars(self) else (Columns.of(self.mechanism, [code]), 0)

    def domain_columns(self, place: NDArray[np.integer]) -> NDArray[np.integer]:
        """Columns, shape (..., values of the mechanism), as the domain sees them, shape (..., k)."""
        return place if self.spread is None else place[..., self.spread]


@dataclass(frozen=True, eq=False)
class FiniteState(GroupedState):
    """Queries about a value and their answers.

    Attributes:
        record: the attributes, where the values are records.
        evidence: what all answers about the present version say.
        counts: the same exactly.
        memo: what is known of mechanisms, shared by all states of one filter; it changes no decision.
    """

    measure: Measure
    record: Record | None
    evidence: FiniteEvidence
    counts: CountedEvidence
    memo: dict[str, FiniteQuery] = field(default_factory=dict, metadata={"derived": True})

    @classmethod
    def start(cls, measure: Measure, record: Record | None = None) -> "FiniteState":
        return cls(
            measure.bounds, 0.0, measure, record, FiniteEvidence.of_no_reports(measure.k), CountedEvidence(measure.k)
        )

    @cached_property
    def levels(self) -> Floats:
        return self.measure.levels(self.evidence)

    def query_losses(self, query: FilterQuery) -> QueryLosses:
        return self._known_query(query).known

    def then(self, query: FilterQuery, code: int) -> "FiniteState | None":
        asked = self._known_query(query)
        columns, row = asked.column(code)
        place = asked.domain_columns(columns.place[row])
        evidence = self.evidence + FiniteEvidence(columns.logarithms[place], columns.radius)
        if np.isneginf(evidence.log).all():
            return None
        return replace(self, evidence=evidence.without_constant, counts=self.counts.plus(columns.distinct, place))

    def about(self, group: int) -> str:
        return self.measure.about(group)

    def next_version(self) -> "FiniteState":
        """What this version lost is taken from the bounds; of pairs with bounds of their own the most of any."""
        if not self.measure.versions:
            rule = "a changed record is not covered by beliefs about one version of it"
            step = "promise LDP or coordinate DP, or start with a definition of all versions as one record"
            raise RefusedError(rule, found=type(self.measure).__name__, step=step)
        lost = self._exact_losses
        if self.measure.pools_versions and lost:
            lost = [None if None in lost else max(loss for loss in lost if loss is not None)] * len(lost)
        return replace(
            self,
            bounds=self.left_after_change(lost),
            lost=self.spent,
            evidence=FiniteEvidence.of_no_reports(self.measure.k),
            counts=CountedEvidence(self.measure.k),
        )

    @property
    def realized_loss(self) -> LossBounds:
        """Exactly, rounded outward; of very many answers as floats tell it."""
        if self.counts.bits > LONGEST:
            return self._told_by_floats
        whole = self._whole
        most, least = max(whole), min(whole)
        loss = Nats.log(Fraction(most, least)) if least else None
        return LossBounds(math.inf, math.inf) if loss is None else LossBounds(loss.floor(), loss.ceil())

    @property
    def comparison_margin(self) -> float:
        return UNDECIDED + ROUNDINGS * self.evidence.radius

    def within(self, group: int) -> bool:
        return self._keeps(group, self._exactly, self.bounds[group])

    def within_raised(self, group: int, known: QueryLosses) -> bool:
        own, bound = known.own[group], self.bounds[group]
        return own is not None and self._keeps(group, self._exactly, None if bound is None else bound - Nats.log(own))

    def by_answers(self, query: FilterQuery, outputs: int) -> tuple[bool, float]:
        """All answers by floats first, many at a time; then exactly those that floats leave open."""
        asked = self._known_query(query)
        columns = asked.columns
        radius = self._radius_with(columns)
        largest, undecided = 0.0, []
        for rows in parts(outputs, self.measure.k):
            log = self.evidence.log + columns.logarithms[asked.domain_columns(columns.place[rows])]
            levels = self.measure.levels_of(log, radius)
            levels[np.isneginf(log.max(axis=1))] = -np.inf
            largest = max(largest, self._largest(levels))
            above = levels - self.floors
            if (above > UNDECIDED + ROUNDINGS * radius).any():
                return False, largest
            for code, group in np.argwhere(above > 0).tolist():
                undecided.append((rows.start + code, group))
        return all(self._answer_keeps(asked, code, groups) for code, groups in _by_first(undecided)), largest

    def _answer_keeps(self, asked: FiniteQuery, code: int, groups: list[int]) -> bool:
        """Whether an answer that some value can give keeps the bounds of some groups, exactly."""
        columns = asked.columns
        place = asked.domain_columns(columns.place[code])
        after = _Exactly(
            FiniteEvidence(self.evidence.log + columns.logarithms[place], self._radius_with(columns)),
            self.counts.plus(columns.distinct, place),
            self._exactly.alike * len(columns.distinct) + place,
        )
        return all(self._keeps(group, after, self.bounds[group]) for group in groups)

    def _keeps(self, group: int, exactly: "_Exactly", bound: Nats | None) -> bool:
        """Whether evidence keeps a bound on a group, exactly."""
        if bound is None:
            return True
        least = bound.floor() - UNDECIDED - ROUNDINGS * exactly.evidence.radius
        pairs = self.measure.steep(group, exactly.evidence.log, least, exactly.alike)
        if pairs is None:
            ratio = self.measure.ratios(exactly.whole)[group]
            return ratio is not None and Nats.log(ratio) <= bound
        return all(self._below(exactly.counts.ratio(*pair), bound) for pair in pairs)

    def _below(self, powers: Mapping[int, int], bound: Nats) -> bool:
        """Whether a ratio keeps a bound; most ratios occur many times."""
        key = frozenset(powers.items()), bound
        if key not in self._compared_powers:
            self._compared_powers[key] = compare_powers(powers, bound) <= 0
        return self._compared_powers[key]

    def _radius_with(self, columns: Columns) -> float:
        """How far the sum of the evidence and of a column may be off."""
        rounding = math.ulp(self.evidence.reach + columns.reach)
        return math.nextafter(self.evidence.radius + columns.radius + rounding, math.inf)

    @cached_property
    def _compared_powers(self) -> dict[tuple[frozenset[tuple[int, int]], Nats], bool]:
        return {}

    @cached_property
    def _exactly(self) -> "_Exactly":
        return _Exactly(self.evidence, self.counts, self.counts.class_of_value)

    @property
    def _whole(self) -> NDArray[np.object_]:
        return self._exactly.whole

    @cached_property
    def _ratios(self) -> list[Ratio]:
        return self.measure.ratios(self._whole)

    @property
    def _told_by_floats(self) -> LossBounds:
        """The realized loss, rounded outward."""
        log = self.evidence.log
        above = float(LDP(0).loss(self.evidence).max())
        if math.isinf(above):
            return LossBounds(above, above)
        below = down(down(float(log.max() - log.min())) - 2 * self.evidence.radius)
        return LossBounds(max(below, 0.0), above)

    @property
    def _exact_losses(self) -> list[Nats | None]:
        """In each group, exactly; of very many answers rounded up to floats. None where it is infinite."""
        if self.counts.bits > LONGEST:
            return [Nats(Fraction(level)) if math.isfinite(level) else None for level in self.levels.tolist()]
        return [None if ratio is None else Nats.log(ratio) for ratio in self._ratios]

    def _known_query(self, query: FilterQuery) -> FiniteQuery:
        return known_query(query, self.measure, self.record, self.memo)


@dataclass(frozen=True, eq=False)
class _Exactly:
    """Evidence in floats and exactly.

    Attributes:
        alike: equal numbers where all answers had equal weights, shape (k,).
    """

    evidence: FiniteEvidence
    counts: CountedEvidence
    alike: NDArray[np.integer]

    @cached_property
    def whole(self) -> NDArray[np.object_]:
        """Whole numbers proportional to the likelihood, shape (k,)."""
        return self.counts.whole(~np.isneginf(self.evidence.log))


def _by_first(pairs: list[tuple[int, int]]) -> list[tuple[int, list[int]]]:
    found: dict[int, list[int]] = {}
    for first, second in pairs:
        found.setdefault(first, []).append(second)
    return list(found.items())


REMEMBERED = 32
"""Largest number of mechanisms whose columns are kept."""


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
