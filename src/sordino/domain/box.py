"""Records of d numbers, each in a range of its own: the domain of linear, logistic and quadratic models.

Values are float64 of shape (d,), or (n, d) for n people.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.domain.interval import LARGEST_NUMBER, Interval, number_array
from sordino.errors import SordinoError
from sordino.exact.floats import ignore_float_errors
from sordino.exact.messages import Brief, checked_class


@checked_class
@dataclass(frozen=True, repr=False)
class Box(Brief):
    """All records x with low[j] <= x[j] <= high[j].

    Attributes:
        low: the d lower ends.
        high: the d upper ends, each above its lower end.

    Raises:
        SordinoError: no number, unequal lengths, an end that is not finite, or an empty range.

    Example:
        >>> Box([-1, 0], [1, 10]).d
        2
    """

    low: tuple[float, ...]
    high: tuple[float, ...]

    def __init__(self, low: Iterable[float], high: Iterable[float]) -> None:
        lows, highs = (_list_ends(ends) for ends in (low, high))
        if not lows or len(lows) != len(highs):
            raise SordinoError(
                "a box must have as many low ends as high ends, and one at least", found=f"{len(lows)} and {len(highs)}"
            )
        sides = []
        for j, (least, largest) in enumerate(zip(lows, highs, strict=True)):
            try:
                sides.append(Interval(least, largest))
            except SordinoError as error:
                raise SordinoError(f"number {j} of the box: {error.rule}", found=error.found, step=error.step) from None
        object.__setattr__(self, "low", tuple(side.low for side in sides))
        object.__setattr__(self, "high", tuple(side.high for side in sides))

    @property
    def d(self) -> int:
        """How many numbers a record has."""
        return len(self.low)

    @cached_property
    def centre(self) -> NDArray[np.float64]:
        """The middle of each range, shape (d,), rounded."""
        centre: NDArray[np.float64] = (np.array(self.low) + np.array(self.high)) / 2
        return centre

    @cached_property
    def reach(self) -> NDArray[np.float64]:
        """Half the width of each range, shape (d,), rounded."""
        reach: NDArray[np.float64] = (np.array(self.high) - np.array(self.low)) / 2
        return reach

    @cached_property
    def largest(self) -> NDArray[np.float64]:
        """The largest absolute number of each range, shape (d,)."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    def records(self, cube: NDArray[np.float64]) -> NDArray[np.float64]:
        """Records for points of the cube [-1, 1]^d, shape (..., d), kept inside the box."""
        return np.clip(self.centre + self.reach * cube, self.low, self.high)

    @ignore_float_errors
    def check_records(self, records: ArrayLike) -> NDArray[np.float64]:
        """Records as float64, shape (n, d); one record of shape (d,) becomes a row.

        Raises:
            SordinoError: other than d numbers for each person, or a number outside (named by position, never by value).
        """
        rows = read_records(records, self.d)
        inside = (rows >= self.low) & (rows <= self.high)
        if not inside.all():
            row, column = (int(place) for place in np.argwhere(~inside)[0])
            raise SordinoError(
                "records must lie in the box", found=f"a number out of range in record {row}, number {column}"
            )
        return rows


@ignore_float_errors
def read_records(records: ArrayLike, d: int) -> NDArray[np.float64]:
    """Rows of d finite numbers, shape (n, d); one record of shape (d,) becomes a row, single numbers a column."""
    array = number_array(records)
    if array.ndim == 1:
        array = array[:, None] if d == 1 else array[None, :]
    if array.ndim != 2 or array.shape[1] != d or (array.size and array.dtype.kind not in "iuf"):
        raise SordinoError(f"records must be rows of {d} numbers", found=f"type {array.dtype}, shape {array.shape}")
    rows = array.astype(np.float64, copy=False)
    finite = np.abs(rows) <= LARGEST_NUMBER
    if not finite.all():
        row, column = (int(place) for place in np.argwhere(~finite)[0])
        raise SordinoError(
            "records must be finite numbers of at most 1e60",
            found=f"a number out of range in record {row}, number {column}",
        )
    return rows


def _list_ends(ends: object) -> list[float]:
    if isinstance(ends, str | bytes) or not isinstance(ends, Iterable):
        raise SordinoError("a box's ends must be a list of numbers", found=type(ends).__name__)
    return list(ends)
