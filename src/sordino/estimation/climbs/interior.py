"""The most likely shares from the inside: Newton's steps on a dense channel, for channels that climbs creep up.

Codes of neighbouring bins overlap so far that thousands of distributions are about as likely; a climb from share to
share then takes thousands of steps. Here all shares stay above zero, and each has a price: how much less likely the
reports become if it rises. At the maximum a share is zero or its price is; on the way their product is the same for
all values, and goes to zero. The number of steps hardly depends on the channel, and was never above 15.

The total of the shares is left free, at the price of one nat a report: at the maximum they then add up to 1, and so do
they within blocks whose codes are their own.
Cost: each step solves k linear equations.
Source: Koenker and Mizera 2014 (interior points for mixtures); Mehrotra 1992 (a step's two parts).
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

WITHIN = 0.99
"""Part of the way to the nearest zero that a step goes at most."""


def interior_shares(channel: Floats, law: Floats) -> Iterator[Floats]:
    """The shares after each step, shape (k,), all above zero; near the maximum they add up to 1.

    Args:
        channel: the probability of each code for each value, shape (k, outputs).
        law: the share of each code among the reports, shape (outputs,).

    Example:
        >>> channel = np.array([[0.75, 0.25], [0.25, 0.75]])
        >>> *_, found = (found for found, _ in zip(interior_shares(channel, np.array([0.6, 0.4])), range(10)))
        >>> found.round(6).tolist()
        [0.7, 0.3]
    """
    channel, law = channel[:, law > 0], law[law > 0]
    shares = np.full(len(channel), 1 / len(channel))
    prices = np.ones_like(shares)
    while True:
        expected = shares @ channel
        missed = prices - 1 + channel @ (law / expected)
        weighted = channel * (np.sqrt(law) / expected)
        bent = weighted @ weighted.T
        bent.flat[:: len(shares) + 1] += prices / shares
        aim, turned = np.zeros_like(shares), np.zeros_like(shares)
        for last in (False, True):
            # d shares: bent d = missed + (aim - shares prices - turned) / shares; the prices follow.
            left = (aim - turned) / shares - prices
            change = np.linalg.solve(bent, missed + left)
            raised = left - prices / shares * change
            parts = _part(shares, change), _part(prices, raised)
            if not last:
                now = shares @ prices
                then = (shares + parts[0] * change) @ (prices + parts[1] * raised)
                aim, turned = np.full_like(shares, (then / now) ** 3 * now / len(shares)), change * raised
        shares, prices = shares + parts[0] * change, prices + parts[1] * raised
        yield shares


def _part(here: Floats, change: Floats) -> float:
    """Of a step that leaves all above zero."""
    falling = change < 0
    return min(1.0, float((WITHIN * here[falling] / -change[falling]).min(initial=1.0)))
