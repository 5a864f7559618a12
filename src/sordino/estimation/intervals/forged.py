"""What forged reports could do: how far they move an estimate at most, and intervals that hold in spite of them.

A report adds between the least and the largest of what a code adds, S apart, to a sum over n. So m forged ones move the
mean by at most m S / n, and by that exactly where all honest ones are at the other end: whether they took the place of
honest reports, or came on top. The standard error that honest reports alone would have had is told up to
se^2 + (m S / n)^2 / m, since m of n numbers within S change their mean square difference by m S^2 / n at most; and of
n - m reports it is n / (n - m) times as large.

Not against what is not a report: ids that were made up, and a collector that leaves some out.
"""

import numpy as np

from sordino.errors import SordinoError
from sordino.exact.arrays import Floats

Limits = tuple[Floats, Floats]


def require_fewer(forged: int, n: int) -> None:
    """Refuse as many forged reports as there are."""
    if forged >= n:
        rule = f"there must be more reports than the {forged:,} that may be forged"
        raise SordinoError(rule, found=f"{n:,}", step="ask more people, or bound the forged ones more tightly")


def forged_limits(fixed: Limits, value: Floats, stderr: Floats, moved: Floats, *, forged: int, part: float) -> Limits:
    """Limits that hold if at most some reports are forged, from those for honest ones.

    Args:
        fixed: limits of the estimates as if all reports were honest.
        moved: how far the forged reports could have moved each.
        forged: how many there are at most, 1 or more.
        part: the part of all reports, or of their weight, that these are; below 1.
    """
    least = np.maximum(stderr, np.finfo(np.float64).tiny)
    wider = np.sqrt(1 + (moved / least) ** 2 / forged) / (1 - part)
    low, high = fixed
    return (
        np.minimum(low, value - wider * (value - low)) - moved,
        np.maximum(high, value + wider * (high - value)) + moved,
    )
