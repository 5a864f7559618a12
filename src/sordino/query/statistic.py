"""Statistics: how a record is read as one of k values. They know the data, and nothing of privacy.

What a mechanism sees is the value that is read, and nothing else of the record: so whatever no two rows of its channel
exceed, no two records exceed, whatever the reading does.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.domain.finite_record import Record
from sordino.errors import SordinoError
from sordino.exact.messages import checked_class, shown
from sordino.exact.source import Stream
from sordino.mechanism.base import Mechanism

FEW = 5
"""Largest number of attributes that are listed; one more takes no more room than its count."""


class Statistic(ABC):
    """How a record is read as one of the values 0..k-1 of a mechanism."""

    @property
    @abstractmethod
    def parameters(self) -> str:
        """All that defines the statistic, as canonical text."""

    @property
    @abstractmethod
    def description(self) -> str:
        """What is asked for, in words that follow "is asked for"."""

    @property
    @abstractmethod
    def attribute_names(self) -> tuple[str | int, ...]:
        """The attributes that are read, all that it depends on: their names, or their places where they have none."""

    def label(self, value: int) -> str:
        """What a value that is read is called."""
        return f"value {value}"

    @property
    def axes(self) -> tuple[tuple[str | int, int], ...]:
        """The attributes whose combination is read, each with how many values are read of it; the last runs fastest.

        None where what is read is no such combination, or where nobody knows how many values there are.
        """
        return ()

    def require_size(self, mechanism: Mechanism) -> None:  # noqa: B027 - of values it is known by the record
        """Refuse a mechanism over another number of values than can be read, where that is known.

        Raises:
            SordinoError: another number.
        """

    def check_values(self, values: ArrayLike, mechanism: Mechanism) -> NDArray[Any]:
        """What is read, the first axis for the people: values that are read as they are, by their index.

        Raises:
            SordinoError: others (named by position, never by value).
        """
        return mechanism.check_values(values)

    def encode(self, values: NDArray[Any], stream: Stream) -> NDArray[np.intp]:  # noqa: ARG002 - nothing is rounded
        """The value that is read of each person, shape (n,); at random where the statistic rounds."""
        return values

    def law(self, record: Sequence[float]) -> list[Fraction]:  # noqa: ARG002 - of what is rounded
        """The probability of each value given a record of numbers, exactly as it is read.

        Raises:
            SordinoError: a statistic of values.
        """
        raise SordinoError("a law is given by a record of numbers", found=self.parameters)


@checked_class
@dataclass(frozen=True, init=False)
class Values(Statistic):
    """The values of several attributes of a record together.

    Attributes:
        attributes: their names, or their places in the record; values count in their order, the last runs fastest.

    Example:
        >>> from sordino import Categories, Record
        >>> record = Record({"smoker": Categories(["yes", "no"]), "stage": Categories(["I", "II", "III"])})
        >>> both = Values("stage", "smoker")
        >>> both.places(record), both.k(record), both.index(record, [[1, 2]]).tolist()
        ((1, 0), 6, [5])
    """

    attributes: tuple[str | int, ...]

    def __init__(self, *attributes: str | int) -> None:
        object.__setattr__(self, "attributes", attributes)

    @property
    def parameters(self) -> str:
        return f"values of {self.attributes!r}"

    @property
    def description(self) -> str:
        together = " together" if len(self.attributes) > 1 else ""
        return f"{attribute_list(self.attributes)}{together}"

    @property
    def attribute_names(self) -> tuple[str | int, ...]:
        return self.attributes

    def places(self, record: Record) -> tuple[int, ...]:
        """Where the attributes stand in the record, in the order of the statistic.

        Raises:
            SordinoError: none, unknown or repeated attributes.
        """
        places = []
        for attribute in self.attributes:
            known = attribute in record.names if isinstance(attribute, str) else _is_place(attribute, record.d)
            if not known:
                rule = f"a query must be about attributes of the record: {', '.join(record.names[:8])}"
                raise SordinoError(rule, found=shown(attribute))
            places.append(record.names.index(attribute) if isinstance(attribute, str) else attribute)
        if not places or len(set(places)) < len(places):
            raise SordinoError("a query must name one or more attributes, each once", found=shown(places))
        return tuple(places)

    def k(self, record: Record) -> int:
        """How many values they have together."""
        return prod(record.shape[place] for place in self.places(record))

    def index(self, record: Record, rows: ArrayLike) -> NDArray[np.intp]:
        """Which value each record has, shape (n,), of records as rows of values, shape (n, d)."""
        places = self.places(record)
        columns = record.check_records(rows)[:, list(places)].T
        found: NDArray[np.intp] = np.ravel_multi_index(tuple(columns), [record.shape[place] for place in places])
        return found


@checked_class
@dataclass(frozen=True, init=False)
class Value(Values):
    """The value of one attribute of a record, by its name or its place.

    Example:
        >>> Value("smoker").attributes
        ('smoker',)
    """

    def __init__(self, attribute: str | int) -> None:
        super().__init__(attribute)


def attribute_list(names: Sequence[str | int]) -> str:
    """One or more attributes in words, by their names or their places; of many the first ones.

    Example:
        >>> attribute_list(["age"]), attribute_list([0, 1, 2]), attribute_list(range(100))
        ("'age'", 'attributes 0, 1 and 2', 'attributes 0, 1, 2, 3, 4 and 95 more')
    """
    numbered = all(isinstance(name, int) for name in names)
    texts = [str(name) if numbered else f"attribute {name}" if isinstance(name, int) else repr(name) for name in names]
    if len(texts) > FEW + 1:
        texts = [*texts[:FEW], f"{len(texts) - FEW} more"]
    several = " and ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))
    return f"{'attribute' if len(texts) == 1 else 'attributes'} {several}" if numbered else several


def _is_place(attribute: object, d: int) -> bool:
    return isinstance(attribute, int) and not isinstance(attribute, bool) and 0 <= attribute < d


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
