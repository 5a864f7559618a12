"""How exact estimates will be, before anybody is asked: from exact variances, at uniform values by default."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.estimation.unbiased import unit_variance
from sordino.mechanism.base import Mechanism


@dataclass(frozen=True)
class Accuracy:
    """Expected errors of the unbiased estimates.

    Attributes:
        stderr: the root mean square, over the values, of the standard error of a share.
        total_variation: the expected total variation distance to the truth, without projection (may exceed 1).
        total_variance: the sum of the variances, times n: proportional to the people needed for a given accuracy.
    """

    stderr: float
    total_variation: float
    total_variance: float


def expected_accuracy(
    mechanism: Mechanism, people: int, *, subtract_totals: bool, shares: NDArray[np.float64] | None = None
) -> Accuracy:
    """Expected errors with this many people whose values have the given shares, uniform ones by default.

    A mean absolute normal error is sqrt(2 / pi) standard errors, and total variation is half the sum of them.
    Source: context-aware LDP paper, Theorem 4, as exact formulas.
    """
    law = np.broadcast_to(1 / mechanism.k, mechanism.k) if shares is None else shares
    variance = np.broadcast_to(np.inf, mechanism.k)
    if subtract_totals:
        variance = unit_variance(mechanism, mechanism.forward(law), subtract_totals=True)
    elif mechanism.informative:
        variance = mechanism.variance(law)
    deviation = np.sqrt(variance / people)
    return Accuracy(
        float(np.sqrt(np.mean(deviation**2))), float(deviation.sum() / np.sqrt(2 * np.pi)), float(variance.sum())
    )


def subtracting_helps(mechanism: Mechanism) -> bool:
    """Whether the shift to the blocks' known shares lowers the total variance at uniform values; no data needed."""
    if not mechanism.informative or mechanism.excess is None:
        return False
    plain = expected_accuracy(mechanism, 1, subtract_totals=False).total_variance
    shifted = expected_accuracy(mechanism, 1, subtract_totals=True).total_variance
    # A relative margin: where the shift is zero by symmetry, rounding decides nothing.
    return shifted < plain * (1 - 1e-9)
