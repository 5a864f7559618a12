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

Three amounts that stand for any distribution of amounts: with its first five moments, by Gauss's quadrature.

What a report adds to an estimate is one of as many amounts as there are codes. Limits need of their distribution how
often few large ones come beside many small ones, and that three amounts tell as well as all of them: where no more
than three occur, as of values whose neighbours' codes count against them, they are found again exactly.
Amounts are the eigenvalues of the Jacobi matrix of the distribution, and each comes as often as the square of the first
entry of its eigenvector says.

Cost: a matrix of 3 x 3 for each distribution. Source: Golub and Welsch 1969, calculation of Gauss quadrature rules.
"""

from functools import reduce

import numpy as np

from sordino.exact.floats import Floats

Limits = tuple[Floats, Floats]

ADDED = 0.5

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
    least, most = ends
    return lower_limits(amounts, counts, least, error), upper_limits(amounts, counts, most, error)


def lower_limits(amounts: Floats, counts: Floats, least: Floats, error: float) -> Floats:
    """The lower ones of `mean_limits` alone, in half its time."""
    low, z = np.empty(len(least)), _away(error)
    for first in range(0, len(least), ROWS):
        rows = slice(first, first + ROWS)
        low[rows] = least[rows] + _below(amounts[:, rows] - least[rows], counts[:, rows], z)
    return low


def upper_limits(amounts: Floats, counts: Floats, most: Floats, error: float) -> Floats:
    """The upper ones alone."""
    high, z = np.empty(len(most)), _away(error)
    for first in range(0, len(most), ROWS):
        rows = slice(first, first + ROWS)
        high[rows] = most[rows] - _below(most[rows] - amounts[:, rows], counts[:, rows], z)
    return high


def limits_by_moments(moments: Floats, n: int | Floats, ends: Limits, error: float) -> Limits:
    """The same of amounts of which the means of the first five powers are known, shape (5, m); n of all or of each."""
    amounts, parts = three_amounts(moments)
    return mean_limits(amounts, n * parts, ends, error)


def limits_by_codes(added: Floats, law: Floats, n: int | Floats, error: float) -> Limits:
    """The same of the means of what each code adds, shape (m, codes), by how often each was sent.

    The law is that of all means, shape (codes,), or that of each, shape (m, codes); so is the number of reports.
    """
    return limits_by_moments(moments_by_codes(added, law), n, (added.min(axis=1), added.max(axis=1)), error)


def moments_by_codes(added: Floats, law: Floats) -> Floats:
    """The means of the first five powers of what each code adds, shape (5, m), by arguments of `limits_by_codes`."""
    powers = (reduce(np.multiply, [added] * power) for power in range(1, MOMENTS + 1))
    return np.stack([power @ law if law.ndim == 1 else (power * law).sum(axis=1) for power in powers])


def _away(error: float) -> float:
    """How many standard errors a limit is away that misses half so often."""
    from scipy import special

    return -float(special.ndtri(error / 2))


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


MOMENTS = 5
"""That three amounts, and how often each comes, can have."""

MOMENT_ROUNDING = 1e-9
"""A part of the fourth moment, below which it does not say that there is a third amount."""


def three_amounts(moments: Floats) -> tuple[Floats, Floats]:
    """Amounts, and what part of the whole each is, shape (3, m) each; parts that are not needed are 0.

    Args:
        moments: the means of the amounts' first five powers, shape (5, m).

    Example:
        >>> amounts, parts = three_amounts(np.array([[0.5], [0.5], [0.5], [0.5], [0.5]]))
        >>> amounts[parts > 0.1].round(6).tolist(), parts[parts > 0.1].round(6).tolist()
        ([0.0, 1.0], [0.5, 0.5])
    """
    first, second, third, fourth, fifth = moments
    variance = np.maximum(second - first**2, 0.0)
    variance = np.where(variance > np.finfo(np.float64).eps * second, variance, 0.0)
    scale = np.sqrt(np.where(variance > 0, variance, 1.0))
    # Of amounts less their mean, in standard deviations.
    skew = (third - 3 * first * second + 2 * first**3) / scale**3
    peak = (fourth - 4 * first * third + 6 * first**2 * second - 3 * first**4) / scale**4
    tail = (fifth - 5 * first * fourth + 10 * first**2 * third - 10 * first**3 * second + 4 * first**5) / scale**5
    beyond_two = peak - skew**2 - 1
    spread = variance > 0
    more = spread & (beyond_two > MOMENT_ROUNDING * peak)
    beyond_two = np.where(more, beyond_two, 1.0)
    jacobi = np.zeros((len(first), 3, 3))
    jacobi[:, 0, 1] = jacobi[:, 1, 0] = spread
    jacobi[:, 1, 1] = np.where(spread, skew, 0.0)
    jacobi[:, 1, 2] = jacobi[:, 2, 1] = np.where(more, np.sqrt(beyond_two), 0.0)
    jacobi[:, 2, 2] = np.where(more, (tail + skew**3 - 2 * skew * peak) / beyond_two, 0.0)
    place, direction = np.linalg.eigh(jacobi)
    amounts: Floats = first + (place * (scale * spread)[:, None]).T
    parts: Floats = direction[:, 0, :].T ** 2
    return amounts, parts
