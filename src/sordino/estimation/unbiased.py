"""The unbiased estimate of a histogram and its exact variance, from a law of codes.

The same two functions serve data (the counters of the reports, divided by their number) and plans (the counters that
`forward` predicts).
Optionally the estimates of each block are shifted so that they add up to the block's own share, which is known
without noise. Decide that before the data: choosing it by the counts would bias the result.

Source: context-aware LDP paper, (15) to (19), as corrected.
"""

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.base import Mechanism


def unbiased(mechanism: Mechanism, law: NDArray[np.float64], *, subtract_totals: bool = False) -> NDArray[np.float64]:
    """The estimate of each value's share, shape (k,); may be negative.

    Args:
        mechanism: made the reports.
        law: shape (counters,), the tally divided by the number of reports.
        subtract_totals: shift each block's estimates to add up to the share of the block.
    """
    estimate = mechanism.decode(law)
    if subtract_totals:
        _excess(mechanism)
        blocks = mechanism.partition
        excess = (blocks.totals(estimate) - mechanism.block_shares(law)) / blocks.sizes
        estimate -= excess[blocks.block]
    return estimate


def unit_variance(
    mechanism: Mechanism, law: NDArray[np.float64], *, subtract_totals: bool = False
) -> NDArray[np.float64]:
    """The variance, times n, of each estimate for independent people whose counters have this mean, shape (k,).

    With the empirical law it is the plug-in variance. An estimate is the mean over reports of a function g_x(y) of
    the code; its variance is the mean of g_x(y)^2 less the squared estimate.
    """
    moment = mechanism.decode_squares(law)
    if subtract_totals:
        # (g_x(y) - h(y))^2, with h(y) the block's average excess on code y.
        excess, blocks = _excess(mechanism), mechanism.partition
        shift = mechanism.decode(law * excess)
        shift *= -2
        shift += mechanism.block_shares(law * excess**2)[blocks.block]
        moment += shift
        del shift
    estimate = unbiased(mechanism, law, subtract_totals=subtract_totals)
    moment -= np.square(estimate, out=estimate)
    return np.maximum(moment, 0.0, out=moment)


def variance_of_reports(
    mechanism: Mechanism, aggregate: Aggregate, *, subtract_totals: bool = False
) -> NDArray[np.float64]:
    """The variance, times n, of each estimate, as far as the reports tell, shape (k,): positive if k > 1.

    The plug-in variance, which is right on average, and zero where all reports say the same, so that nobody was seen
    with a value, or nobody without. What it lacks there is known: whatever the population, a share p has at least the
    variance p own + (1 - p) least - p^2, with the second moments of `Mechanism.squares`. It is taken at the nearest
    share to the estimate that some population of n + 1 people has that is not all alike.
    """
    law, n = aggregate.counts / aggregate.n, aggregate.n
    plain = unit_variance(mechanism, law)
    if mechanism.k == 1:
        return plain
    share, squares = np.clip(mechanism.decode(law), 1 / (n + 1), n / (n + 1)), mechanism.squares
    lacking = np.maximum(share * squares.own + (1 - share) * squares.least - share**2 - plain, 0.0)
    return lacking + (unit_variance(mechanism, law, subtract_totals=True) if subtract_totals else plain)


def leverage(mechanism: Mechanism, *, subtract_totals: bool = False) -> float:
    """How many people one forged report can weigh in an estimate, at most; infinite if nothing can be learned.

    The largest swing of g_x(y) over the codes y, where every report of another block gives 0.
    """
    if not mechanism.informative:
        return np.inf
    least, most = mechanism.swing
    if not subtract_totals:
        return float((most - least).max())
    # The total of a value alone in its block is the block's share: a report moves it by one person.
    blocks, excess = mechanism.partition, _excess(mechanism)
    several = blocks.sizes[blocks.block] > 1
    if not several.any():
        return 1.0
    swing = np.where(several, (most - excess.min()) - (least - excess.max()), 1.0)
    return float(swing.max())


def _excess(mechanism: Mechanism) -> NDArray[np.float64]:
    excess = mechanism.excess
    if excess is None:
        raise SordinoError("the tally must tell each report's excess", step="do not subtract totals here")
    return excess
