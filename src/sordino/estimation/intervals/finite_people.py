"""Errors and limits about finitely many people, of whom those who answered are some or all: what is not drawn is known.

An estimate of a share p errs by what the mechanism adds to the answers of the n people who gave them, and by how these
differ from the others. Whoever has the value adds 1 on average and everybody else 0, whatever the mechanism, so that
the draw of people adds p (1 - p) / n to the variance, exactly. Of N people, n of whom were drawn at random, it adds
p (1 - p) (1 / n - 1 / N): p (1 - p) / N less. Of the people themselves, N = n, only the mechanism's noise is left.
A limit t moves towards the estimate as its standard error does for people with the share t, but for half a person:
people and reports are counted, and where the noise is of a few of them that is what it is short of.
Sources: Cochran 1977 (correction for a finite population). Measured: `make test-long`.
"""

import numpy as np

from sordino.estimation.share_estimate import Estimate
from sordino.exact.floats import Floats

Limits = tuple[Floats, Floats]


def finite_stderr(estimate: Estimate, people: int) -> Floats:
    """Standard errors of shares among finitely many people, shape (k,); 0 of what reports show without noise.

    Args:
        estimate: of the shares, with standard errors about a population that people are drawn from.
        people: how many there are; those who answered are a random part of them.

    Example:
        >>> from sordino import RandomizedResponse, estimate
        >>> mechanism = RandomizedResponse(2, "20")
        >>> found = estimate(mechanism, mechanism.tally([0] * 50 + [1] * 50))
        >>> bool(found.stderr[0] > 0.049), bool(finite_stderr(found, 100)[0] < 0.001)
        (True, True)
    """
    share = np.clip(estimate.value, 0.0, 1.0)
    return np.sqrt(np.maximum(estimate.stderr**2 - share * (1 - share) / people, 0.0))


def finite_limits(estimate: Estimate, limits: Limits, people: int) -> Limits:
    """Limits of shares among finitely many people, from those of a population, shape (k,) each.

    Args:
        estimate: of the shares.
        limits: about a population that people are drawn from.
        people: how many there are; those who answered are a random part of them.
    """
    noise = finite_stderr(estimate, estimate.n) ** 2
    inside = np.clip(estimate.value, 0.0, 1.0)

    def nearer(limit: Floats) -> Floats:
        drawn = limit * (1 - limit)
        variance = noise + drawn / estimate.n
        left = noise + drawn * (1 / estimate.n - 1 / people)
        ratio = np.sqrt(np.divide(left, variance, out=np.ones_like(left), where=variance > 0))
        moved: Floats = inside + ratio * (limit - inside)
        return moved

    (low, high), half = limits, 0.5 / estimate.n
    # Never further than without.
    return np.maximum(low, nearer(low) - half), np.minimum(high, nearer(high) + half)
