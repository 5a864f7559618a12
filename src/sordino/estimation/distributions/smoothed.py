"""Shares of neighbouring bins by likelihood, smoothed after each step: what a square wave's reports are fitted by.

An EM step takes each bin's share up where the reports ask for more of it; alone it ends in a few spikes, which fit the
noise. So after each step a part of what lies in a bin moves to its neighbours: a quarter to either side where bins are
equally wide, and no more than evenly spread people would exchange where they are not, so that what is evenly spread
stays. Nothing moves beyond the ends, and nothing is lost. Who has no number is no bin's neighbour.
Source: Li et al. 2020 (EMS, with (1, 2, 1) / 4), whose rule also says when to stop.
"""

from math import exp

import numpy as np
from numpy.typing import NDArray

from sordino.mechanism.base import Mechanism

GAIN = 1e-3
"""A step that gains fewer nats, times e^epsilon, is the last one: later ones fit noise."""

MOST_STEPS = 10_000
"""Steps at most; a few hundred are usual."""


def smoothed_shares(
    mechanism: Mechanism, counts: NDArray[np.integer], widths: NDArray[np.float64], epsilon: float
) -> NDArray[np.float64]:
    """The fitted share of each value that is read, shape (k,): nonnegative, adding up to 1.

    Args:
        mechanism: over the bins, or over these and one value more; its counters are counts of codes.
        counts: how often each code was sent.
        widths: of the bins.
        epsilon: its level, which says when to stop.

    Example:
        >>> from sordino.mechanism.numbers.window import WindowResponse
        >>> channel = WindowResponse(4, "2", 2)
        >>> smoothed_shares(channel, np.array([100, 100, 20, 20, 20]), np.ones(4), 2.0).round(2).tolist()
        [0.55, 0.3, 0.1, 0.05]
    """
    channel = mechanism.probabilities()
    up, down = _exchanged(widths)
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
    total: NDArray[np.float64] = shares / shares.sum()
    return total


def _exchanged(widths: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The part of each bin that moves to the next one, and of that one back, shape (k - 1,) each."""
    first, second = widths[:-1], widths[1:]
    return np.minimum(1.0, second / first) / 4, np.minimum(1.0, first / second) / 4
