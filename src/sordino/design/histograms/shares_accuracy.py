"""How exact shares will be when they are shown: the unbiased ones, and the nearest distribution beside them.

Standard errors are exact. How far the nearest distribution is from the truth has no formula: tallies are drawn from the
exact law of the codes (where a tally does not count codes: estimates, with normal errors of the exact variances), and
the default estimate is made of each. The draws are always the same: forecasts do not change from run to run, and no
plan holds one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.estimation.simplex import project
from sordino.estimation.unbiased import unbiased, unit_variance
from sordino.mechanism.base import Mechanism

LARGEST = 15
"""Values that tables show."""

DRAWN, FEWEST, MOST = 1 << 18, 2, 400
"""Values drawn together, and how many tallies at least and at most."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SharesAccuracy:
    """Expected errors of shares.

    Attributes:
        stderr: the root mean square, over the values, of the standard error of a share.
        largest: the same of the 15 largest shares, which tables show.
        one_block: the same of a block's values if all people were in it; None where no blocks are public.
        total_variation: the expected total variation distance between the fitted shares and the truth.
        total_variance: the sum of the variances, times n: proportional to the people needed for a given accuracy.
    """

    stderr: float
    largest: float
    one_block: float | None
    total_variation: float
    total_variance: float


def expected_shares(
    mechanism: Mechanism, people: int, *, subtract_totals: bool, shares: Floats | None = None
) -> SharesAccuracy:
    """Expected errors with this many people; infinite where nothing can be learned.

    Args:
        mechanism: will make the reports.
        people: how many answer.
        subtract_totals: whether estimates will be shifted to the blocks' known shares.
        shares: of the values among the people, shape (k,); all alike by default.
    """
    if not mechanism.informative:
        return SharesAccuracy(np.inf, np.inf, None, np.inf, np.inf)
    expected = np.broadcast_to(1 / mechanism.k, mechanism.k) if shares is None else shares
    variance = unit_variance(mechanism, mechanism.forward(expected), subtract_totals=subtract_totals) / people
    largest = np.argsort(-expected, kind="stable")[:LARGEST]
    return SharesAccuracy(
        float(np.sqrt(variance.mean())),
        float(np.sqrt(variance[largest].mean())),
        _one_block(mechanism, people, subtract_totals=subtract_totals),
        _total_variation(mechanism, expected, people, variance, subtract_totals=subtract_totals),
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


def _total_variation(
    mechanism: Mechanism, expected: Floats, people: int, variance: Floats, *, subtract_totals: bool
) -> float:
    """The mean distance of what is fitted to some tallies."""
    law, rng, blocks = mechanism.forward(expected), np.random.default_rng(0), mechanism.partition
    if mechanism.counts_codes:
        np.maximum(law, 0, out=law)
        law /= law.sum()
    draws = int(np.clip(DRAWN // mechanism.k, FEWEST, MOST))
    total = 0.0
    for _ in range(draws):
        if mechanism.counts_codes:
            found = rng.multinomial(people, law) / people
            totals = mechanism.block_shares(found)
            estimate = unbiased(mechanism, found, subtract_totals=subtract_totals)
            del found
        else:
            totals = mechanism.block_shares(law)
            estimate = expected + np.sqrt(variance) * rng.standard_normal(mechanism.k)
        fitted = project(estimate, blocks, totals)
        fitted -= expected
        total += float(np.abs(fitted, out=fitted).sum()) / 2
    return total / draws
