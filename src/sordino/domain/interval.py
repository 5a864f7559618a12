"""A range of numbers: the domain of one numeric attribute.

Values are float64 between two finite ends, both included; channels take them scaled to [-1, 1].
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.errors import SordinoError

LARGEST_END = 1e150
"""Ends beyond it are refused: products of numbers and coefficients stay finite."""


@dataclass(frozen=True)
class Interval:
    """The numbers from `low` to `high`.

    Attributes:
        low: the lower end.
        high: the upper end, above it.

    Raises:
        SordinoError: an end that is not a finite number, or nothing between the ends.

    Example:
        >>> Interval(10, 100).width
        90.0
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            object.__setattr__(self, name, read_end(getattr(self, name), name))
        if not self.low < self.high:
            raise SordinoError("a range's low end must be below its high end", found=f"{self.low:g} and {self.high:g}")

    @property
    def width(self) -> float:
        """The distance between the ends."""
        return self.high - self.low

    def contains(self, values: ArrayLike) -> NDArray[np.bool_]:
        """Whether each number lies between the ends; NaN does not."""
        array = np.asarray(values, dtype=np.float64)
        return (array >= self.low) & (array <= self.high)

    def scaled(self, values: ArrayLike) -> NDArray[np.float64]:
        """Numbers of the interval as numbers in [-1, 1]; what rounding would put beyond an end stays on it."""
        array = np.asarray(values, dtype=np.float64)
        return np.clip((array - self.low) * (2 / self.width) - 1, -1.0, 1.0)


def read_end(end: object, name: str) -> float:
    """A finite float64.

    Raises:
        SordinoError: something else, infinite, NaN or absurdly large.
    """
    try:
        number = float(end) if not isinstance(end, str | bytes | bool) else math.nan  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not abs(number) <= LARGEST_END:
        raise SordinoError(
            f"the {name} end of a range must be a finite number",
            found=repr(end)[:80],
            step="say between which numbers the values lie",
        )
    return number
