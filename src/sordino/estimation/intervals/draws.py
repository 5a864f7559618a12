"""Seeded draws of noise, by which the largest of many errors is told: the same on every machine and at every call."""

from functools import lru_cache

import numpy as np

from sordino.exact.arrays import Floats

DRAWS = 4000
"""Of the noise of all estimates at once: the 95 % quantile of its largest is met to a few thousandths."""


@lru_cache(maxsize=4)
def standard_draws(count: int) -> Floats:
    """Seeded draws of independent standard normal numbers, shape (DRAWS, count)."""
    return np.random.default_rng(0).standard_normal((DRAWS, count))


def count_draws(expected: Floats) -> Floats:
    """The same of independent Poisson counts, each in standard deviations from what is expected, shape (DRAWS, count).

    A count of which none is expected has no noise.
    """
    counts = np.random.default_rng(0).poisson(expected, (DRAWS, len(expected)))
    scale = np.sqrt(expected)
    return np.divide(counts - expected, scale, out=np.zeros(counts.shape), where=scale > 0)
