"""Whether smoothed shares are nearer to the truth than the nearest distribution, by what the reports tell of shares.

The posterior of each share, given its estimate and what was expected of it without that, says how far any vector is
expected to be from the truth: the smoothed shares, and the nearest distribution too. Where the reports do not tell
whether shares are spread or sparse there is more than one posterior: the same is asked of sparse priors, class by class
of values of which about the same is expected, as far as the reports allow them together, since sparse shares are where
smoothing loses. Only where it wins by all of them is it offered.

No model of what neighbours are like is believed: if lines or a checkerboard make them unlike each other, then the
estimates of values of which the same was expected say so, and their prior is as wide as it has to be.

Sources: Efron 2014 (empirical Bayes by deconvolution); Ignatiadis and Wager 2022 (what holds under all priors that the
estimates allow).
"""

from dataclasses import dataclass, replace

import numpy as np

from sordino.estimation.neighbours.noise import ShareNoise, is_independent
from sordino.estimation.neighbours.ratio_prior import RatioPrior, sparse_priors
from sordino.estimation.neighbours.smoothing import Smoothed, Surroundings, smoothed_map
from sordino.estimation.simplex import project
from sordino.estimation.unbiased import Decoded
from sordino.exact.floats import Floats

ALLOWED = 4.0
"""Nats by which the estimates may be less likely under a prior that the reports allow."""

BETTER = 0.95
"""A larger ratio of the expected distances, by any prior that the reports allow, is no improvement: of those between
this and 0.98 so many came out worse on hard maps of few people that nothing was gained on average."""

BETTER_IF_UNEVEN = 0.8
"""The same where values of one block have noise of different sizes, as sensitive ones and others: that people may be
where noise is large is not modelled, and made smoothed shares up to 12 % worse that seemed 15 % better."""

MISSED = 1.5
"""A larger factor between the known total of all shares and the sum of their posterior means: there is no choice."""

ROUGH, MOST_ROUGH = 0.7, 0.25
"""A variance that one person more, who was asked at random, raises by a larger part is of values that get about two
reports or fewer by chance, if nobody has them: counts so small are not normal in any units. Of all people, the part
that may have such values."""

HALVINGS = 40
"""Of the price of a nat, on a scale of logarithms."""

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


@dataclass(frozen=True)
class SmoothingRefusal:
    """That nothing is known of how far smoothed shares would be from the truth."""

    why: str


CORRELATED = SmoothingRefusal("the errors of neighbouring values depend on each other")
"""Reports by a channel of which the noise is not modelled."""


def smooth_if_nearer(
    decoded: Decoded, n: int, value: Floats, known: Surroundings, *, subtract: bool
) -> tuple[Floats | None, Choice | SmoothingRefusal | None]:
    """The smoothed shares of a tally if they are nearer, shape (k,), and what is expected; of few values None.

    Raises SordinoError: a shape or public numbers of another number of values.

    Args:
        value: shape (k,), the unbiased estimates.
        subtract: whether estimates are shifted to the known share of their block.
    """
    mechanism = decoded.mechanism
    known.require(mechanism.k)
    if mechanism.k < FEWEST:
        return None, None
    if not is_independent(mechanism):
        return None, CORRELATED
    blocks, totals = mechanism.partition, mechanism.block_shares(decoded.law)
    noise = ShareNoise.of(mechanism, totals, n, subtract=subtract)
    fit = smoothed_map(value, noise, blocks, totals, known)
    choice = choose(fit, project(value, blocks, totals), n)
    if choice.worst > BETTER_IF_UNEVEN and noise.is_uneven(blocks):
        choice = replace(choice, worst=max(choice.worst, 1.0))
    return fit.shares if choice.better else None, choice


def choose(fit: Smoothed, nearest: Floats, n: int) -> Choice:
    """Compare the two fits of a tally.

    Args:
        nearest: shape (k,), the nearest distribution.
    """
    total = float(nearest.sum())
    own = _distances(fit.prior, fit, nearest)
    smoothed, plain = own.sum(axis=1).tolist()
    ratio = smoothed / plain if plain > 0 else 1.0
    if not is_believable(fit.prior, nearest, n):
        return Choice(smoothed, plain, max(ratio, 1.0))
    if ratio > BETTER:
        return Choice(smoothed, plain, ratio)
    sparse = list(sparse_priors(fit.prior, total))
    expected = np.stack([own, *(_distances(each, fit, nearest) for each in sparse)])
    unlikely = np.stack([fit.prior.log_likelihoods - each.log_likelihoods for each in (fit.prior, *sparse)])
    loses = _worst(expected, unlikely).sum(axis=0)
    return Choice(smoothed, plain, max(ratio, float(loses[0] / loses[1])))


def is_believable(prior: RatioPrior, nearest: Floats, n: int) -> bool:
    """Whether posteriors prove anything: their means do not miss the total that is known, and noise is about normal.

    Args:
        nearest: shape (k,), the nearest distribution.
    """
    total, told, noise = float(nearest.sum()), float(prior.posteriors.means().sum()), prior.noise
    rough = nearest[noise.growth + 1 / (n * noise.stderr) > ROUGH].sum()
    return bool(total / MISSED <= told <= total * MISSED and rough <= MOST_ROUGH * total)


def _distances(prior: RatioPrior, fit: Smoothed, nearest: Floats) -> Floats:
    """The total variation to the truth to be expected of either fit in each class of values, shape (2, classes)."""
    posteriors = prior.posteriors
    part = float(nearest.sum()) / max(float(posteriors.means().sum()), np.finfo(np.float64).tiny)
    distances = [part / 2 * prior.by_class(posteriors.distances(shares / part)) for shares in (fit.shares, nearest)]
    return np.stack(distances)


def _worst(expected: Floats, unlikely: Floats) -> Floats:
    """What is expected of either fit in each class, shape (classes, 2), if it has the prior by which smoothing loses.

    A prior is chosen for each class by what smoothing loses there, less a price for each nat; the price is the least
    at which the reports allow all that is chosen together.

    Args:
        expected: shape (priors, 2, classes).
        unlikely: shape (priors, classes), nats by which the estimates are less likely.
    """
    # What is not even allowed alone would hide, as the dearer bargain, what is.
    loses = np.where(unlikely <= ALLOWED, expected[:, 0] - BETTER * expected[:, 1], -np.inf)
    own = np.arange(expected.shape[2])
    low, high = -30.0, 10.0
    for _ in range(HALVINGS):
        price = (low + high) / 2
        chosen = np.argmax(loses - np.exp(price) * unlikely, axis=0)
        within = unlikely[chosen, own].sum() <= ALLOWED
        low, high = (low, price) if within else (price, high)
    chosen = np.argmax(loses - np.exp(high) * unlikely, axis=0)
    return expected[chosen, :, own]
