"""Queries: a statistic of the record, asked through a mechanism."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.domain.record import Record
from sordino.errors import SordinoError
from sordino.exact.messages.arguments import checked_class
from sordino.exact.messages.brief import shown
from sordino.exact.source import Source, Words
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel import Channel
from sordino.query.statistic import Values


@checked_class
@dataclass(frozen=True)
class Query:
    """A statistic of the record, asked through a mechanism.

    Attributes:
        statistic: how the record is read; of numbers, the attributes that the channel reads itself.
        mechanism: the channel from what is read to codes.

    Example:
        >>> from sordino import Categories, RandomizedResponse, Record, Values
        >>> record = Record({"smoker": Categories(["yes", "no"]), "stage": Categories(["I", "II", "III"])})
        >>> both = Query(Values("stage", "smoker"), RandomizedResponse(6, "1"))
        >>> both.places(record), both.index(record, [[1, 2]]).tolist(), both.outputs
        ((1, 0), [5], 6)
    """

    statistic: Values
    mechanism: Channel

    @property
    def outputs(self) -> int:
        """Codes are integers in 0..outputs-1."""
        return self.mechanism.outputs

    @property
    def parameters(self) -> str:
        """All that defines the query, as canonical text."""
        return f"{self.statistic.parameters} by {self.mechanism.parameters}"

    def finite(self, record: Record) -> Mechanism:
        """The mechanism, from the values of the statistic.

        Raises:
            SordinoError: one for another number of values, or not of values.
        """
        values = self.statistic.k(record)
        if not isinstance(self.mechanism, Mechanism):
            raise SordinoError("values are asked through a finite mechanism", found=type(self.mechanism).__name__)
        if values != self.mechanism.k:
            raise SordinoError(
                f"the mechanism must take the {values} values of its attributes together", found=shown(self.mechanism.k)
            )
        return self.mechanism

    def places(self, record: Record) -> tuple[int, ...]:
        """Where the attributes that it asks about stand in the record, in their order.

        Raises:
            SordinoError: none, unknown or repeated attributes; a mechanism for another number of values.
        """
        self.finite(record)
        return self.statistic.places(record)

    def index(self, record: Record, rows: ArrayLike) -> NDArray[np.intp]:
        """What the mechanism sees, shape (n,), of records as rows of values, shape (n, d)."""
        self.finite(record)
        return self.statistic.index(record, rows)

    def privatize(self, record: Record, rows: ArrayLike, source: Source | None = None) -> Words:
        """Draw one code for each record, shape (n,); every call is a new release."""
        return self.finite(record).privatize(self.statistic.index(record, rows), source)
