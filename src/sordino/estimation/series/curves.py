"""What a share may do over time, as Gaussian models of its periods: stand still, step, or bend.

Every model has an unknown level, an unknown constant change per period and, where it is declared, an unknown season;
of these nothing is known beforehand. Around them the share stands still, or goes by a random walk (each step is normal,
with one standard deviation), or its slope does. So a straight line and a smooth bend are not taken for
noisy steps, whose bands would be too wide. Standard deviations of the steps lie on a grid from a sixteenth of a
standard error to whatever the estimates show, and the likelihood weighs them. Lengths are in periods.
Sources: Harvey 1989, sections 2.3 and 4.5 (structural time series, diffuse effects); Wahba 1978 (smoothing splines).
"""

from dataclasses import dataclass

import numpy as np

from sordino.exact.arrays import Floats

STILL = 0.5
"""Weight, before the data, of no steps at all; walks of the level and of the slope share the rest. With 0.85 bands of a
share that bends at first cover 92.7 %, with 1/2 95.4 %, and errors are alike."""

STEPS, BENDS = 9, 6
"""Sizes of steps of the level and of the slope."""


@dataclass(frozen=True)
class Curves:
    """Models of a series of T periods.

    Attributes:
        effects: columns of which nothing is known beforehand: level, change per period, season; shape (T, c).
        covariances: of the rest, for each model, shape (m, T, T).
        log_weights: of the models before the data, shape (m,).
    """

    effects: Floats
    covariances: Floats
    log_weights: Floats

    @classmethod
    def around(cls, estimates: Floats, stderrs: Floats, season: int | None) -> "Curves":
        """The models whose steps estimates with such standard errors can distinguish."""
        periods = len(estimates)
        error = float(np.sqrt(np.mean(stderrs**2)))
        below = np.tril(np.ones((periods, periods)))
        step, bend = below[:, 1:], (below @ below)[:, 1:]
        farthest = max(4 * error, float(np.ptp(estimates)))
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
        return cls(_effects(periods, season), np.concatenate(covariances), np.log(weights))


def _effects(periods: int, season: int | None) -> Floats:
    """Level, change and the season's waves."""
    time = np.arange(periods, dtype=np.float64)
    columns = [np.ones(periods), (time - time.mean()) / periods]
    for wave in range(1, 1 + (season or 0) // 2):
        angle = 2 * np.pi * wave * time / (season or 1)
        columns.append(np.cos(angle))
        # The fastest wave of an even season has no second phase: its sine is 0 in every period.
        if 2 * wave != season:
            columns.append(np.sin(angle))
    return np.column_stack(columns)
