"""The distribution function nearest to an estimate: the isotonic fit; of bits about thresholds also the likeliest.

The reports about one threshold tell what part of the people lies below it, each with noise of its own size; a
distribution function never falls. The least squares fit among all that do not, each threshold weighing as many reports
as it has, cut to 0..1, is also the likeliest: so it is for any binomial shares under an order (Barlow and Brunk 1972).
A threshold without reports has the value of a straight line between its neighbours. Cost: linear in the thresholds.
"""

import numpy as np
from numpy.typing import NDArray

from sordino.exact.arrays import Floats
from sordino.exact.coin import WORD
from sordino.mechanism.numbers.window import WindowResponse


def isotonic_shares(mechanism: WindowResponse, counts: NDArray[np.integer], widths: Floats) -> Floats:
    """The fitted share of each bin, shape (k,): nonnegative, adding up to 1.

    Args:
        mechanism: a window of k - 1 codes over the k bins, so that each code is a bit about a threshold.

    Example:
        >>> mechanism = WindowResponse(3, "ln 3", 2)
        >>> isotonic_shares(mechanism, np.array([50, 40, 50, 60]), np.ones(3)).round(3).tolist()
        [0.4, 0.0, 0.6]
    """
    below, above = counts.reshape(2, mechanism.k - 1)
    drawn = below + above
    seen = drawn > 0
    truth = mechanism.threshold / WORD
    shares = (below[seen] / drawn[seen] - (1 - truth)) / (2 * truth - 1)
    fitted = np.cumsum(nearest_function(shares, drawn[seen]))
    edges = np.concatenate([[0.0], np.cumsum(widths)])
    known = np.concatenate([[True], seen, [True]])
    return np.diff(np.interp(edges, edges[known], np.concatenate([[0.0], fitted])))


def nearest_function(function: Floats, weights: NDArray[np.integer | np.floating]) -> Floats:
    """The distribution function that is nearest in weighted squares, as the shares between its edges, shape (k,).

    Args:
        function: an estimate at the edges between k bins, shape (k - 1,); may fall, and leave 0..1.
        weights: of each, shape (k - 1,).

    Example:
        >>> nearest_function(np.array([0.2, 0.6, 0.4, 1.1]), np.ones(4)).round(6).tolist()
        [0.2, 0.3, 0.0, 0.5, 0.0]
    """
    # SciPy is large, and not every estimate needs it.
    from scipy.optimize import isotonic_regression

    inner = np.clip(isotonic_regression(function, weights=weights).x, 0, 1)
    return np.diff(np.concatenate([[0.0], inner, [1.0]]))
