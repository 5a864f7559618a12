"""How near a smoothed series is expected to be, before there are any estimates: by how rough it is, in one formula.

The number of a period is a random walk around an unknown line, its step known to the smoother; estimates of all periods
have the same standard error. The variance of the best linear predictor of each period then follows from the covariances
alone. A smoother that has to find the step out is a little farther off, one that meets a calm stretch a little nearer.
Units: standard errors of a period's estimate. Cost: an inverse of a T x T matrix.
"""

from functools import cache

import numpy as np

from sordino.estimation.series.curves import effects


@cache
def smoothed_error(periods: int, step: float, season: int | None = None) -> float:
    """The root mean squared error of the curve over all periods.

    Args:
        periods: of the series.
        step: the standard deviation of a change from one period to the next; 0 of a line.
        season: its length in periods, where one is declared.

    Example:
        >>> round(smoothed_error(52, 0.0), 3), round(smoothed_error(52, 0.5), 3), round(smoothed_error(52, 1e3), 3)
        (0.196, 0.502, 1.0)
    """
    below = np.tril(np.ones((periods, periods)))[:, 1:]
    inverse = np.linalg.inv(np.eye(periods) + step**2 * (below @ below.T))
    known = effects(periods, season)
    within = inverse @ known
    precision = inverse - within @ np.linalg.pinv(known.T @ within) @ within.T
    return float(np.sqrt(np.mean(1 - np.diagonal(precision))))
