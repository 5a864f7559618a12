"""Limits within what is possible, of which something is always left, also for an estimate that is far from it.

Noise takes an estimate of a share below 0, and its limits may lie there too: cut to 0..1 they would hold 0 alone, or
nothing, and seem to be surer the more the estimate errs. So a possible value belongs to the interval if it is not much
further from the estimate than the nearest possible one is, in squares: what a likelihood ratio says of an estimate
whose error is normal. With x below 0 by b, and limits that reach r to either side, that is all up to
-b + sqrt(r^2 + b^2): more than 0, and no more than r. An estimate that is possible keeps its limits, cut.

Intervals are nowhere narrower than cut ones: each side errs at most as often as it did. Of values that are nearer to an
end than limits reach they hold more often than promised, since to that end nothing can be missed: at 95%, in up to
97.5%. Sources: Cox and Hinkley 1974, Section 9.3 (likelihood ratios); Mandelkern 2002 (intervals near a boundary).
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from sordino.exact.floats import Floats


def possible_limits(
    value: ArrayLike, limits: Iterable[ArrayLike], ends: tuple[ArrayLike, ArrayLike] = (0.0, 1.0)
) -> tuple[Floats, Floats]:
    """Limits of estimates from those that take everything for possible, of any shape; what is not a number stays so.

    Args:
        limits: the lower ones and the upper ones; they are made to hold the nearest possible value to their estimate.
        ends: what is possible lies between them, of all estimates or of each.

    Example:
        >>> low, high = possible_limits([-0.4, 0.1, 1.3], ([-0.7, -0.2, 0.9], [-0.1, 0.4, 1.7]))
        >>> low.round(6).tolist(), high.round(6).tolist()
        ([0.0, 0.0, 0.8], [0.1, 0.4, 1.0])
    """
    value, low, high, least, most = (np.asarray(one, dtype=np.float64) for one in (value, *limits, *ends))
    below, above = np.maximum(least - value, 0.0), np.maximum(value - most, 0.0)
    low = np.where(above > 0, value - np.hypot(value - low, above), low)
    high = np.where(below > 0, value + np.hypot(high - value, below), high)
    return widen_to_hold(np.clip(value, least, most), (np.clip(low, least, most), np.clip(high, least, most)))


def widen_to_hold(value: Floats, limits: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Limits that hold an estimate: none lies beyond what it is the limit of; what is not a number stays so.

    A likelihood knows what is possible, and an unbiased estimate does not: of few reports its limits may not hold the
    estimate. A reader of both then sees one that holds.
    """
    low, high = limits
    return np.where(np.isnan(low), low, np.fmin(low, value)), np.where(np.isnan(high), high, np.fmax(high, value))
