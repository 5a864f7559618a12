"""A test of whether independent estimates of the same numbers are of one number each: Wald's.

W = sum over groups of (v_g - v)' C_g^+ (v_g - v), written as the square of all contrasts against the first group in
units of their covariance, so that a covariance that is singular needs no inverse of its own: shares add up to 1, and
what a group's reports cannot vary in is left out. Under equality W is near chi squared with as many degrees of freedom
as the contrasts' covariance has rank.
Units: those of the numbers. Cost: an eigendecomposition of (groups - 1) x numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError

Floats = NDArray[np.float64]

TOLERANCE = 1e-9
"""Of an eigenvalue beside the largest one: less is what rounding leaves of 0."""


@dataclass(frozen=True)
class EqualityTest:
    """Wald's test of equality.

    Attributes:
        statistic: W, near chi squared under equality.
        degrees: of freedom; 0 where nothing can differ.
        p_value: how probable so large a statistic is under equality.
    """

    statistic: float
    degrees: int
    p_value: float


def test_of_equality(values: Sequence[Floats], covariances: Sequence[Floats]) -> EqualityTest:
    """Whether several groups have the same numbers.

    Args:
        values: the estimates of each group, shape (m,), independent of each other.
        covariances: of each group's estimates, shape (m, m).

    Raises:
        SordinoError: fewer than two groups.

    Example:
        >>> found = test_of_equality([np.array([0.3]), np.array([0.5])], [np.array([[0.005]])] * 2)
        >>> round(found.statistic, 6), found.degrees, round(found.p_value, 4)
        (4.0, 1, 0.0455)
    """
    from scipy import special

    if len(values) < 2:
        raise SordinoError("equality must be of several groups", found=f"{len(values)}", step="compare two or more")
    first, *others = values
    size, m = len(others), len(first)
    contrasts = np.concatenate([value - first for value in others])
    covariance = np.kron(np.ones((size, size)), covariances[0])
    for place, own in enumerate(covariances[1:]):
        rows = slice(place * m, (place + 1) * m)
        covariance[rows, rows] += own
    # In units of each contrast's own error: shares of few people count beside those of many.
    scale = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    known = scale > 0
    contrasts, scale = contrasts[known], scale[known]
    size_of, direction = np.linalg.eigh(covariance[np.ix_(known, known)] / np.outer(scale, scale))
    kept = size_of > TOLERANCE * max(len(size_of), 1)
    along = direction[:, kept].T @ (contrasts / scale)
    statistic, degrees = float((along**2 / size_of[kept]).sum()), int(kept.sum())
    return EqualityTest(statistic, degrees, float(special.chdtrc(degrees, statistic)) if degrees else 1.0)
