"""Any channel with few values and codes: a table of whole weights.

Guarantee: what certify says about its weights. The estimate is that of any dense channel (`base.Mechanism`). Cost: two
words a value (more where one is rejected), one row of the table each.
Source: the channels of the context-aware LDP paper for an arbitrary matrix of bounds, Section 3.

A table whose mean code is linear in the value: what grows by equal steps is told without bias by the code alone.

The best channels for a number (`design.numbers.best_table`) are of this kind: any weights, and codes that count as
evenly spaced numbers. The table needs no estimator of its own, and there is nothing to be solved: with S(v) the sum of
code times weight in the row of value v, S(v + 1) - S(v) is one and the same whole number for all v, so the mean of a
linear function of the code is exactly what it should be.
Guarantee: what certify says about its weights; the equal steps are looked at, in whole numbers, when it is made.
Cost: that of any table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.exact.entries import Entries
from sordino.exact.messages import Brief, checked, checked_class, shown
from sordino.exact.source import LARGEST_WIDE_BOUND, Words
from sordino.mechanism.base import Mechanism

LARGEST_TABLE = 1 << 20
"""Largest number of entries of a table."""


@checked_class
@dataclass(frozen=True, init=False, repr=False)
class ChannelTable(Brief, Mechanism):
    """A channel by its weights.

    Attributes:
        weights: a row for each value of whole weights >= 0, one for each code; all rows have one sum, at most 2^64.

    Example:
        >>> ChannelTable([[3, 1], [1, 3]]).decode(ChannelTable([[3, 1], [1, 3]]).forward(np.array([0.25, 0.75])))
        array([0.25, 0.75])
    """

    name: ClassVar[str] = "table"

    weights: tuple[tuple[int, ...], ...]

    def __init__(self, weights: Sequence[Sequence[int]]) -> None:
        rows = tuple(tuple(row) for row in weights)
        if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
            raise SordinoError("a channel must have rows of one length", found=f"{sorted({len(row) for row in rows})}")
        if len(rows) * len(rows[0]) > LARGEST_TABLE:
            found, step = f"{len(rows):,} x {len(rows[0]):,}", "use fewer values or codes"
            raise SordinoError(f"a channel must have at most {LARGEST_TABLE} weights", found=found, step=step)
        if wrong := [weight for row in rows for weight in row if not _is_whole(weight)]:
            step = "multiply the rows by a common denominator"
            raise SordinoError("a channel's weights must be whole numbers >= 0", found=shown(wrong[0]), step=step)
        totals = {sum(map(int, row)) for row in rows}
        if len(totals) > 1 or not 1 <= min(totals) <= LARGEST_WIDE_BOUND:
            raise SordinoError(
                "all rows of a channel must have one sum, 1 to 2^64",
                found=", ".join(map(shown, sorted(totals)[:3])),
                step="scale the rows to a common denominator",
            )
        object.__setattr__(self, "k", len(rows))
        object.__setattr__(self, "weights", tuple(tuple(map(int, row)) for row in rows))

    @property
    def record(self) -> dict[str, Any]:
        return {"weights": [list(map(str, row)) for row in self.weights]}

    @classmethod
    @checked
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        del promise
        return cls(entries.rows("weights"))

    @property
    def draw(self) -> Any:
        return ["+", ["pick", ["at", "weights", "v"]], ["drop"]]

    @property
    def parameters(self) -> str:
        return f"table k={self.k} weights={sha256(repr(self.weights).encode()).hexdigest()}"

    @property
    def outputs(self) -> int:
        return len(self.weights[0])

    @property
    def listed_weights(self) -> int:
        return self.k * self.outputs

    @property
    def denominator(self) -> int:
        return sum(self.weights[0])

    def weight(self, value: int, code: int) -> int:
        return self.weights[value][code]

    def marks(self, codes: Words) -> tuple[tuple[int, ...], NDArray[np.integer]]:
        """Columns of the table; of one with more different weights than are asked for only those that occur."""
        distinct, place = self._places
        asked = place[:, codes.astype(np.intp)].T
        if len(distinct) <= asked.size:
            return distinct, asked
        used, own = np.unique(asked, return_inverse=True)
        return tuple(distinct[at] for at in used.tolist()), own.reshape(asked.shape)

    @cached_property
    def _places(self) -> tuple[tuple[int, ...], NDArray[np.int32]]:
        """The different weights, and the place of each among them, shape (k, outputs)."""
        number: dict[int, int] = {}
        place = [[number.setdefault(weight, len(number)) for weight in row] for row in self.weights]
        return tuple(number), np.array(place, dtype=np.int32)

    def are_impossible(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        empty = np.array([not any(column) for column in zip(*self.weights, strict=True)])
        return empty[codes.astype(np.intp)]


def _is_whole(weight: object) -> bool:
    return isinstance(weight, int | np.integer) and not isinstance(weight, bool) and int(weight) >= 0


LARGEST_SIZE = 1 << 6
"""Values, and codes, at most: a certificate looks at every code of every value. More gain nothing."""


@checked_class
class LinearTable(ChannelTable):
    """A channel by its weights; from value to value the mean code grows by the same step, exactly.

    Example:
        >>> LinearTable([[4, 2, 2], [3, 2, 3], [2, 2, 4]]).code_values(np.array([-1.0, 0.0, 1.0])).tolist()
        [-4.0, 0.0, 4.0]
    """

    name: ClassVar[str] = "linear"

    def __init__(self, weights: Sequence[Sequence[int]]) -> None:
        super().__init__(weights)
        sums = self._sums
        steps = {later - earlier for earlier, later in pairwise(sums)}
        if not 2 <= self.k <= LARGEST_SIZE or self.outputs > LARGEST_SIZE:
            rule = f"a linear table must have 2 to {LARGEST_SIZE} values and at most as many codes"
            raise SordinoError(rule, found=f"{self.k} values and {self.outputs} codes")
        if len(steps) > 1 or min(steps) <= 0:
            raise SordinoError(
                "the mean code of a linear table must grow by equal steps above 0",
                found=f"{len(steps)} different steps" if len(steps) > 1 else "a step of 0 or less",
                step="use ChannelTable",
            )

    @property
    def parameters(self) -> str:
        return f"linear k={self.k} weights={sha256(repr(self.weights).encode()).hexdigest()}"

    @property
    def _sums(self) -> list[int]:
        return [sum(code * weight for code, weight in enumerate(row)) for row in self.weights]

    def code_values(self, functional: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of what grows by equal steps, linear in the code; of anything else the estimate of any dense channel."""
        growth = np.diff(functional)
        if not np.allclose(growth, growth[0], rtol=1e-12, atol=0):
            return super().code_values(functional)
        sums = self._sums
        codes = np.arange(self.outputs) - float(Fraction(sums[0] + sums[-1], 2 * self.denominator))
        step = float(Fraction(sums[1] - sums[0], self.denominator))
        contributions: NDArray[np.float64] = (functional[0] + functional[-1]) / 2 + codes * (growth.mean() / step)
        return contributions
