"""A number between two ends; inside Sordino it is scaled to [-1, 1]."""

from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.errors import SordinoError


@dataclass(frozen=True)
class Interval:
    """The numbers from `low` to `high`, in the unit of the data.

    Raises:
        SordinoError: ends that are not finite, or not in ascending order.

    Example:
        >>> Interval(0, 100).scaled([0, 25, 100])
        array([-1. , -0.5,  1. ])
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        if not (isfinite(self.low) and isfinite(self.high) and self.low < self.high and isfinite(self.width)):
            raise SordinoError(
                "an interval must have finite ends in ascending order", found=f"low {self.low:g}, high {self.high:g}"
            )

    @property
    def width(self) -> float:
        """From one end to the other."""
        return self.high - self.low

    @property
    def middle(self) -> float:
        """What is scaled to 0."""
        return self.low + self.width / 2

    def contains(self, values: ArrayLike) -> NDArray[np.bool_]:
        """Whether each number lies between the ends; NaN does not."""
        array = np.asarray(values, dtype=np.float64)
        return (array >= self.low) & (array <= self.high)

    def scaled(self, values: ArrayLike) -> NDArray[np.float64]:
        """Numbers of the interval as numbers in [-1, 1]; what rounding would put beyond an end stays on it."""
        array = np.asarray(values, dtype=np.float64)
        return np.clip((array - self.low) * (2 / self.width) - 1, -1.0, 1.0)

    def unscaled(self, values: ArrayLike) -> NDArray[np.float64]:
        """Back to the unit of the data; means of scaled numbers too, which may lie outside [-1, 1]."""
        return self.middle + np.asarray(values, dtype=np.float64) * (self.width / 2)
