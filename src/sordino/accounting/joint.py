"""A filter for queries whose answers are still out: several at once, and those that a crash may have lost.

A query is accepted only if it is accepted whatever all answers that are out may turn out to be, so decisions depend on
delivered answers alone: they can be worked out again from what everybody has seen, and tell nothing about an answer
before it is delivered. One filter is kept for each way in which the answers can turn out; a delivered answer drops
those in which it was another one. Cost: as many decisions as there are ways.
Source: Bayesian privacy filter paper, Algorithm 2, for each way by itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, Self

from sordino.accounting.state import Binding, Decision, FilterQuery, FilterState
from sordino.errors import RefusedError, SordinoError

MOST_WAYS = 1024
"""Ways in which open answers can turn out at most: ten bits."""


class PrivacyFilter(Protocol):
    """What a filter offers."""

    def decide(self, query: FilterQuery) -> Decision[FilterState]:
        """Whether the query may be asked; nothing changes."""

    def after(self, query: FilterQuery, output: int) -> Self:
        """The filter once an accepted query has been answered."""

    def changed(self) -> Self:
        """The filter once the record has changed."""

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
class JointFilter:
    """A filter and the queries whose answers are out: a value; `with_query` and `with_answer` give the next one.

    Attributes:
        ways: at least one.

    Example:
        >>> from sordino import LDP, BayesianFilter, Box, LinearQuery
        >>> query = LinearQuery([1.0], 0, low=-1, high=1, epsilon="0.4")
        >>> start = JointFilter.of(BayesianFilter(Box([-1], [1]), LDP("1")))
        >>> asked = start.with_query("a", query).with_query("b", query)
        >>> asked.decide(query).accepted, asked.with_answer("a", 0).with_answer("b", 1).decide(query).accepted
        (False, True)
    """

    ways: tuple[Way, ...]

    @classmethod
    def of(cls, start: PrivacyFilter) -> "JointFilter":
        """A filter all of whose answers are known."""
        return cls((Way(start, {}),))

    @property
    def open_names(self) -> tuple[str, ...]:
        """The names of the queries whose answers are out."""
        return tuple(self.ways[0].answers)

    @property
    def spent(self) -> float:
        """Nats, rounded up: the realized loss, whatever the open answers are."""
        return max(way.filter.spent for way in self.ways)

    @property
    def remaining(self) -> float:
        """Nats, rounded down: queries whose epsilons add up to at most this are accepted."""
        return min(way.filter.remaining for way in self.ways)

    @property
    def worst(self) -> PrivacyFilter:
        """The filter of the way in which least is left."""
        return min((way.filter for way in self.ways), key=lambda one: one.binding.left)

    def decide(self, query: FilterQuery) -> Decision[FilterState]:
        """Whether the query may be asked, whatever the open answers are; nothing changes."""
        decisions = [way.filter.decide(query) for way in self.ways]
        return Decision(all(one.accepted for one in decisions), max(one.loss for one in decisions))

    def with_query(self, name: str, query: FilterQuery) -> "JointFilter":
        """The filter once a query is out under a name of its own."""
        if name in self.open_names:
            step = "give each query another name"
            raise SordinoError("a query must have a name of its own", found="the name of one that is out", step=step)
        self.require_room(query)
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
        return JointFilter(tuple(Way(way.filter.changed(), way.answers) for way in self.ways))

    def require_room(self, query: FilterQuery) -> None:
        """Refuse a query with which there would be too many ways."""
        if len(self.ways) * query.outputs > MOST_WAYS:
            rule = f"open answers must be able to turn out in at most {MOST_WAYS} ways"
            found = f"{len(self.ways) * query.outputs} with this query"
            raise RefusedError(rule, found=found, step="deliver those that wait first")

    def with_answer(self, name: str, output: int) -> "JointFilter":
        """The filter once the answer of a query that was out is delivered."""
        kept = [way for way in self.ways if way.answers.get(name) == output]
        if not kept:
            found = "one that this query cannot have" if name in self.open_names else "one of a query that is not out"
            step = "deliver the answer that was drawn, once"
            raise SordinoError("a delivered answer must be one of a query that is out", found=found, step=step)
        rest = [{other: code for other, code in way.answers.items() if other != name} for way in kept]
        return JointFilter(tuple(Way(way.filter, answers) for way, answers in zip(kept, rest, strict=True)))


def _after(before: PrivacyFilter, query: FilterQuery, code: int) -> PrivacyFilter | None:
    """The filter after an answer; None where no record can give it after the others."""
    accepted = before.decide(query).accepted
    try:
        return before.after(query, code)
    except SordinoError:
        if not accepted:
            raise
        return None
