"""What is read of some attributes where several combinations of their values are read alike: a table of readings."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.domain.record import Record
from sordino.errors import SordinoError
from sordino.exact.messages.arguments import checked_class
from sordino.exact.messages.brief import shown
from sordino.query.statistic import Values


@checked_class
@dataclass(frozen=True, init=False)
class Recoded(Values):
    """The values of several attributes together, read as one of fewer values.

    Attributes:
        readings: for each combination what is read, 0..count-1; the last attribute runs fastest.
        count: how many values can be read.

    Example:
        >>> from sordino import Categories, Record
        >>> record = Record({"stage": Categories(["I", "II", "III"])})
        >>> late = Recoded(["stage"], [0, 0, 1], 2)
        >>> late.k(record), late.index(record, [[1], [2]]).tolist()
        (2, [0, 1])
    """

    readings: tuple[int, ...]
    count: int

    def __init__(self, attributes: Iterable[str], readings: Iterable[int], count: int) -> None:
        super().__init__(*attributes)
        object.__setattr__(self, "readings", tuple(readings))
        object.__setattr__(self, "count", count)
        if not all(0 <= read < count for read in self.readings):
            raise SordinoError(f"readings must lie in 0..{count - 1}", found=shown(self.readings))

    @property
    def parameters(self) -> str:
        table = sha256(self.table.tobytes()).hexdigest()
        return f"{super().parameters} read as {self.count} by {table}"

    def k(self, record: Record) -> int:
        combinations = prod(record.shape[place] for place in self.places(record))
        if combinations != len(self.readings):
            raise SordinoError(f"readings must be of {combinations} combinations", found=str(len(self.readings)))
        return self.count

    def index(self, record: Record, rows: ArrayLike) -> NDArray[np.intp]:
        _ = self.k(record)
        return self.table[super().index(record, rows)]

    @cached_property
    def table(self) -> NDArray[np.intp]:
        """The readings, shape (combinations,)."""
        return np.array(self.readings, dtype=np.intp)
