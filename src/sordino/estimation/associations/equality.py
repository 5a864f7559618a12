"""A test of whether independent groups have the same quantities: Wald's, by the covariance of the groups' estimates.

With estimates x_g of covariances C_g, near normal and independent between groups, and the weighted mean
m = (sum C_g^-1)^-1 sum C_g^-1 x_g, the statistic is the sum of (x_g - m)' C_g^-1 (x_g - m). Where all groups are alike
it has a chi-square distribution with rank (groups - 1) degrees of freedom. Quantities that add up to something known,
as the shares of all values do, make each C_g singular: what has no variance there is left out.
Source: Wald 1943; Cochran 1954 (heterogeneity of weighted estimates).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError

Floats = NDArray[np.float64]

NOISELESS = 1e-9
"""Relative to the largest variance: what is below it does not vary but for rounding."""

FEWEST_GROUPS = 2


@dataclass(frozen=True)
class ChiSquareTest:
    """A statistic that has a chi-square distribution where what is tested holds.

    Attributes:
        statistic: how far the estimates are from what is tested.
        degrees: of freedom; 0 where nothing varies.
    """

    statistic: float
    degrees: int

    @property
    def p_value(self) -> float:
        """How probable a statistic as large is where what is tested holds."""
        from scipy import special

        return float(special.chdtrc(self.degrees, self.statistic)) if self.degrees else 1.0


def equality_test(estimates: Sequence[Floats], covariances: Sequence[Floats]) -> ChiSquareTest:
    """Test whether independent groups have the same quantities.

    Args:
        estimates: of each group, shape (m,).
        covariances: of these estimates, shape (m, m) each.

    Raises:
        SordinoError: fewer than two groups, or groups of different quantities.

    Example:
        >>> found = equality_test([np.array([0.30]), np.array([0.40])], [np.array([[0.0009]]), np.array([[0.0016]])])
        >>> round(found.statistic, 6), found.degrees, round(found.p_value, 4)
        (4.0, 1, 0.0455)
    """
    if len(estimates) < FEWEST_GROUPS or len(estimates) != len(covariances):
        found = f"{len(estimates)} estimates, {len(covariances)} covariances"
        raise SordinoError("equality is of two groups or more, each with its covariance", found=found)
    size = len(estimates[0])
    if any(each.shape != (size,) for each in estimates) or any(each.shape != (size, size) for each in covariances):
        raise SordinoError("groups must have estimates of the same quantities", found="different shapes")
    varying = varying_directions(sum(covariances, np.zeros((size, size))))
    precisions = [np.linalg.inv(varying.T @ each @ varying) for each in covariances]
    values = [each @ varying for each in estimates]
    weighted = [precision @ value for precision, value in zip(precisions, values, strict=True)]
    mean = np.linalg.solve(np.add.reduce(precisions), np.add.reduce(weighted))
    apart = [value - mean for value in values]
    statistic = sum(float(each @ precision @ each) for each, precision in zip(apart, precisions, strict=True))
    return ChiSquareTest(statistic, varying.shape[1] * (len(estimates) - 1))


def added_by_few_counts(variances: Floats, contributions: Floats, n: int) -> float:
    """What few counts add to the variance of a sum of squares of estimates over their variances.

    An estimate errs as the count of lambda reports does that each move it by the largest difference that one can make;
    the variance of the sum of squares is larger by the sum of 1 / lambda.

    Args:
        variances: of the estimates, shape (k,).
        contributions: the difference that one report can make to each, times n, shape (k,).
        n: the number of reports.
    """
    with np.errstate(divide="ignore"):
        return float(np.sum(1 / (n**2 * variances / np.square(contributions))))


def varying_directions(covariance: Floats) -> Floats:
    """Orthogonal directions in which estimates vary, shape (m, rank)."""
    variances, directions = np.linalg.eigh(covariance)
    found: Floats = directions[:, variances > NOISELESS * max(float(variances[-1]), np.finfo(np.float64).tiny)]
    return found
