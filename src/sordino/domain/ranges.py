"""From numbers in units of their own to [-1, 1] and back: each attribute has a lowest and a highest value.

The ends are declared before the data: a range taken from the data would tell about them.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.domain.interval import to_unit
from sordino.errors import SordinoError
from sordino.exact.steady import ignore_float_errors


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
        """How many attributes."""
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
                found=f"another in record {row}",
                step="clip the numbers, or declare a wider range",
            )
        return to_unit(records, low, high)
