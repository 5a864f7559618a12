"""A filter's decisions about a record of many finite attributes, without the table of all records.

Offered under LDP, coordinate DP, and Bayesian coordinate DP with a bound on dependence, where one attribute loses at
most ln((1 - q) e^c + q e^epsilon) of its realized coordinate loss c and the realized loss epsilon of the whole record:
an upper bound, exact at q = 0 and 1. Guarantee: bounds are outward wherever the attributes hang together too much for
an exact one, and then the sum of what each query can add still counts (basic composition).
Source: Bayesian privacy filter paper, Algorithms 2 and 3; BCDP paper, Proposition 4, with the tighter mixture.

The likelihood of all answers about a record exactly, as a product of tables over the attributes touched.

It decides where floats cannot: whether a level is exactly at its bound. Tables hold how often each weight was told, not
products of weights: counts add, however many answers there are, and the largest and the least product are found by
comparing counts. None wherever a table would be too large.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.accounting.measures.cell_query import CellQuery, cell_query_of
from sordino.accounting.measures.grouped import GroupedState, QueryLosses, shorten_bound
from sordino.accounting.measures.measure import GroupBounds
from sordino.accounting.measures.measure_of import Attributes
from sordino.accounting.measures.mechanism_columns import LISTED, Columns, Ratio, can_list, epsilon_ratio
from sordino.accounting.state import Decision, FilterQuery, Rule
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.pairwise import LDP
from sordino.definition.rest import Rest
from sordino.domain.finite_record import Record
from sordino.errors import RefusedError, SordinoError
from sordino.evidence.bound.loss import LossBounds
from sordino.evidence.counted import CountedEvidence
from sordino.evidence.elimination import LARGEST_AXES, Table, both_ends, combine_tables, fits
from sordino.evidence.factored import Factor, FactoredEvidence
from sordino.exact.floats import Floats, up
from sordino.exact.messages import shown
from sordino.exact.nats import Nats
from sordino.exact.powers import ProductOrder, compare_powers
from sordino.mechanism.base import Mechanism
from sordino.query.model import Model
from sordino.query.query import Query
from sordino.query.statistic import Recoded

ProductDefinition: TypeAlias = LDP | CoordinateDP | BayesianCoordinateDP

REMEMBERED = 256
"""Largest number of queries whose columns are kept."""

LARGEST_EXPONENT = 700

ROUNDINGS = 8
"""Units in the last place that cover a logarithm of a sum of two exponentials."""

Places = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class WholeFactors:
    """Counts of weights by the attributes asked of; the product of what they stand for is the likelihood.

    Attributes:
        counts: of the answers to questions about the same attributes, over all values of these.
        possible: which values can cause the answers, an axis for each attribute.
    """

    counts: Mapping[Places, CountedEvidence] = field(default_factory=dict)
    possible: Mapping[Places, NDArray[np.bool_]] = field(default_factory=dict)

    def plus(self, places: Places, distinct: tuple[int, ...], place: NDArray[np.integer]) -> "WholeFactors":
        """With one more answer.

        Args:
            places: the attributes asked of, ascending.
            distinct: the answer's whole weights, ascending; values of weight 0 cannot cause it.
            place: which of them each way that the attributes can be has, an axis for each attribute.
        """
        can = place >= (not distinct[0])
        before = self.counts.get(places, CountedEvidence(place.size))
        counts = before.plus(distinct, place.ravel())
        possible = can & self.possible.get(places, np.True_)
        return WholeFactors({**self.counts, places: counts}, {**self.possible, places: possible})

    def powers(self, place: int | None) -> Mapping[int, int] | None:
        """The largest ratio of the likelihoods of two records as whole numbers and their exponents.

        None where the ratio is infinite or too much to work out.

        Args:
            place: the one attribute in which they may differ; None for any two records.
        """
        return self._record if place is None else self._attribute(place)

    def ratio(self, place: int | None) -> Fraction | None:
        powers = self.powers(place)
        if powers is None:
            return None
        above, below = (prod(base ** max(sign * power, 0) for base, power in powers.items()) for sign in (1, -1))
        return Fraction(above, below)

    @cached_property
    def _record(self) -> Mapping[int, int] | None:
        # Where some records cannot have caused the answers, the ratio is infinite.
        sizes = {(*places, self._last): (*can.shape, len(self._order.ratios)) for places, can in self.possible.items()}
        if not all(can.all() for can in self.possible.values()) or not fits(sizes, (self._last,), self._limit):
            return None
        (_, most, least), exact = both_ends(self._tables, (self._last,), self._order.most, limit=self._limit)
        return self._powers(most - least) if exact else None

    def _attribute(self, place: int) -> Mapping[int, int] | None:
        touching = [table for table in self._tables if place in table[0][:-1]]
        if not touching:
            return {}
        sizes = {p: size for places, array in touching for p, size in zip(places, array.shape, strict=True)}
        if prod(sizes.values()) > self._limit or len(sizes) > LARGEST_AXES:
            return None
        scope, counts = combine_tables(touching)
        told = [(places, can) for places, can in self.possible.items() if place in places]
        _, can = combine_tables(told, np.logical_and)
        axis, length = scope.index(place), len(self._order.ratios)
        # Where the rest makes the answers impossible whatever the attribute is, nothing is compared.
        some, all_ = (np.ravel(which(can, axis=axis)) for which in (np.any, np.all))
        if (some & ~all_).any():
            return None
        ends = [best(counts, axis=axis).reshape(len(some), length) for best in (self._order.most, self._order.least)]
        gaps = (ends[0] - ends[1])[some]
        return self._powers(self._order.most(gaps, axis=0)) if len(gaps) else {}

    @cached_property
    def _kinds(self) -> list[tuple[int, ...]]:
        """The weights of all answers, by answers of one kind."""
        return list({weights: None for counted in self.counts.values() for weights in counted.counts})

    @cached_property
    def _order(self) -> ProductOrder:
        return ProductOrder([Fraction(weight, weights[0]) for weights in self._kinds for weight in weights[1:]])

    @cached_property
    def _last(self) -> int:
        return max((place for places in self.counts for place in places), default=-1) + 1

    @property
    def _limit(self) -> int:
        return LARGEST_WHOLE * max(len(self._order.ratios), 1)

    @cached_property
    def _tables(self) -> list[Table]:
        """How often each value had each weight in place of the lightest, along the last axis."""
        length = len(self._order.ratios)
        tables: list[Table] = [((self._last,), np.zeros(length, dtype=np.int64))]
        for places, counted in self.counts.items():
            rows = [counted.counts.get(weights, np.zeros((len(weights) - 1, counted.k))) for weights in self._kinds]
            counts = np.concatenate((np.empty((0, counted.k)), *rows)).astype(np.int64)
            tables.append(((*places, self._last), counts.T.reshape(*self.possible[places].shape, length)))
        return tables

    def _powers(self, counts: NDArray[np.int64]) -> Mapping[int, int]:
        powers: Counter[int] = Counter()
        pairs = ((weights[0], weight) for weights in self._kinds for weight in weights[1:])
        for (light, weight), count in zip(pairs, counts.tolist(), strict=True):
            powers[weight] += count
            powers[light] -= count
        return {base: power for base, power in powers.items() if power}


@dataclass(frozen=True, eq=False)
class ProductQuery:
    """A query as the record sees it.

    Attributes:
        places: its attributes, ascending.
        axes: where each of them stands in the question.
        listed: the columns of all codes; None where they are too many.
        spread: which value the mechanism takes of each combination of its attributes.
        attributes: the most that it can add to each of its attributes, by place.
    """

    places: tuple[int, ...]
    axes: tuple[int, ...]
    sizes: tuple[int, ...]
    mechanism: Mechanism
    listed: Columns | None
    spread: NDArray[np.intp]
    attributes: dict[int, Ratio]
    known: QueryLosses

    def column(self, code: int) -> tuple[Columns, NDArray[np.integer]]:
        """The columns that hold a code, and where its weights stand among the different ones."""
        columns = Columns.of(self.mechanism, [code]) if self.listed is None else self.listed
        place = columns.place[0 if self.listed is None else code]
        return columns, place[self.spread].reshape(self.sizes).transpose(self.axes)

    def factors(self, code: int) -> tuple[Factor, ...]:
        """What an answer says."""
        columns, place = self.column(code)
        return (Factor(self.places, columns.logarithms[place], columns.radius),)

    def with_code(self, whole: WholeFactors, code: int) -> WholeFactors:
        """All answers exactly, with one more."""
        columns, place = self.column(code)
        return whole.plus(self.places, columns.distinct, place)


@dataclass(frozen=True, eq=False)
class BoundedQuery:
    """A query about cells of the record, whose likelihoods are bounds.

    Attributes:
        places: its attributes, ascending.
        attributes: the most that it can add to each of its attributes, by place.
        alone: whether single attributes are protected by themselves.
    """

    query: CellQuery
    record: Record
    places: tuple[int, ...]
    attributes: dict[int, Ratio]
    known: QueryLosses
    alone: bool

    def factors(self, code: int) -> tuple[Factor, ...]:
        return self.query.factors(self.record, code, alone=self.alone)


@dataclass(frozen=True, eq=False)
class ProductState(GroupedState):
    """Queries about a record and their answers.

    Attributes:
        evidence: what all answers about the present version say.
        coordinates: the loss of each attribute, rounded up.
        basic: e to the sum of the most that each query could add: for the record, then for each attribute.
        whole: the same exactly; None once an answer is known by bounds only.
        memo: what is known of queries, shared by all states of one filter; it changes no decision.
    """

    record: Record
    definition: ProductDefinition
    evidence: FactoredEvidence
    coordinates: tuple[float, ...]
    basic: tuple[Ratio, ...]
    whole: WholeFactors | None = field(default_factory=WholeFactors)
    memo: dict[str, ProductQuery | BoundedQuery] = field(default_factory=dict, metadata={"derived": True})

    @classmethod
    def start(cls, record: Record, definition: ProductDefinition) -> "ProductState":
        """Nothing asked yet."""
        if not isinstance(definition, LDP) and definition.d != record.d:
            raise SordinoError(f"the definition must be about {record.d} attributes", found=shown(definition.d))
        bounds: GroupBounds
        match definition:
            case LDP(epsilon=epsilon):
                bounds = (epsilon,)
            case CoordinateDP(budgets=budgets):
                bounds = budgets
            case _:
                bounds = (*definition.deltas, definition.epsilon)
        nothing = FactoredEvidence(record.shape)
        one = (Fraction(1),) * (record.d + 1)
        return cls(bounds, 0.0, record, definition, nothing, (0.0,) * record.d, one)

    @cached_property
    def levels(self) -> Floats:
        if isinstance(self.definition, CoordinateDP):
            return np.array(self.coordinates)
        return self._mixed_losses(self.coordinates, self.evidence.loss[1])

    def raise_levels(self, known: QueryLosses) -> Floats:
        if isinstance(self.definition, LDP):
            return np.nextafter(self.levels + known.levels, np.inf)
        attributes = np.nextafter(np.array(self.coordinates) + known.levels[: self.record.d], np.inf)
        if isinstance(self.definition, CoordinateDP):
            return attributes
        record = math.nextafter(self.evidence.loss[1] + float(known.levels[-1]), math.inf)
        return self._mixed_losses(attributes.tolist(), record)

    def within(self, group: int) -> bool:
        return self._keeps(group, self.bounds[group])

    def within_raised(self, group: int, known: QueryLosses) -> bool:
        bound, own = self.bounds[group], known.own[group] if self._share(group) == 0 else known.epsilon
        return bound is None or (own is not None and self._keeps(group, bound - Nats.log(own)))

    def query_losses(self, query: FilterQuery) -> QueryLosses:
        return self.known_query(query).known

    def decide_version(self, query: FilterQuery, rule: Rule) -> Decision["ProductState"]:
        """Under LDP by what is carried, then by all answers at once; the loss so far is worked out only after that."""
        if not isinstance(self.definition, LDP):
            return super().decide_version(query, rule)
        known, (floor,) = self.query_losses(query), self.floors.tolist()
        carried = up(self.evidence.most + float(known.levels[0]))
        if carried <= floor:
            return Decision(True, carried, lambda code: self._after_answer(query, code))
        spans = self._spans(query, known.outputs) if rule == "full" and known.outputs is not None else None
        largest = max((upper for _, upper in spans), default=math.inf) if spans else math.inf
        if spans and max(lower for lower, _ in spans) > floor + self.comparison_margin:
            return Decision(False, largest)
        decision = Decision(True, largest) if largest <= floor else super().decide_version(query, rule)
        if not decision.accepted:
            return decision
        return replace(decision, follow=lambda code: self._after_answer(query, code)._below(decision.loss))  # noqa: SLF001 - another state of this class

    def _below(self, most: float) -> "ProductState":
        """The same where the loss of the record is known to be at most so large."""
        return replace(self, evidence=self.evidence.below(most))

    def _spans(self, query: FilterQuery, outputs: int) -> list[tuple[float, float]] | None:
        """Bounds on the loss after each answer, worked out once."""
        if query.parameters not in self._spans_by_query:
            asked = self.known_query(query)
            each = [asked.factors(code) for code in range(outputs)]
            single = all(len(factors) == 1 for factors in each)
            found = self.evidence.losses_with([factor for (factor,) in each]) if single else None
            self._spans_by_query[query.parameters] = found
        return self._spans_by_query[query.parameters]

    @cached_property
    def _spans_by_query(self) -> dict[str, list[tuple[float, float]] | None]:
        return {}

    def by_answers(self, query: FilterQuery, outputs: int) -> tuple[bool, float]:
        """Under LDP all answers by one search; only those that floats leave open one by one."""
        spans = self._spans(query, outputs) if isinstance(self.definition, LDP) else None
        if spans is None:
            return super().by_answers(query, outputs)
        (floor,), largest = self.floors.tolist(), 0.0
        # Whole numbers decide where floats touch the bound, or the sum of what queries can add does.
        touching = floor + self.comparison_margin
        summed = self.evidence.most + float(self.query_losses(query).levels[0]) <= touching
        for code, (_, upper) in enumerate(spans):
            largest = max(largest, upper)
            close = summed or upper <= touching
            if upper > floor and not (close and self._after_answer(query, code).within(0)):
                return False, largest
        return True, largest

    def then(self, query: FilterQuery, code: int) -> "ProductState | None":
        asked = self.known_query(query)
        evidence = self.evidence
        for factor in asked.factors(code):
            evidence = evidence.plus(factor)
        if evidence.is_impossible:
            return None
        coordinates = list(self.coordinates)
        if not isinstance(self.definition, LDP):
            for place in asked.places:
                coordinates[place] = evidence.coordinate_loss(place)[1]
        own = [asked.known.epsilon, *(asked.attributes.get(place, Fraction(1)) for place in range(self.record.d))]
        basic = tuple(None if a is None or b is None else a * b for a, b in zip(self.basic, own, strict=True))
        whole = self.whole
        if whole is not None:
            whole = asked.with_code(whole, code) if isinstance(asked, ProductQuery) else None
        return replace(self, evidence=evidence, coordinates=tuple(coordinates), basic=basic, whole=whole)

    def about(self, group: int) -> str:
        if isinstance(self.definition, LDP) or group == self.record.d:
            return "two records"
        return f"two values of attribute {self.record.names[group]!r}"

    def next_version(self) -> "ProductState":
        if isinstance(self.definition, BayesianCoordinateDP):
            rule = "a changed record is not covered by a bound on the dependence within one version of it"
            raise RefusedError(rule, found=type(self.definition).__name__, step="promise LDP or coordinate DP")
        left = tuple(
            None if bound is None else _less(bound, self._ratio(group), level)
            for group, (bound, level) in enumerate(zip(self.bounds, self.levels.tolist(), strict=True))
        )
        fresh = ProductState.start(self.record, self.definition)
        return replace(fresh, bounds=left, lost=self.spent, memo=self.memo)

    @property
    def realized_loss(self) -> LossBounds:
        return LossBounds(*self.evidence.loss)

    def _keeps(self, group: int, bound: Nats | None) -> bool:
        share = self._share(group)
        if bound is None:
            return True
        if share not in (0, 1):
            mixed = self._mixed_ratio(group, share)
            return mixed is not None and Nats.log(mixed) <= bound
        place = None if share == 1 else group
        powers = None if self.whole is None else self.whole.powers(place)
        if powers is not None:
            return compare_powers(powers, bound) <= 0
        most = self._most(place)
        return most is not None and Nats.log(most) <= bound

    def _ratio(self, group: int) -> Ratio:
        """The loss of a group exactly, or the sum of the most that each query could add."""
        share = self._share(group)
        return self._mixed_ratio(group, share) if share not in (0, 1) else self._ratio_at(None if share == 1 else group)

    def _mixed_ratio(self, place: int, share: Fraction) -> Ratio:
        """(1 - q) e^c + q e^epsilon, as `mixture` has its logarithm."""
        own, record = self._ratio_at(place), self._ratio_at(None)
        return None if own is None or record is None else (1 - share) * min(own, record) + share * record

    def _ratio_at(self, place: int | None) -> Ratio:
        known = None if self.whole is None else self.whole.ratio(place)
        return self._most(place) if known is None else known

    def _most(self, place: int | None) -> Ratio:
        """What each query could add, together: to an attribute, or to the record."""
        return self.basic[0 if place is None else place + 1]

    def _share(self, group: int) -> Fraction:
        """How much of the record's loss counts for a group."""
        if isinstance(self.definition, LDP) or group == self.record.d:
            return Fraction(1)
        if isinstance(self.definition, BayesianCoordinateDP) and isinstance(self.definition.beliefs, Rest):
            return self.definition.beliefs.bounds[group]
        return Fraction(0)

    def _mixed_losses(self, attributes: Sequence[float], record: float) -> Floats:
        """Each attribute's bound by its own loss and the record's; then the record's. Under LDP the record's alone."""
        if isinstance(self.definition, LDP):
            return np.array([record])
        shares = [self._share(place) for place in range(self.record.d)]
        return np.array([*(mixture(c, record, q) for c, q in zip(attributes, shares, strict=True)), record])

    def known_query(self, query: FilterQuery) -> ProductQuery | BoundedQuery:
        """The query, read once. Raises SordinoError: one that does not fit the record."""
        if not isinstance(query, Query | CellQuery):
            rule = "a filter over many attributes takes questions about attributes"
            raise SordinoError(rule, found=type(query).__name__, step="ask a Query about some of them")
        text = query.parameters
        known = self.memo.get(text)
        if known is None:
            if isinstance(query, Query) and isinstance(query.statistic, Model):
                query = cell_query_of(query, self.record)
            known = self._read(query) if isinstance(query, Query) else self._read_cells(query)
            while len(self.memo) >= REMEMBERED:
                self.memo.pop(next(iter(self.memo)))
            self.memo[text] = known
        return known

    def _read_cells(self, query: CellQuery) -> BoundedQuery:
        places, epsilon = query.places(self.record), query.ratio
        alone = not isinstance(self.definition, LDP)
        attributes: dict[int, Ratio] = dict.fromkeys(places, epsilon) if alone else {}
        own = [attributes.get(place, Fraction(1)) for place in range(self.record.d)]
        groups = own if alone else [epsilon]
        groups += [epsilon] if isinstance(self.definition, BayesianCoordinateDP) else []
        outputs = query.outputs if query.is_listed(self.record) else None
        known = QueryLosses.of(epsilon, groups, outputs)
        return BoundedQuery(query, self.record, places, attributes, known, alone)

    def _read(self, query: Query) -> ProductQuery:
        order, mechanism = query.places(self.record), query.finite(self.record)
        sizes = tuple(self.record.shape[place] for place in order)
        if math.prod(sizes) > LISTED:
            rule = f"a question about several attributes must be about at most {LISTED} combinations"
            raise SordinoError(rule, found=f"{math.prod(sizes)}", step="ask about fewer attributes together")
        places = tuple(sorted(order))
        epsilon = epsilon_ratio(mechanism)
        spread = self._spread(query, order)
        attributes: dict[int, Ratio] = {}
        if not isinstance(self.definition, LDP):
            alone = Attributes(CoordinateDP(["inf"] * len(sizes)).on(sizes), ())
            attributes = dict(zip(order, alone.own(mechanism, spread), strict=True))
        own = [attributes.get(place, Fraction(1)) for place in range(self.record.d)]
        groups = [epsilon] if isinstance(self.definition, LDP) else own
        groups += [epsilon] if isinstance(self.definition, BayesianCoordinateDP) else []
        axes = tuple(order.index(place) for place in places)
        listed = Columns.of(mechanism) if can_list(mechanism) else None
        known = QueryLosses.of(epsilon, groups, None if listed is None else mechanism.outputs)
        return ProductQuery(places, axes, sizes, mechanism, listed, spread, attributes, known)

    def _spread(self, query: Query, order: Sequence[int]) -> NDArray[np.intp]:
        """What the mechanism takes of each combination of the attributes, the last of the question fastest."""
        sizes = [self.record.shape[place] for place in order]
        if not isinstance(query.statistic, Recoded):
            return np.arange(math.prod(sizes))
        return query.statistic.table


def mixture(attribute: float, record: float, share: Fraction) -> float:
    """ln((1 - q) e^c + q e^epsilon), rounded up: c at q = 0, epsilon at q = 1."""
    own = min(attribute, record)
    if share == 0 or own == record:
        return own
    if share == 1 or math.isinf(record):
        return record
    if record - own > LARGEST_EXPONENT:
        return record
    # Both terms are above 0, so nothing cancels.
    value = own + math.log1p(float(share) * math.expm1(record - own))
    return min(value + ROUNDINGS * math.ulp(record + 1), record)


def _less(bound: Nats, ratio: Ratio, level: float) -> Nats:
    """What is left of a bound: exactly, or by the level where that is less; rounded down if it is very long."""
    by_level = None if math.isinf(level) else bound - Fraction(level)
    by_ratio = None if ratio is None else bound - Nats.log(ratio)
    found = [left for left in (by_level, by_ratio) if left is not None]
    return shorten_bound(max(found, default=Nats.of(-1)))


LARGEST_WHOLE = 1 << 12
"""Largest number of entries of a sum of tables, with a count of each weight for each: milliseconds."""
