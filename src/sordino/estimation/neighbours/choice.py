"""Whether smoothed shares are nearer to the truth than the nearest distribution, by what the reports tell of shares.

The posterior of each share, given its estimate and what was expected of it without that, says how far any vector is
expected to be from the truth: the smoothed shares, and the nearest distribution too. Where the reports do not tell
whether shares are spread or sparse there is more than one posterior: the same is asked of priors that are as sparse as
the reports allow, since sparse shares are where smoothing loses. Only where it wins by all of them is it offered.

No model of what neighbours are like is believed: if lines or a checkerboard make them unlike each other, then the
estimates of values of which the same was expected say so, and their prior is as wide as it has to be.

Sources: Efron 2014 (empirical Bayes by deconvolution); Ignatiadis and Wager 2022 (what holds under all priors that the
estimates allow).
"""

from dataclasses import dataclass

from sordino.estimation.neighbours.noise import Floats, Noise
from sordino.estimation.neighbours.ratio_prior import RatioPrior
from sordino.estimation.neighbours.smoothing import Smoothed, Surroundings, smoothed_map
from sordino.estimation.neighbours.sparse import sparse_priors
from sordino.estimation.simplex import project
from sordino.estimation.unbiased import Decoded

ALLOWED = 4.0
"""Nats by which the estimates may be less likely under a prior that the reports allow."""

BETTER = 0.98
"""A larger ratio of the expected distances, by any prior that the reports allow, is no improvement."""

FEWEST = 100
"""Values: fewer tell too little of what shares are like."""


@dataclass(frozen=True)
class Choice:
    """What the reports say of the smoothed shares.

    Attributes:
        smoothed, nearest: the total variation to the truth to be expected of either fit.
        worst: the largest ratio of the two, over all that the reports allow shares to be like.
    """

    smoothed: float
    nearest: float
    worst: float

    @property
    def better(self) -> bool:
        """Whether the smoothed shares are nearer, whatever the reports allow shares to be like."""
        return self.worst <= BETTER


def offered(
    decoded: Decoded, n: int, value: Floats, known: Surroundings, *, subtract: bool
) -> tuple[Floats | None, Choice | None]:
    """The smoothed shares of a tally if they are nearer, shape (k,), and what is expected; of few values None.

    Args:
        decoded: the law of the reports.
        n: their number.
        value: shape (k,), the unbiased estimates.
        known: beside the reports.
        subtract: whether estimates are shifted to the known share of their block.

    Raises:
        SordinoError: a shape or public numbers of another number of values.
    """
    mechanism = decoded.mechanism
    known.require(mechanism.k)
    if mechanism.k < FEWEST:
        return None, None
    blocks, totals = mechanism.partition, mechanism.block_shares(decoded.law)
    noise = Noise.of(mechanism, totals, n, subtract=subtract)
    fit = smoothed_map(value, noise, blocks, totals, known)
    choice = choose(fit, project(value, blocks, totals))
    return fit.shares if choice.better else None, choice


def choose(fit: Smoothed, nearest: Floats) -> Choice:
    """Compare the two fits of a tally.

    Args:
        fit: the smoothed shares.
        nearest: shape (k,), the nearest distribution.
    """
    prior, total = fit.prior, float(nearest.sum())
    allowed = [
        other
        for other in sparse_priors(prior, total)
        if other.log_likelihood >= prior.log_likelihood - ALLOWED
    ]
    expected = [_distances(each, fit, nearest, total) for each in (prior, *allowed)]
    smoothed, plain = expected[0]
    return Choice(smoothed, plain, max(ours / theirs if theirs > 0 else 1.0 for ours, theirs in expected))


def _distances(prior: RatioPrior, fit: Smoothed, nearest: Floats, total: float) -> tuple[float, float]:
    """The total variation to the truth to be expected of either fit, if shares have this prior and the known total."""
    posteriors = prior.posteriors
    part = total / float(posteriors.means().sum())
    ours, theirs = (part * float(posteriors.distances(shares / part).sum()) / 2 for shares in (fit.shares, nearest))
    return ours, theirs
