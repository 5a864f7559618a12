"""Limits of a mean of independent amounts between known ends, of which few may be large: by empirical likelihood.

A mean m belongs to the interval if some distribution of amounts with that mean explains those that came nearly as well
as they explain themselves: if the deviance, twice what its log-likelihood falls short, is at most z^2. On the way up
the likeliest gives each amount that came c_j times, d_j below the largest possible one, the probability c_j / (1 + s
d_j) over the sum S of these. With n of them the mean is then (n / S - 1) / s below the largest, and the deviance
2 (n ln(S / n) + sum of c_j ln(1 + s d_j)), which grows with s: one equation in one unknown.

So limits are as far away as the amounts themselves make likely, on either side by itself, and neither their variance
nor how skew they are is taken for known: one large amount that came once may have been balanced by small ones of the
other sign that happened not to come. Half a report of the largest possible amount (downwards the least) is added, so
that what never came stays possible, as Clopper and Pearson's limits have it; of many reports it is nothing.

Cost: about ten passes over the amounts a limit. Sources: Owen 1988 and 2001 (empirical likelihood); Chen, Variyath and
Abraham 2008 (an amount more).
"""

from functools import reduce

import numpy as np

from sordino.estimation.intervals.three_amounts import MOMENTS, three_amounts
from sordino.exact.arrays import Floats

Limits = tuple[Floats, Floats]

ADDED = 0.5
"""Of a report."""

FEWEST = 3
"""Reports below which amounts say nothing of their mean."""

ROWS = 1 << 14
"""Means at a time: what is worked out for them stays in the processor's cache."""

STEPS = 100
"""More than any limit needs: each step is one of Newton's, or halves or doubles what is left."""

ROUNDING = 1e-13
"""Of distances, as a part of the largest."""

NEAR = 1e-6
"""How exact a limit is, as a part of its place on the way to the end."""


def mean_limits(amounts: Floats, counts: Floats, ends: Limits, error: float) -> Limits:
    """Lower and upper limits of means, shape (m,) each, within the ends.

    Args:
        amounts: shape (a, m), between the ends.
        counts: how often each came, shape (a, m), not all 0.
        ends: the least and the largest amount that is possible, shape (m,) each.
        error: how often both limits may miss, together.

    Example:
        >>> amounts, counts = np.array([[0.0], [1.0]]), np.array([[100.0], [0.0]])
        >>> low, high = mean_limits(amounts, counts, (np.zeros(1), np.ones(1)), 0.05)
        >>> low.round(4).tolist(), high.round(4).tolist()
        ([0.0], [0.0331])
    """
    from scipy import special

    z = -float(special.ndtri(error / 2))
    least, most = ends
    low, high = np.empty(len(least)), np.empty(len(most))
    for first in range(0, len(least), ROWS):
        rows = slice(first, first + ROWS)
        own, came = amounts[:, rows], counts[:, rows]
        high[rows] = most[rows] - _below(most[rows] - own, came, z)
        low[rows] = least[rows] + _below(own - least[rows], came, z)
    return low, high


def limits_by_moments(moments: Floats, n: int | Floats, ends: Limits, error: float) -> Limits:
    """The same of amounts of which the means of the first five powers are known, shape (5, m); n of all or of each."""
    amounts, parts = three_amounts(moments)
    return mean_limits(amounts, n * parts, ends, error)


def limits_by_codes(added: Floats, law: Floats, n: int | Floats, error: float) -> Limits:
    """The same of the means of what each code adds, shape (m, codes), by how often each was sent.

    The law is that of all means, shape (codes,), or that of each, shape (m, codes); so is the number of reports.
    """
    powers = (reduce(np.multiply, [added] * power) for power in range(1, MOMENTS + 1))
    moments = np.stack([power @ law if law.ndim == 1 else (power * law).sum(axis=1) for power in powers])
    return limits_by_moments(moments, n, (added.min(axis=1), added.max(axis=1)), error)


def _below(distances: Floats, counts: Floats, z: float) -> Floats:
    """How far the limit of the mean is from an end, shape (m,), by distances from that end >= 0, shape (a, m)."""
    # What is added lies at the end itself: it counts among all, and in no sum of distances.
    distances = np.maximum(distances, 0.0)
    n = counts.sum(axis=0) + ADDED
    mean = (counts * distances).sum(axis=0) / n
    found: Floats = np.zeros_like(mean)
    # Where all amounts are at the end but for rounding, so is the mean.
    rest = np.flatnonzero(mean > ROUNDING * distances.max(axis=0))
    n, scale, counts = n[rest], mean[rest], counts[:, rest]
    d = distances[:, rest] / scale
    way = z / np.sqrt(n * ((counts * d**2).sum(axis=0) / n - 1))
    near, far = np.zeros_like(way), np.full_like(way, np.inf)
    for _ in range(STEPS):
        shrunk = 1 + way * d
        likeliest = counts / shrunk
        total = likeliest.sum(axis=0) + ADDED
        deviance = 2 * (n * np.log(total / n) + (counts * np.log(shrunk)).sum(axis=0))
        slope = 2 * ((likeliest * d).sum(axis=0) - n * (likeliest * d / shrunk).sum(axis=0) / total)
        root = np.sqrt(np.maximum(deviance, 0.0))
        near, far = np.where(root > z, near, way), np.where(root > z, way, far)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = way + (z - root) * 2 * root / slope
        between = np.where(np.isinf(far), 2 * way, (near + far) / 2)
        after = np.where((step > near) & (step < far), step, between)
        left = np.abs(after - way) > NEAR * way
        found[rest] = scale * (n / total - 1) / way
        if not left.any():
            break
        rest, way, near, far, n, scale = rest[left], after[left], near[left], far[left], n[left], scale[left]
        counts, d = counts[:, left], d[:, left]
    return found
