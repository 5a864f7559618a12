"""A filter's decisions about records in a box where each number has a bound of its own.

Offered under coordinate DP, and Bayesian coordinate DP with a bound q on dependence, where a number loses at most
ln((1 - q) e^c + q e^epsilon) of its own realized loss c (records that differ in it alone) and the realized loss epsilon
of the whole record; both stand for the same answers, so the bound holds whatever was asked in view of what. A question
whose coefficient of a number is zero costs its c nothing. Guarantee: never past the definition; losses are certified
upper bounds, rounded outward, or sums of epsilons, compared exactly. The full rule looks at each answer, the simplified
one adds the question's epsilon. Cost: at most `nodes` boxes bounded for each answer and number.
Source: BCDP paper, Proposition 4, with the tighter mixture; Bayesian privacy filter paper, Algorithms 2 and 3.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.accounting.measures.box import SETTLED, require_question
from sordino.accounting.measures.product import mixture
from sordino.accounting.state import Binding, Decision, Rule
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.prior import Prior
from sordino.definition.product import Amounts
from sordino.definition.rest import Rest
from sordino.domain.box import Box
from sordino.errors import RefusedError, SordinoError
from sordino.evidence.bound.coordinate import CoordinateLoss
from sordino.evidence.bound.loss import BoxLoss, LossBounds
from sordino.exact.messages.brief import shown
from sordino.exact.nats import Nats
from sordino.query.query import Query

ROUNDING = 1e-12
"""Nats kept back from what is left, for the roundings of sums and mixtures to come; far above them."""


@dataclass(frozen=True, eq=False)
class CoordinateBoxState:
    """Questions about a record in a box and their answers.

    Attributes:
        box: where the record lies.
        bounds: of each number; None where it is not protected. Under Bayesian coordinate DP epsilon stands last.
        shares: the bound on dependence of each number; 0 under coordinate DP.
        nodes: boxes bounded for one decision at most, for each possible answer and number.
        whole: the realized loss of the record; None under coordinate DP.
        numbers: the realized loss of each number.
        basic: sums of epsilons, in the order of the bounds: of the questions that touch a number, then of all; None
            once above the bound.
        settled: nats; what earlier versions of the record lost in each number.
    """

    box: Box
    bounds: Amounts
    shares: tuple[Fraction, ...]
    nodes: int
    whole: BoxLoss | None
    numbers: tuple[CoordinateLoss, ...]
    basic: tuple[Nats | None, ...]
    settled: tuple[float, ...]

    @classmethod
    def start(
        cls, box: Box, definition: CoordinateDP | BayesianCoordinateDP, nodes: int, group: int | None
    ) -> "CoordinateBoxState":
        """Nothing asked yet.

        Raises:
            SordinoError: another number of bounds than the box has numbers, a prior, groups, or negative nodes.
        """
        if definition.d != box.d:
            raise SordinoError(f"the definition must be about the box's {box.d} numbers", found=shown(definition.d))
        if isinstance(definition, BayesianCoordinateDP) and isinstance(definition.beliefs, Prior):
            raise SordinoError(
                "beliefs about numbers in a box must be a bound on dependence",
                found="a prior",
                step="use BayesianCoordinateDP.bounded",
            )
        if group is not None or nodes < 0:
            raise SordinoError(
                "bounds for each number are kept with nodes of at least 0 and without groups",
                found=" and ".join(map(shown, (nodes, group))),
                step="leave the group out",
            )
        if definition.shape is not None:
            raise SordinoError("a definition about a box has no sizes of its attributes", found=shown(definition.shape))
        nothing = tuple(CoordinateLoss.nothing(box, place) for place in range(box.d))
        zeros, settled = (Nats.of(0),) * box.d, (0.0,) * box.d
        if isinstance(definition, CoordinateDP):
            return cls(box, definition.budgets, (Fraction(0),) * box.d, nodes, None, nothing, zeros, settled)
        bounds, basic = (*definition.deltas, definition.epsilon), (*zeros, Nats.of(0))
        shares = definition.beliefs.bounds if isinstance(definition.beliefs, Rest) else (Fraction(1),) * box.d
        return cls(box, bounds, shares, nodes, BoxLoss.nothing(box), nothing, basic, settled)

    def decide(self, query: Query, rule: Rule) -> Decision:
        """By what is carried over; else by solving, for every answer or (simplified) once.

        Raises:
            SordinoError: no question about a box, theta of the wrong length, or a statistic that can leave its range.
        """
        self.level(query)
        simple = self._asked(self, query)
        if simple.accepted:
            return simple
        if rule == "full":
            after = self._answers(query)
            if after is not None:
                return Decision(True, max(state.most(()) for state in after), lambda code: after[code])
        else:
            worked = self._asked(self._worked((query,)), query)
            if worked.accepted:
                return worked
        # What is said to be left is left, even where the search after an answer ends too early.
        return self._asked(self._closest, query)

    def _answers(self, query: Query) -> "list[CoordinateBoxState] | None":
        """The state after each answer; None where one of them may pass a bound."""
        after = []
        for code in range(query.outputs):
            state = self.counted(query, code)._worked(())  # noqa: SLF001 - another state of this class
            if state._passed(()):  # noqa: SLF001 - as above
                return None
            after.append(state)
        return after

    def counted(self, query: Query, output: int) -> "CoordinateBoxState":
        """The state after an answer, accepted or not: bounds are carried, nothing is solved."""
        self.level(query)
        report = query.evidence(self.box, output)
        numbers = tuple(
            number.after(report) if coefficient else number
            for number, coefficient in zip(self.numbers, query.model.theta, strict=True)
        )
        whole = None if self.whole is None else self.whole.after(report)
        return replace(self, whole=whole, numbers=numbers, basic=self._basic_with((query,)))

    def fits(self, queries: Sequence[Query]) -> bool:
        """Whether the epsilons of questions can be added to what is known, whichever are answered and however.

        Raises:
            SordinoError: a question that does not fit the box.
        """
        for query in queries:
            self.level(query)
        return not self._passed(queries) or not self._closest._passed(queries)  # noqa: SLF001 - of this class

    def hopeless(self, queries: Sequence[Query]) -> bool:
        """Whether two records are known that queries could tell too well apart, so that no closer bound helps."""
        known, sums = self._closest, self._added(queries)
        lowers = [number.lower for number in known.numbers]
        if known.whole is not None:
            lowers.append(known.whole.bounds.lower)
        pairs = zip(lowers, sums, self.bounds, (*self.shares, Fraction(0)), strict=False)
        return any(
            bound is not None and not share and lower + total - ROUNDING > bound.ceil()
            for lower, total, bound, share in pairs
        )

    @property
    def most_left(self) -> float:
        """No less than what is left, by what is known without a search."""
        return min((bound.ceil() for bound in self.bounds if bound is not None), default=math.inf)

    def level(self, query: Query) -> float:
        """Its epsilon, rounded up.

        Raises:
            SordinoError: a question that does not fit the box.
        """
        require_question(query)
        query.model.require_fit(self.box)
        return query.level

    def epsilon_of(self, query: Query) -> Nats:
        """What it promises."""
        self.level(query)
        return query.epsilon

    def changed(self) -> "CoordinateBoxState":
        """What each number lost is settled; answers about the next version are bounded by themselves.

        Raises:
            SordinoError: Bayesian coordinate DP, whose losses about two versions do not add.
        """
        if self.whole is not None:
            raise RefusedError(
                "a changed record is not covered by a bound on the dependence within one version of it",
                found="BayesianCoordinateDP",
                step="promise LDP or coordinate DP",
            )
        settled = tuple(self._closest._losses(()))  # noqa: SLF001 - another state of this class
        fresh = tuple(CoordinateLoss.nothing(self.box, place) for place in range(self.box.d))
        return replace(self, numbers=fresh, settled=settled)

    @property
    def levels(self) -> NDArray[np.float64]:
        """The loss under each bound, rounded up, also where nothing is protected; as far as the limit allows."""
        numbers = tuple(number.solved(self.nodes, tolerance=SETTLED) for number in self.numbers)
        return np.array(replace(self._closest, numbers=numbers).carried(()))

    def own(self, query: Query) -> NDArray[np.float64]:
        """The most that a question can add under each bound: its epsilon, or nothing."""
        level = self.level(query)
        pairs = zip(query.model.theta, self.shares, strict=True)
        touched = [level if coefficient or share else 0.0 for coefficient, share in pairs]
        return np.array(touched if self.whole is None else [*touched, level])

    @property
    def spent(self) -> float:
        """The largest loss of what is protected."""
        return self.spent_within(-math.inf)

    @property
    def realized(self) -> LossBounds:
        """Of the whole record, where that is kept; else between a number's and the sum of all numbers'."""
        if self.whole is not None:
            return self.whole.solved(self.nodes, tolerance=SETTLED).bounds
        solved = [number.solved(self.nodes, tolerance=SETTLED) for number in self.numbers]
        upper = 0.0
        for number in solved:
            upper = _plus(upper, number.upper)
        return LossBounds(max(number.lower for number in solved), upper)

    @property
    def remaining(self) -> float:
        """The least that is left of any bound."""
        return max(self.binding.left, 0.0)

    @property
    def binding(self) -> Binding:
        """The number with the least left, or the whole record."""
        return self.binding_within(-math.inf)

    def spent_within(self, left: float) -> float:
        """The largest loss of what is protected, where so much is known to be left of every bound."""
        pairs = zip(self._closest.carried(()), self.bounds, strict=True)
        return max((_within(level, bound, left) for level, bound in pairs if bound is not None), default=0.0)

    def binding_within(self, left: float) -> Binding:
        """The hypotheses with the least left, where so much is known to be left of every bound."""
        found = Binding("nothing that is protected", 0.0, math.inf)
        for group, level in enumerate(self._closest.carried(())):
            bound = self.bounds[group]
            if bound is None:
                continue
            own = math.nextafter(bound.floor() - level - ROUNDING, -math.inf) if level else bound.floor()
            if max(own, left) < found.left:
                found = Binding(self.about(group), _within(level, bound, left), max(own, left))
        return found

    def most(self, queries: Sequence[Query]) -> float:
        """The largest loss of what is protected once questions are answered, by what is carried; rounded up."""
        pairs = zip(self.carried(queries), self.bounds, strict=True)
        return max((level for level, bound in pairs if bound is not None), default=0.0)

    def carried(self, queries: Sequence[Query]) -> list[float]:
        """The loss under each bound once questions are answered, by what is carried; rounded up."""
        record = self._record(queries)
        levels = [mixture(own, record, q) for own, q in zip(self._losses(queries), self.shares, strict=True)]
        return levels if self.whole is None else [*levels, record]

    def about(self, group: int) -> str:
        """The number, by its place, or the record."""
        return f"two values of attribute {group}" if group < self.box.d else "two records"

    def _asked(self, known: "CoordinateBoxState", query: Query) -> Decision:
        """The simplified decision by a state of the same answers."""
        loss = known.most((query,))
        if known._passed((query,)):  # noqa: SLF001 - another state of this class
            return Decision(False, loss)
        return Decision(True, loss, lambda output: known.counted(query, output))

    def _losses(self, queries: Sequence[Query]) -> list[float]:
        """The realized loss of each number over all versions, with questions that are not answered yet; rounded up."""
        basic, sums, losses = self._basic_with(queries), self._added(queries), []
        for place, (number, before) in enumerate(zip(self.numbers, self.settled, strict=True)):
            loss = _plus(_plus(before, number.upper), sums[place])
            total = basic[place]
            losses.append(loss if total is None else min(loss, total.ceil()))
        return losses

    def _record(self, queries: Sequence[Query]) -> float:
        """The realized loss of the whole record; infinite where it does not count."""
        if self.whole is None:
            return math.inf
        loss = _plus(self.whole.bounds.upper, self._added(queries)[-1])
        total = self._basic_with(queries)[-1]
        return loss if total is None else min(loss, total.ceil())

    def _passed(self, queries: Sequence[Query]) -> list[int]:
        """The bounds that may be passed; sums of epsilons are compared exactly."""
        basic, passed = self._basic_with(queries), []
        for group, (level, bound) in enumerate(zip(self.carried(queries), self.bounds, strict=True)):
            if bound is None or level <= bound.floor():
                continue
            # A number that others tell of loses no more than the record; one that none of them does as much as itself.
            share = self.shares[group] if group < self.box.d else Fraction(0)
            total = basic[-1] if share else basic[group]
            if total is None or total > bound:
                passed.append(group)
        return passed

    def _worked(self, queries: Sequence[Query]) -> "CoordinateBoxState":
        """Bounds just close enough for the questions to fit, where the limit on the work allows."""
        passed = self._passed(queries)
        if not passed:
            return self
        state = self
        if self.whole is not None and any(group == self.box.d or self.shares[group] for group in passed):
            # How close it must be depends on the numbers' own losses.
            state = replace(self, whole=self.whole.solved(self.nodes, tolerance=SETTLED))
            passed = state._passed(queries)  # noqa: SLF001 - another state of this class
        if self.box.d in passed:
            return state
        record, added = state._record(queries), self._added(queries)  # noqa: SLF001 - as above
        for place in passed:
            goal = self._goal(place, record) - added[place] - self.settled[place] - ROUNDING
            if goal < 0:
                break
            solved = state.numbers[place].solved(self.nodes, goal)
            numbers = (*state.numbers[:place], solved, *state.numbers[place + 1 :])
            state = replace(state, numbers=numbers)
            if solved.upper > goal:
                break
        return state

    def _goal(self, place: int, record: float) -> float:
        """About the largest loss of a number that its bound allows beside the record's."""
        bound, share = self.bounds[place], float(self.shares[place])
        if bound is None:
            return math.inf
        if share == 0:
            return bound.floor()
        if share == 1:
            return -math.inf
        most = bound.floor()
        kept = math.exp(min(most - record, 0.0)) - share
        return record + math.log(kept / (1 - share)) if kept > 0 else -math.inf

    @cached_property
    def _closest(self) -> "CoordinateBoxState":
        """The same answers with every bound as close as the limit allows."""
        whole = None if self.whole is None else self.whole.solved(self.nodes, tolerance=SETTLED)
        numbers = tuple(
            number if bound is None else number.solved(self.nodes, tolerance=SETTLED)
            for number, bound in zip(self.numbers, self.bounds, strict=False)
        )
        return replace(self, whole=whole, numbers=numbers)

    def _added(self, queries: Sequence[Query]) -> list[float]:
        """The most that queries add to each number's loss, then to the record's, rounded up: their epsilons' sums."""
        touching = [[query for query in queries if self._concerns(query, group)] for group in range(self.box.d + 1)]
        if len(queries) <= 1:
            return [sum(query.level for query in own) for own in touching]
        return [sum((query.epsilon for query in own), Nats.of(0)).ceil() for own in touching]

    def _concerns(self, query: Query, group: int) -> bool:
        """Whether a question depends on a number; on the whole record all do."""
        return group == self.box.d or query.model.theta[group] != 0

    def _basic_with(self, queries: Sequence[Query]) -> tuple[Nats | None, ...]:
        basic = list(self.basic)
        for query in queries:
            for group, total in enumerate(basic):
                if total is not None and self._concerns(query, group):
                    basic[group] = total + query.epsilon
        pairs = zip(basic, self.bounds, strict=True)
        return tuple(None if total is None or bound is None or total > bound else total for total, bound in pairs)


def _within(level: float, bound: Nats, left: float) -> float:
    """A loss, where so much of its bound is known to be left."""
    return min(level, max(math.nextafter(bound.ceil() - left, math.inf), 0.0))


def _plus(first: float, second: float) -> float:
    """A sum rounded up; nothing added is exact."""
    return math.nextafter(first + second, math.inf) if first and second else first + second
