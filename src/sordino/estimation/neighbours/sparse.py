"""Priors of shares that are as sparse as can be: what lies below a share is zero, or that share.

EM begins with a prior that spreads shares evenly over all sizes, and leaves it so where the estimates do not tell: a
few shares of half a unit of noise and many of a twentieth look alike. A sparse prior has the same total: what the
shares above it leave of the known one. Smoothing must not bet on either: its prior is the mean of all, each weighted by
how likely the estimates are under it (Bayes' rule, all of them alike beforehand), so that what estimates do not tell
stays open, and what they tell decides.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sordino.estimation.neighbours.posterior import SHARES
from sordino.estimation.neighbours.ratio_prior import RatioPrior

SPARSENESS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8)
"""Least shares of sparse priors, in units of noise."""

LEAST_LEFT = 0.02
"""Part of the total that is left to small shares at least, whatever noise makes of the others."""


def sparse_priors(prior: RatioPrior, total: float) -> Iterator[RatioPrior]:
    """Sparser and sparser ones."""
    for least in SPARSENESS:
        yield sparse_prior(prior, total, least)


def sparse_prior(prior: RatioPrior, total: float, least: float) -> RatioPrior:
    """The same prior with no shares between zero and a least one.

    Args:
        least: share that is not zero, in units of noise.
    """
    place = int(np.searchsorted(SHARES, least))
    least = float(SHARES[place])
    small, large = prior.posteriors.means_beside(place)
    left = max(total - float(large.sum()), LEAST_LEFT * total)
    factor = left / max(float(small.sum()), np.finfo(np.float64).tiny)
    shares = prior.shares.copy()
    below = shares[:, :place].sum(axis=1)
    kept = np.minimum(factor * (shares[:, :place] @ SHARES[:place]) / least, below)
    shares[:, :place] = 0.0
    shares[:, 0] = below - kept
    shares[:, place] += kept
    return replace(prior, shares=shares)


def hedged_prior(prior: RatioPrior, total: float) -> RatioPrior:
    """The mean of the prior and sparse ones, by how likely they make the estimates."""
    priors = [prior, *sparse_priors(prior, total)]
    likelihoods = np.stack([each.log_likelihoods for each in priors])
    weights = np.exp(likelihoods - likelihoods.max(axis=0))
    weights = np.repeat(weights / weights.sum(axis=0), np.diff(prior.starts, append=len(prior.shares)), axis=1)
    return replace(prior, shares=sum(own[:, None] * each.shares for own, each in zip(weights, priors, strict=True)))
