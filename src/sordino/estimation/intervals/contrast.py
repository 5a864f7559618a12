"""Linear functionals of shares: a sum, a difference of two, any weighing; each with the standard error of its own.

What noise adds to one value it takes from others, so the error of a difference is not made of those of its two shares:
a report of code y adds h(y), whose mean is the functional of its value, and the error is that of the mean of h.
"""

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.estimation.moments import NormalEstimate
from sordino.estimation.unbiased import Decoded
from sordino.mechanism.base import Mechanism


def contributions(mechanism: Mechanism, weights: NDArray[np.float64], *, subtract_totals: bool) -> NDArray[np.float64]:
    """What each code adds, h(y) of shape (counters,), to the sum of weights times shares.

    Args:
        mechanism: made the reports.
        weights: of the values, shape (k,).
        subtract_totals: whether estimates are shifted to the share of their block.

    Raises:
        SordinoError: a tally that does not say how often each code was sent.
    """
    if not mechanism.counts_codes:
        rule = "sums and differences need to know how often each code was sent"
        raise SordinoError(rule, found="a tally of subsets by their values")
    each = mechanism.unbiased(weights)
    excess = mechanism.excess if subtract_totals else None
    if excess is None:
        return each
    return each - mechanism.partition.totals(weights)[mechanism.block_of_counter] * excess


def contrast(
    decoded: Decoded, n: int, weights: NDArray[np.float64], *, subtract_totals: bool = False
) -> NormalEstimate:
    """The sum of weights times shares, shape (): right on average.

    Args:
        decoded: the law of the reports.
        n: their number.
        weights: of the values, shape (k,).
        subtract_totals: whether estimates are shifted to the share of their block.

    Raises:
        SordinoError: a tally that does not say how often each code was sent.
    """
    mechanism, law = decoded.mechanism, decoded.law
    added = contributions(mechanism, weights, subtract_totals=subtract_totals)
    mean = float(added @ law)
    # Where all reports say the same the plug-in variance is 0; no people's answers vary less than those of one value.
    least = float((mechanism.adjoint(added**2) - mechanism.adjoint(added) ** 2).min())
    variance = max(float((added - mean) ** 2 @ law), least, 0.0)
    return NormalEstimate(np.array(mean), np.array(np.sqrt(variance / n)), n)
