"""What least squares needs from two copies: a quadratic form, a linear term, and how noisy the form is.

The loss of theta is theta' A theta / 2 - b' theta up to a constant, with A the mean of z z' over features z and b the
mean of z times the target. From private reports A is symmetric and unbiased, but often has negative eigenvalues (nearly
always with ten thousand people and epsilon at most 2), so that the form is not convex and needs a clipped or an exact
solution.

Source: BCDP paper, Algorithm 3, symmetrised over the two orders of the copies.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.mechanism.aggregate import Aggregate
from sordino.papers.bayesian_coordinate.two_copies import TwoCopies


@dataclass(frozen=True, eq=False)
class QuadraticMoments:
    """The estimated moments of a regression of p features.

    Attributes:
        matrix: A, shape (p, p), symmetric.
        vector: b, shape (p,).
        deviations: the standard deviation of each entry of A, shape (p, p), never too small.
        ridge: the length that the noise of A has as an operator, about: what it can take from its eigenvalues.
    """

    matrix: NDArray[np.float64]
    vector: NDArray[np.float64]
    deviations: NDArray[np.float64]
    ridge: float


def quadratic_moments(
    copies: TwoCopies, aggregate: Aggregate, target: int, features: Sequence[int] | None = None
) -> QuadraticMoments:
    """The moments for a regression of one number on others.

    Raises SordinoError: another channel's tally, no reports, no features, a place twice, or the target among the
    features.

    Args:
        features: the places of the numbers to predict it from; all others by default.

    Example:
        >>> copies = TwoCopies(["20", "20", "20"])
        >>> records = np.random.default_rng(0).uniform(-1, 1, (20_000, 3))
        >>> moments = quadratic_moments(copies, copies.tally(copies.privatize(records)), target=2)
        >>> bool(np.abs(moments.matrix - np.eye(2) / 3).max() < 0.2)
        True
    """
    chosen = [place for place in range(copies.d) if place != target] if features is None else list(features)
    if not chosen or target in chosen or len(set(chosen)) < len(chosen):
        raise SordinoError("there must be features, each once and the target not among them", found=shown(chosen))
    if not all(0 <= place < copies.d for place in (target, *chosen)):
        raise SordinoError(f"features and target must be among {copies.d} numbers", found=shown([target, *chosen]))
    products, own = copies.products(aggregate), np.ix_(chosen, chosen)
    deviations = np.sqrt(copies.noise()[own] / aggregate.n)
    # The length of a symmetric matrix of independent noise is at most about twice that of its largest row.
    ridge = 2 * float(np.sqrt((deviations**2).sum(axis=1).max()))
    return QuadraticMoments(products[own], products[chosen, target], deviations, ridge)
