"""The statistic of a distribution: the bin of a number, read without rounding or randomness.

A mechanism over k bins sees the bin and nothing else of the record. Units: those of the data. Cost: a search in the
edges for each number; no word is drawn.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.domain.bins import Bins
from sordino.domain.scaled import read_rows
from sordino.errors import SordinoError
from sordino.exact.messages.arguments import checked_class
from sordino.exact.messages.brief import shown
from sordino.exact.source import Stream
from sordino.mechanism.base import Mechanism
from sordino.query.statistic import Statistic


@checked_class
@dataclass(frozen=True)
class Bin(Statistic):
    """In which bin the number of an attribute lies.

    Attributes:
        attribute: its name.
        bins: that cover its range.

    Example:
        >>> from sordino.domain.interval import Interval
        >>> from sordino.mechanism.numbers.window import WindowResponse
        >>> income = Bin("income", Bins.equal(Interval(0, 100), 4))
        >>> income.encode(income.checked([0, 25, 99.5], WindowResponse(4, "1", 2)), None).tolist()
        [0, 1, 3]
    """

    attribute: str
    bins: Bins

    @property
    def parameters(self) -> str:
        """All that defines the statistic, as canonical text: of the edges the hash of their hexadecimal digits."""
        edges = " ".join(edge.hex() for edge in self.bins.edges)
        return f"bin of {self.attribute!r} {self.bins.k} {sha256(edges.encode()).hexdigest()}"

    def require_size(self, mechanism: Mechanism) -> None:
        """Refuse a mechanism over another number of values than there are bins.

        Raises:
            SordinoError: another number.
        """
        if mechanism.k != self.bins.k:
            raise SordinoError(f"the mechanism must take the {self.bins.k} bins", found=shown(mechanism.k))

    def checked(self, values: ArrayLike, mechanism: Mechanism) -> NDArray[np.float64]:
        """The numbers as float64, shape (n,); all of them are looked at.

        Raises:
            SordinoError: other than numbers in one row, or one beyond the bins (named by position, never by value).
        """
        self.require_size(mechanism)
        numbers = read_rows(values, 1)[:, 0]
        outside = ~self.bins.ends.contains(numbers)
        if outside.any():
            rule = f"numbers must lie from {self.bins.edges[0]:g} to {self.bins.edges[-1]:g}"
            raise SordinoError(rule, found=f"another at position {int(np.argmax(outside))}")
        return numbers

    def encode(self, values: NDArray[Any], stream: Stream) -> NDArray[np.intp]:  # noqa: ARG002 - nothing is rounded
        """The bin of each number, shape (n,)."""
        return self.bins.locate(values)
