"""Linear functionals of shares: a sum, a difference of two, any weighing; each with the standard error of its own.

What noise adds to one value it takes from others, so the error of a difference is not made of those of its two shares:
a report of code y adds h(y), whose mean is the functional of its value, and the error is that of the mean of h.
"""

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.estimation.moments import NormalEstimate
from sordino.estimation.unbiased import Decoded, leverages
from sordino.mechanism.base import Mechanism

MOST_VALUES = 1 << 10
"""Whose people are looked at one by one."""


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
        SordinoError: a tally that does not tell how estimates go together.
    """
    value = weights @ decoded.estimate(subtract_totals=subtract_totals)
    variance = float(decoded.covariance(weights[None, :], subtract_totals=subtract_totals)[0, 0])
    # Where all reports say the same the plug-in variance is 0; no people's answers vary less than those of one value.
    variance = max(variance, least_variance(decoded.mechanism, weights, subtract_totals=subtract_totals))
    return NormalEstimate(np.array(value), np.array(np.sqrt(variance / n)), n)


def tells_covariance(mechanism: Mechanism) -> bool:
    """Whether a tally tells how estimates go together."""
    own = type(mechanism).second_moments is not Mechanism.second_moments
    return mechanism.k > 1 and mechanism.informative and (own or mechanism.counts_codes)


def least_variance(mechanism: Mechanism, weights: NDArray[np.float64], *, subtract_totals: bool) -> float:
    """The least variance of what a report adds to the sum, over people who all have one value.

    Of tallies that are not of codes and more than some thousand values it is not worked out: 0.
    """
    if mechanism.counts_codes:
        added = contributions(mechanism, weights, subtract_totals=subtract_totals)
        return max(float((mechanism.adjoint(added**2) - mechanism.adjoint(added) ** 2).min()), 0.0)
    if mechanism.k > MOST_VALUES:
        return 0.0
    laws = (mechanism.forward(one) for one in np.eye(mechanism.k))
    each = (Decoded(mechanism, law).covariance(weights[None, :], subtract_totals=subtract_totals) for law in laws)
    return max(min(float(one[0, 0]) for one in each), 0.0)


def contrast_leverage(mechanism: Mechanism, weights: NDArray[np.float64], *, subtract_totals: bool) -> float:
    """How far one report can move the sum, times n, at most; by that exactly where tallies count codes."""
    if mechanism.counts_codes:
        return float(np.ptp(contributions(mechanism, weights, subtract_totals=subtract_totals)))
    return float(np.abs(weights) @ leverages(mechanism, subtract_totals=subtract_totals))
