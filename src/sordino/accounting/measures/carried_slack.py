"""What a filter over a box said was left stays left: later searches that find less do not take it back.

The limit on the work may end the search after an answer before it has found a bound as close as the one before. But
answers add no more than their queries' epsilons to what an earlier state had proved, whatever they are. So a query that
is refused by what is known now is accepted if its epsilon fits, with those of all queries since, into what any earlier
state had left. A decision is still a function of the transcript alone: what was looked at and when makes no difference.
Cost: for a refusal that a closer bound might lift, one search for each of the last states; none for other decisions but
where more than `REMEMBERED` queries fit into the promise one after the other: then one for each.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Protocol, Self

from sordino.accounting.measures.box_state import box_question
from sordino.accounting.state import Binding, Decision, FilterQuery, FilterState, Rule
from sordino.evidence.bound.loss import LossBounds
from sordino.exact.floats import up
from sordino.exact.nats import Nats
from sordino.query.query import Query

REMEMBERED = 64
"""Earlier states that are kept with all their evidence; of those before only a number."""

ROOM = 1 - 1e-9
"""Sums of levels are sums of epsilons up to this factor, and then some."""


class BoundedState(FilterState, Protocol):
    """A state that works out bounds within a limit."""

    @property
    def most_left(self) -> float:
        """No less than `remaining`, by what is known without a search."""

    def decide(self, query: FilterQuery, rule: Rule) -> Decision[Self]:
        """Decide on a query from what was asked and answered alone."""

    def hopeless(self, queries: Sequence[Query]) -> bool:
        """Whether two records are known that queries could tell too well apart, so that no closer bound helps."""

    def with_answer(self, query: FilterQuery, output: int) -> Self:
        """The state after an answer, whether the query was accepted or not."""

    def changed(self) -> Self:
        """The state once the record has changed."""

    def spent_within(self, left: float) -> float:
        """What was spent, in nats, where so much is known to be left of every bound."""

    def binding_within(self, left: float) -> Binding:
        """The hypotheses with the least left, where so much is known to be left of every bound."""


@dataclass(frozen=True)
class _Step:
    """A state and the query that was answered next; none where the record changed."""

    state: BoundedState
    query: Query | None

    @property
    def queries(self) -> tuple[Query, ...]:
        return () if self.query is None else (self.query,)


@dataclass(frozen=True)
class _Past:
    """What earlier states had left.

    Attributes:
        said: what the best of the others had left, in nats, rounded down.
        since: the sum of the epsilons of all queries after that one.
    """

    steps: tuple[_Step, ...] = ()
    said: float = -math.inf
    since: Nats = field(default_factory=lambda: Nats.of(0))

    def after(self, step: _Step) -> "_Past":
        """With one more step; what is too long ago to fit any query is forgotten."""
        steps = (*self.steps, step)
        total, first = 0.0, len(steps)
        for place in range(len(steps) - 1, -1, -1):
            total += sum(query.level for query in steps[place].queries)
            if total * ROOM <= steps[place].state.most_left:
                first = place
        since = _sum(step.queries, self.since) if self.said > 0 else self.since
        past = _Past(steps[first:], self.said if since.floor() <= self.said else -math.inf, since)
        return past if len(past.steps) <= REMEMBERED else past._without_oldest()

    def _without_oldest(self) -> "_Past":
        """The oldest step as a number, if it is the better one."""
        oldest, since = self.steps[0], _sum(query for step in self.steps for query in step.queries)
        said = oldest.state.remaining
        if self.said > 0 and Nats(Fraction(self.said)) - self.since >= Nats(Fraction(said)) - since:
            return _Past(self.steps[1:], self.said, self.since)
        return _Past(self.steps[1:], said, since)

    def covers(self, queries: Sequence[Query]) -> bool:
        """Whether queries fit into what an earlier state had left, with all that were asked since."""
        if self.said > 0 and _sum(queries, self.since) <= Nats(Fraction(self.said)):
            return True
        asked = tuple(queries)
        for step in reversed(self.steps):
            asked = (*step.queries, *asked)
            if math.fsum(query.level for query in asked) * ROOM <= step.state.most_left and step.state.fits(asked):
                return True
        return False

    @cached_property
    def carried_slack(self) -> float:
        """The most that an earlier state had left, less the epsilons of all queries since; nats, rounded down."""
        best = (Nats(Fraction(self.said)) - self.since).floor() if self.said > 0 else -math.inf
        since = Nats.of(0)
        for step in reversed(self.steps):
            since = _sum(step.queries, since)
            if since.floor() <= step.state.most_left:
                best = max(best, (Nats(Fraction(step.state.remaining)) - since).floor())
        return best


@dataclass(frozen=True, eq=False)
class LastingState:
    """A state over a box and what earlier ones had left.

    Attributes:
        state: of the same queries and answers.
    """

    state: BoundedState
    past: _Past = field(default_factory=_Past)

    def decide(self, query: FilterQuery, rule: Rule) -> "Decision[LastingState]":
        """As the state decides; what it refuses is accepted if it fits into what an earlier one had left."""
        question = box_question(query)
        decision = self.state.decide(question, rule)
        follow = decision.follow
        if follow is not None:
            return Decision(True, decision.loss, lambda output: self._with_step(follow(output), question))
        if self.fits((question,)):
            loss = min(decision.loss, up(self.spent + question.level))
            return Decision(True, loss, lambda output: self.with_answer(question, output))
        return Decision(False, decision.loss)

    def fits(self, queries: Sequence[FilterQuery]) -> bool:
        """Whether the epsilons of queries can be added to what is known or was known, however they are answered."""
        questions = [box_question(query) for query in queries]
        return self.state.fits(questions) or (not self.state.hopeless(questions) and self.past.covers(questions))

    def with_answer(self, query: FilterQuery, output: int) -> "LastingState":
        return self._with_step(self.state.with_answer(query, output), box_question(query))

    def changed(self) -> "LastingState":
        """The state once the record has changed; what was left is left."""
        return self._with_step(self.state.changed(), None)

    def level(self, query: FilterQuery) -> float:
        return self.state.level(query)

    def charge(self, query: FilterQuery) -> float:
        return self.level(query)

    def epsilon_of(self, query: FilterQuery) -> Nats:
        return self.state.epsilon_of(query)

    @property
    def realized_loss(self) -> LossBounds:
        return self.state.realized_loss

    @property
    def spent(self) -> float:
        return self.state.spent_within(self._carried_slack)

    @property
    def remaining(self) -> float:
        """Nats, rounded down, at least 0: queries whose epsilons add up to no more are accepted, in turn."""
        return max(self.state.remaining, self._carried_slack)

    @property
    def binding(self) -> Binding:
        return self.state.binding_within(self._carried_slack)

    @cached_property
    def _carried_slack(self) -> float:
        """What earlier states had left, where the present one finds nothing; minus infinity elsewhere."""
        return self.past.carried_slack if self.state.remaining <= 0 else -math.inf

    def _with_step(self, state: BoundedState, query: Query | None) -> "LastingState":
        return LastingState(state, self.past.after(_Step(self.state, query)))


def _sum(queries: Iterable[Query], start: Nats | None = None) -> Nats:
    return sum((query.epsilon for query in queries), Nats.of(0) if start is None else start)
