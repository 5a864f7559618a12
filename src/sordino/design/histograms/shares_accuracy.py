"""How exact the unbiased shares will be: exact standard errors, before anybody is asked."""

from dataclasses import dataclass

import numpy as np

from sordino.estimation.unbiased import unit_variance
from sordino.exact.arrays import Floats
from sordino.mechanism.base import Mechanism

LARGEST = 15
"""Values that tables show."""


@dataclass(frozen=True)
class SharesAccuracy:
    """Expected errors of shares.

    Attributes:
        stderr: the root mean square, over the values, of the standard error of a share.
        largest: the same of the 15 largest shares, which tables show.
        one_block: the same of a block's values if all people were in it; None where no blocks are public.
        total_variance: the sum of the variances, times n: proportional to the people needed for a given accuracy.
    """

    stderr: float
    largest: float
    one_block: float | None
    total_variance: float


def expected_shares(
    mechanism: Mechanism, people: int, *, subtract_totals: bool, shares: Floats | None = None
) -> SharesAccuracy:
    """Expected errors with this many people; infinite where nothing can be learned.

    Args:
        shares: of the values among the people, shape (k,); all alike by default.
    """
    if not mechanism.informative:
        return SharesAccuracy(np.inf, np.inf, None, np.inf)
    expected = np.broadcast_to(1 / mechanism.k, mechanism.k) if shares is None else shares
    variance = unit_variance(mechanism, mechanism.forward(expected), subtract_totals=subtract_totals) / people
    largest = np.argsort(-expected, kind="stable")[:LARGEST]
    return SharesAccuracy(
        float(np.sqrt(variance.mean())),
        float(np.sqrt(variance[largest].mean())),
        _one_block(mechanism, people, subtract_totals=subtract_totals),
        float(variance.sum()) * people,
    )


def _one_block(mechanism: Mechanism, people: int, *, subtract_totals: bool) -> float | None:
    """The standard error in the largest block, if all were there and its values alike."""
    blocks = mechanism.partition
    if blocks.m == 1:
        return None
    inside = blocks.block == int(np.argmax(blocks.sizes))
    law = mechanism.forward(inside / inside.sum())
    return float(np.sqrt(unit_variance(mechanism, law, subtract_totals=subtract_totals)[inside].mean() / people))
