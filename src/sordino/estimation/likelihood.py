"""The maximum likelihood estimate of shares: the distribution under which the tally is the most probable.

The log-likelihood is concave, so every point bounds what is still to gain: no distribution's log-likelihood is higher
by more than n (sum over blocks of the block's share times the largest gradient in it, less 1), where gradient_x = sum
over codes y of (share of y) Pr(y | x) / Pr(y). The climb ends when that is below a hundredth of a nat, or is lost in
rounding. EM steps, accelerated or not, need hundreds to thousands of passes to such a bound; this climb as a rule 2 to
20, and up to hundreds at an epsilon above 6. Where it has not ended after 50 steps, as over many bins of a number, a
channel that is small enough to be written down is fitted from the inside (`interior_shares`).

Cost: each pass is one `forward` and one `adjoint` of the mechanism.
Source: Lindsay 1983 (the bound by the gradient).
"""

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from sordino.errors import SordinoError
from sordino.estimation.ascent import Hill, gradient_step, newton_step
from sordino.exact.arrays import Floats
from sordino.exact.nats import in_nats
from sordino.mechanism.base import Mechanism

NEAR = 0.01
"""How far below the maximum the log-likelihood of all reports may stay, in nats."""

ROUNDING = 1e-13
"""What rounding leaves uncertain of a gradient: less is not asked for, per report."""

PATIENCE = 6
"""Gradient steps before Newton's steps take turns with them: the gradients find the shares that are zero."""

MOST_STEPS = 300
"""More than any honest tally of at most 10^10 reports ever needed."""

CREEPS = 50
"""Steps after which a climb is a slow one."""

SMALL = 1 << 21
"""Probabilities that are written down at most: all of 1,024 bins and as many codes near each."""

MOST_INSIDE = 100
"""Steps from the inside: 15 were the most that a number's bins needed, whatever was counted."""

WITHIN = 0.99
"""Part of the way to the nearest zero that a step goes at most."""


def likelihood(mechanism: Mechanism, law: Floats, n: int, *, progress: Callable[[int], None] | None = None) -> Floats:
    """The most likely shares, shape (k,): nonnegative, adding up to 1.

    Raises SordinoError: the maximum was not reached; seen only for more than 10^10 reports, or for forged ones at an
    epsilon above 10.

    Args:
        law: shape (counters,), the share of each code among the reports.
        progress: called with 1 after each pass.

    Example:
        >>> from sordino import RandomizedResponse
        >>> likelihood(RandomizedResponse(2, "ln 3"), np.array([0.9, 0.1]), 1000).round(6)
        array([1., 0.])
    """
    if not mechanism.counts_codes:
        rule = "the likelihood needs to know how often each code was sent"
        found = "a tally of subsets by their values"
        raise SordinoError(rule, found=found, step="use another method, or a mechanism whose codes are counted")
    hill = Hill(mechanism, law, n, progress)
    here = hill.start()
    lengths = np.ones(hill.blocks.m)
    near = max(NEAR / n, ROUNDING)
    for step in range(MOST_STEPS):
        if hill.gap(here) <= near:
            return here.shares
        if step == CREEPS and mechanism.k * len(law) <= SMALL:
            inside = _from_inside(hill, near)
            if inside is not None:
                return inside
        if step >= PATIENCE and step % 2 == 0:
            here = newton_step(hill, here)
        else:
            here, lengths = gradient_step(hill, here, lengths)
    left = f"{n * hill.gap(here):.3g}"
    rule = f"the likelihood must come within {NEAR} nats of its maximum"
    raise SordinoError(rule, found=f"{in_nats(left)} after {MOST_STEPS} steps", step="use the method simplex")


def _from_inside(hill: Hill, near: float) -> Floats | None:
    """Shares whose mean log-likelihood is that near its maximum, shape (k,); None if steps from inside end first."""
    blocks, steps = hill.blocks, interior_shares(hill.mechanism.probabilities(), hill.law)
    for shares in islice(steps, MOST_INSIDE):
        here = hill.at(shares * (hill.totals / blocks.totals(shares))[blocks.block])
        if hill.gap(here) <= near:
            return here.shares
    return None


def interior_shares(channel: Floats, law: Floats) -> Iterator[Floats]:
    """The shares after each step, shape (k,), all above zero; near the maximum they add up to 1.

    Codes of neighbouring bins overlap so far that thousands of distributions are about as likely; a climb from share to
    share then takes thousands of steps. Here all shares stay above zero, and each has a price: how much less likely the
    reports become if it rises. At the maximum a share is zero or its price is; on the way their product is the same for
    all values, and goes to zero. The number of steps hardly depends on the channel, and was never above 15.

    The total of the shares is left free, at the price of one nat a report: at the maximum they then add up to 1, and so
    do they within blocks whose codes are their own. Cost: each step solves k linear equations.
    Source: Koenker and Mizera 2014 (interior points for mixtures); Mehrotra 1992 (a step's two parts).

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
