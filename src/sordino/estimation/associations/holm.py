"""p-values of many tests, corrected for looking at all of them: Holm's.

Guarantee: where some of the tested statements hold, the probability that any of these is rejected at a level is at most
that level, however the tests depend on each other. Source: Holm 1979.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def adjust_p_values(p_values: ArrayLike) -> NDArray[np.float64]:
    """The level at which each statement is rejected when all are looked at, shape (m,).

    Example:
        >>> [round(float(each), 6) for each in adjust_p_values([0.01, 0.04, 0.03])]
        [0.03, 0.06, 0.06]
    """
    values = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    stepwise = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1)) if len(values) else values
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(stepwise, 1.0)
    return adjusted
