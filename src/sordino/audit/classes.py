"""Whether the classes of outputs that a mechanism tells are those of its weights.

What the integers of the classes say by themselves is checked of all of them. That they are the mechanism's is read from
`weight` on the representative output of each class.
"""

from array import array
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass
from sordino.exact.messages.brief import shown
from sordino.mechanism.base import Mechanism

DIGIT = 30
"""Bits of the digits in which weights are added up."""

LOOKED_AT = 1 << 17
"""Weights looked at on the representatives of all classes; then some of each class only."""

SOME = 4
"""Values looked at in any case: the ends of a part, and others that the class does not list."""

EVERY = 1 << 13
"""Weights that are read one by one in any case: ten milliseconds."""

COLUMN = 50
"""What looking at one output takes beside its weights, in weights."""


def can_read_all(mechanism: Mechanism) -> bool:
    """Whether a certificate reads every weight of every output."""
    return mechanism.outputs * (mechanism.k + COLUMN) <= EVERY


class CheckedClasses:
    """A mechanism's classes of outputs, each checked as it passes and all of them at the end.

    Checked of each: it lists different values 0..k-1, each with a whole weight >= 0 on each of its `count` >= 1
    outputs; its representative is an output, and of no class before; there it shows the largest and the least weight
    that it tells of each part, and no weight besides on the values looked at.
    Checked of all: they are not more outputs than the mechanism has, and every value's weights add up to the
    denominator, exactly. So no output is left out but in exchange for another that is claimed in its place.

    Raises:
        SordinoError: while iterating, at the first that is wrong.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._totals = _Totals(mechanism)
        self._codes = array("Q")
        self._outputs = 0
        self._room = LOOKED_AT

    def __iter__(self) -> Iterator[ColumnClass]:
        for column in self._mechanism.columns():
            _check_integers(column, self._mechanism)
            self._check_representative(column)
            self._codes.append(column.code)
            self._outputs += column.count
            for part in column.parts:
                self._totals.add(part.values, sum(weight * outputs for weight, outputs in part.weights))
            yield column
        self._check_all()

    def _check_all(self) -> None:
        step = "the mechanism's columns() leaves out or repeats outputs; do not use it"
        if self._totals.wrong:
            raise SordinoError(
                "the weights of every value's outputs must add up to the denominator",
                found=f"{self._totals.wrong} values whose weights do not",
                step=step,
            )
        most = self._mechanism.outputs
        if self._outputs > most or len(np.unique(np.array(self._codes))) < len(self._codes):
            raise SordinoError(
                f"classes must share {most} outputs and no representative", found="an output told twice", step=step
            )

    def _check_representative(self, column: ColumnClass) -> None:
        """The weights of some values on the representative are those that the class tells."""
        for part in column.parts:
            told = {weight for weight, _ in part.weights}
            needed = {max(told), min(told)} if len(part.values) > 1 else set()
            seen: set[int] = set()
            for values in self._chosen(part.values):
                seen |= {self._mechanism.weight(value, column.code) for value in values.tolist()}
                if needed <= seen:
                    break
            if not needed <= seen <= told:
                raise _other_ratio(column.code)
        if self._room:
            # What a class does not list weighs nothing on its outputs.
            among = np.linspace(0, column.k - 1, SOME).astype(np.intp)
            others = np.setdiff1d(among, _listed(column)).tolist()
            if any(self._mechanism.weight(value, column.code) for value in others):
                raise _other_ratio(column.code)

    def _chosen(self, values: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
        """The ends of a part, the first with as many values as there is room for, evenly; then all."""
        size = len(values)
        looked = min(size, self._room)
        self._room -= looked
        if looked < size:
            yield np.concatenate([values[:2], values[:: -(-size // looked)]]) if looked else values[:2]
            yield values[-2:]
        yield values


def _listed(column: ColumnClass) -> NDArray[np.intp]:
    """The values of all parts."""
    return np.concatenate([part.values for part in column.parts]) if column.parts else np.empty(0, dtype=np.intp)


def _other_ratio(code: int) -> SordinoError:
    return SordinoError(
        "a column class must attain its largest ratio on its representative output",
        found=f"another ratio on code {code}",
        step="the mechanism's columns() does not tell the truth; do not use it",
    )


def _check_integers(column: ColumnClass, mechanism: Mechanism) -> None:
    k = mechanism.k
    if column.k != k:
        raise SordinoError(f"columns must be about the mechanism's {k} values", found=shown(column.k))
    if column.count < 1 or not 0 <= column.code < mechanism.outputs:
        raise SordinoError(f"a class must be of outputs 0..{mechanism.outputs - 1}", found="another")
    ascending = True
    for part in column.parts:
        values = part.values
        if values.ndim != 1 or values.dtype.kind not in "iu":
            raise SordinoError(f"each class of outputs must list values 0..{k - 1}", found="another")
        if len(values):
            rising = bool((values[1:] > values[:-1]).all())
            ascending &= rising
            # The ends tell the range where values rise: millions of classes are looked at.
            least, most = (values[0], values[-1]) if rising else (values.min(), values.max())
            if least < 0 or most >= k:
                # A negative index would be another name of a value.
                raise SordinoError(f"each class of outputs must list values 0..{k - 1}", found="another")
        wrong = any(type(weight) is not int or weight < 0 or outputs < 0 for weight, outputs in part.weights)
        if wrong or sum(outputs for _, outputs in part.weights) != column.count:
            raise SordinoError("each class of values must have a weight >= 0 on each of the class's outputs")
    if len(column.parts) > 1 or not ascending:
        values = _listed(column)
        if len(np.unique(values)) < len(values):
            # A value listed twice would count as two, and hide one that cannot cause the output.
            raise SordinoError("each class of outputs must list a value once", found="one listed twice")


class _Totals:
    """Sums of weights over all outputs, one for each value: exact, without a Python integer for each.

    They are kept in digits of 30 bits. A sum of fewer than 2^33 of them fits where each is kept.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.denominator = mechanism.denominator
        count = self.denominator.bit_length() // DIGIT + 1
        self._digits = np.zeros((count, mechanism.k), dtype=np.int64)
        self._over = np.zeros(mechanism.k, dtype=np.bool_)

    def add(self, values: NDArray[np.intp], amount: int) -> None:
        """Add an amount >= 0 to the sums of some different values; one above the denominator is wrong already."""
        if amount > self.denominator:
            self._over[values] = True
            return
        for place, digits in enumerate(self._digits):
            digit = amount >> (DIGIT * place) & ((1 << DIGIT) - 1)
            if digit:
                digits[values] += digit

    @property
    def wrong(self) -> int:
        """How many of the sums are not the denominator."""
        wrong, carried = self._over.copy(), np.zeros(len(self._over), dtype=np.int64)
        for place, digits in enumerate(self._digits):
            carried += digits
            wrong |= carried & ((1 << DIGIT) - 1) != self.denominator >> (DIGIT * place) & ((1 << DIGIT) - 1)
            carried >>= DIGIT
        return int(np.count_nonzero(wrong | (carried != 0)))
