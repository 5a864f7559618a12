"""A mechanism of somebody's own: values on a ring, as hours of a day; codes fall off with the way around it.

One file, whose draw is made of known operations: no client has a line about it.
Guarantee: two neighbours differ by at most `step` nats, values d steps apart along the shorter way by d times that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from sordino import Nats
from sordino.exact.coin import least_weight
from sordino.exact.entries import Entries
from sordino.exact.nats import NatsLike
from sordino.mechanism.base import Mechanism

HEAVIEST = 1 << 54
"""The weight of the value itself."""


@dataclass(frozen=True, init=False)
class RingResponse(Mechanism):
    """The geometric channel of values on a ring; `weights` are of a code 0, 1, ... k // 2 steps from the value."""

    name: ClassVar[str] = "ring"

    weights: tuple[int, ...]

    def __init__(self, k: int, step: NatsLike) -> None:
        weights = [HEAVIEST]
        for _ in range(k // 2):
            weights.append(least_weight(Nats.of(step), weights[-1]))
        self._fill(k, weights)

    @classmethod
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        """All stands in the record."""
        del promise
        mechanism = cls.__new__(cls)
        mechanism._fill(entries.whole("k"), entries.integers("weights"))
        return mechanism

    def _fill(self, k: int, weights: Sequence[int]) -> None:
        object.__setattr__(self, "k", k)
        object.__setattr__(self, "weights", tuple(weights))

    @property
    def record(self) -> dict[str, Any]:
        """How many values, and the weights."""
        return {"k": self.k, "weights": list(map(str, self.weights))}

    @property
    def draw(self) -> Any:
        """So many steps forward from the value, by their weights; two words, as everywhere."""
        shorter = ["if", ["<", "i", ["-", "k", "i"]], "i", ["-", "k", "i"]]
        forward = ["each", "k", ["at", "weights", shorter]]
        return ["%", ["+", "v", ["+", ["pick", forward], ["drop"]]], "k"]

    @property
    def parameters(self) -> str:
        """All that defines the channel."""
        return f"ring k={self.k} weights={','.join(map(str, self.weights))}"

    @property
    def outputs(self) -> int:
        """A code is a value."""
        return self.k

    @property
    def denominator(self) -> int:
        """The sum of each row."""
        return sum(self.weight(0, code) for code in range(self.k))

    def weight(self, value: int, code: int) -> int:
        """By the shorter way around."""
        apart = (code - value) % self.k
        return self.weights[min(apart, self.k - apart)]
