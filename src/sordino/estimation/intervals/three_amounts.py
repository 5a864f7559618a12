"""Three amounts that stand for any distribution of amounts: with its first five moments, by Gauss's quadrature.

What a report adds to an estimate is one of as many amounts as there are codes. Limits need of their distribution how
often few large ones come beside many small ones, and that three amounts tell as well as all of them: where no more
than three occur, as of values whose neighbours' codes count against them, they are found again exactly.
Amounts are the eigenvalues of the Jacobi matrix of the distribution, and each comes as often as the square of the first
entry of its eigenvector says.

Cost: a matrix of 3 x 3 for each distribution. Source: Golub and Welsch 1969, calculation of Gauss quadrature rules.
"""

import numpy as np

from sordino.exact.arrays import Floats

MOMENTS = 5
"""That three amounts, and how often each comes, can have."""

ROUNDING = 1e-9
"""A part of the fourth moment, below which it does not say that there is a third amount."""


def three_amounts(moments: Floats) -> tuple[Floats, Floats]:
    """Amounts, and what part of the whole each is, shape (3, m) each; parts that are not needed are 0.

    Args:
        moments: the means of the amounts' first five powers, shape (5, m).

    Example:
        >>> amounts, parts = three_amounts(np.array([[0.5], [0.5], [0.5], [0.5], [0.5]]))
        >>> amounts[parts > 0.1].round(6).tolist(), parts[parts > 0.1].round(6).tolist()
        ([0.0, 1.0], [0.5, 0.5])
    """
    first, second, third, fourth, fifth = moments
    variance = np.maximum(second - first**2, 0.0)
    variance = np.where(variance > np.finfo(np.float64).eps * second, variance, 0.0)
    scale = np.sqrt(np.where(variance > 0, variance, 1.0))
    # Of amounts less their mean, in standard deviations.
    skew = (third - 3 * first * second + 2 * first**3) / scale**3
    peak = (fourth - 4 * first * third + 6 * first**2 * second - 3 * first**4) / scale**4
    tail = (fifth - 5 * first * fourth + 10 * first**2 * third - 10 * first**3 * second + 4 * first**5) / scale**5
    beyond_two = peak - skew**2 - 1
    spread = variance > 0
    more = spread & (beyond_two > ROUNDING * peak)
    beyond_two = np.where(more, beyond_two, 1.0)
    jacobi = np.zeros((len(first), 3, 3))
    jacobi[:, 0, 1] = jacobi[:, 1, 0] = spread
    jacobi[:, 1, 1] = np.where(spread, skew, 0.0)
    jacobi[:, 1, 2] = jacobi[:, 2, 1] = np.where(more, np.sqrt(beyond_two), 0.0)
    jacobi[:, 2, 2] = np.where(more, (tail + skew**3 - 2 * skew * peak) / beyond_two, 0.0)
    place, direction = np.linalg.eigh(jacobi)
    amounts: Floats = first + (place * (scale * spread)[:, None]).T
    parts: Floats = direction[:, 0, :].T ** 2
    return amounts, parts
