"""The best channel for two values that are not equally sensitive.

Guarantee: exactly E-LDP for two values: no output favours the first by more than E_12 nats nor the second by more than
E_21. Value 0 sends code 0 with probability a / 2^64 and value 1 with b / 2^64; (a, b) are the whole numbers with the
largest difference that the two bounds allow. With E_12 = E_21 they are those of Warner's randomized response (whose
difference may be one less), with an infinite bound those of Mangat's. Cost: one coin; two words a value, as everywhere.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounds import BoundLike, read_bound
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ValueClass
from sordino.exact.coin import WORD, largest_threshold, least_weight, most_weight
from sordino.exact.entries import Entries
from sordino.exact.messages import checked, checked_class, shown
from sordino.exact.nats import FIRST_DIGITS, Nats, exponential
from sordino.mechanism.supported import Reading, Support, SupportMechanism


@checked_class
@dataclass(frozen=True, init=False)
class BinaryOptimal(SupportMechanism):
    """The optimal mechanism for two values.

    Source: context-aware LDP paper, Theorem 2 and (9), in the stable form; (10) Warner, (11) Mangat.

    Attributes:
        first: the weight a of code 0 for value 0, out of 2^64.
        second: the weight b <= a of code 0 for value 1.

    Example:
        >>> BinaryOptimal("1", "inf").probabilities().round(4).tolist()
        [[1.0, 0.0], [0.3679, 0.6321]]
    """

    name: ClassVar[str] = "binary"

    first: int
    second: int

    def __init__(self, epsilon_12: BoundLike, epsilon_21: BoundLike) -> None:
        self._fill(*_best_weights(read_bound(epsilon_12), read_bound(epsilon_21)))

    @classmethod
    @checked
    def from_weights(cls, first: int, second: int) -> Self:
        """The channel of a frozen plan, with its own integers; certify tells what it guarantees."""
        mechanism = cls.__new__(cls)
        mechanism._fill(first, second)
        return mechanism

    @property
    def record(self) -> dict[str, Any]:
        return {"first": str(self.first), "second": str(self.second)}

    @classmethod
    @checked
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        del promise
        return cls.from_weights(entries.integer("first"), entries.integer("second"))

    def _fill(self, first: int, second: int) -> None:
        if not 0 <= second <= first <= WORD:
            raise SordinoError(
                "two weights must satisfy 0 <= second <= first <= 2^64", found=", ".join(map(shown, (first, second)))
            )
        object.__setattr__(self, "k", 2)
        object.__setattr__(self, "first", first)
        object.__setattr__(self, "second", second)

    @property
    def draw(self) -> Any:
        return ["+", ["if", ["coin", ["at", ["list", "first", "second"], "v"]], 0, 1], ["drop"]]

    @property
    def parameters(self) -> str:
        return f"binary first={self.first} second={self.second}"

    @property
    def outputs(self) -> int:
        return 2

    @property
    def denominator(self) -> int:
        return WORD

    @cached_property
    def reading(self) -> Reading:
        hit = np.array([self.first / WORD, (WORD - self.second) / WORD])
        miss = np.array([self.second / WORD, (WORD - self.first) / WORD])
        return Reading.of(hit, miss, alone=False)

    @property
    def informative(self) -> bool:
        return self.second < self.first and super().informative

    @cached_property
    def excess(self) -> NDArray[np.float64]:
        return np.zeros(2)

    def weight(self, value: int, code: int) -> int:
        heads = self.second if value else self.first
        return WORD - heads if code else heads

    def columns(self) -> Iterator[ColumnClass]:
        for code in range(2):
            parts = (ValueClass(np.array([value]), ((self.weight(value, code), 1),)) for value in range(2))
            yield ColumnClass(2, 1, code, tuple(parts))

    def support(self, counters: NDArray[np.float64]) -> Support:
        return Support(counters, np.broadcast_to(counters.sum(axis=-1, keepdims=True), counters.shape))

    def forward(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        return p @ self.probabilities()

    def adjoint(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return weights @ self.probabilities().T

    def are_impossible(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        empty = np.array([self.first == 0, self.second == WORD])
        return empty[codes.astype(np.intp)]


def _best_weights(first_bound: Nats | None, second_bound: Nats | None) -> tuple[int, int]:
    """The whole a and b with the largest a - b for which a <= e^E12 b and 2^64 - b <= e^E21 (2^64 - a)."""
    if 0 in (first_bound, second_bound):
        return WORD, WORD
    if first_bound == second_bound and first_bound is not None:
        # Warner's own integers.
        threshold = largest_threshold(first_bound)
        return threshold, WORD - threshold
    if first_bound is None:
        return (WORD if second_bound is None else WORD - least_weight(second_bound, WORD)), 0
    if second_bound is None:
        return WORD, least_weight(first_bound, WORD)
    # The real optimum makes both bounds tight; the whole one lies next to it.
    first, second = (
        exponential(-bound.rational, FIRST_DIGITS)[1] / bound.ratio for bound in (first_bound, second_bound)
    )
    centre = int(WORD * (1 - second) / (1 - first * second))
    best = (WORD, WORD)
    for a in range(max(centre - 2, 0), min(centre + 3, WORD) + 1):
        b = max(least_weight(first_bound, a), WORD - most_weight(second_bound, WORD - a))
        if a - b > best[0] - best[1]:
            best = (a, b)
    return best
