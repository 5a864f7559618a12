"""The unbiased estimate of a histogram and its exact variance, from a law of codes.

The same two functions serve data (the empirical law of the reports) and plans (the law that `forward` predicts).
Optionally the estimates of each block are shifted so that they add up to the block's own share, which is known
without noise. Decide that before the data: choosing it by the counts would bias the result.

Source: context-aware LDP paper, (15) to (19), as corrected.
"""

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.mechanism.base import Mechanism


def unbiased(mechanism: Mechanism, law: NDArray[np.float64], *, subtract_totals: bool = False) -> NDArray[np.float64]:
    """The estimate of each value's share, shape (k,); may be negative.

    Args:
        mechanism: made the reports.
        law: shape (outputs,), the share of each code.
        subtract_totals: shift each block's estimates to add up to the share of the block.
    """
    estimate = _decode(mechanism, law)
    if subtract_totals:
        blocks = mechanism.partition
        group = mechanism.support(law).group
        excess = (blocks.totals(estimate) - group[blocks.order[blocks.starts]]) / blocks.sizes
        estimate -= excess[blocks.block]
    return estimate


def unit_variance(
    mechanism: Mechanism, law: NDArray[np.float64], *, subtract_totals: bool = False
) -> NDArray[np.float64]:
    """The variance, times n, of each estimate for independent people whose codes have this law, shape (k,).

    With the empirical law it is the plug-in variance. An estimate is the mean over reports of a function g_x(y) of
    the code; its variance is the mean of g_x(y)^2 less the squared estimate.
    """
    counts = mechanism.support(law)
    gap = _gap(mechanism)
    moment = ((1 - mechanism.miss) ** 2 * counts.support + mechanism.miss**2 * (counts.group - counts.support)) / gap**2
    if subtract_totals:
        # g_x(y) - h(y), with h(y) the block's average excess on code y.
        excess = _excess(mechanism)
        moment += mechanism.support(law * excess**2).group - 2 * _decode(mechanism, law * excess)
    estimate = unbiased(mechanism, law, subtract_totals=subtract_totals)
    return np.maximum(moment - estimate**2, 0.0)


def leverage(mechanism: Mechanism, *, subtract_totals: bool = False) -> float:
    """How many people one forged report can weigh in an estimate, at most; infinite if nothing can be learned.

    The largest swing of g_x(y) over the codes y, where every report of another block gives 0.
    """
    if not np.all(mechanism.hit > mechanism.miss):
        return np.inf
    gap = mechanism.hit - mechanism.miss
    most, least = (1 - mechanism.miss) / gap, -mechanism.miss / gap
    if not subtract_totals:
        return float(max(most.max(), 0.0) - min(least.min(), 0.0))
    blocks = mechanism.partition
    # The total of a value alone in its block is the block's share: a report moves it by one person.
    alone = blocks.sizes == 1
    excess = np.where(alone[block_of_code(mechanism)], 0.0, _excess(mechanism))
    most, least = np.where(alone[blocks.block], 1.0, most), np.where(alone[blocks.block], 0.0, least)
    return float(max(most.max() - excess.min(), 0.0) - min(least.min() - excess.max(), 0.0))


def block_of_code(mechanism: Mechanism) -> NDArray[np.intp]:
    """The block whose values can send each code, shape (outputs,)."""
    blocks = mechanism.partition
    codes = mechanism.support(np.ones(mechanism.outputs)).group[blocks.order[blocks.starts]]
    return np.repeat(np.arange(blocks.m), codes.astype(np.intp))


def _decode(mechanism: Mechanism, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum over codes of weight times g_x(y) = (1{y supports x} - miss_x 1{y in x's group}) / (hit_x - miss_x)."""
    counts = mechanism.support(weights)
    return (counts.support - mechanism.miss * counts.group) / _gap(mechanism)


def _gap(mechanism: Mechanism) -> NDArray[np.float64]:
    gap = mechanism.hit - mechanism.miss
    if not np.all(gap > 0):
        raise SordinoError(
            "reports must depend on the values to be estimated from",
            found="an epsilon so small that they do not",
            step="raise epsilon",
        )
    return gap


def _excess(mechanism: Mechanism) -> NDArray[np.float64]:
    """For each code, (sum over the block of g_x(y) - 1) / size of the block, shape (outputs,).

    The sum of c_x over the values that a code supports follows from `forward`, which spreads hit_x evenly over the
    supporting codes of x and the rest evenly over the others of the group.
    """
    blocks = mechanism.partition
    sizes = mechanism.support(np.ones(mechanism.outputs))
    inside = mechanism.hit / sizes.support
    others = sizes.group - sizes.support
    outside = np.divide(1 - mechanism.hit, others, out=np.zeros(mechanism.k), where=others > 0)
    per_report = 1 / _gap(mechanism)
    # Within a block hit, miss and the numbers of codes are constant, so each code's sums need its block's constants
    # only.
    owner = block_of_code(mechanism)
    first = blocks.order[blocks.starts][owner]
    spread = mechanism.forward(per_report) - outside[first] * blocks.totals(per_report)[owner]
    supported = spread / (inside - outside)[first]
    total = supported - blocks.totals(mechanism.miss * per_report)[owner]
    return (total - 1) / blocks.sizes[owner]
