"""Standard errors to be expected of ranges of bins and of the distribution function, exact, before anybody answers.

Estimates are those of `Mechanism.code_values`: generalized least squares at uniform values. With P the channel, q the
law of the codes of uniform values, and B = (P - 1 q') D^-1/2, D = diag(q), a functional f of the shares whose values
have mean m counts a code as g = m + D^-1/2 B' x, where (B B') x = f - m. That is one factorization of k x k for all
functionals, and the centred B keeps its digits where epsilon is small.
Shapes: m functionals of the k values that are read.
"""

import numpy as np

from sordino.estimation.distributions.subpopulation import variances
from sordino.exact.arrays import Floats
from sordino.mechanism.base import Mechanism


def functional_variances(mechanism: Mechanism, functionals: Floats, shares: Floats) -> Floats:
    """The exact variance of each unbiased functional of the shares, times n, shape (m,).

    Raises SordinoError: reports that do not depend on the values.

    Args:
        mechanism: over k values.
        functionals: shape (m, k).
        shares: that the people have, shape (k,).

    Example:
        >>> from sordino.mechanism.randomized import RandomizedResponse
        >>> functional_variances(RandomizedResponse(3, "ln 4"), np.eye(3), np.full(3, 1 / 3)).round(6).tolist()
        [0.888889, 0.888889, 0.888889]
    """
    return variances(_contributions(mechanism, functionals), shares @ mechanism.probabilities())


def errors_of(mechanism: Mechanism, inside: Floats, shares: Floats, n: int) -> Floats:
    """The standard errors to be expected of the shares of sets of bins, shape (m,), among those who have the number.

    Args:
        mechanism: over the bins, or over these and none.
        inside: 1 for the bins in each set, 0 for others, shape (m, bins).
        shares: that the people have of what is read, shape (k,).
    """
    told = inside.astype(np.float64)
    if (lacking := mechanism.k - inside.shape[1]) > 0:
        # To the first order (`Subpopulation`): of y / s, with r its value, (y - r s) / s.
        given = np.append(np.ones(inside.shape[1]), np.zeros(lacking))
        told = np.pad(told, [(0, 0), (0, lacking)])
        have = given @ shares
        told = (told - np.outer(told @ shares / have, given)) / have
    errors = np.sqrt(functional_variances(mechanism, told, shares) / n)
    # All bins together are all who have the number, but for rounding.
    return np.where(inside.all(axis=1), 0.0, errors)


def _contributions(mechanism: Mechanism, functionals: Floats) -> Floats:
    """What each code counts as, shape (m, outputs)."""
    channel = mechanism.probabilities()
    law = channel.mean(axis=0)
    scale = np.sqrt(np.where(law > 0, law, 1.0))
    centred = (channel - law) / scale
    moments = centred @ centred.T
    mean = functionals.mean(axis=1, keepdims=True)
    try:
        # Of the direction that all values share nothing is asked; it is filled with what others have.
        factor = np.linalg.cholesky(moments + np.trace(moments) / mechanism.k**2)
    except np.linalg.LinAlgError:
        # Reports that hardly depend on the values, or not: the mechanism says which.
        return np.stack([mechanism.code_values(functional) for functional in functionals])
    solved = np.linalg.solve(factor.T, np.linalg.solve(factor, (functionals - mean).T))
    contributions: Floats = mean + solved.T @ centred / scale
    return contributions
