"""A floor of the variance for few values, proved by looking at every extreme ray: .1 % below what a channel reaches.

With columns x, p.x = 1 at equal shares p, whose weights w sum them to ones, M = sum of w x x' is what a channel tells.
For every symmetric Z and prices l with |Z x|^2 <= l.x + t for all columns x, trace(M^-1) >= 2 trace(Z) - sum l - t. The
best multiple of them proves (trace Z)^2 / (sum l + t). |Z x|^2 - l.x is convex, so its largest value t is at one of the
extreme rays, all of which are known (`every_ray`). It is worked out in floats, and t holds what their rounding can be.

Columns are stretched about ones by a power of two s, so that small bounds lose no digits: x = 1 + s (v - 1), for which
trace(M^-1) - 1/k is that of the columns v divided by s^2.
"""

from fractions import Fraction

import numpy as np

from sordino.design.histograms.every_ray import ROUNDING, UNPROTECTED, Whole, every_ray, powers
from sordino.design.histograms.integer_channel import BoundRows
from sordino.design.histograms.ray_prices import best_prices
from sordino.design.reproducible import Floats

LARGEST_LISTED = 9
"""Values at most: .4 to 1 s."""

SEEDS = 3
"""Ways of raising the bounds that are tried until no two sums of them agree."""

ALIKE = 5
"""Decimal digits to which columns are one for the search of Z and prices."""

HALF = 2.0**-53
"""What one operation of floats rounds, relatively."""


def listed_floor(bounds: BoundRows) -> Fraction | None:
    """A floor of trace(M^-1) for channels that keep the bounds; None where all the tries to list the rays fail.

    Args:
        bounds: of at most LARGEST_LISTED values, positive, None where a pair is not protected.
    """
    k = len(bounds)
    if k == 1:
        return Fraction(1)
    rays = next((found for seed in range(SEEDS) if (found := every_ray(bounds, seed)) is not None), None)
    if rays is None:
        return None
    columns, stretch, error = stretched(rays)
    _, first = np.unique(np.round(columns, ALIKE), axis=0, return_index=True)
    root, prices = best_prices(columns[first])
    told = proved_floor(columns, error, root, prices)
    return Fraction(1, k) + Fraction(stretch) ** 2 * (told - Fraction(1, k))


def stretched(rays: Whole) -> tuple[Floats, float, float]:
    """Columns x = 1 + s (v - 1) of all rays, s, and what any entry of x may be off, missing bounds included."""
    k = rays.shape[1]
    weights = powers(rays)
    columns = weights / weights.mean(axis=1, keepdims=True)
    stretch = float(np.ldexp(1.0, int(np.floor(np.log2(max(1.0, 1 / float(np.abs(columns - 1).max())))))))
    found = 1 + stretch * (columns - 1)
    largest = max(1.0, float(np.abs(found).max()))
    # The powers, their sum, the quotient, the difference and the sum are off by a few roundings each.
    off = stretch * k * (4 * ROUNDING + (k + 4) * HALF) + largest * 4 * HALF
    return found, stretch, off + k * UNPROTECTED * (largest + 1)


def proved_floor(columns: Floats, error: float, root: Floats, prices: Floats) -> Fraction:
    """The floor of trace(M^-1) that Z and prices prove, whatever they are.

    Args:
        columns: every extreme x, shape (n, k).
        error: of each of their entries at most.
        root: Z, made symmetric here.
        prices: l.
    """
    root = (root + root.T) / 2
    told = columns @ root
    left = float(((told * told).sum(axis=1) - columns @ prices).max())
    left += _rounding(float(np.abs(columns).max()), error, root, prices)
    whole = sum((Fraction(price) for price in prices.tolist()), Fraction(left))
    trace = sum((Fraction(entry) for entry in np.diag(root).tolist()), Fraction(0))
    return trace**2 / whole if whole > 0 and trace > 0 else Fraction(0)


def _rounding(largest: float, error: float, root: Floats, prices: Floats) -> float:
    """What |Z x|^2 - l.x may be off, with a factor of two for the rounding of this sum itself.

    Sums of k products in any order are off by k roundings of the sum of their sizes.
    """
    k = len(root)
    row, price = float(np.abs(root).sum(axis=1).max()), float(np.abs(prices).sum())
    entry = row * (error + (k + 2) * HALF * largest)
    reach = row * (largest + error)
    square = k * (2 * reach * entry + entry**2 + (k + 2) * HALF * reach**2)
    return 2 * (square + price * (error + (k + 2) * HALF * (largest + error)))
