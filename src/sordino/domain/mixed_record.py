"""Records of numbers and categories together: the domain of a person's filter over all that is asked of them.

A number's range as cells, for bounds that hold for every number of a cell: what a filter of many attributes keeps.

Nothing is rounded on the device: a cell stands for all numbers in it, and bounds are the largest and the smallest of
what holds for any of them. Units: those of the data.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.domain.bins import plain
from sordino.domain.box import Box
from sordino.domain.finite_record import FiniteDomain, Record
from sordino.domain.interval import Interval
from sordino.errors import SordinoError
from sordino.exact.messages import Brief, checked_class, shown


@checked_class
@dataclass(frozen=True, init=False, repr=False)
class MixedRecord(Brief):
    """The records of some attributes, each a number in its range or one of finitely many values.

    Attributes:
        names: the attributes, in the order of their places.
        domains: their ranges or values.
        optional: the numbers that may be missing.

    Raises:
        SordinoError: no attribute, or one of another domain.

    Example:
        >>> from sordino import Categories
        >>> record = MixedRecord({"age": Interval(18, 90), "smoker": Categories(["yes", "no"])})
        >>> record.numbers, record.cells.shape
        (('age',), (64, 2))
    """

    names: tuple[str, ...]
    domains: tuple[Interval | FiniteDomain, ...]
    optional: tuple[str, ...]

    def __init__(self, attributes: Mapping[str, Interval | FiniteDomain], optional: Collection[str] = ()) -> None:
        object.__setattr__(self, "names", tuple(attributes))
        object.__setattr__(self, "domains", tuple(attributes.values()))
        object.__setattr__(self, "optional", tuple(name for name in attributes if name in optional))
        wrong = [name for name in optional if name not in self.numbers]
        if wrong:
            raise SordinoError("only a number of the record may be missing", found=shown(wrong[0]))
        _ = self.cells

    @property
    def d(self) -> int:
        return len(self.names)

    @property
    def numbers(self) -> tuple[str, ...]:
        return tuple(name for name, own in self._attributes if isinstance(own, Interval))

    @cached_property
    def box(self) -> Box | None:
        """Of the numbers, in their order; None where there are none, or where one may be missing."""
        ranges = [own for _, own in self._attributes if isinstance(own, Interval)]
        if not ranges or self.optional:
            return None
        return Box([own.low for own in ranges], [own.high for own in ranges])

    @cached_property
    def cells(self) -> Record:
        """The same records, each number by the cell in which it lies."""
        return Record(
            {
                name: NumberCells(own, missing=name in self.optional) if isinstance(own, Interval) else own
                for name, own in self._attributes
            }
        )

    @property
    def _attributes(self) -> list[tuple[str, Interval | FiniteDomain]]:
        return list(zip(self.names, self.domains, strict=True))


CELLS = 64
"""Of a number: two of them together are a table of some thousand entries."""

MOST_CELLS = 1 << 12


@checked_class
@dataclass(frozen=True)
class NumberCells:
    """Equally wide cells that cover a range, each with both of its ends; and perhaps one for who has no number.

    Example:
        >>> NumberCells(Interval(0, 10), 5, missing=True).k
        6
    """

    ends: Interval
    count: int = CELLS
    missing: bool = False

    def __post_init__(self) -> None:
        if type(self.count) is not int or not 1 <= self.count <= MOST_CELLS:
            raise SordinoError(f"a range must have 1 to {MOST_CELLS} cells", found=shown(self.count))

    @property
    def k(self) -> int:
        """How many cells, that of who has no number among them, the last."""
        return self.count + self.missing

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """Where cells begin and end, shape (count + 1,)."""
        edges = np.linspace(self.ends.low, self.ends.high, self.count + 1)
        edges[-1] = self.ends.high
        return edges

    def label(self, index: int) -> str:
        """The ends of a cell."""
        if index == self.count:
            return "missing"
        return f"{plain(float(self.edges[index]))} to {plain(float(self.edges[index + 1]))}"
