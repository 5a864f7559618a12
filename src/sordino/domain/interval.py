"""A range of numbers: the domain of one numeric attribute.

Values are float64 between two finite ends, both included; channels take them scaled to [-1, 1].
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.errors import SordinoError
from sordino.exact.floats import ignore_float_errors
from sordino.exact.messages import checked_class, shown

LARGEST_NUMBER = 1e60
"""Numbers beyond it are refused: products of numbers and coefficients stay finite."""

LEAST_WIDTH = 1e-60
"""Narrower ranges are refused: quotients by a width stay finite."""


@checked_class
@dataclass(frozen=True)
class Interval:
    """The numbers from `low` to `high`.

    Raises:
        SordinoError: an end that is not a finite number, or nothing between the ends.

    Example:
        >>> Interval(10, 100).width
        90.0
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        low, high = read_ends(self.low, self.high)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    @property
    def width(self) -> float:
        """The distance between the ends."""
        return self.high - self.low

    def contains(self, values: ArrayLike) -> NDArray[np.bool_]:
        """Whether each number lies between the ends; NaN does not."""
        array = np.asarray(values, dtype=np.float64)
        return (array >= self.low) & (array <= self.high)

    def scale(self, values: ArrayLike) -> NDArray[np.float64]:
        """Numbers of the interval as numbers in [-1, 1]; what rounding would put beyond an end stays on it."""
        return to_unit(np.asarray(values, dtype=np.float64), self.low, self.high)


@ignore_float_errors
def to_unit(numbers: NDArray[np.float64], low: ArrayLike, high: ArrayLike) -> NDArray[np.float64]:
    """Numbers between ends, of all or of each column, as numbers in [-1, 1]: exactly so at the ends and beyond them."""
    ends = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    scaled = numbers - ends[0]
    scaled -= ends[1] - numbers
    scaled /= ends[1] - ends[0]
    return np.clip(scaled, -1.0, 1.0)


def number_array(values: ArrayLike) -> NDArray[Any]:
    """Values as an array; integers from 2^64 up, which numpy takes for objects, as the numbers that they are."""
    array = np.asarray(values)
    if array.dtype.kind != "O" or any(type(value) not in {int, float} for value in array.flat):
        return array
    numbers = [float(value) if abs(value) <= LARGEST_NUMBER else math.inf for value in array.flat]
    return np.array(numbers).reshape(array.shape)


def read_ends(low: object, high: object) -> tuple[float, float]:
    """The two ends of a range."""
    ends = read_number(low, "a range's low end"), read_number(high, "a range's high end")
    if not ends[1] - ends[0] >= LEAST_WIDTH:
        rule = "a range's low end must be below its high end"
        raise SordinoError(rule, found=f"{ends[0]:g} and {ends[1]:g}", step="exchange them, or widen the range")
    return ends


def read_number(number: object, name: str) -> float:
    """A finite float64."""
    try:
        value = float(number) if not isinstance(number, str | bytes | bool) else math.nan  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not abs(value) <= LARGEST_NUMBER:
        raise SordinoError(f"{name} must be a number between -1e60 and 1e60", found=shown(number))
    return value
