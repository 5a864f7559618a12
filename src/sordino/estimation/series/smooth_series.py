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
"""

from dataclasses import dataclass

import numpy as np

from sordino.errors import SordinoError
from sordino.estimation.interval import errors_to_either_side
from sordino.estimation.series.curves import Curves
from sordino.estimation.series.jump_posterior import jump_posterior
from sordino.exact.arrays import Floats

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
