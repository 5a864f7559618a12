"""Records of numbers and categories together: the domain of a person's filter over all that is asked of them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from sordino.domain.box import Box
from sordino.domain.interval import Interval
from sordino.domain.mixed.cells import NumberCells
from sordino.domain.record import FiniteDomain, Record
from sordino.errors import SordinoError
from sordino.exact.messages.arguments import checked_class
from sordino.exact.messages.brief import Brief, shown


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
        """How many attributes."""
        return len(self.names)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The attributes that are numbers."""
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
