"""What a filter keeps for one kind of domain and definition, and what it decides: the interface of its parts.

A state is a value that knows what was asked and answered, never the record. It decides without being changed.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar

from sordino.evidence.bound.loss import LossBounds
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism
from sordino.query.query import Query

Rule = Literal["full", "simplified"]
"""full: every possible answer must keep the promise (Algorithm 2). simplified: the loss so far and the query's epsilon
together (Algorithm 3)."""


class BoundQuery(Protocol):
    """A query about a record of numbers and categories, which a filter knows by bounds in each cell of it."""

    @property
    def outputs(self) -> int:
        """How many codes there are."""

    @property
    def parameters(self) -> str:
        """All that defines it, as canonical text."""


FilterQuery: TypeAlias = Mechanism | Query | BoundQuery
"""What a filter is asked about: the value of a finite domain through a mechanism, or a statistic of a record."""

State_co = TypeVar("State_co", covariant=True)


@dataclass(frozen=True)
class Decision(Generic[State_co]):
    """Whether a query may be asked, and what then follows.

    Attributes:
        loss: nats, rounded up: the largest loss that any answer can lead to, as far as it was worked out.
        follow: the state after an answer; None where the query is refused.
    """

    accepted: bool
    loss: float
    follow: Callable[[int], State_co] | None = None


@dataclass(frozen=True)
class Binding:
    """Where least is left.

    Attributes:
        spent: nats, rounded up.
        left: nats, rounded down; negative where it might not hold.
        exactly: what is surely left, where more is known than a float says: of a bound that nothing has touched all.
    """

    about: str
    spent: float
    left: float
    exactly: Nats | None = None


def exactly_left(groups: Iterable[tuple[Nats, float, float]]) -> Nats:
    """The least that is left of any bound: of one that nothing has touched all of it.

    Args:
        groups: each bound with what is lost of it and what is left, in nats, rounded up and down.
    """
    return min({Nats(Fraction(left)) if lost else bound for bound, lost, left in groups})


class FilterState(Protocol):
    """The part of a filter that depends on the domain and the definition."""

    @property
    def spent(self) -> float:
        """Nats, rounded up: the realized loss of what was answered."""

    @property
    def realized_loss(self) -> LossBounds:
        """Bounds on the realized loss of the present version, whatever the definition."""

    @property
    def remaining(self) -> float:
        """Nats, rounded down, at least 0: queries whose epsilons add up to no more are accepted."""

    @property
    def binding(self) -> Binding:
        """The hypotheses with the least left."""

    def decide(self, query: FilterQuery, rule: Rule) -> "Decision[FilterState]":
        """Decide on a query from what was asked and answered alone.

        Raises SordinoError: a query that does not fit the domain.
        """

    def fits(self, queries: Sequence[FilterQuery]) -> bool:
        """Whether the most that all queries can add fits, whichever of them are answered and however.

        Raises SordinoError: a query that does not fit the domain.
        """

    def level(self, query: FilterQuery) -> float:
        """The least epsilon that the query satisfies, in nats, rounded up."""

    def epsilon_of(self, query: FilterQuery) -> Nats:
        """The same exactly. Raises SordinoError: a query that satisfies none."""

    def charge(self, query: FilterQuery) -> float:
        """The most that an answer can reveal of anything that is protected, in nats, rounded up."""

    def with_answer(self, query: FilterQuery, output: int) -> "FilterState":
        """The state after an answer, whether the query was accepted or not.

        Raises SordinoError: an answer that no record can give.
        """

    def changed(self) -> "FilterState":
        """The state once the record has changed: what was lost stays lost, and what is answered now adds to it."""
