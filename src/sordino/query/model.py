"""Models of a record of numbers: statistics that are read as one of two ends, rounded to them at random without bias.

The statistic v = theta . x + intercept lies at some share of the way from the lower to the upper end, and the upper end
is read with just that probability, a whole number over 2^64. So the mean of what is read is the model's value, to
2^-52 of the range; what a mechanism then tells of the two ends is certified on these, whatever the floats did. Evidence
about a record is the shape of the model, with the two weights of the mechanism's code as its parameters.

A new model is a file: its ends, how a value is scaled between them, and what an answer says about a record in a box.
Units: records are float64 of shape (n, d), or (d,), in units of their own. Cost: one word a record.
Source: Bayesian privacy filter paper, (8), and (9) as corrected.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.domain.box import Box, read_records
from sordino.domain.interval import read_number
from sordino.errors import SordinoError
from sordino.evidence.box_evidence import UNIT, BoxEvidence
from sordino.exact.coin import WORD
from sordino.exact.floats import ignore_float_errors
from sordino.exact.messages import shown
from sordino.exact.sign import plus_weight, round_to_plus
from sordino.exact.source import Stream
from sordino.mechanism.base import Mechanism
from sordino.query.column import Column
from sordino.query.reader import Floats
from sordino.query.statistic import Statistic, attribute_list


@dataclass(frozen=True, init=False)
class Model(Statistic):
    """A number that a model, with d coefficients and what is added, makes of a record: read as one of its two ends."""

    name: ClassVar[str]

    theta: tuple[float, ...]
    intercept: float

    @property
    @abstractmethod
    def ends(self) -> tuple[float, float]:
        """What the values 0 and 1 stand for."""

    @abstractmethod
    def scale(self, statistic: Floats) -> Floats:
        """The model's values between its ends, -1 at the lower and 1 at the upper one."""

    @abstractmethod
    def box_evidence(self, box: Box, column: Column) -> BoxEvidence:
        """What an answer that tells something says about a record in a box that the model fits."""

    def evidence(self, box: Box, column: Column) -> BoxEvidence:
        """What one answer, whose code the mechanism makes a column of, says about a record in the box."""
        self.require_fit(box)
        return BoxEvidence(box) if column.flat else self.box_evidence(box, column)

    def require_fit(self, box: Box) -> None:
        """Check that the model can be asked about every record in the box; no record is looked at.

        Raises:
            SordinoError: a box of another number of numbers, or one that the model does not fit.
        """
        if box.d != self.d:
            raise SordinoError("theta must have as many numbers as a record", found=f"{self.d} and {box.d}")

    @property
    def d(self) -> int:
        """How many numbers a record has."""
        return len(self.theta)

    @property
    def parameters(self) -> str:
        return f"{self.name} {' '.join(number.hex() for number in (*self.theta, self.intercept, *self.ends))}"

    @property
    def description(self) -> str:
        low, high = (f"{end:.6g}" for end in self.ends)
        of = f" of {attribute_list(self.attribute_names)}" if self.attribute_names else ""
        return f"the value of a model{of} ({self.name}), rounded at random to {low} or {high}"

    @property
    def attribute_names(self) -> tuple[str | int, ...]:
        return tuple(place for place, coefficient in enumerate(self.theta) if coefficient)

    def label(self, value: int) -> str:
        return f"{self.ends[value]:.6g}"

    def require_size(self, mechanism: Mechanism) -> None:
        if mechanism.k != 2:
            raise SordinoError("the mechanism must take the 2 values of its statistic", found=shown(mechanism.k))

    def check_values(self, values: ArrayLike, mechanism: Mechanism) -> NDArray[Any]:  # noqa: ARG002 - of two values
        return read_records(values, self.d)

    @ignore_float_errors
    def statistic(self, records: Floats) -> Floats:
        """The statistic of each record, shape (n,); summed in order, so that no batch changes a report."""
        total = np.full(len(records), self.intercept)
        for coefficient, numbers in zip(self.theta, records.T, strict=True):
            total += coefficient * numbers
        return total

    @ignore_float_errors
    def encode(self, values: NDArray[Any], stream: Stream) -> NDArray[np.intp]:
        return round_to_plus(self.scale(self.statistic(values)), stream.next()).astype(np.intp)

    @ignore_float_errors
    def law(self, record: Sequence[float]) -> list[Fraction]:
        (number,) = self.scale(self.statistic(np.array([record], dtype=np.float64)))
        upper = Fraction(plus_weight(float(number)), WORD)
        return [1 - upper, upper]

    def _set_form(self, theta: Iterable[float], intercept: float) -> None:
        if isinstance(theta, str | bytes) or not isinstance(theta, Iterable):
            raise SordinoError("theta must be a list of numbers", found=type(theta).__name__)
        numbers = tuple(read_number(number, f"theta[{j}]") for j, number in enumerate(theta))
        if not numbers:
            raise SordinoError("theta must have at least one number", found="an empty list", step="give one a number")
        object.__setattr__(self, "theta", numbers)
        object.__setattr__(self, "intercept", read_number(intercept, "the intercept"))

    def _size(self, box: Box) -> float:
        """The largest sum of absolute values on the way to the statistic: what its rounding is relative to."""
        return float(np.abs(self._coefficients) @ box.largest) + abs(self.intercept)

    @property
    def _rounding(self) -> float:
        """Relative to `_size`: what summing d products and a constant in any order may be off by, and then some."""
        return (self.d + 16) * 4 * UNIT

    @cached_property
    def _coefficients(self) -> Floats:
        return np.array(self.theta)
