"""Records of numbers: in their own units, scaled to [-1, 1] and checked once; categories and missing numbers.

Every number of every person is looked at before anything is drawn, so that a refusal never depends on a draw. With a
thousand numbers a person that reading takes far longer than privatizing one of them: who privatizes the same records
several times checks them once.

From numbers in units of their own to [-1, 1] and back: each attribute has a lowest and a highest value.

The ends are declared before the data: a range taken from the data would tell about them.

What stands in a record of numbers and is none: a category, as its index over 2^20, and a missing number, NaN.

Indices over 2^20 are exact in float64, and no number of a record is between two categories: who reads them rounds
nothing. Whether somebody is in a category, or has a number, is an indicator, of which moments are made as of numbers.

Numbers as they were measured, which are scaled to [-1, 1] once it is known whose are read.

A person answers one question of several, and its numbers are all that is read of the record: those of everybody are
looked at, whoever is drawn, but only hers are scaled.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.domain.interval import Interval, number_array, to_unit
from sordino.errors import SordinoError
from sordino.exact.floats import ignore_float_errors
from sordino.exact.messages import Brief, checked, checked_class
from sordino.exact.source import Rows

PIECE = 1 << 18
"""Numbers looked at together: 2 MB stay in the processor's cache between the two looks."""


@checked_class
@dataclass(frozen=True, eq=False, repr=False)
class Scaled(Brief):
    """Checked records.

    Attributes:
        records: float64, shape (n, d), each in [-1, 1]; not to be changed.

    Example:
        >>> Scaled.of([[0.5, -1], [0, 0.25]]).records.shape
        (2, 2)
    """

    records: NDArray[np.float64]

    @classmethod
    @checked
    def of(cls, values: ArrayLike, d: int | None = None) -> "Scaled":
        """Check records.

        Args:
            values: numbers, shape (n, d), or (n,) where there is one for each person.
            d: how many numbers a record must have; any by default.

        Raises:
            SordinoError: another shape, no numbers, or others than in [-1, 1] (named by position, never by value).
        """
        records = read_rows(values, d)
        require_inside(records)
        view = records.view()
        view.setflags(write=False)
        return cls(view)


@ignore_float_errors
def read_rows(values: ArrayLike, d: int | None = None) -> NDArray[np.float64]:
    """Rows of numbers as float64, shape (n, d), whatever the numbers are."""
    array = number_array(values)
    rows = array[:, None] if array.ndim == 1 and d in (None, 1) else array
    if rows.ndim != 2 or d not in (None, rows.shape[1]) or (rows.size and rows.dtype.kind not in "iuf"):
        wanted = "numbers" if d is None else f"{d} numbers"
        raise SordinoError(f"records must be rows of {wanted}", found=f"type {array.dtype}, shape {array.shape}")
    return rows.astype(np.float64, copy=False)


@ignore_float_errors
def require_inside(records: NDArray[np.float64], first: int = 0, optional: Collection[int] = ()) -> None:
    """Look at all numbers of some records, shape (n, d), the first of which stands at the place `first` for messages.

    Those that stand at optional places may be missing, NaN.
    """
    step = max(PIECE // max(records.shape[1], 1), 1)
    for start in range(0, len(records), step):
        piece = records[start : start + step]
        if optional:
            # All of them are looked at in one way, whether or not one is missing.
            piece = piece.copy()
            piece[:, list(optional)] = np.nan_to_num(piece[:, list(optional)], nan=0.0, posinf=2.0, neginf=-2.0)
        if not _inside(piece):
            row, column = (int(place) for place in np.argwhere(~(np.abs(piece) <= 1))[0])
            raise SordinoError(
                "numbers must lie in [-1, 1]",
                found=f"a number out of range in record {first + start + row}, number {column}",
                step="scale them",
            )


def read_records(values: ArrayLike | Scaled, d: int, optional: Collection[int] = ()) -> NDArray[np.float64]:
    """Records of at least d numbers as float64, shape (n, at least d); looked at, unless they were before.

    Args:
        d: how many numbers each must have at least.
        optional: the places of those that may be missing, NaN.

    Raises:
        SordinoError: another shape, or others than in [-1, 1] (named by position, never by value).
    """
    records = rows_of(values, d)
    if not isinstance(values, Scaled):
        require_inside(records, optional=optional)
    return records


def rows_of(values: ArrayLike | Scaled, d: int) -> NDArray[np.float64]:
    """Records of at least d numbers as float64, whatever the numbers are."""
    records = values.records if isinstance(values, Scaled) else read_rows(values)
    if records.shape[1] < d:
        raise SordinoError(f"records must be rows of {d} numbers", found=f"rows of {records.shape[1]}")
    return records


def _inside(piece: NDArray[np.float64]) -> bool:
    """Whether all are in [-1, 1]: the extremes of numbers of which one is NaN are NaN."""
    if not piece.size:
        return True
    with np.errstate(invalid="ignore"):
        return bool(piece.min() >= -1 and piece.max() <= 1)


@dataclass(frozen=True)
class Ranges:
    """The ranges of d attributes, in their own units.

    Example:
        >>> Ranges.of({"age": (0, 100), "income": (0, 5000)}).scale([[75, 0]])
        array([[ 0.5, -1. ]])
    """

    names: tuple[str, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    def __post_init__(self) -> None:
        for name, low, high in zip(self.names, self.low, self.high, strict=True):
            if not (low < high and math.isfinite(high - low) and high - low >= abs(high + low) * 2**-50):
                raise SordinoError(
                    f"the range of {name} must go from a lower to a higher finite number", found=f"{low} to {high}"
                )

    @classmethod
    def of(cls, ranges: Mapping[str, tuple[float, float]]) -> "Ranges":
        """From a lowest and a highest value for each name."""
        low, high = zip(*ranges.values(), strict=True) if ranges else ((), ())
        return cls(tuple(ranges), tuple(map(float, low)), tuple(map(float, high)))

    @classmethod
    def unit(cls, d: int) -> "Ranges":
        """Attributes that are in [-1, 1] already, called by their places."""
        return cls(tuple(f"attribute {j}" for j in range(d)), (-1.0,) * d, (1.0,) * d)

    @property
    def d(self) -> int:
        return len(self.names)

    @property
    def middle(self) -> NDArray[np.float64]:
        """What stands at 0, shape (d,)."""
        return np.array(self.low) / 2 + np.array(self.high) / 2

    @property
    def half(self) -> NDArray[np.float64]:
        """How many own units one unit of the scaled number is, shape (d,)."""
        return np.array(self.high) / 2 - np.array(self.low) / 2

    @ignore_float_errors
    def scale(self, values: ArrayLike) -> NDArray[np.float64]:
        """Records in [-1, 1], shape (n, d), of records in their own units."""
        records = np.asarray(values, dtype=np.float64)
        if records.ndim != 2 or records.shape[1] != self.d:
            raise SordinoError(f"records must be rows of {self.d} numbers", found=f"shape {records.shape}")
        low, high = np.array(self.low), np.array(self.high)
        inside = (records >= low) & (records <= high)
        if not inside.all():
            row, column = (int(place) for place in np.argwhere(~inside)[0])
            raise SordinoError(
                f"{self.names[column]} must lie from {self.low[column]} to {self.high[column]}",
                found=f"a number out of range in record {row}",
                step="clip the numbers, or declare a wider range",
            )
        return to_unit(records, low, high)


MOST_PLACES = 1 << 20
"""Attributes of one record."""

CODES = Interval(-MOST_PLACES, MOST_PLACES)
"""The range by which an index is scaled as numbers are: v goes to v / 2^20."""

MOST_CATEGORIES = 64
"""Of one attribute that is read together with another one."""


@dataclass(frozen=True, slots=True)
class Indicator:
    """Whether an attribute has one of its categories, or a number is given: 1 where it holds, -1 where it does not.

    Attributes:
        place: of the attribute in the record.
        category: which; None for a number that may be missing: whether it is given.

    Example:
        >>> Indicator(1, 2).values(CODES.scale([2, 0])).tolist(), Indicator(0).values(np.array([0.5, np.nan])).tolist()
        ([1.0, -1.0], [1.0, -1.0])
    """

    place: int
    category: int | None = None

    def values(self, column: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of its attribute in some records, shape (n,)."""
        holds = ~np.isnan(column) if self.category is None else column == CODES.scale([self.category])
        return 2.0 * holds - 1


@dataclass(frozen=True, slots=True)
class Completeness:
    """Whether all of some numbers are given: what is made of a complete case counts as it is, and of any other as 0.

    By itself it is 1 where all are given, and -1 elsewhere, as an `Indicator` is.

    Attributes:
        places: of the numbers that may be missing, in ascending order.

    Example:
        >>> Completeness((0, 1)).holds(np.array([[0.5, 0.5], [0.5, np.nan]])).tolist()
        [True, False]
    """

    places: tuple[int, ...]

    def holds(self, records: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Of some records, shape (n, d), which are complete, shape (n,)."""
        missing = np.isnan(records[:, list(self.places)])
        holds: NDArray[np.bool_] = np.logical_and.reduce(~missing, axis=1)
        return holds


def categories_of(numbers: NDArray[np.float64], k: int) -> NDArray[np.intp]:
    """The index of each category, of numbers of a record; what is none is some category like any other.

    Example:
        >>> categories_of(CODES.scale([0, 2, 1]), 3).tolist()
        [0, 2, 1]
    """
    index = np.nan_to_num(np.rint(numbers * MOST_PLACES))
    found: NDArray[np.intp] = np.clip(index, 0, k - 1).astype(np.intp)
    return found


MEASURED_PIECE = 1 << 13
"""Rows that are scaled together: their numbers stay in the processor's cache."""


@dataclass(frozen=True, eq=False, repr=False)
class Measured(Brief):
    """The numbers of some people, all of which have been looked at: none is NaN, one beyond an end counts as that end.

    Attributes:
        numbers: float64, shape (n,) each, in the data's unit.

    Example:
        >>> Measured((np.array([0.0, 5.0, 10.0]),), (Interval(0, 10),))[1:].records.tolist()
        [[0.0], [1.0]]
    """

    numbers: tuple[NDArray[np.float64], ...]
    ranges: tuple[Interval, ...]

    def __len__(self) -> int:
        return len(self.numbers[0])

    def __getitem__(self, rows: Rows) -> Scaled:
        taken = [column[rows] for column in self.numbers]
        records = np.empty((len(taken[0]), len(taken)))
        for start in range(0, len(records), MEASURED_PIECE):
            piece = slice(start, start + MEASURED_PIECE)
            for place, (column, ends) in enumerate(zip(taken, self.ranges, strict=True)):
                records[piece, place] = ends.scale(column[piece])
        return Scaled(records)
