"""The channel that sends each value's own code most often and falls off from there as steeply as the bounds allow.

On a line with a bound for each step this is the truncated geometric mechanism: every bound between neighbours is tight,
the ends take what would lie beyond them. The same on any bounds: the column of value y has e^(-E[y, x]) at x, and its
weights c solve sum_y c_y e^(-E[y, x]) = 1 for every x; where some would be negative there is no such channel, as on a
star of many short edges. A product of lines has the products of weights, so a grid under the sum of distances has one.
Guarantee: every bound, exactly, by `integer_channel`. Cost: k^3 operations; seconds for 128 values.
Source: Ghosh, Roughgarden and Sundararajan 2012 (universally optimal mechanisms), in the local setting.
"""

from collections.abc import Sequence

import numpy as np

from sordino.design.histograms.columns.extreme_rays import floors
from sordino.design.histograms.optimal import UNBOUNDED
from sordino.design.integer_channel import integer_channel
from sordino.errors import SordinoError
from sordino.exact.nats import Nats

ROUNDING = 1e-12
"""A weight that is below 0 by no more is 0."""


def geometric_weights(bounds: Sequence[Sequence[Nats | None]]) -> tuple[tuple[int, ...], ...]:
    """Integer weights of the channel, one row for each value, each of sum 2^64.

    Args:
        bounds: k rows of k bounds in nats, None where a pair is not protected; the diagonal is not read.

    Example:
        >>> step = Nats.log(2)
        >>> line = [[step + step if abs(x - y) > 1 else step for y in range(3)] for x in range(3)]
        >>> [[round(weight / 2**64, 6) for weight in row] for row in geometric_weights(line)]
        [[0.666667, 0.166667, 0.166667], [0.333333, 0.333333, 0.333333], [0.166667, 0.666667, 0.166667]]
    """
    k = len(bounds)
    limits = np.zeros((k, k))
    for x, row in enumerate(bounds):
        limits[x] = [np.inf if bound is None else min(bound.floor(), UNBOUNDED) for bound in row]
    np.fill_diagonal(limits, 0)
    columns = floors(limits).T
    try:
        weights = np.linalg.solve(columns, np.ones(k))
    except np.linalg.LinAlgError:  # values that are alike
        weights = np.full(k, np.nan)
    if not bool((weights >= -ROUNDING).all()):
        rule = "tight bounds must leave each value a code of its own"
        raise SordinoError(rule, found="values with more neighbours than that allows", step="raise the bounds")
    return integer_channel(columns * np.maximum(weights, 0), bounds)
