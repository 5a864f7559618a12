"""Limits of a quotient of two unbiased estimates whose errors are near normal: Fieller's.

They are all r for which N - r D is no further from 0 than its own standard errors allow. That is an interval where D's
own leaves 0 out; where it does not, the reports say nothing of the quotient.
Source: Fieller 1954, some problems in interval estimation.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def quotient_limits(
    part: ArrayLike, whole: ArrayLike, errors: tuple[ArrayLike, ArrayLike, ArrayLike], z: ArrayLike
) -> tuple[Floats, Floats]:
    """All r with (N - r D)^2 <= z^2 Var(N - r D), of any shape; not a number where D may be 0.

    Args:
        part: N.
        whole: D.
        errors: the variances of N and of D, and the covariance of the two.
        z: how many standard errors.

    Example:
        >>> [round(float(end), 6) for end in quotient_limits(2.0, 4.0, (0.04, 0.0, 0.0), 2.0)]
        [0.4, 0.6]
    """
    part, whole, squared = np.asarray(part), np.asarray(whole), np.square(z)
    part_variance, whole_variance, shared = map(np.asarray, errors)
    square = whole**2 - squared * whole_variance
    middle, end = part * whole - squared * shared, part**2 - squared * part_variance
    # N / D solves the quadratic in r: there are two ends.
    root = np.sqrt(np.maximum(middle**2 - square * end, 0.0))
    divisor = np.where((whole > 0) & (square > 0), square, np.nan)
    return (middle - root) / divisor, (middle + root) / divisor
