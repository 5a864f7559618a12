"""What a filter keeps for one kind of domain and definition, and what it decides: the interface of its parts.

A state is a value that knows what was asked and answered, never the record. It decides without being changed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Rule = Literal["full", "simplified"]
"""full: every possible answer must keep the promise (Algorithm 2). simplified: the loss so far and the query's epsilon
together (Algorithm 3)."""


@dataclass(frozen=True)
class Decision:
    """Whether a query may be asked, and what then follows.

    Attributes:
        accepted: whether it may.
        loss: nats, rounded up: the largest loss that any answer can lead to, as far as it was worked out.
        follow: the state after an answer; None where the query is refused.
    """

    accepted: bool
    loss: float
    follow: "Callable[[int], FilterState] | None" = None


class FilterState(Protocol):
    """The part of a filter that depends on the domain and the definition."""

    @property
    def spent(self) -> float:
        """Nats, rounded up: the realized loss of what was answered."""

    def serves(self, domain: object, definition: object, nodes: int, group: int | None) -> bool:
        """Whether it was begun for these."""

    def decide(self, query: Any, rule: Rule) -> Decision:
        """Decide on a query from what was asked and answered alone.

        Raises:
            SordinoError: a query that does not fit the domain.
        """
