"""Shares by empirical Bayes without neighbours: one distribution of all shares is learnt from their estimates.

It is a distribution of ratios, of a share to the mean share of its block; their mean is known. Gamma distributions of
every shape have it, from shares that are all alike to a few values that hold everybody; so has the most likely
distribution of any form. What is learnt is the mean of all these, each weighed by how likely it makes the estimates:
where these say little the most likely one of any form would take noise for structure, and counts as less likely.

What is fitted is the nearest distribution to the posterior means, with each block's known total. Where most values have
next to nobody each mean is a little too much: there the Bayes rule for total variation (`equal_quantiles`) is taken.
Nothing is fitted unless it is expected to be nearer to the truth than the nearest distribution to the estimates, by the
same posteriors and by the rule of the joint fit. Single values are drawn towards the others: for one of them read the
unbiased estimate. An expectation is no promise: of few reports that say next to nothing (300 at epsilon .5) and people
at two values it was 1.4 times as far from the truth as the nearest distribution.

Cost: some 30 passes of EM over bins of estimates, whatever their number: about 5 milliseconds.

Sources: Kiefer and Wolfowitz 1956; Koenker and Mizera 2014 (most likely distribution); Owen 1988 (of a known mean).
"""

from dataclasses import dataclass

import numpy as np

from sordino.estimation.joint.joint_fit import BETTER
from sordino.estimation.neighbours.choice import is_believable
from sordino.estimation.neighbours.noise import ShareNoise, is_independent
from sordino.estimation.neighbours.posterior import SHARES, STEP
from sordino.estimation.neighbours.ratio_prior import RatioLikelihood, RatioPrior, bin_probabilities
from sordino.estimation.neighbours.smoothing import equal_quantiles
from sordino.estimation.simplex import project
from sordino.estimation.unbiased import Decoded
from sordino.exact.floats import Floats

FEWEST = 16
"""Values: fewer tell too little of what shares are like. Of 8 to 12 some came out a tenth farther from the truth."""

SHAPES = np.geomspace(1e-3, 1e3, 16)
"""Of gamma distributions: the variance of a ratio is one over the shape."""

UNBOUND = 3.0
"""Nats by which the most likely distribution of any form counts as less likely: as many as it gains by noise alone."""

STEPS, MOST_ROUNDS, GAIN = 6, 100, 0.02
"""Steps of EM in a round, after which the known mean is restored; rounds at most, and the nats that one must gain for
another to follow."""

SPARSE = 0.9
"""A smaller ratio of the expected distances, of equal quantiles to means, is that of values of which most have nobody:
two that hold everybody have .65 to .93, shares as one over the rank or alike .95 and more."""

TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class LearntChoice:
    """What is expected of shares fitted with the learnt distribution.

    Attributes:
        learnt, nearest: the expected total variation to the truth of this fit, and of the nearest distribution.
    """

    learnt: float
    nearest: float

    @property
    def better(self) -> bool:
        """Whether this fit is expected to be nearer."""
        return self.learnt <= BETTER * self.nearest


def learn_if_nearer(
    decoded: Decoded, n: int, value: Floats, *, subtract: bool
) -> tuple[Floats | None, LearntChoice | None]:
    """The shares fitted with the learnt distribution, shape (k,), if they are nearer, and what is expected.

    None for both of few values, under channels whose errors go together, and where noise differs within a block.

    Args:
        value: shape (k,), the unbiased estimates.
        subtract: whether estimates are shifted to the known share of their block.
    """
    mechanism = decoded.mechanism
    if mechanism.k < FEWEST or not is_independent(mechanism):
        return None, None
    blocks, totals = mechanism.partition, mechanism.block_shares(decoded.law)
    noise = ShareNoise.of(mechanism, totals, n, subtract=subtract)
    if noise.is_uneven(blocks):
        return None, None
    prior = RatioPrior.of(value, (totals / blocks.sizes)[blocks.block], noise, learn_ratios)
    posteriors, nearest = prior.posteriors, project(value, blocks, totals)
    if not is_believable(prior, nearest, n):
        return None, None
    fits = [project(posteriors.means(), blocks, totals), equal_quantiles(posteriors, blocks, totals), nearest]
    means, quantiles, plain = (float(posteriors.distances(shares).sum()) / 2 for shares in fits)
    sparse = quantiles <= SPARSE * means
    choice = LearntChoice(quantiles if sparse else means, plain)
    return fits[sparse] if choice.better else None, choice


def learn_ratios(likelihood: RatioLikelihood, left: float) -> Floats:
    """The distribution of the ratios of a class of values, shape (1 + ratios,).

    Args:
        left: total share of the values whose estimates need no prior's help, in units of noise.
    """
    counts = likelihood.counts.sum(axis=1)
    people = float(counts.sum())
    # A share adds to what is left as far as its estimate is not one that speaks for itself.
    graded = SHARES[1:] * bin_probabilities()[:-1, 1:].sum(axis=0)
    # The largest of the grid stands for all beyond it, which are never left.
    graded[-1] = 0.0
    amounts = np.bincount(
        likelihood.place.ravel(), np.multiply.outer(counts, graded).ravel() / people, likelihood.ratios
    )
    # What is left is uncertain by a unit for each estimate that speaks for itself.
    plain = float(likelihood.counts[:, -1].sum())
    gains = np.concatenate([[0.0], amounts]) - max(left, np.sqrt(plain) / 2, TINY) / people
    found = [with_mean(gamma, gains) for gamma in gamma_ratios(likelihood)]
    ratios, reached = with_mean(likelihood.spread, gains), -np.inf
    for _ in range(MOST_ROUNDS):
        ratios = with_mean(likelihood.climb(ratios, STEPS), gains)
        before, reached = reached, likelihood.log(ratios)
        if reached < before + GAIN:
            break
    logs = np.array([*map(likelihood.log, found), reached])
    logs[:-1] -= np.log(len(found))
    logs[-1] -= UNBOUND
    weights = np.exp(logs - logs.max())
    learnt: Floats = weights / weights.sum() @ np.stack([*found, ratios])
    return learnt


def gamma_ratios(likelihood: RatioLikelihood) -> Floats:
    """Gamma distributions with mean one on the grid of ratios, shape (shapes, 1 + ratios)."""
    from scipy import special

    edges = np.exp(STEP * (np.arange(-1, likelihood.ratios) - likelihood.highest))
    below = special.gammainc(SHAPES[:, None], SHAPES[:, None] * edges)
    below[:, -1] = 1.0
    gammas: Floats = np.diff(below, axis=1, prepend=0.0)
    return gammas


def with_mean(weights: Floats, gains: Floats) -> Floats:
    """The likeliest distribution, shape (r,), of counts in proportion to weights, whose mean gain is zero.

    It is the weights over 1 + t gains, for the t at which the mean is right; the weights where none is.

    Args:
        gains: shape (r,), of each entry.
    """
    from scipy import optimize

    present = weights > 0
    own, gain = weights[present], gains[present]
    if not gain.min() < 0 < gain.max():
        return weights
    low, high = -1 / gain.max(), -1 / gain.min()
    margin = 1e-9 * (high - low)

    def mean(tilt: float) -> float:
        return float((own * gain / (1 + tilt * gain)).sum())

    low, high = low + margin, high - margin
    if not mean(low) > 0 > mean(high):
        return weights
    tilt = optimize.brentq(mean, low, high, xtol=1e-12 * (high - low))
    tilted = np.zeros_like(weights)
    tilted[present] = own / (1 + tilt * gain)
    tilted /= tilted.sum()
    return tilted
