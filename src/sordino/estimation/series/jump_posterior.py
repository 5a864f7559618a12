"""The posterior of a series that jumps at most once more: averaged over curves and over the places of the jump.

Under each curve (`Curves`) the estimates are normal, and a jump after period t adds one more direction to
their covariance, so that the likelihoods and posteriors of all places follow from one inverse (Sherman and Morrison).
Effects of which nothing is known are projected out (restricted likelihood). Nothing is selected: the curve is the mean
over all models, and its variance includes how far they disagree, about the place of a jump too. The variance
weighs models by the band's own weights before the data, around the curve, wherever that is.
Cost: the inverse of a T x T matrix for each curve.
"""

from dataclasses import dataclass

import numpy as np

from sordino.estimation.series.curves import Curves
from sordino.exact.arrays import Floats

JUMP = 0.3
"""Probability, before the data, that a series jumps once more, at any place alike."""


@dataclass(frozen=True)
class JumpPosterior:
    """What estimates say about a series.

    Attributes:
        mean: of the share in each period, shape (T,).
        variance: its mean square around that, by the weights of bands, shape (T,).
        without: the same if there is no further jump, shape (2, T).
        places: probability of a further jump before each period but the first, shape (T - 1,).
    """

    mean: Floats
    variance: Floats
    without: Floats
    places: Floats


def jump_posterior(
    estimates: Floats, stderrs: Floats, curves: Curves, height: float, known: tuple[int, ...]
) -> JumpPosterior:
    """Average over curves and places.

    Args:
        height: standard deviation of a jump before the data.
        known: periods before which the series jumps for certain, by unknown heights.
    """
    periods, noise, size = len(estimates), stderrs**2, height**2
    jumps = np.tril(np.ones((periods, periods)))[:, 1:]
    fixed = jumps[:, [period - 1 for period in known]]
    inverse = np.linalg.inv(curves.covariances + np.diag(noise) + size * fixed @ fixed.T)
    within = inverse @ curves.effects
    information = curves.effects.T @ within
    precision = inverse - within @ np.linalg.inv(information) @ within.transpose(0, 2, 1)
    residual = precision @ estimates
    likelihood = np.linalg.slogdet(inverse)[1] - np.linalg.slogdet(information)[1] - residual @ estimates
    # What is not noise, without a further jump: the noise's best prediction is noise x residual.
    mean = estimates - noise * residual
    variance = noise - noise**2 * np.diagonal(precision, axis1=1, axis2=2)
    # Then with one: a shift along each jump's direction, with one more unknown.
    along = precision @ jumps
    spread = 1 + size * (jumps * along).sum(axis=1)
    gain = residual @ jumps
    moved = noise[:, None] * along
    means = mean[:, :, None] + moved * (size * gain / spread)[:, None, :]
    variances = variance[:, :, None] + size * moved**2 / spread[:, None, :]
    free = np.ones(periods - 1, dtype=bool)
    free[[period - 1 for period in known]] = False
    places = np.concatenate(
        [
            np.full((len(mean), 1), np.log1p(-JUMP)),
            np.where(free, (size * gain**2 / spread - np.log(spread)) / 2 + np.log(JUMP / max(free.sum(), 1)), -np.inf),
        ],
        axis=1,
    )
    priors = curves.log_weights, curves.band_log_weights
    weights, careful = (_posterior((prior + likelihood / 2)[:, None] + places) for prior in priors)
    all_means = np.concatenate([mean[:, :, None], means], axis=2)
    all_variances = np.concatenate([variance[:, :, None], variances], axis=2)
    still, careful_still = (one[:, :1] / one[:, 0].sum() for one in (weights, careful))
    return JumpPosterior(
        *_mixture(weights, careful, all_means, all_variances),
        np.stack(_mixture(still, careful_still, all_means[:, :, :1], all_variances[:, :, :1])),
        weights[:, 1:].sum(axis=0),
    )


def _posterior(logs: Floats) -> Floats:
    """Weights of which these are the logarithms, up to a constant."""
    likely = np.exp(logs - logs.max())
    weights: Floats = likely / likely.sum()
    return weights


def _mixture(weights: Floats, careful: Floats, means: Floats, variances: Floats) -> tuple[Floats, Floats]:
    """Mean in each period of a mixture over curves and places, and by careful weights the mean square around it."""
    mean = np.einsum("ms,mts->t", weights, means)
    return mean, np.einsum("ms,mts->t", careful, variances + (means - mean[:, None]) ** 2)
