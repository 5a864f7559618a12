"""Shares of neighbouring bins by likelihood, smoothed after each step: what a square wave's reports are fitted by.

An EM step takes each bin's share up where the reports ask for more of it; alone it ends in a few spikes, which fit the
noise. So after each step a part of what lies in a bin moves to its neighbours, and no more than evenly spread people
would exchange where bins are not equally wide, so that what is evenly spread stays. Nothing moves beyond the ends, and
nothing is lost. Who has no number is no bin's neighbour.

A quarter to either side, whatever the bins, widens what is told by as many bins: where they are few and wide that is
a large part of the range, and more reports do not make it less. The part is such that each step adds 1 / (24 n) to the
variance of where people are, in parts of the range squared: as much however many bins there are, and the less the more
reports there are, as the noise. Of more bins than a quarter can do that for, it stays a quarter.
Source: Li et al. 2020 (EMS, with a quarter of any number of bins), whose rule also says when to stop.
"""

from math import exp

import numpy as np
from numpy.typing import NDArray

from sordino.exact.arrays import Floats
from sordino.mechanism.base import Mechanism

GAIN = 1e-3
"""A step that gains fewer nats, times e^epsilon, is the last one: later ones fit noise."""

MOST_STEPS = 10_000
"""Steps at most; a few hundred are usual."""

REPORTS = 12
"""A quarter of each of k bins moves to either side at k^2 / 12 reports and fewer, and of more in proportion less.

It is near the best for one peak, for two narrow ones and for spikes, by 100 to 1,000,000 reports of 32 to 256 bins.
"""


def smoothed_shares(mechanism: Mechanism, counts: NDArray[np.integer], widths: Floats, epsilon: float) -> Floats:
    """The fitted share of each value that is read, shape (k,): nonnegative, adding up to 1.

    Args:
        mechanism: over the bins, or over these and one value more; its counters are counts of codes.
        epsilon: its level, which says when to stop.

    Example:
        >>> from sordino.mechanism.numbers.window import WindowResponse
        >>> channel = WindowResponse(4, "2", 2)
        >>> smoothed_shares(channel, np.array([100, 100, 20, 20, 20]), np.ones(4), 2.0).round(2).tolist()
        [0.88, 0.06, 0.01, 0.05]
    """
    channel = mechanism.probabilities()
    up, down = _exchange(widths, int(counts.sum()))
    bins, others = len(widths), mechanism.k - len(widths)
    shares = np.append(widths / widths.sum(), np.ones(others)) / (1 + others)
    before, least = -np.inf, GAIN * exp(min(epsilon, 50.0))
    seen = counts > 0
    for _ in range(MOST_STEPS):
        law = shares @ channel
        now = float(counts[seen] @ np.log(law[seen]))
        if now - before < least:
            break
        before = now
        shares = shares * (channel @ np.divide(counts, law, out=np.zeros_like(law), where=seen))
        shares /= shares.sum()
        moved = up * shares[: bins - 1] - down * shares[1:bins]
        shares[: bins - 1] -= moved
        shares[1:bins] += moved
    total: Floats = shares / shares.sum()
    return total


def _exchange(widths: Floats, n: int) -> tuple[Floats, Floats]:
    """The part of each bin that moves to the next one, and of that one back, shape (k - 1,) each."""
    first, second = widths[:-1], widths[1:]
    # It moves by 1 / k: its square is 2 part / k^2 on average.
    part = min(1.0, len(widths) ** 2 / (REPORTS * n)) / 4
    return part * np.minimum(1.0, second / first), part * np.minimum(1.0, first / second)
