"""A filter's decisions about records in a box where each number has a bound of its own.

Offered under coordinate DP, and Bayesian coordinate DP with a bound q on dependence, where a number loses at most
ln((1 - q) e^c + q e^epsilon) of its own realized loss c (records that differ in it alone) and the realized loss epsilon
of the whole record; both stand for the same answers, so the bound holds whatever was asked in view of what. A question
whose coefficient of a number is zero costs its c nothing. Guarantee: never past the definition; losses are certified
upper bounds, rounded outward, or sums of epsilons, compared exactly. The full rule looks at each answer, the simplified
one adds the question's epsilon. Cost: of bounds that are carried the same after any number of answers; next to a bound
some boxes are bounded, by a limit on the terms in them.
Source: BCDP paper, Proposition 4, with the tighter mixture; Bayesian privacy filter paper, Algorithms 2 and 3.

Sums of the epsilons of questions about records in a box: for each number those that touch it, then of all.

They are exact, and hold whatever was answered.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from sordino.accounting.measures.box_state import SETTLED, box_question
from sordino.accounting.measures.record_state import mixture
from sordino.accounting.state import Binding, Decision, FilterQuery, Rule, exactly_left
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.prior import Prior
from sordino.definition.product import Amounts
from sordino.definition.rest import Rest
from sordino.domain.box import Box
from sordino.errors import RefusedError, SordinoError
from sordino.evidence.bound.loss import BoxLoss, LossBounds
from sordino.evidence.bound.number_losses import NumberLosses, largest_alone
from sordino.exact.floats import Floats
from sordino.exact.messages import shown
from sordino.exact.nats import Nats
from sordino.query.quadratic import Quadratic
from sordino.query.query import Query

AHEAD = 4
"""Boxes are cut so many questions ahead of a bound: one decision has time for few of them."""

ROUNDING = 1e-12
"""Nats kept back from what is left, for the roundings of sums and mixtures to come; far above them."""


@dataclass(frozen=True)
class Asked:
    """Sums of epsilons.

    Attributes:
        basic: in the order of the bounds, of all questions, answered or not; None once above the bound.
        sums: nats, rounded up; of the questions that are not answered yet, for each number and for the record.
    """

    basic: tuple[Nats | None, ...]
    sums: list[float]

    @classmethod
    def of(cls, basic: Sequence[Nats | None], bounds: Amounts, d: int, queries: Sequence[Query]) -> "Asked":
        """Of questions after others.

        Args:
            basic: of the others.
            bounds: of the numbers, and of the record where it counts.
            queries: not answered yet.
        """
        totals = list(basic)
        for query in queries:
            for group, total in enumerate(totals):
                if total is not None and _concerns(query, group, d):
                    totals[group] = total + query.epsilon
        pairs = zip(totals, bounds, strict=True)
        kept = tuple(None if total is None or bound is None or total > bound else total for total, bound in pairs)
        return cls(kept, _summed_levels(queries, d))


@dataclass(frozen=True, eq=False)
class CoordinateBoxState:
    """Questions about a record in a box and their answers.

    Attributes:
        bounds: of each number; None where it is not protected. Under Bayesian coordinate DP epsilon stands last.
        shares: the bound on dependence of each number; 0 under coordinate DP.
        nodes: boxes bounded for one decision at most, for each possible answer and number.
        whole: the realized loss of the record; None under coordinate DP.
        numbers: the realized loss of each number, about this version of the record.
        basic: sums of epsilons, in the order of the bounds: of the questions that touch a number, then of all; None
            once above the bound.
        settled: nats; what earlier versions of the record lost in each number.
    """

    box: Box
    bounds: Amounts
    shares: tuple[Fraction, ...]
    nodes: int
    whole: BoxLoss | None
    numbers: NumberLosses
    basic: tuple[Nats | None, ...]
    settled: tuple[float, ...]

    @classmethod
    def start(
        cls, box: Box, definition: CoordinateDP | BayesianCoordinateDP, nodes: int, group: int | None
    ) -> "CoordinateBoxState":
        """Nothing asked yet."""
        if definition.d != box.d:
            raise SordinoError(f"the definition must be about the box's {box.d} numbers", found=shown(definition.d))
        if isinstance(definition, BayesianCoordinateDP) and isinstance(definition.beliefs, Prior):
            rule = "beliefs about numbers in a box must be a bound on dependence"
            raise SordinoError(rule, found="a prior", step="use BayesianCoordinateDP.bounded")
        if group is not None or nodes < 0:
            rule = "bounds for each number are kept with nodes of at least 0 and without groups"
            raise SordinoError(rule, found=" and ".join(map(shown, (nodes, group))), step="leave the group out")
        if definition.shape is not None:
            raise SordinoError("a definition about a box has no sizes of its attributes", found=shown(definition.shape))
        nothing, zeros, settled = NumberLosses.of_no_reports(box), (Nats.of(0),) * box.d, (0.0,) * box.d
        if isinstance(definition, CoordinateDP):
            shares = (Fraction(0),) * box.d
            return cls(box, definition.budgets, shares, nodes, None, nothing, zeros, settled)
        bounds, basic = (*definition.deltas, definition.epsilon), (*zeros, Nats.of(0))
        shares = definition.beliefs.bounds if isinstance(definition.beliefs, Rest) else (Fraction(1),) * box.d
        return cls(box, bounds, shares, nodes, BoxLoss.of_no_reports(box), nothing, basic, settled)

    def decide(self, query: FilterQuery, rule: Rule) -> "Decision[CoordinateBoxState]":
        """By what is carried over; else by solving, for every answer or (simplified) once."""
        question = self._fitting_question(query)
        known = self._with_polynomials(question) if self._near(question.level) else self
        simple = self._simple_decision(known, question)
        if simple.accepted:
            return simple
        if rule == "full":
            after = known._with_closer_bounds(question)._answers(question)  # noqa: SLF001 - the same answers, with closer bounds
            if after is not None:
                return Decision(True, max(state.most(()) for state in after), lambda code: after[code])
        else:
            worked = self._simple_decision(known._with_work((question,)), question)  # noqa: SLF001 - another state of this class
            if worked.accepted:
                return worked
        # What is said to be left is left, even where the search after an answer ends too early.
        closest = self._simple_decision(self._closest, question)
        return closest if closest.accepted else simple

    def _near(self, level: float) -> bool:
        """Whether a few questions of an epsilon might pass a bound."""
        pairs = zip(self.bounds, self.numbers.each, self.settled, strict=False)
        asked = [(bound, number.upper + before) for bound, number, before in pairs if bound is not None]
        return any(loss + AHEAD * level > bound.floor() for bound, loss in asked)

    def _with_polynomials(self, query: Query) -> "CoordinateBoxState":
        """With polynomials on smaller boxes, where a few answers may pass a bound."""
        return replace(self, numbers=self.numbers.cut(self._goals(query, AHEAD)))

    def _with_closer_bounds(self, query: Query) -> "CoordinateBoxState":
        """With closer bounds where an answer may pass one: what is found before the answer serves all answers."""
        return replace(self, numbers=self.numbers.solve(self._goals(query, 1), self.nodes))

    def _goals(self, query: Query, ahead: int) -> Floats:
        """Losses of numbers from which so many answers pass no bound, shape (d,); infinite where none can."""
        alone = np.maximum.reduce([largest_alone(query.evidence(self.box, code)) for code in range(query.outputs)])
        goals, record = np.full(self.box.d, math.inf), self._record(self._asked_with((query,)))
        for place, (bound, coefficient) in enumerate(zip(self.bounds, query.model.theta, strict=False)):
            if bound is not None and coefficient:
                own = ahead * float(alone[place])
                goals[place] = self._goal(place, record) - own - self.settled[place] - ROUNDING
        return goals

    def _answers(self, query: Query) -> "list[CoordinateBoxState] | None":
        """The state after each answer; None where one of them may pass a bound."""
        after = []
        for code in range(query.outputs):
            state = self.with_answer(query, code)._with_work(())  # noqa: SLF001 - another state of this class
            if state._passed_bounds(()):  # noqa: SLF001 - as above
                return None
            after.append(state)
        return after

    def with_answer(self, query: FilterQuery, output: int) -> "CoordinateBoxState":
        """The state after an answer, accepted or not: bounds are carried, nothing is solved."""
        question = self._fitting_question(query)
        report = question.evidence(self.box, output)
        numbers = self.numbers.after(report, [bool(coefficient) for coefficient in question.model.theta])
        whole = None if self.whole is None else self.whole.after(report)
        return replace(self, whole=whole, numbers=numbers, basic=self._asked_with((question,)).basic)

    def fits(self, queries: Sequence[FilterQuery]) -> bool:
        """Whether the epsilons of questions can be added to what is known, whichever are answered and however."""
        questions = [self._fitting_question(query) for query in queries]
        return not self._passed_bounds(questions) or not self._closest._passed_bounds(questions)  # noqa: SLF001 - another state

    def hopeless(self, queries: Sequence[Query]) -> bool:
        sums = self._asked_with(queries).sums
        lowers = [number.lower for number in self.numbers.each]
        if self._near_whole is not None:
            lowers.append(self._near_whole.bounds.lower)
        pairs = zip(lowers, sums, self.bounds, (*self.shares, Fraction(0)), strict=False)
        return any(
            bound is not None and not share and lower + total - ROUNDING > bound.ceil()
            for lower, total, bound, share in pairs
        )

    @cached_property
    def most_left(self) -> float:
        if self.whole is None:
            return self.remaining
        return min((bound.ceil() for bound in self.bounds if bound is not None), default=math.inf)

    def level(self, query: FilterQuery) -> float:
        return self._fitting_question(query).level

    def charge(self, query: FilterQuery) -> float:
        return self.level(query)

    def epsilon_of(self, query: FilterQuery) -> Nats:
        return self._fitting_question(query).epsilon

    def _fitting_question(self, query: FilterQuery) -> Query:
        question = box_question(query)
        if isinstance(question.model, Quadratic):
            rule = "bounds for each number are kept for linear, truncated and logistic queries"
            raise SordinoError(rule, found="a model with products", step="promise LDP, or ask about a number by itself")
        question.model.require_fit(self.box)
        return question

    def changed(self) -> "CoordinateBoxState":
        """What each number lost is settled; answers about the next version are bounded by themselves."""
        if self.whole is not None:
            rule = "a changed record is not covered by a bound on the dependence within one version of it"
            raise RefusedError(rule, found="BayesianCoordinateDP", step="promise LDP or coordinate DP")
        closest = self._closest
        settled = tuple(closest._losses(self._asked_with(())))  # noqa: SLF001 - another state of this class
        return replace(self, numbers=NumberLosses.of_no_reports(self.box), settled=settled)

    @property
    def levels(self) -> Floats:
        """The loss under each bound, rounded up, also where nothing is protected; as far as the limit allows."""
        each = tuple(number.solve(self.nodes, tolerance=SETTLED) for number in self.numbers.each)
        return np.array(replace(self._closest, numbers=replace(self.numbers, each=each)).carried_losses(()))

    def own(self, query: FilterQuery) -> Floats:
        """The most that a question can add under each bound: its epsilon, or nothing."""
        question = self._fitting_question(query)
        level = question.level
        pairs = zip(question.model.theta, self.shares, strict=True)
        touched = [level if coefficient or share else 0.0 for coefficient, share in pairs]
        return np.array(touched if self.whole is None else [*touched, level])

    @property
    def spent(self) -> float:
        return self.spent_within(-math.inf)

    @property
    def realized_loss(self) -> LossBounds:
        """Of the whole record, where that is kept; else between a number's and the sum of all numbers'."""
        if self.whole is not None:
            return self.whole.solve(self.nodes, tolerance=SETTLED).bounds
        solved = [number.solve(self.nodes, tolerance=SETTLED) for number in self.numbers.each]
        upper = 0.0
        for number in solved:
            upper = plus(upper, number.upper)
        return LossBounds(max(number.lower for number in solved), upper)

    @property
    def remaining(self) -> float:
        return max(self.binding.left, 0.0)

    @property
    def binding(self) -> Binding:
        """The number with the least left, or the whole record."""
        return self.binding_within(-math.inf)

    def spent_within(self, left: float) -> float:
        pairs = zip(self._closest.carried_losses(()), self.bounds, strict=True)
        return max((within(level, bound, left) for level, bound in pairs if bound is not None), default=0.0)

    def binding_within(self, left: float) -> Binding:
        found, groups = Binding("nothing that is protected", 0.0, math.inf), []
        for group, level in enumerate(self._closest.carried_losses(())):
            bound = self.bounds[group]
            if bound is None:
                continue
            own = math.nextafter(bound.floor() - level - ROUNDING, -math.inf) if level else bound.floor()
            groups.append((bound, level, max(own, left)))
            if max(own, left) < found.left:
                found = Binding(self.about(group), within(level, bound, left), max(own, left))
        return found if not groups or found.spent else replace(found, exactly=exactly_left(groups))

    def most(self, queries: Sequence[Query]) -> float:
        """The largest loss of what is protected once questions are answered, by what is carried; rounded up."""
        pairs = zip(self.carried_losses(queries), self.bounds, strict=True)
        return max((level for level, bound in pairs if bound is not None), default=0.0)

    def carried_losses(self, queries: Sequence[Query]) -> list[float]:
        """The loss under each bound once questions are answered, by what is carried; rounded up."""
        return self._levels(self._asked_with(queries))

    def about(self, group: int) -> str:
        """The number, by its place, or the record."""
        return f"two values of attribute {group}" if group < self.box.d else "two records"

    def _simple_decision(self, known: "CoordinateBoxState", query: Query) -> "Decision[CoordinateBoxState]":
        """The simplified decision by a state of the same answers."""
        loss = known.most((query,))
        if known._passed_bounds((query,)):  # noqa: SLF001 - another state of this class
            return Decision(False, loss)
        return Decision(True, loss, lambda output: known.with_answer(query, output))

    def _levels(self, asked: Asked) -> list[float]:
        record = self._record(asked)
        levels = [mixture(own, record, q) for own, q in zip(self._losses(asked), self.shares, strict=True)]
        return levels if self.whole is None else [*levels, record]

    def _losses(self, asked: Asked) -> list[float]:
        """The realized loss of each number over all versions, with questions that are not answered yet; rounded up."""
        losses = []
        for place, (number, before) in enumerate(zip(self.numbers.each, self.settled, strict=True)):
            loss, total = plus(plus(before, number.upper), asked.sums[place]), asked.basic[place]
            losses.append(loss if total is None else min(loss, total.ceil()))
        return losses

    def _record(self, asked: Asked) -> float:
        """The realized loss of the whole record; infinite where it does not count."""
        if self.whole is None:
            return math.inf
        loss, total = plus(self.whole.bounds.upper, asked.sums[-1]), asked.basic[-1]
        return loss if total is None else min(loss, total.ceil())

    def _passed_bounds(self, queries: Sequence[Query]) -> list[int]:
        """The bounds that may be passed once questions are answered."""
        return self._passed_with(self._asked_with(queries))

    def _passed_with(self, asked: Asked) -> list[int]:
        passed = []
        for group, (level, bound) in enumerate(zip(self._levels(asked), self.bounds, strict=True)):
            if bound is None or level <= bound.floor():
                continue
            # A number that others tell of loses no more than the record; one that none of them does as much as itself.
            share = self.shares[group] if group < self.box.d else Fraction(0)
            total = asked.basic[-1] if share else asked.basic[group]
            if total is None or total > bound:
                passed.append(group)
        return passed

    def _with_work(self, queries: Sequence[Query]) -> "CoordinateBoxState":
        """Bounds just close enough for the questions to fit, where the limit on the work allows."""
        asked = self._asked_with(queries)
        passed = self._passed_with(asked)
        if not passed:
            return self
        state = self
        if self.whole is not None and any(group == self.box.d or self.shares[group] for group in passed):
            # How close it must be depends on the numbers' own losses.
            state = replace(self, whole=self.whole.solve(self.nodes, tolerance=SETTLED))
            passed = state._passed_with(asked)  # noqa: SLF001 - another state of this class
        if self.box.d in passed:
            return state
        record = state._record(asked)  # noqa: SLF001 - as above
        goals = np.full(self.box.d, math.inf)
        for place in passed:
            goals[place] = self._goal(place, record) - asked.sums[place] - self.settled[place] - ROUNDING
        return state if (goals < 0).any() else replace(state, numbers=state.numbers.solve(goals, self.nodes))

    def _goal(self, place: int, record: float) -> float:
        """About the largest loss of a number that its bound allows beside the record's."""
        bound = self.bounds[place]
        return math.inf if bound is None else share_of(bound.floor(), record, self.shares[place])

    @property
    def _closest(self) -> "CoordinateBoxState":
        """The same answers with the bound on the record as close as the limit allows."""
        return replace(self, whole=self._near_whole)

    @cached_property
    def _near_whole(self) -> BoxLoss | None:
        return None if self.whole is None else self.whole.solve(self.nodes, tolerance=SETTLED)

    def _asked_with(self, queries: Sequence[Query]) -> Asked:
        """Sums of epsilons, with questions that are not answered yet."""
        return Asked.of(self.basic, self.bounds, self.box.d, queries)


def _summed_levels(queries: Sequence[Query], d: int) -> list[float]:
    """The most that queries add to each number's loss, then to the record's."""
    touching = [
        tuple(place for place, query in enumerate(queries) if _concerns(query, group, d)) for group in range(d + 1)
    ]
    if len(queries) <= 1:
        return [sum(queries[place].level for place in own) for own in touching]
    # Most often all questions touch all numbers.
    sums = {own: sum((queries[place].epsilon for place in own), Nats.of(0)).ceil() for own in set(touching)}
    return [sums[own] for own in touching]


def _concerns(query: Query, group: int, d: int) -> bool:
    """Whether a question depends on a number; on the whole record all do."""
    return group == d or query.model.theta[group] != 0


def within(level: float, bound: Nats, left: float) -> float:
    """A loss, where so much of its bound is known to be left."""
    return min(level, max(math.nextafter(bound.ceil() - left, math.inf), 0.0))


def plus(first: float, second: float) -> float:
    """A sum rounded up; nothing added is exact."""
    return math.nextafter(first + second, math.inf) if first and second else first + second


def share_of(most: float, record: float, share: Fraction) -> float:
    """About the largest loss c for which ln((1 - share) e^c + share e^record) is no more than so much."""
    if share == 0:
        return most
    if share == 1:
        return -math.inf
    kept = math.exp(min(most - record, 0.0)) - float(share)
    return record + math.log(kept / (1 - float(share))) if kept > 0 else -math.inf
