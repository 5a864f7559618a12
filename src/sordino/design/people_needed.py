"""How many people must answer for a wanted accuracy, before anybody is asked.

Every expected error falls as one over the square root of the people, so the errors of one person say it all.
"""

import math

from sordino.design.accuracy import expected_accuracy
from sordino.errors import SordinoError
from sordino.exact.floats import Floats
from sordino.exact.messages import checked, shown
from sordino.mechanism.base import Mechanism

ROUNDING = 1e-12
"""Relative: a number of people that is whole but for rounding is not rounded up."""


@checked
def people_needed(
    mechanism: Mechanism,
    *,
    total_variation: float | None = None,
    stderr: float | None = None,
    subtract_totals: bool = False,
    shares: Floats | None = None,
) -> int:
    """The least number of people whose unbiased estimates are expected to be as exact as wanted; both, if two are.

    Source: context-aware LDP paper, Theorem 3 and Theorem 4, whose orders of magnitude are exact numbers here (the
    bounds printed in its Propositions 4 and 5 are for the sum of absolute errors, twice the total variation).

    Args:
        mechanism: will make the reports.
        total_variation: the largest expected total variation distance to the truth, without projection: the sum of
            the standard errors over sqrt(2 pi). It takes the errors as normal, which many people make them.
        stderr: the largest root mean square, over the values, of the standard error of a share.
        subtract_totals: whether estimates will be shifted to the blocks' known shares.
        shares: shape (k,), what the people are supposed to be like. Even by default: the worst case for one block and
            for blocks of one size, if totals are not subtracted; unequal blocks may need more.

    Raises:
        SordinoError: nothing wanted, or an error that is not above 0; a mechanism from which nothing can be learned.

    Example:
        >>> from sordino import HadamardResponse
        >>> people_needed(HadamardResponse(1000, "1"), total_variation=0.1)
        74527380
    """
    if total_variation is None and stderr is None:
        step = "give total_variation or stderr"
        raise SordinoError("a wanted accuracy must be given", found="neither of the two", step=step)
    for name, wanted in (("total_variation", total_variation), ("stderr", stderr)):
        if wanted is not None and not 0 < wanted < math.inf:
            raise SordinoError(f"{name} must be above 0 and finite", found=shown(wanted))
    if not mechanism.informative:
        raise SordinoError("reports must depend on the values to be estimated from", step="raise epsilon")
    alone = expected_accuracy(mechanism, 1, subtract_totals=subtract_totals, shares=shares)
    ratios = (
        0.0 if total_variation is None else alone.total_variation / total_variation,
        0.0 if stderr is None else alone.stderr / stderr,
    )
    return max(1, math.ceil(max(ratios) ** 2 * (1 - ROUNDING)))
