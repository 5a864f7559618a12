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

NEGLIGIBLE = 1e-14
"""Weight of a model that means leave out: it shows in no digit."""


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
    along = _sums_after(precision)
    spread = 1 + size * np.einsum("ts,mts->ms", jumps, along)
    gain = residual @ jumps
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
    still, careful_still = (one[:, :1] / one[:, 0].sum() for one in (weights, careful))
    likely = np.maximum(weights.sum(axis=1), careful.sum(axis=1)) > NEGLIGIBLE
    curve, moved = _CurvePosteriors(mean[likely], variance[likely]), noise[:, None] * along[likely]
    shift = size * gain[likely] / spread[likely]
    jump = moved, shift, size / spread[likely]
    return JumpPosterior(
        *curve.mixture(weights[likely], careful[likely], jump),
        np.stack(_CurvePosteriors(mean, variance).mixture(still, careful_still)),
        weights[:, 1:].sum(axis=0),
    )


def _posterior(logs: Floats) -> Floats:
    """Weights of which these are the logarithms, up to a constant."""
    likely = np.exp(logs - logs.max())
    weights: Floats = likely / likely.sum()
    return weights


def _sums_after(matrices: Floats) -> Floats:
    """Of each row the sums of what stands from each place but the first on: what a jump there adds up."""
    sums: Floats = np.cumsum(matrices[:, :, :0:-1], axis=2)[:, :, ::-1]
    return sums


@dataclass(frozen=True)
class _CurvePosteriors:
    """Of each model without a further jump the mean and the variance of the share, shape (m, T) each."""

    mean: Floats
    variance: Floats

    def mixture(
        self, weights: Floats, careful: Floats, jump: tuple[Floats, Floats, Floats] | None = None
    ) -> tuple[Floats, Floats]:
        """Mean in each period of a mixture over models and places, and by careful weights the mean square around it.

        Args:
            weights, careful: of no further jump, then of one before each period but the first, shape (m, T) each;
                shape (m, 1) without jumps.
            jump: by how much one of height 1 before each period but the first moves the mean, shape (m, T, T - 1); the
                height that is expected, and the variance of an unknown one, shape (m, T - 1) each.
        """
        mean = weights.sum(axis=1) @ self.mean
        if jump is None:
            return mean, careful.sum(axis=1) @ (self.variance + (self.mean - mean) ** 2)
        moved, height, unknown = jump
        mean = mean + np.einsum("mts,ms->t", moved, weights[:, 1:] * height)
        apart, own = self.mean - mean, careful[:, 1:]
        # The square of a sum: how far a model is off, how far a jump moves it, and twice both together.
        square = careful.sum(axis=1) @ (self.variance + apart**2)
        square = square + np.einsum("mts,mts,ms->t", moved, moved, own * (height**2 + unknown))
        return mean, square + 2 * np.einsum("mt,mts,ms->t", apart, moved, own * height)
