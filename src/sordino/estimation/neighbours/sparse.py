"""Priors of shares that are as sparse as can be: what lies below a share is zero, or that share.

EM begins with a prior that spreads shares evenly over all sizes, and leaves it so where the estimates do not tell: a
few shares of half a standard error and many of a twentieth look alike. A sparse prior has the same total: what the
shares above it leave of the known one. It is taken where the estimates are likelier under it.
"""

from dataclasses import replace

import numpy as np

from sordino.estimation.neighbours.posterior import SHARES, Floats
from sordino.estimation.neighbours.ratio_prior import RatioPrior

SPARSENESS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8)
"""Least shares that are tried, in standard errors."""

LIKELIER = 3.0
"""Nats by which all estimates must be likelier for a sparse prior to be taken."""

LEAST_LEFT = 0.02
"""Part of the total that is left to small shares at least, whatever noise makes of the others."""


def sparse_prior(prior: RatioPrior, stderr: Floats, total: float, least: float) -> RatioPrior:
    """The same prior with no shares between zero and a least one.

    Args:
        prior: of all shares.
        stderr: shape (k,), the standard errors.
        total: of all shares.
        least: share that is not zero, in standard errors.
    """
    place = int(np.searchsorted(SHARES, least))
    least = float(SHARES[place])
    small, large = prior.posteriors.means_beside(place)
    left = max(total - float(large @ stderr), LEAST_LEFT * total)
    factor = left / max(float(small @ stderr), np.finfo(np.float64).tiny)
    shares = prior.shares.copy()
    below = shares[:, :place].sum(axis=1)
    kept = np.minimum(factor * (shares[:, :place] @ SHARES[:place]) / least, below)
    shares[:, :place] = 0.0
    shares[:, 0] = below - kept
    shares[:, place] += kept
    return replace(prior, shares=shares)


def likeliest_prior(prior: RatioPrior, stderr: Floats, total: float) -> RatioPrior:
    """The prior itself, or the sparse one under which the estimates are the likeliest, if they clearly are."""
    best, reached = prior, prior.log_likelihood(prior.shares) + LIKELIER
    for least in SPARSENESS:
        other = sparse_prior(prior, stderr, total, least)
        likelihood = other.log_likelihood(other.shares)
        if likelihood > reached:
            best, reached = other, likelihood
    return best
