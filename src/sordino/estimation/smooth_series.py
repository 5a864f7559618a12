"""A curve through independent estimates of one share, or of any number, in successive periods, with its band.

Each estimate is normal around the share of its period with a known standard error; the estimates are of different
people, so their errors are independent. The share stands still, changes steadily, steps or bends a little in each
period (`Curves`), and jumps a few times (`jump_posterior`). Sizes of steps are weighed by likelihood. A jump that is
more likely than not is taken for certain, and the search goes on; the uncertainty of its place is added in the end.

The band is about each period by itself. It weighs models by its own weights before the data (`Curves`), under which
rough walks are likely, and is as wide as they are far from the curve. At 95 % it holds the share in 93 to 99.5 % of the
weeks of a year in which it is constant, drifts, has a season, jumps, moves as people change their answers, or goes by a
walk with steps of a tenth to two standard errors (`sordino reproduce year`); the weeks beside a jump are no exception.
A period without an estimate is a gap: the curve goes through it by what is known of its neighbours.
Several shares are smoothed one by one; their curves do not add up to 1.
Cost: 18 inverses of T x T matrices, again for each jump: some 20 ms for 52 periods.
Source: averaging over models, with single effects one by one as Wang, Sarkar, Carbonetto and Stephens 2020.

How near a smoothed series is expected to be, before there are any estimates: by how rough it is, in one formula.

The number of a period is a random walk around an unknown line, its step known to the smoother; estimates of all periods
have the same standard error. The variance of the best linear predictor of each period then follows from the covariances
alone. A smoother that has to find the step out is a little farther off, one that meets a calm stretch a little nearer.
Units: standard errors of a period's estimate. Cost: an inverse of a T x T matrix.

The posterior of a series that jumps at most once more: averaged over curves and over the places of the jump.

Under each curve (`Curves`) the estimates are normal, and a jump after period t adds one more direction to
their covariance, so that the likelihoods and posteriors of all places follow from one inverse (Sherman and Morrison).
Effects of which nothing is known are projected out (restricted likelihood). Nothing is selected: the curve is the mean
over all models, and its variance includes how far they disagree, about the place of a jump too. The variance
weighs models by the band's own weights before the data, around the curve, wherever that is.
Cost: the inverse of a T x T matrix for each curve.

Standard errors of a series that do not go up and down with the estimates.

Few reports of a rare value happen to hold less of it or more, and their estimate's own standard error is then smaller
or larger: weighed by it, low estimates count too much, and 14 % of constant series would seem to change. So the
variance of one report is taken from the thirteen nearest periods, by their reports, and divided by the period's own.
Guarantee: of constant series of a share of 2 % with 120 reports a period at epsilon 4, 5.5 % are said to change where
5 % are allowed for (2,000 simulated).

What a share may do over time, as Gaussian models of its periods: stand still, step, or bend.

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
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.estimation.intervals.share_interval import errors_to_either_side
from sordino.estimation.solvers import search_inverse
from sordino.exact.floats import Floats

MOST_JUMPS = 6
"""A series that jumps more often is followed by its steps."""

FEWEST = 6
"""Periods from which on a series can be smoothed: below, nothing distinguishes steps from noise."""

MANY, WIDER = 40, 0.15
"""Estimates from which on a band is as wide as its models say. Fewer do not show how rough a walk is, nor where it
jumped: with 12 the band is 15 % wider. Of 500 simulated series of 8, 12, 18 or 26 periods each, bands hold a season, a
jump and rough walks in 90 to 97 % without that, and in 93 % or more with it."""

GAP = 1e3
"""Standard errors that stand for knowing nothing of a period."""


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


@dataclass(frozen=True)
class SmoothedSeries:
    """A curve.

    Attributes:
        value: of each period, season included, shape (T,).
        stderr: of it, over all models, shape (T,); of few periods larger (`WIDER`).
        jumps: periods before which it jumped, more likely than not, in ascending order; the first period is 0.
    """

    value: Floats
    stderr: Floats
    jumps: tuple[int, ...]

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Limits of the band in each period, each by itself; they are not cut to what is possible."""
        reach = errors_to_either_side(confidence) * self.stderr
        return self.value - reach, self.value + reach


def smooth_series(estimates: Floats, stderrs: Floats, season: int | None = None) -> SmoothedSeries:
    """The curve through the estimates of successive periods, shape (T,) each.

    Args:
        estimates: NaN where a period has none.
        stderrs: of them; NaN there too.
        season: its length in periods, where the share has one: the series must be at least twice as long.

    Example:
        >>> import numpy as np
        >>> smooth = smooth_series(np.array([0.31, 0.28, 0.33, 0.52, 0.49, 0.5]), np.full(6, 0.02))
        >>> smooth.jumps
        (3,)
    """
    _check(estimates, stderrs, season)
    known = np.isfinite(estimates)
    curves = Curves.around(estimates, stderrs, season)
    height = _height(estimates[known], stderrs[known])
    # What nothing is known of is an estimate with so large an error that it tells nothing.
    level, error = float(np.mean(estimates[known])), float(np.sqrt(np.mean(stderrs[known] ** 2)))
    estimates, stderrs = np.where(known, estimates, level), np.where(known, stderrs, GAP * error)
    jumps: list[int] = []
    further = jump_posterior(estimates, stderrs, curves, height, ())
    while further.places.sum() > 1 / 2 and len(jumps) < MOST_JUMPS:
        jumps.append(int(further.places.argmax()) + 1)
        further = jump_posterior(estimates, stderrs, curves, height, tuple(jumps))
    value, variance = further.mean.copy(), further.variance.copy()
    if jumps:
        # What each jump adds if its place is not known, the others being where they are.
        settled, least = further.without
        for jump in jumps:
            others = tuple(one for one in jumps if one != jump)
            anywhere = jump_posterior(estimates, stderrs, curves, height, others)
            value += anywhere.mean - settled
            variance += np.maximum(anywhere.variance - least, 0)
    wider = 1 + WIDER * max(0.0, (MANY - int(known.sum())) / (MANY - 12))
    return SmoothedSeries(value, wider * np.sqrt(variance), tuple(sorted(jumps)))


def _height(estimates: Floats, stderrs: Floats) -> float:
    """How far the numbers are from their mean, noise taken off, or by precision; an error of theirs at least."""
    precision = stderrs**-2
    weights = precision / precision.sum()
    weighed = float(weights @ (estimates - weights @ estimates) ** 2)
    beyond = float(np.var(estimates) - np.mean(stderrs**2))
    return float(np.sqrt(max(weighed, beyond, 1 / float(np.mean(precision)))))


def _check(estimates: Floats, stderrs: Floats, season: int | None) -> None:
    known = np.isfinite(estimates)
    periods = int(known.sum())
    if periods < FEWEST or estimates.shape != stderrs.shape:
        rule = f"a series has at least {FEWEST} periods with an estimate, and a standard error for each"
        raise SordinoError(rule, found=f"{periods} estimates and {len(stderrs)} standard errors", step="collect longer")
    own = stderrs[known]
    if np.isinf(estimates).any() or not (np.isfinite(own).all() and (own > 0).all()):
        rule = "estimates of a series are numbers with positive standard errors"
        raise SordinoError(rule, found="an estimate without", step="leave it out as a gap: NaN")
    if season is not None and not 2 <= season <= periods // 2:
        rule = "a season has at least 2 periods and occurs at least twice in a series"
        raise SordinoError(rule, found=f"{season} of {periods} periods", step="smooth without a season, or wait")
    if season is not None and len({place % season for place in np.flatnonzero(known)}) < season:
        rule, step = "each period of a season has an estimate at least once", "smooth without a season, or wait"
        raise SordinoError(rule, found="gaps in all of one", step=step)


@cache
def smoothed_error(periods: int, step: float, season: int | None = None) -> float:
    """The root mean squared error of the curve over all periods.

    Args:
        periods: of the series.
        step: the standard deviation of a change from one period to the next; 0 of a line.
        season: its length in periods, where one is declared.

    Example:
        >>> round(smoothed_error(52, 0.0), 3), round(smoothed_error(52, 0.5), 3), round(smoothed_error(52, 1e3), 3)
        (0.196, 0.502, 1.0)
    """
    below = np.tril(np.ones((periods, periods)))[:, 1:]
    inverse = search_inverse(np.eye(periods) + step**2 * (below @ below.T))
    known = effects(periods, season)
    within = inverse @ known
    precision = inverse - within @ np.linalg.pinv(known.T @ within) @ within.T
    return float(np.sqrt(np.mean(1 - np.diagonal(precision))))


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
    inverse = search_inverse(curves.covariances + np.diag(noise) + size * fixed @ fixed.T)
    within = inverse @ curves.effects
    information = curves.effects.T @ within
    precision = inverse - within @ search_inverse(information) @ within.transpose(0, 2, 1)
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


REACH = 6
"""Periods before and after; at the ends as many others."""


def pooled_errors(stderrs: Floats, reports: NDArray[np.intp]) -> Floats:
    """The standard errors of periods with so many reports, shape (T,) each.

    Example:
        >>> pooled_errors(np.array([0.01, 0.03]), np.array([100, 100])).round(4).tolist()
        [0.0224, 0.0224]
    """
    count = len(stderrs)
    totals = np.concatenate([[0.0], np.cumsum(reports, dtype=np.float64)])
    # The variance of one report is that of the estimate times its reports, and each report counts alike.
    weighted = np.concatenate([[0.0], np.cumsum((reports * stderrs) ** 2)])
    first = np.maximum(0, np.minimum(np.arange(count) - REACH, count - 2 * REACH - 1))
    last = np.minimum(count, first + 2 * REACH + 1)
    variance = (weighted[last] - weighted[first]) / (totals[last] - totals[first])
    pooled: Floats = np.sqrt(variance / reports)
    return pooled


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
