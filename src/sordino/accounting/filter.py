"""The Bayesian privacy filter: which further queries about one unchanged record keep the promise.

Guarantee: whatever the queries, chosen with all earlier answers in view, no possible set of answers breaks the
definition. A decision is a function of the queries asked and the answers given; the filter never receives the record,
a refusal changes nothing and tells nothing new. It holds if every answer has fresh randomness, every answer drawn is
given to `after`, and the record has not changed: losses about two versions of a record add.
Source: Bayesian privacy filter paper, Algorithms 2 and 3.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from operator import index
from typing import Any, get_args

from sordino.accounting.box import BoxState
from sordino.accounting.state import Decision, FilterState, Rule
from sordino.definition.pairwise import LDP
from sordino.domain.box import Box
from sordino.errors import SordinoError

NODES = 4000
"""Boxes bounded for one decision at most, for each possible answer: some 20 milliseconds at 30 logistic models."""


@dataclass(frozen=True, eq=False)
class BayesianFilter:
    """A filter of queries about one record: a value; `after` gives the next one.

    Attributes:
        domain: what is known of every record: a box. Nothing is promised about a record outside: see `Box.checked`.
        definition: the promise: LDP.
        rule: "full" checks the loss after every possible answer, "simplified" the loss so far plus the query's epsilon.
        nodes: the limit of the work for one decision; what is undecided within it is refused.
        group: bound answers in groups of so many, as the paper does; None bounds all together, which accepts more.

    Example:
        >>> from sordino import Box, LinearQuery
        >>> query = LinearQuery([1.0], 0, low=-1, high=1, epsilon="0.6")
        >>> asked = BayesianFilter(Box([-1], [1]), LDP("1")).after(query, 1)
        >>> asked.accepts(query), asked.accepts(LinearQuery([1.0], 0, -1, 1, epsilon="0.4"))
        (False, True)
    """

    domain: Box
    definition: LDP
    rule: Rule = "full"
    nodes: int = NODES
    group: int | None = None
    _state: Any = None

    def __post_init__(self) -> None:
        if self.rule not in get_args(Rule):
            raise SordinoError('a filter\'s rule must be "full" or "simplified"', found=repr(self.rule)[:80])
        if self._state is None:
            object.__setattr__(self, "_state", _start(self.domain, self.definition, self.nodes, self.group))
        elif not self._kept.serves(self.domain, self.definition, self.nodes, self.group):
            raise SordinoError(
                "a filter keeps its domain, its promise and its limits from the first question on",
                found="others",
                step="begin a new filter and tell it every answer again",
            )

    def decide(self, query: Any) -> Decision:
        """Whether the query may be asked, and what any answer can lead to; nothing changes.

        Raises:
            SordinoError: a query that does not fit the domain.
        """
        # Accepting and then answering ask the same question twice in a row; it is worked out once. Query and decision
        # are read and written as one, so that no other thread can put its decision between them.
        asked, decision = self._last[0]
        if decision is None or asked != query:
            decision = self._kept.decide(query, self.rule)
            self._last[0] = query, decision
        return decision

    def accepts(self, query: Any) -> bool:
        """Whether the query may be asked; a dry run that changes nothing.

        Raises:
            SordinoError: a query that does not fit the domain.
        """
        return self.decide(query).accepted

    def after(self, query: Any, output: int) -> "BayesianFilter":
        """The filter once an accepted query has been answered.

        Raises:
            SordinoError: a query that is not accepted, or an answer that it cannot have.
        """
        decision = self.decide(query)
        if decision.follow is None:
            raise SordinoError(
                "a query must be accepted before it is asked",
                found=f"a loss of up to {decision.loss:.4g} nats",
                step="ask with a smaller epsilon, or not at all",
            )
        code = _read_output(output, query.outputs)
        return replace(self, _state=decision.follow(code))

    @property
    def spent(self) -> float:
        """The realized loss of all answers, in nats, rounded up."""
        return self._kept.spent

    @property
    def remaining(self) -> float:
        """Nats, rounded down: any query with at most this epsilon is accepted; larger ones may be."""
        # One step for the rounding here, one for that of the sum when such a query comes.
        below = math.nextafter(self.definition.epsilon.floor(), -math.inf)
        return max(math.nextafter(below - self.spent, -math.inf), 0.0)

    @property
    def _kept(self) -> FilterState:
        state: FilterState = self._state
        return state

    def __getstate__(self) -> dict[str, Any]:
        """What is stored or sent: all but the decision that is kept at hand."""
        return {name: value for name, value in vars(self).items() if name != "_last"}

    @cached_property
    def _last(self) -> list[tuple[Any, Decision | None]]:
        return [(None, None)]


def _start(domain: object, definition: object, nodes: int, group: int | None) -> FilterState:
    """The empty state of the part that offers the domain and the definition."""
    if isinstance(domain, Box) and isinstance(definition, LDP):
        return BoxState.start(domain, definition.epsilon, nodes, group)
    raise SordinoError(
        "a filter is offered for a box under LDP", found=f"{type(domain).__name__} and {type(definition).__name__}"
    )


def _read_output(output: Any, outputs: int) -> int:
    try:
        code = index(output)
    except TypeError:
        code = -1
    if isinstance(output, bool) or not 0 <= code < outputs:
        raise SordinoError(f"an answer must be a code below {outputs}", found=repr(output)[:80])
    return code
