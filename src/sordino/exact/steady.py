"""Float arithmetic that ends the same way whatever numpy was told to do about it.

A program may have asked numpy to raise where a number is too small or too large for a float (`np.seterr`), or turned
its warnings into errors. Whether that happens in the middle of a computation often depends on a person's record, or on
an answer of which there is no second one: a refusal there would tell, and an accepted question could not be counted.
What must not happen is checked by comparisons, which are false for what is no number.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import numpy as np

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
