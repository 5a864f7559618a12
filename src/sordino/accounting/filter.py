"""The Bayesian privacy filter: which further queries about one unchanged record keep the promise.

Guarantee: whatever the queries, chosen with all earlier answers in view, no possible set of answers breaks the
definition. A decision is a function of the queries asked and the answers given; the filter never receives the record,
a refusal changes nothing and tells nothing new. It holds if every answer has fresh randomness, every answer drawn is
given to `after`, and the record has not changed: losses about two versions of a record add. With `changes` the promise
is about histories of a record that may change so often.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations
from math import isqrt
from operator import index
from typing import SupportsIndex, get_args

import numpy as np
from numpy.typing import NDArray

from sordino.accounting.measures.box_state import BoxState
from sordino.accounting.measures.carried_slack import LastingState
from sordino.accounting.measures.coordinate_box import CoordinateBoxState
from sordino.accounting.measures.finite_state import FiniteState
from sordino.accounting.measures.grouped import GroupedState
from sordino.accounting.measures.history_states import CellHistoryState, HistoryState
from sordino.accounting.measures.measure_of import FiniteDefinition, measure_of
from sordino.accounting.measures.mixed_state import MixedState
from sordino.accounting.measures.record_state import ProductState
from sordino.accounting.state import Binding, Decision, FilterQuery, FilterState, Rule
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.high_low import HighLowLDP
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.definition.prior import Prior
from sordino.domain.box import Box
from sordino.domain.finite_record import FiniteDomain, Record
from sordino.domain.mixed_record import MixedRecord
from sordino.errors import RefusedError, SordinoError
from sordino.evidence.bound.loss import LossBounds
from sordino.exact.floats import ignore_float_errors
from sordino.exact.messages import checked_class, shown
from sordino.exact.nats import Nats

NODES = 400
"""Largest number of boxes of 30 terms bounded for one decision, for each possible answer: some 15 milliseconds."""


LARGEST_LIKELIHOOD = 1 << 10
"""Largest number of records whose likelihood is kept one by one, unless a prior or a matrix needs it; beyond, by
factors."""

LARGEST_LISTED = 1 << 20
"""Largest number of records whose likelihood is kept one by one."""

TERMS = ("domain", "definition", "nodes", "group", "changes")
"""What a filter must not change once it has begun."""

LARGEST_HISTORIES = 1 << 18
"""Values times numbers of changes, none among them, at most: some 50 milliseconds an answer."""

MOST_CHANGES = 1 << 8
"""Largest number of changes of a record that a filter covers."""

JOINT = 1 << 10
"""Ways that concurrent queries can be answered, or not yet, that are looked at one by one."""


@checked_class
@dataclass(frozen=True, eq=False)
class BayesianFilter:
    """A filter of queries about one record: a value; `after` gives the next one.

    Source: Bayesian privacy filter paper, Algorithm 2 ("full") and Algorithm 3 ("simplified"); groups: Appendix B.

    Attributes:
        domain: what is known of every record: a finite domain, a `Record` of attributes, a box, or numbers and
            categories together. Nothing is promised about a record outside.
        definition: the promise: any on a finite domain; LDP, coordinate DP and Bayesian coordinate DP on a `Record`,
            with a bound on dependence on any, with a prior on small ones; the same on a box, but without a prior.
        rule: "full" checks the loss after every possible answer, "simplified" the loss so far plus the query's epsilon.
        nodes: the limit of the work for one decision; what is undecided within it is refused.
        group: bound answers in groups of so many, as the paper does; None bounds all together, which accepts more.
        changes: how often the record may change, between any two answers, without the filter being told: the promise
            is about its histories. LDP on finite domains and numbers (in cells); `LARGEST_HISTORIES` is the limit.

    Raises:
        SordinoError: a definition that is not offered on the domain, or about another number of values or attributes.

    Example:
        >>> from sordino import Box, LinearQuery
        >>> query = LinearQuery([1.0], 0, low=-1, high=1, epsilon="0.6")
        >>> asked = BayesianFilter(Box([-1], [1]), LDP("1")).after(query, 1)
        >>> asked.accepts(query), asked.accepts(LinearQuery([1.0], 0, -1, 1, epsilon="0.4"))
        (False, True)
    """

    domain: Box | MixedRecord | Record | FiniteDomain
    definition: FiniteDefinition
    rule: Rule = "full"
    nodes: int = NODES
    group: int | None = None
    changes: int = 0
    _state: FilterState | None = None
    _terms: tuple[object, ...] = ()

    @ignore_float_errors
    def __post_init__(self) -> None:
        if self.rule not in get_args(Rule):
            raise SordinoError('a filter\'s rule must be "full" or "simplified"', found=shown(self.rule))
        if self._state is None:
            if self.changes or type(self.changes) is not int:
                state: FilterState = start_of_histories(self.domain, self.definition, self.changes)
            else:
                state = start_of(self.domain, self.definition, self.nodes, self.group)
            carried = LastingState(state) if isinstance(state, BoxState | CoordinateBoxState) else state
            object.__setattr__(self, "_state", carried)
            object.__setattr__(self, "_terms", self._own)
        elif changes := [
            name
            for name, begun, own in zip(TERMS, self._terms, self._own, strict=True)
            if begun is not own and begun != own
        ]:
            raise SordinoError(
                "a filter keeps its domain, its promise and its limits from the first question on",
                found=f"a change of {' and '.join(changes)}",
                step="begin a new filter and give it every answer again",
            )

    @ignore_float_errors
    def decide(self, query: FilterQuery) -> Decision[FilterState]:
        """Whether the query may be asked, and what any answer can lead to; nothing changes.

        Raises:
            SordinoError: a query that does not fit the domain.
        """
        # Accepting and then answering ask the same question twice in a row; it is worked out once. Query and decision
        # are read and written as one, so that no other thread can put its decision between them.
        asked, decision = self._last[0]
        if decision is None or asked != query:
            decision = self._filter_state.decide(query, self.rule)
            self._last[0] = query, decision
        return decision

    def accepts(self, query: FilterQuery) -> bool:
        """Whether the query may be asked; a dry run that changes nothing.

        Raises:
            SordinoError: a query that does not fit the domain.
        """
        return self.decide(query).accepted

    @ignore_float_errors
    def after(self, query: FilterQuery, output: int) -> "BayesianFilter":
        """The filter once an accepted query has been answered.

        Raises:
            SordinoError: a query that is not accepted, or an answer that it cannot have.
        """
        decision = self.decide(query)
        if decision.follow is None:
            rule = "a query must be accepted before it is asked"
            found = f"a loss of up to {decision.loss:.4g} nats"
            raise RefusedError(rule, found=found, step="ask with a smaller epsilon, or not at all")
        code = read_output(output, query.outputs)
        return replace(self, _state=decision.follow(code))

    @ignore_float_errors
    def with_answer(self, query: FilterQuery, output: int) -> "BayesianFilter":
        """The filter once a query has been answered that another one accepted; `accepts` then tells what still fits.

        Raises:
            SordinoError: a query that does not fit the domain, or an answer that it cannot have.
        """
        self._filter_state.level(query)
        return replace(self, _state=self._filter_state.with_answer(query, read_output(output, query.outputs)))

    @ignore_float_errors
    def epsilon_of(self, query: FilterQuery) -> Nats:
        """The least epsilon that a query satisfies under LDP; what it promises, for a question about numbers.

        Raises:
            SordinoError: a query that does not fit the domain, or that satisfies none.
        """
        return self._filter_state.epsilon_of(query)

    @ignore_float_errors
    def charge(self, query: FilterQuery) -> float:
        """The most that an answer can reveal of anything that is protected, in nats, rounded up; it may be infinite.

        Raises:
            SordinoError: a query that does not fit the domain.
        """
        return self._filter_state.charge(query)

    @ignore_float_errors
    def accepts_all(self, queries: Sequence[FilterQuery]) -> bool:
        """Whether queries may be asked at once: whichever of them are answered first, and however.

        With very many possible answers only the sum of what the queries can add counts, which refuses more.

        Raises:
            SordinoError: a query that does not fit the domain.
        """
        if self._filter_state.fits(queries):
            return True
        ways = math.prod(query.outputs + 1 for query in queries)
        # Evidence about one version adds in any order; of histories the order counts.
        orders = math.factorial(min(len(queries), JOINT)) if self.changes else 1
        return ways * orders <= JOINT and all(
            _all_fit(self._filter_state, order, self.rule)
            for order in (permutations(queries) if self.changes else [tuple(queries)])
        )

    @ignore_float_errors
    def changed(self) -> "BayesianFilter":
        """The filter once the record has changed: what was lost stays lost, and later answers add to it, never cancel.

        With `changes` of one or more it is needed after so many changes only; then as many may follow again.

        Raises:
            SordinoError: Bayesian coordinate DP, which says nothing of two versions.
        """
        return replace(self, _state=self._filter_state.changed())

    @property
    def is_ordered(self) -> bool:
        """Whether answers must count in the order in which their queries were accepted: of histories."""
        return self.changes > 0

    @property
    @ignore_float_errors
    def spent(self) -> float:
        """The realized loss of all answers, in nats, rounded up; of protected hypotheses, where there are several."""
        return self._filter_state.spent

    @property
    @ignore_float_errors
    def group_losses(self) -> tuple[float, ...]:
        """The realized loss of each group of hypotheses with a bound of its own, such as an attribute, rounded up."""
        state = self._filter_state
        own = state.state if isinstance(state, LastingState) else state
        return tuple(own.levels.tolist()) if isinstance(own, GroupedState | CoordinateBoxState) else (state.spent,)

    @property
    @ignore_float_errors
    def realized_loss(self) -> LossBounds:
        """Bounds on the realized loss of all answers about the present version, in nats, whatever the definition."""
        return self._filter_state.realized_loss

    @property
    @ignore_float_errors
    def remaining(self) -> float:
        """Nats, rounded down: queries whose epsilons add up to at most this are accepted; others may be."""
        return self._filter_state.remaining

    @property
    @ignore_float_errors
    def binding(self) -> Binding:
        """The hypotheses with the least left."""
        return self._filter_state.binding

    @property
    def _own(self) -> tuple[object, ...]:
        """What a filter must not change once it has begun."""
        return self.domain, self.definition, self.nodes, self.group, self.changes

    @property
    def _filter_state(self) -> FilterState:
        if self._state is None:
            raise AssertionError("a filter has a state once it is made")
        return self._state

    def __getstate__(self) -> dict[str, object]:
        """What is stored or sent: all but the decision that is kept at hand."""
        return {name: value for name, value in vars(self).items() if name != "_last"}

    @cached_property
    def _last(self) -> list[tuple[FilterQuery | None, Decision[FilterState] | None]]:
        return [(None, None)]


def _all_fit(state: FilterState, queries: tuple[FilterQuery, ...], rule: Rule) -> bool:
    """Whether any of the queries may be answered in any way, or not, and the others still fit."""
    if not queries:
        return True
    query, later = queries[0], queries[1:]
    decision = state.decide(query, rule)
    if decision.follow is None or not _all_fit(state, later, rule):
        return False
    for code in range(query.outputs):
        try:
            after = decision.follow(code)
        except SordinoError:
            # No record can give this answer.
            continue
        if not _all_fit(after, later, rule):
            return False
    return True


def start_of(
    domain: object, definition: object, nodes: int = NODES, group: int | None = None
) -> BoxState | CoordinateBoxState | FiniteState | MixedState | ProductState:
    """The empty state of the part that offers the domain and the definition."""
    if isinstance(domain, MixedRecord):
        return _mixed_start(domain, definition, nodes, group)
    if isinstance(domain, Box) and isinstance(definition, LDP):
        return BoxState.start(domain, definition.epsilon, nodes, group)
    if isinstance(domain, Box) and isinstance(definition, CoordinateDP | BayesianCoordinateDP):
        return CoordinateBoxState.start(domain, definition, nodes, group)
    if isinstance(domain, Record):
        if isinstance(definition, LDP | CoordinateDP | BayesianCoordinateDP) and domain.k > LARGEST_LIKELIHOOD:
            by_factors = isinstance(definition, LDP | CoordinateDP) or not isinstance(definition.beliefs, Prior)
            if by_factors:
                return ProductState.start(domain, definition)
        if isinstance(definition, FiniteDefinition) and domain.k <= LARGEST_LISTED:
            known = definition.on(domain) if isinstance(definition, CoordinateDP | BayesianCoordinateDP) else definition
            return FiniteState.start(measure_of(known, domain.k, domain.names), domain)
    elif isinstance(definition, FiniteDefinition) and isinstance(k := getattr(domain, "k", None), int):
        return FiniteState.start(measure_of(definition, k))
    rule = "a filter is offered for finite domains, for records of finite attributes, and for boxes"
    step = "a large record or a box takes LDP, coordinate DP, or Bayesian coordinate DP with a bound on dependence"
    raise SordinoError(rule, found=f"{type(domain).__name__} and {type(definition).__name__}", step=step)


def _mixed_start(domain: MixedRecord, definition: object, nodes: int, group: int | None) -> MixedState | ProductState:
    """Under LDP numbers by a box and by cells, else by cells alone."""
    if isinstance(definition, LDP):
        return MixedState.start(domain, definition.epsilon, nodes, group)
    if isinstance(definition, CoordinateDP) or (
        isinstance(definition, BayesianCoordinateDP) and not isinstance(definition.beliefs, Prior)
    ):
        return ProductState.start(domain.cells, definition)
    rule = "a filter over numbers and categories takes LDP, coordinate DP, or bounds on dependence"
    known = "a prior" if isinstance(definition, BayesianCoordinateDP) else type(definition).__name__
    raise SordinoError(rule, found=known, step="declare [dependence] in place of a prior")


def start_of_histories(domain: object, definition: object, changes: int) -> HistoryState | CellHistoryState:
    """The empty state of histories with at most so many changes."""
    if type(changes) is not int or not 0 < changes <= MOST_CHANGES:
        rule = f"a record's changes must be a whole number from 0 to {MOST_CHANGES}"
        raise SordinoError(rule, found=shown(changes), step="choose fewer; a record without a limit adds its losses")
    cells = domain.cells if isinstance(domain, MixedRecord) else domain
    k = getattr(cells, "k", None)
    pairs = isinstance(definition, BlockLDP | HighLowLDP) and not isinstance(domain, MixedRecord)
    most = isqrt(LARGEST_HISTORIES) // (changes + 1) if pairs else LARGEST_HISTORIES // (changes + 1)
    if isinstance(k, int) and k <= most:
        record = domain if isinstance(domain, Record) else None
        if isinstance(definition, LDP) and isinstance(domain, MixedRecord):
            return CellHistoryState.start(domain, definition.epsilon, changes)
        if isinstance(definition, LDP):
            return HistoryState.start(measure_of(definition, k), changes, record)
        if pairs and isinstance(definition, BlockLDP | HighLowLDP):
            return HistoryState.start(measure_of(definition, k), changes, record, _protected_pairs(definition))
    rule = (
        f"{changes} changes are offered for LDP, blocks and sensitive values on finite domains, and for LDP on numbers,"
        f" of at most {most:,} values or cells"
    )
    found = f"{type(definition).__name__} on {type(domain).__name__}" + (f" of {k:,}" if isinstance(k, int) else "")
    raise SordinoError(rule, found=found, step="leave changes at 0, and call changed() when the record has changed")


def _protected_pairs(definition: BlockLDP | HighLowLDP) -> NDArray[np.bool_]:
    """Which values are protected from each other, each from itself too, shape (k, k)."""
    if isinstance(definition, BlockLDP):
        block = definition.partition.block
        return np.equal.outer(block, block)
    return definition.is_sensitive[:, np.newaxis] | np.eye(definition.k, dtype=np.bool_)


def read_output(output: SupportsIndex, outputs: int) -> int:
    """The code of an answer."""
    try:
        code = index(output)
    except TypeError:
        code = -1
    if isinstance(output, bool) or not 0 <= code < outputs:
        raise SordinoError(f"an answer must be a code below {outputs}", found=shown(output))
    return code
