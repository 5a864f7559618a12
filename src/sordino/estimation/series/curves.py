"""What a share may do over time, as Gaussian models of its periods: stand still, step, or bend.

Every model has an unknown level, an unknown constant change per period and, where it is declared, an unknown season;
of these nothing is known beforehand. Around them the share stands still, or goes by a random walk (each step is normal,
with one standard deviation), or its slope does. So a straight line and a smooth bend are not taken for
noisy steps, whose bands would be too wide. Standard deviations of the steps lie on a grid from a sixteenth of a
standard error to whatever the estimates show, and the likelihood weighs them. Weights before the data are of two kinds:
the curve expects a calm share, so that it is near where a share is calm; the band expects a walk as rough as the
estimates could hide, so that it covers one. Lengths are in periods.
Sources: Harvey 1989, sections 2.3 and 4.5 (structural time series, diffuse effects); Wahba 1978 (smoothing splines).
"""

from dataclasses import dataclass

import numpy as np

from sordino.exact.arrays import Floats

STILL = 0.5
"""Weight, before the data, of no steps at all; walks of the level and of the slope share the rest. With 0.85 bands of a
share that bends at first cover 92.7 %, with 1/2 95.4 %, and errors are alike."""

STEPS, BENDS = 11, 6
"""Sizes of steps of the level and of the slope."""

BAND_STILL, BAND_BENDS = 0.08, 0.3
"""Weights, for the band, of no steps at all and of a walk of the slope; walks of the level have the rest."""

HARDLY_SEEN = 47.0
"""Periods times a step in standard errors at which estimates often cannot exclude that nothing moves. With the weights
above, the bands of 52 weeks cover rough walks of every size alike, and calm ones in up to 99.5 % (simulated)."""


@dataclass(frozen=True)
class Curves:
    """Models of a series of T periods.

    Attributes:
        effects: columns of which nothing is known beforehand: level, change per period, season; shape (T, c).
        covariances: of the rest, for each model, shape (m, T, T).
        log_weights: of the models before the data, shape (m,).
        band_log_weights: the same for the band, where rough walks are likelier.
    """

    effects: Floats
    covariances: Floats
    log_weights: Floats
    band_log_weights: Floats

    @classmethod
    def around(cls, estimates: Floats, stderrs: Floats, season: int | None) -> "Curves":
        """The models whose steps estimates with such standard errors can distinguish; NaN where a period has none."""
        periods, known = len(estimates), np.isfinite(estimates)
        # Of the periods that tell most: beside one of few reports all others' steps would seem too small to look for.
        error = float(np.mean(stderrs[known] ** -2.0) ** -0.5)
        below = np.tril(np.ones((periods, periods)))
        step, bend = below[:, 1:], (below @ below)[:, 1:]
        farthest = max(4 * error, float(np.ptp(estimates[known])))
        steps = np.geomspace(error / 16, farthest, STEPS)
        # From a bend that the whole series hardly shows to one that shows within a few periods.
        bends = np.geomspace(error * periods**-1.5, 0.3 * error, BENDS)
        covariances = [
            np.zeros((1, periods, periods)),
            steps[:, None, None] ** 2 * (step @ step.T),
            bends[:, None, None] ** 2 * (bend @ bend.T),
        ]
        moving = (1 - STILL) / 2
        weights = np.concatenate([[STILL], np.full(STEPS, moving / STEPS), np.full(BENDS, moving / BENDS)])
        careful = _band_weights(steps / error, periods)
        return cls(effects(periods, season), np.concatenate(covariances), np.log(weights), np.log(careful))


def _band_weights(sizes: Floats, periods: int) -> Floats:
    """Weights for the band before the data: walks that so many periods hardly distinguish from calm are likely.

    Args:
        sizes: of the level's steps, in standard errors.
    """
    near = np.exp(-0.5 * (np.log(sizes * periods / HARDLY_SEEN) / 0.6) ** 2)
    walks = 0.98 * near / near.sum() + 0.02 / STEPS
    growing = np.exp(np.arange(BENDS))
    return np.concatenate(
        [[BAND_STILL], (1 - BAND_STILL - BAND_BENDS) * walks, BAND_BENDS * growing / growing.sum()],
    )


def effects(periods: int, season: int | None) -> Floats:
    """Columns of which nothing is known beforehand: level, change and the season's waves, shape (T, c)."""
    time = np.arange(periods, dtype=np.float64)
    columns = [np.ones(periods), (time - time.mean()) / periods]
    for wave in range(1, 1 + (season or 0) // 2):
        angle = 2 * np.pi * wave * time / (season or 1)
        columns.append(np.cos(angle))
        # The fastest wave of an even season has no second phase: its sine is 0 in every period.
        if 2 * wave != season:
            columns.append(np.sin(angle))
    return np.column_stack(columns)
