"""The statistic of a distribution: the bin of a number, read without rounding or randomness.

A mechanism over k bins sees the bin and nothing else of the record, and neither do the words of a key: a number that is
corrected within its bin keeps its report. A number that may be missing is one of k + 1 values, of which the last says
that there is none. Units: those of the data, NaN where a number is missing. Cost: a
search in the edges for each number, missing or not; no word is drawn.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.domain.bins import MISSING, Bins
from sordino.domain.moment import Factors
from sordino.domain.scaled import read_rows
from sordino.errors import SordinoError
from sordino.exact.floats import Floats
from sordino.exact.messages import checked_class, shown
from sordino.mechanism.base import Mechanism
from sordino.query.number import NumberStatistic
from sordino.query.statistic import Statistic


@checked_class
@dataclass(frozen=True)
class Bin(Statistic):
    """In which of the bins that cover its range the number of an attribute lies, or that it is missing.

    Example:
        >>> from sordino.domain.interval import Interval
        >>> from sordino.mechanism.window import WindowResponse
        >>> income = Bin("income", Bins.equal(Interval(0, 100), 4))
        >>> income.check_values([0, 25, 99.5], WindowResponse(4, "1", 2)).tolist()
        [0, 1, 3]
    """

    attribute: str
    bins: Bins
    missing: bool = False

    @property
    def parameters(self) -> str:
        edges = " ".join(edge.hex() for edge in self.bins.edges)
        kind = "bin or none" if self.missing else "bin"
        return f"{kind} of {self.attribute!r} {self.bins.k} {sha256(edges.encode()).hexdigest()}"

    @property
    def description(self) -> str:
        missing = ", or that it is missing" if self.missing else ""
        return f"{self.attribute!r}, in which of {self.bins.k:,} bins it lies{missing}"

    @property
    def attribute_names(self) -> tuple[str | int, ...]:
        return (self.attribute,)

    @property
    def k(self) -> int:
        """The bins, and that there is no number where it may be missing."""
        return self.bins.k + self.missing

    def label(self, value: int) -> str:
        return MISSING if value == self.bins.k else self.bins.label(value)

    def require_size(self, mechanism: Mechanism) -> None:
        if mechanism.k != self.k:
            what = f"{self.bins.k} bins" + (", and none," if self.missing else "")
            raise SordinoError(f"the mechanism must take the {what}", found=shown(mechanism.k))

    def check_values(self, values: ArrayLike, mechanism: Mechanism) -> NDArray[np.intp]:
        """The bins of numbers, all of which are looked at: the number itself goes no further."""
        self.require_size(mechanism)
        numbers = read_rows(values, 1)[:, 0]
        outside = ~self.bins.ends.contains(numbers)
        if self.missing:
            outside &= ~np.isnan(numbers)
        if outside.any():
            rule = f"numbers must lie from {self.bins.edges[0]:g} to {self.bins.edges[-1]:g}"
            raise SordinoError(rule, found=f"a value out of range at position {int(np.argmax(outside))}")
        return self.locate(numbers)

    def locate(self, values: NDArray[np.float64]) -> NDArray[np.intp]:
        """The bin of each number, shape (n,); of none the value after the bins."""
        found = self.bins.locate(values)
        return np.where(np.isnan(values), self.bins.k, found) if self.missing else found


@checked_class
@dataclass(frozen=True)
class BinMiddles(NumberStatistic):
    """How the tally of a number's bins is read as one of the number, and of its square: in the middle of each bin.

    For estimates alone: it stands in no document, and what is drawn and answered is the `Bin`.

    Example:
        >>> dict(BinMiddles(Bins((0, 4, 10))).counted_moments)[(0,)].tolist()
        [-0.6, 0.4]
    """

    name: ClassVar[str] = "binned"

    bins: Bins

    @property
    def places(self) -> tuple[int, ...]:
        return (0,)

    @property
    def description(self) -> str:
        return f"attribute 0, in which of {self.bins.k:,} bins it lies"

    @property
    def parameters(self) -> str:
        return Bin("0", self.bins).parameters

    @property
    def k(self) -> int:
        return self.bins.k

    @cached_property
    def counted_moments(self) -> tuple[tuple[Factors, Floats], ...]:
        """The number as the middle of its bin, and its square as the mean square of all numbers there."""
        ends = self.bins.ends
        middles, half = ends.scale(self.bins.middles), ends.width / 2
        return ((0,), middles), ((0, 0), 2 * (middles**2 + self.bins.within_bins / half**2) - 1)

    def with_places(self, place: Mapping[int, int]) -> "BinMiddles":
        del place
        return self
