"""The maximum likelihood estimate of shares: the distribution under which the tally is the most probable.

The log-likelihood is concave, so every point bounds what is still to gain: no distribution's log-likelihood is higher
by more than n (sum over blocks of the block's share times the largest gradient in it, less 1), where gradient_x = sum
over codes y of (share of y) Pr(y | x) / Pr(y). The climb ends when that is below a hundredth of a nat, or is lost in
rounding. EM steps, accelerated or not, need hundreds to thousands of passes to such a bound; this climb as a rule 2 to
20, and up to hundreds at an epsilon above 6. Where it has not ended after 50 steps, as over many bins of a number, a
channel that is small enough to be written down is fitted from the inside (`interior_shares`).

Codes of different blocks never meet, so the log-likelihood is a sum over blocks whose shares are known: every length
and every decision is a block's own, and one pass serves all blocks. Both kinds of step end in a search along the line
that lets no block's likelihood fall. Projected gradients alone converge from anywhere; a scale for the gradient and
spectral lengths make them fast where the curvature is nearly diagonal. Newton's steps finish where it is not (a large
epsilon and very many reports); they need no matrix, only passes.

Shapes: k values, m blocks. Cost: a pass is one `forward` and one `adjoint` of the mechanism; each step sorts once.
Source: Lindsay 1983 (the bound by the gradient); Birgin, Martinez and Raydan 2000 (spectral projected gradients);
Bonettini, Zanella and Zanni 2009 (their scale); More and Toraldo 1991 (conjugate gradients among the free shares, in
turns with projected gradients).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from sordino.errors import SordinoError
from sordino.estimation.simplex import project
from sordino.estimation.solvers import search_step
from sordino.exact.floats import Floats
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
"""Largest number of probabilities that are written down: all of 1,024 bins and as many codes near each."""

MOST_INSIDE = 100
"""Steps from the inside: 15 were the most that a number's bins needed, whatever was counted."""

WITHIN = 0.99
"""Part of the way to the nearest zero that a step goes at most."""

ENOUGH = 1e-4
"""Part of the rise promised by the slope that a step must bring."""

LEAST_KEPT = 1e-3
"""A step may make no seen code less likely than this part of what it was: a likelihood that is lost gives no slope."""

MOST_CUTS = 8
"""How often a step is cut; then a block stays where it is, and its next step is shorter."""

SHORTEST, LONGEST = 1e-6, 1e3
"""Lengths, in scaled gradients: 1 would reach the maximum if the scale were the curvature's inverse."""

MOST_CONJUGATE = 12
"""Passes that one Newton step may take."""

SOLVED = 1e-4
"""Part of a Newton step's squared residual that may stay."""


@dataclass(frozen=True, eq=False)
class Point:
    """A distribution, and how likely it makes the reports.

    Attributes:
        shares: shape (k,).
        values: shape (m,), the blocks' parts of the mean log-likelihood of a report, less what the observed law would
            give (they lose no digits so).
        expected: the law of the codes that were seen.
        uphill: shape (k,), the gradient less the largest of its block.
        curvature: shape (outputs,), each code's weight in the curvature.
    """

    shares: Floats
    values: Floats
    expected: Floats
    uphill: Floats
    curvature: Floats


class Hill:
    """The log-likelihood of one tally.

    Args:
        law: shape (outputs,), the share of each code among the reports.
        progress: called with 1 after each pass.
    """

    def __init__(self, mechanism: Mechanism, law: Floats, n: int, progress: Callable[[int], None] | None) -> None:
        self.mechanism, self.law, self.n, self.progress = mechanism, law, n, progress
        self.blocks = mechanism.partition
        self.seen = np.flatnonzero(law)
        self.owner = mechanism.block_of_counter[self.seen]
        self.totals = self._per_block(law[self.seen])

    def start(self) -> Point:
        return self.at((self.totals / self.blocks.sizes)[self.blocks.block])

    def at(self, shares: Floats) -> Point:
        """One pass."""
        # A law that small is lost in the rounding of the others.
        expected = np.maximum(self.mechanism.forward(shares)[self.seen], np.finfo(float).eps / len(self.law))
        observed = self.law[self.seen]
        gradient = self.mechanism.adjoint(self._spread(observed / expected))
        top = np.maximum.reduceat(gradient[self.blocks.order], self.blocks.starts)
        self._count()
        return Point(
            shares,
            self._per_block(observed * np.log(expected / observed)),
            expected,
            gradient - top[self.blocks.block],
            self._spread(observed / expected**2),
        )

    def least_ratio(self, here: Point, there: Point) -> Floats:
        """The least part of a seen code's probability that is left, shape (m,)."""
        kept = np.full(self.blocks.m, np.inf)
        np.minimum.at(kept, self.owner, there.expected / here.expected)
        return kept

    def gap(self, here: Point) -> float:
        """How far the mean log-likelihood of a report is below its maximum, at most: it is concave."""
        return -float(here.shares @ here.uphill)

    def scale(self, here: Point) -> Floats:
        """About the inverse of the curvature: the mean square of what one report adds to the unbiased estimates."""
        with np.errstate(invalid="ignore", divide="ignore"):
            scale = self.mechanism.variance(here.shares) + here.shares**2
        # No variance: a value that no report tells about. Next to none: such that one report still counts.
        return np.maximum(np.where(np.isfinite(scale), scale, 1.0), 1 / self.n)

    def bent(self, here: Point, change: Floats) -> Floats:
        """The curvature applied to a change of the shares, shape (k,): one pass."""
        self._count()
        return self.mechanism.adjoint(here.curvature * self.mechanism.forward(change))

    def _spread(self, seen: Floats) -> Floats:
        codes = np.zeros(len(self.law))
        codes[self.seen] = seen
        return codes

    def _per_block(self, seen: Floats) -> Floats:
        return np.bincount(self.owner, weights=seen, minlength=self.blocks.m).astype(np.float64, copy=False)

    def _count(self) -> None:
        if self.progress is not None:
            self.progress(1)


def gradient_step(hill: Hill, here: Point, lengths: Floats) -> tuple[Point, Floats]:
    """A projected gradient step with the given lengths, shape (m,); and the lengths of the next one."""
    blocks, scale = hill.blocks, hill.scale(here)
    target = project(here.shares + lengths[blocks.block] * scale * here.uphill, blocks, hill.totals, scale)
    there, taken = _search(hill, here, target - here.shares)
    moved = there.shares - here.shares
    squares, bends = blocks.totals(moved**2 / scale), blocks.totals(moved * (here.uphill - there.uphill))
    spectral = np.divide(squares, bends, out=np.full(blocks.m, LONGEST), where=bends > 0)
    return there, np.clip(np.where(taken > 0, spectral, lengths / 100), SHORTEST, LONGEST)


def newton_step(hill: Hill, here: Point) -> Point:
    """A step to where the gradient vanishes if the curvature stays and the shares that are zero stay zero."""
    blocks, scale = hill.blocks, hill.scale(here)
    change = _solve(hill, here, np.where(here.shares > 0, scale, 0.0))
    ahead = project(here.shares + change, blocks, hill.totals, scale) - here.shares
    there = hill.at(here.shares + ahead)
    rose = there.values >= here.values + ENOUGH * blocks.totals(ahead * here.uphill)
    rose &= hill.least_ratio(here, there) >= LEAST_KEPT
    if rose.all():
        return there
    # Bent at the edge the step has lost its direction: keep it and stop at the edge.
    reach = np.divide(here.shares, -change, out=np.full(len(change), np.inf), where=change < 0)
    reach = np.minimum(np.minimum.reduceat(reach[blocks.order], blocks.starts), 1.0)
    stopped = np.maximum(reach[blocks.block] * change, -here.shares)
    return _search(hill, here, np.where(rose[blocks.block], ahead, stopped))[0]


def _search(hill: Hill, here: Point, direction: Floats) -> tuple[Point, Floats]:
    """The point at the end of a direction, cut in each block until its likelihood rises enough; what was taken."""
    blocks = hill.blocks
    slopes = blocks.totals(direction * here.uphill)
    taken = np.ones(blocks.m)
    for cut in range(MOST_CUTS + 1):
        there = hill.at(here.shares + taken[blocks.block] * direction)
        ends = blocks.totals(direction * there.uphill)
        # Where the slope still leads up, the value rose all the way, whatever rounding says of a small rise.
        rose = (there.values >= here.values + ENOUGH * taken * slopes) | (ends >= 0)
        kept = hill.least_ratio(here, there)
        good = rose & (kept >= LEAST_KEPT)
        if good.all():
            break
        level = np.divide(slopes, slopes - ends, out=np.zeros(blocks.m), where=slopes > ends)
        # The law is linear along the line, so the point where enough is kept is known.
        part = np.where(
            kept < LEAST_KEPT, (1 - 2 * LEAST_KEPT) / (1 - np.minimum(kept, LEAST_KEPT)), np.clip(level, 0.05, 0.5)
        )
        taken = np.where(good, taken, taken * part if cut < MOST_CUTS - 1 else 0.0)
    return there, taken


def _solve(hill: Hill, here: Point, scale: Floats) -> Floats:
    """Conjugate gradients for the change whose curvature is the gradient, with no change in any block's total.

    They are scaled; a share whose scale is zero does not change.
    """
    blocks, free = hill.blocks, scale > 0
    weight = blocks.totals(scale)

    def scale_residual(residual: Floats) -> Floats:
        mean = np.divide(blocks.totals(scale * residual), weight, out=np.zeros(blocks.m), where=weight > 0)
        return scale * (residual - mean[blocks.block])

    change, residual = np.zeros(len(scale)), np.where(free, here.uphill, 0.0)
    direction = scale_residual(residual)
    size = first = blocks.totals(residual * direction)
    for _ in range(MOST_CONJUGATE):
        unsolved = size > SOLVED * first
        if not unsolved.any():
            break
        bent = hill.bent(here, direction)
        bends = blocks.totals(direction * bent)
        length = np.divide(size, bends, out=np.zeros(blocks.m), where=unsolved & (bends > 0))[blocks.block]
        change += length * direction
        residual -= length * np.where(free, bent, 0.0)
        next_ = scale_residual(residual)
        next_size = blocks.totals(residual * next_)
        keep = np.divide(next_size, size, out=np.zeros(blocks.m), where=unsolved & (size > 0))
        direction = next_ + keep[blocks.block] * direction
        size = np.where(unsolved, next_size, size)
    return change


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
            change = search_step(bent, missed + left)
            raised = left - prices / shares * change
            parts = _part(shares, change), _part(prices, raised)
            if not last:
                now = shares @ prices
                then = (shares + parts[0] * change) @ (prices + parts[1] * raised)
                aim, turned = np.full_like(shares, (then / now) ** 3 * now / len(shares)), change * raised
        shares, prices = shares + parts[0] * change, prices + parts[1] * raised
        yield shares


def _part(here: Floats, change: Floats) -> float:
    falling = change < 0
    return min(1.0, float((WITHIN * here[falling] / -change[falling]).min(initial=1.0)))
