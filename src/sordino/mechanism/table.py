"""Any channel with few values and codes: a table of whole weights.

Guarantee: what certify says about its weights. The estimate is the linear unbiased one with the least total variance at
a prior (generalized least squares): with law q of the codes, G = (P D^-1 P')^-1 P D^-1, D = diag(q). Cost: two words
a value (more where one is rejected), one row of the table each.
Source: the channels of the context-aware LDP paper for an arbitrary matrix of bounds, Section 4.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ValueClass
from sordino.exact.arguments import checked_class
from sordino.exact.brief import Brief, shown
from sordino.exact.source import LARGEST_WIDE_BOUND, Stream, Words, uniform_below
from sordino.mechanism.base import Mechanism

LARGEST_TABLE = 1 << 20
"""Entries of a table at most."""

LEAST_SINGULAR = 1e-12
"""Relative to the largest: below this a direction of the values cannot be told from the reports."""


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

    weights: tuple[tuple[int, ...], ...]

    def __init__(self, weights: Sequence[Sequence[int]]) -> None:
        rows = tuple(tuple(row) for row in weights)
        if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
            raise SordinoError("a channel must have rows of one length", found=f"{sorted({len(row) for row in rows})}")
        if len(rows) * len(rows[0]) > LARGEST_TABLE:
            raise SordinoError(f"a channel must have at most {LARGEST_TABLE} weights", found="more")
        if not all(_is_whole(weight) for row in rows for weight in row):
            raise SordinoError("a channel's weights must be whole numbers >= 0", found="another")
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
    def parameters(self) -> str:
        """All that defines the channel, as canonical text (the weights by their hash)."""
        return f"table k={self.k} weights={sha256(repr(self.weights).encode()).hexdigest()}"

    @property
    def outputs(self) -> int:
        """The length of the rows."""
        return len(self.weights[0])

    @property
    def denominator(self) -> int:
        """The sum of each row."""
        return sum(self.weights[0])

    def weight(self, value: int, code: int) -> int:
        """The entry itself."""
        return self.weights[value][code]

    def columns(self) -> Iterator[ColumnClass]:
        """Each output by itself."""
        for code in range(self.outputs):
            parts = (ValueClass(np.array([x]), ((row[code], 1),)) for x, row in enumerate(self.weights) if row[code])
            yield ColumnClass(self.k, 1, code, tuple(parts))

    def forward(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """The law of the code."""
        law: NDArray[np.float64] = p @ self._matrix
        return law

    def adjoint(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The expected weight of each value's code."""
        expected: NDArray[np.float64] = weights @ self._matrix.T
        return expected

    @property
    def informative(self) -> bool:
        """Whether the rows are linearly independent."""
        return self._contributions is not None

    def decode(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of each g_x."""
        mean: NDArray[np.float64] = law @ self._readable.T
        return mean

    def decode_squares(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of each g_x squared."""
        mean: NDArray[np.float64] = law @ (self._readable**2).T
        return mean

    @property
    def swing(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the largest entry of each row of G."""
        return self._readable.min(axis=1), self._readable.max(axis=1)

    @cached_property
    def excess(self) -> NDArray[np.float64] | None:
        """The column sums of G less 1."""
        excess: NDArray[np.float64] = (self._readable.sum(axis=0) - 1) / self.k
        return excess

    @cached_property
    def _matrix(self) -> NDArray[np.float64]:
        """The channel P, shape (k, outputs)."""
        return self.probabilities()

    @cached_property
    def _contributions(self) -> NDArray[np.float64] | None:
        """G, shape (k, outputs), at uniform values; None where the rows are not independent."""
        law = self._matrix.mean(axis=0)
        # With rows scaled by the square root of the law, G is a pseudo-inverse, scaled back.
        scale = np.sqrt(np.where(law > 0, law, 1.0))
        left, singular, right = np.linalg.svd(self._matrix / scale, full_matrices=False)
        if len(singular) < self.k or singular[-1] < LEAST_SINGULAR * singular[0]:
            return None
        contributions: NDArray[np.float64] = (left / singular) @ right / scale
        return contributions

    @property
    def _readable(self) -> NDArray[np.float64]:
        if self._contributions is None:
            raise SordinoError(
                "reports must depend on the values to be estimated from",
                found="values that answer alike, or as a mixture of others",
                step="raise the bounds, or merge values",
            )
        return self._contributions

    @cached_property
    def _lasts(self) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        """The last word of each code along each row, and whether all words are beyond it; shape (k, 2^m).

        Rows are filled up with codes that no word is beyond.
        """
        size = 1 << (self.outputs - 1).bit_length()
        ends = [[*accumulate(row[:-1])] + [1 << 64] * (size + 1 - self.outputs) for row in self.weights]
        lasts = np.array([[max(end - 1, 0) for end in row] for row in ends], dtype=np.uint64)
        return lasts, np.array([[end == 0 for end in row] for row in ends])

    def impossible(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Codes whose column is zero."""
        empty = np.array([not any(column) for column in zip(*self.weights, strict=True)])
        return empty[codes.astype(np.intp)]

    def _sample(self, values: NDArray[np.intp], stream: Stream) -> Words:
        choice = uniform_below(self.denominator, stream)
        stream.next()
        # A search by halves in the row of each value, as many steps for all.
        lasts, beyond = self._lasts
        step, first = lasts.shape[1], values * lasts.shape[1]
        codes = np.zeros(len(values), dtype=np.intp)
        while step > 1:
            step //= 2
            at = first + codes + (step - 1)
            codes += step * ((choice > lasts.take(at)) | beyond.take(at))
        return codes.view(np.uint64)


def _is_whole(weight: object) -> bool:
    return isinstance(weight, int | np.integer) and not isinstance(weight, bool) and int(weight) >= 0
