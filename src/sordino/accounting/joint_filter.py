"""A filter for queries whose answers are still out: several at once, and those that a crash may have lost.

A query is accepted only if it is accepted whatever all answers that are out may turn out to be, so decisions depend on
delivered answers alone: they can be worked out again from what everybody has seen, and tell nothing about an answer
before it is delivered. One filter is kept for each way in which the answers can turn out; a delivered answer drops
those in which it was another one. A query with too many codes for that is pending: until its answer is delivered it
counts by the most that any answer can add. Where a filter is of histories, answers count in the order in which their
queries were accepted, in whatever order they are delivered. Cost: as many decisions as there are ways.
Source: Bayesian privacy filter paper, Algorithm 2, for each way by itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

from sordino.accounting.state import Binding, Decision, FilterQuery, FilterState
from sordino.errors import RefusedError, SordinoError
from sordino.exact.floats import down, up
from sordino.exact.nats import Nats

MOST_PENDING = 16
"""Largest number of queries that are pending."""

MOST_WAYS = 1024
"""Largest number of ways in which open answers can turn out: ten bits."""


class PrivacyFilter(Protocol):
    """What a filter offers."""

    def decide(self, query: FilterQuery) -> Decision[FilterState]:
        """Whether the query may be asked; nothing changes."""

    def accepts_all(self, queries: Sequence[FilterQuery]) -> bool:
        """Whether queries may be asked at once: whichever of them are answered first, and however."""

    def epsilon_of(self, query: FilterQuery) -> Nats:
        """The least epsilon that a query satisfies under LDP."""

    def charge(self, query: FilterQuery) -> float:
        """The most that an answer can reveal of anything that is protected, in nats, rounded up."""

    def after(self, query: FilterQuery, output: int) -> Self:
        """The filter once an accepted query has been answered."""

    def with_answer(self, query: FilterQuery, output: int) -> Self:
        """The filter once a query has been answered that another one accepted."""

    def changed(self) -> Self:
        """The filter once the record has changed."""

    @property
    def is_ordered(self) -> bool:
        """Whether answers must count in the order in which their queries were accepted."""

    @property
    def binding(self) -> Binding:
        """The hypotheses with the least left."""

    @property
    def spent(self) -> float:
        """Nats, rounded up: the realized loss of all answers."""

    @property
    def remaining(self) -> float:
        """Nats, rounded down: queries whose epsilons add up to at most this are accepted."""


@dataclass(frozen=True, eq=False)
class Way:
    """How the open answers may turn out.

    Attributes:
        filter: after all answers, these among them.
        answers: by the queries' names.
    """

    filter: PrivacyFilter
    answers: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class QueuedQuery:
    """A query that was accepted while an answer was out, or was out itself.

    Attributes:
        code: its answer, once it is delivered.
    """

    name: str
    query: FilterQuery
    code: int | None = None


@dataclass(frozen=True, eq=False)
class JointFilter:
    """A filter and the queries whose answers are out: a value; `with_query` and `with_answer` give the next one.

    Attributes:
        ways: at least one.
        pending: queries of many codes whose answers are out, by name; no way has them.
        earlier: the same about an earlier version of the record.
        settled: those of them whose answers were delivered: each counts by the most that it can have added.
        queue: where answers count in order, what was accepted from the first query on that is pending, in that order.
        before: the ways without the answers of the queue.

    Example:
        >>> from sordino import LDP, BayesianFilter, Box, LinearQuery
        >>> query = LinearQuery([1.0], 0, low=-1, high=1, epsilon="0.4")
        >>> start = JointFilter.of(BayesianFilter(Box([-1], [1]), LDP("1")))
        >>> asked = start.with_query("a", query).with_query("b", query)
        >>> asked.decide(query).accepted, asked.with_answer("a", 0).with_answer("b", 1).decide(query).accepted
        (False, True)
    """

    ways: tuple[Way, ...]
    pending: Mapping[str, FilterQuery] = field(default_factory=dict)
    earlier: Mapping[str, FilterQuery] = field(default_factory=dict)
    settled: tuple[FilterQuery, ...] = ()
    queue: tuple[QueuedQuery, ...] = ()
    before: tuple[Way, ...] = ()

    @classmethod
    def of(cls, start: PrivacyFilter) -> "JointFilter":
        return cls((Way(start, {}),))

    @property
    def open_names(self) -> tuple[str, ...]:
        return (*self.ways[0].answers, *self.pending, *self.earlier)

    @property
    def spent(self) -> float:
        """Nats, rounded up: the realized loss, whatever the open answers are."""
        known = max(way.filter.spent for way in self.ways)
        return up(known + self._level_above) if self._uncounted_queries else known

    @property
    def remaining(self) -> float:
        """Nats, rounded down: queries whose epsilons add up to at most this are accepted."""
        left = min(way.filter.remaining for way in self.ways)
        return max(down(left - self._level_above), 0.0) if self._uncounted_queries else left

    @property
    def worst(self) -> PrivacyFilter:
        """The filter of the way in which least is left."""
        return min((way.filter for way in self.ways), key=lambda one: one.binding.left)

    @property
    def is_exact(self) -> bool:
        """Whether no query counts by the most that it can add."""
        return not self._uncounted_queries

    @property
    def _uncounted_queries(self) -> tuple[FilterQuery, ...]:
        """Queries that count by the most that they can add."""
        return (*self.pending.values(), *self.earlier.values(), *self.settled)

    @property
    def _level_above(self) -> float:
        """The epsilons of these together, rounded up; where some answers rule values out, the most that they add."""
        some = self.ways[0].filter
        try:
            each = (some.epsilon_of(query) for query in self._uncounted_queries)
            return sum(each, Nats.of(0)).ceil()
        except SordinoError:
            total = 0.0
            for query in self._uncounted_queries:
                total = up(total + some.charge(query))
            return total

    def decide(self, query: FilterQuery) -> Decision[FilterState]:
        """Whether the query may be asked, whatever the open answers are; nothing changes."""
        decisions = [way.filter.decide(query) for way in self.ways]
        loss = max(one.loss for one in decisions)
        if not self._uncounted_queries:
            return Decision(all(one.accepted for one in decisions), loss)
        if self.earlier or self.settled or any(queued.code is not None for queued in self.queue):
            # Versions of a record add, and never cancel: no answer about one is looked at together with the others. Nor
            # may an answer that is out be looked at as if it came after one that was delivered before it.
            return Decision(all(self._adds_up(way.filter, query) for way in self.ways), up(loss + self._level_above))
        beside = [*self._uncounted_queries, query]
        return Decision(all(way.filter.accepts_all(beside) for way in self.ways), up(loss + self._level_above))

    def _adds_up(self, within: PrivacyFilter, query: FilterQuery) -> bool:
        """Whether the most that each uncounted query and this one can reveal fits together."""
        total = 0.0
        for each in (*self._uncounted_queries, query):
            total = up(total + within.charge(each))
        return total <= within.remaining

    def with_query(self, name: str, query: FilterQuery, *, pending: bool = False) -> "JointFilter":
        """The filter once a query is out under a name of its own.

        Args:
            pending: whether it counts by the most that any answer can add until it is delivered.
        """
        if name in self.open_names:
            step = "give each query another name"
            raise SordinoError("a query must have a name of its own", found="the name of one that is out", step=step)
        self.require_room(query, pending=pending)
        if pending or self._uncounted_queries:
            if not self.decide(query).accepted:
                rule = "a query must be accepted before it is asked"
                raise RefusedError(rule, found="one that is not", step="ask with a smaller epsilon, or not at all")
            return replace(self, pending={**self.pending, name: query}, **self._queue_with(name, query))
        return JointFilter(
            tuple(
                Way(after, {**way.answers, name: code})
                for way in self.ways
                for code in range(query.outputs)
                if (after := _after(way.filter, query, code)) is not None
            )
        )

    def changed(self) -> "JointFilter":
        """The filter once the record has changed; answers that are out are about the earlier one."""
        ways = tuple(Way(way.filter.changed(), way.answers) for way in self.ways)
        return JointFilter(ways, {}, {**self.earlier, **self.pending}, self.settled)

    def require_room(self, query: FilterQuery, *, pending: bool = False) -> None:
        """Refuse a query with which there would be too many ways, or too many that wait."""
        if pending or self._uncounted_queries:
            if len(self.pending) + len(self.earlier) >= MOST_PENDING:
                rule = f"at most {MOST_PENDING} answers must wait to be sent"
                raise RefusedError(rule, found=f"{MOST_PENDING}", step="deliver those that wait first")
            return
        if len(self.ways) * query.outputs > MOST_WAYS:
            rule = f"open answers must be able to turn out in at most {MOST_WAYS} ways"
            found = f"{len(self.ways) * query.outputs} with this query"
            raise RefusedError(rule, found=found, step="deliver those that wait first")

    def with_answer(self, name: str, output: int) -> "JointFilter":
        """The filter once the answer of a query that was out is delivered."""
        if name in self.pending:
            return self._with_pending_answer(name, output)
        if name in self.earlier:
            rest = {other: own for other, own in self.earlier.items() if other != name}
            return replace(self, earlier=rest, settled=(*self.settled, self.earlier[name]))
        ways = _ways_with(self.ways, name, output)
        if not ways:
            found = "one that this query cannot have" if name in self.open_names else "one of a query that is not out"
            step = "deliver the answer that was drawn, once"
            raise SordinoError("a delivered answer must be one of a query that is out", found=found, step=step)
        return replace(self, ways=ways, before=_ways_with(self.before, name, output))

    def _with_pending_answer(self, name: str, output: int) -> "JointFilter":
        """The filter once the answer of a pending query is delivered."""
        query, place = self.pending[name], next((at for at, own in enumerate(self.queue) if own.name == name), 0)
        queue = tuple(replace(own, code=output) if own.name == name else own for own in self.queue)
        if any(own.code is not None for own in queue[place + 1 :]):
            # It stands before answers that were delivered already.
            ways = self.before
            for own in queue:
                ways = ways if own.code is None else _ways_after(ways, own.query, own.code)
        else:
            ways = _ways_after(self.ways, query, output)
        if not ways:
            rule = "a delivered answer must be one that some record can give, after those before it"
            raise SordinoError(rule, found=f"code {output}", step="deliver the answer that was drawn")
        before = self.before
        while queue and queue[0].code is not None:
            # All that was accepted before is delivered.
            before = _ways_after(before, queue[0].query, queue[0].code)
            queue = queue[1:]
        rest = {other: own for other, own in self.pending.items() if other != name}
        return replace(self, ways=ways, pending=rest, queue=queue, before=before if queue else ())

    def _queue_with(self, name: str, query: FilterQuery) -> dict[str, Any]:
        """What changes of the queue with one more pending query; nothing where the order does not count."""
        if not self.ways[0].filter.is_ordered:
            return {}
        return {"queue": (*self.queue, QueuedQuery(name, query)), "before": self.before or self.ways}


def _ways_with(ways: Sequence[Way], name: str, output: int) -> tuple[Way, ...]:
    """Those in which an open answer is this one, once it is delivered."""
    kept = [way for way in ways if way.answers.get(name) == output]
    left = [{other: code for other, code in way.answers.items() if other != name} for way in kept]
    return tuple(Way(way.filter, answers) for way, answers in zip(kept, left, strict=True))


def _ways_after(ways: Sequence[Way], query: FilterQuery, code: int) -> tuple[Way, ...]:
    """Those in which some record can give one more answer."""
    pairs = [(_with_answer(way.filter, query, code), way.answers) for way in ways]
    return tuple(Way(after, answers) for after, answers in pairs if after is not None)


def _after(before: PrivacyFilter, query: FilterQuery, code: int) -> PrivacyFilter | None:
    """The filter after an answer; None where no record can give it after the others."""
    accepted = before.decide(query).accepted
    try:
        return before.after(query, code)
    except SordinoError:
        if not accepted:
            raise
        return None


def _with_answer(before: PrivacyFilter, query: FilterQuery, code: int) -> PrivacyFilter | None:
    """The filter after an answer to a query that was accepted; None where no record can give it after the others."""
    try:
        return before.with_answer(query, code)
    except SordinoError:
        return None
