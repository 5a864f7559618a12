"""Arrays of floats, arithmetic on them that never raises or warns, and floats one step up or down.

A program may have asked numpy to raise where a number is too small or too large for a float (`np.seterr`), or turned
its warnings into errors. Whether that happens in the middle of a computation often depends on a person's record, or on
an answer of which there is no second one: a refusal there would tell, and an accepted question could not be counted.
What must not happen is checked by comparisons, which are false for what is no number.
One step up, or down, is what a sum or a difference of two floats surely is not above, or not below.
"""

import math
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

P = ParamSpec("P")
R = TypeVar("R")


def ignore_float_errors(function: Callable[P, R]) -> Callable[P, R]:
    """A function of floats that neither raises nor warns because of one.

    Example:
        >>> @ignore_float_errors
        ... def square(number: np.float64) -> np.float64:
        ...     return number * number
        >>> with np.errstate(all="raise"):
        ...     float(square(np.float64(1e-200)))
        0.0
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        with np.errstate(all="ignore"):
            return function(*args, **kwargs)

    return call


def up(number: float) -> float:
    return math.nextafter(number, math.inf)


def down(number: float) -> float:
    return math.nextafter(number, -math.inf)


def up_from_zero(number: float) -> float:
    """The next float above a sum of numbers >= 0; where it is zero nothing was rounded, and it stays."""
    return up(number) if number else 0.0
