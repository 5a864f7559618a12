"""How strongly two attributes go together: Cramér's V, with an interval.

phi^2 is the sum of (p_ij - a_i b_j)^2 / (a_i b_j) over the cells, a and b the margins, and V the square root of
phi^2 / (min(r, c) - 1): 0 where the attributes are independent, 1 where one determines the other. Estimated cells give
Q = D'WD with D the cells minus the product of their margins and W its weights, whose mean is too large by t = tr(W C),
C the covariance of D: it is taken off. The interval is of all phi^2 with which Q is neither too large nor too small.
Its distribution is taken to be a multiple of a noncentral chi-square with the mean t + phi^2, and the variance that the
noise of D adds, 2 tr((W C)^2), with that of phi^2's linearization (delta method). A value that is rarer than the
standard error of its share weighs as if it had that share.
Sources: Cramer 1946; Bergsma 2013 (bias); Patnaik 1949 (the distribution).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.estimation.simplex import project
from sordino.estimation.tests import NOISELESS, IndependenceTest, possible_margin

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Strength:
    """Cramér's V.

    Attributes:
        value: 0 where noise alone would give as much.
        low, high: its limits, within 0 and 1; `low` is 0 where the test of independence does not rule that out.
    """

    value: float
    low: float
    high: float


def cramers_v(found: IndependenceTest, confidence: float) -> Strength:
    """Cramér's V of a table of two attributes, with its interval.

    Args:
        found: the table beside the nearest product of margins.
        confidence: of the interval.
    """
    from scipy import special

    weights, apart, errors, gradient = _linearize(found)
    weighted = errors * np.sqrt(np.outer(weights, weights))
    noise, half_variance = float(np.trace(weighted)), float(np.square(weighted).sum())
    total = float(weights @ np.square(apart))
    square = max(total - noise, 0.0)
    seen = float(gradient) * square / total if total > 0 else 0.0
    scale = (2 * half_variance + seen) / (2 * noise + 4 * square)
    error, most = (1 - confidence) / 2, min(found.cells.shape) - 1
    degrees, ends = noise / scale, [0.0, 0.0]
    for place, chance in enumerate((1 - error, error)):
        if special.chdtr(degrees, total / scale) > chance:
            ends[place] = scale * _noncentrality(total / scale, degrees, chance)
    # Cells that are known well can rule out independence where the noise of others hides how far the table is from it:
    # phi^2 is at least what explains the test's statistic if all of it is where it is known best.
    known, test = np.linalg.eigvalsh(weighted), found.test
    if special.chdtr(test.degrees, test.statistic) > 1 - error:
        least = float(known[known > NOISELESS * known[-1]].min())
        ends[0] = max(ends[0], least * _noncentrality(test.statistic, test.degrees, 1 - error))
    if test.p_value > 1 - confidence:
        ends[0] = 0.0
    value, low, high = (min(float(np.sqrt(max(part, 0.0) / most)), 1.0) for part in (square, *ends))
    return Strength(value, min(low, value), max(high, value))


def _noncentrality(statistic: float, degrees: float, chance: float) -> float:
    """How far from independence a statistic as large has this probability of being undercut.

    Of large statistics the series of the distribution ends without a value; there it is normal, with variance
    2 (degrees + 2 noncentrality). Source: Johnson, Kotz and Balakrishnan 1995, Section 29.8.

    Example:
        >>> round(_noncentrality(400.0, 2.0, 0.975), 1), round(_noncentrality(4e6, 2.0, 0.975))
        (324.5, 3992163)
    """
    from scipy import special

    found = float(special.chndtrinc(statistic, degrees, chance))
    if np.isfinite(found):
        return found
    z = float(special.ndtri(chance))
    spread = np.sqrt(2 * z**2 + 2 * statistic - degrees) - np.sqrt(2) * z
    return float(max((spread**2 - degrees) / 2, 0.0))


def _linearize(found: IndependenceTest) -> tuple[Floats, Floats, Floats, float]:
    """W, D, C, and the variance of D'WD by the delta method."""
    cells, n = found.cells, found.n
    margins = [possible_margin(cells.sum(axis=axis) / cells.sum(), n) for axis in (1, 0)]
    people = project(cells.ravel())
    covariance = found.covariance(people) / n
    spread = covariance.reshape(*cells.shape, *cells.shape)
    errors = [np.sqrt(np.maximum(np.diagonal(spread.sum(axis=axes)), 0.0)) for axes in ((1, 3), (0, 2))]
    rows, columns = (np.maximum(*each) for each in zip(margins, errors, strict=True))
    weights = 1 / np.outer(rows, columns)
    without = np.kron(*(np.eye(len(margin)) - margin[:, None] for margin in margins))
    apart = without @ cells.ravel()
    squares = weights * np.square(apart).reshape(cells.shape)
    # A weight that is a standard error's does not move with its margin.
    by_row, by_column = (
        np.where(margin >= least, squares.sum(axis=axis) / margin, 0.0)
        for margin, least, axis in zip(margins, errors, (1, 0), strict=True)
    )
    moved = 2 * without.T @ (weights.ravel() * apart) - (by_row[:, None] + by_column).ravel()
    return weights.ravel(), apart, without @ covariance @ without.T, float(moved @ covariance @ moved)
