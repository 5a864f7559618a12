"""A curve through independent estimates of one share, or of any number, in successive periods, with its band.

Each estimate is normal around the share of its period with a known standard error; the estimates are of different
people, so their errors are independent. The share stands still, changes steadily, steps or bends a little in each
period (`Curves`), and jumps a few times (`jump_posterior`). Sizes of steps are weighed by likelihood. A jump that is
more likely than not is taken for certain, and the search goes on; the uncertainty of its place is added in the end.

The band is about each period by itself. At 95 % it holds the share in 92.5 to 99 % of the weeks of a year in which it
is constant, drifts, has a season, jumps once, or moves as people change their answers, with 2,000 reports a week and
epsilon 1, 2 and 4 (`sordino reproduce year`); the weeks beside a jump are no exception.
It is too narrow for a rough random walk: with steps of half a standard error it holds the share in 86 % of weeks, since
calmer models keep too much weight.
Several shares are smoothed one by one; their curves do not add up to 1.
Cost: 16 inverses of T x T matrices, again for each jump: some 20 ms for 52 periods.
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


@dataclass(frozen=True)
class SmoothedSeries:
    """A curve.

    Attributes:
        value: of each period, season included, shape (T,).
        stderr: of it, over all models, shape (T,).
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
        season: its length in periods, where the share has one: the series must be at least twice as long.

    Example:
        >>> import numpy as np
        >>> smooth = smooth_series(np.array([0.31, 0.28, 0.33, 0.52, 0.49, 0.5]), np.full(6, 0.02))
        >>> smooth.jumps
        (3,)
    """
    _check(estimates, stderrs, season)
    curves = Curves.around(estimates, stderrs, season)
    height = float(np.sqrt(max(np.var(estimates), np.mean(stderrs**2))))
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
    return SmoothedSeries(value, np.sqrt(variance), tuple(sorted(jumps)))


def _check(estimates: Floats, stderrs: Floats, season: int | None) -> None:
    periods = len(estimates)
    if periods < FEWEST or estimates.shape != stderrs.shape:
        rule = f"a series has at least {FEWEST} periods, with a standard error for each"
        raise SordinoError(rule, found=f"{periods} estimates and {len(stderrs)} standard errors", step="collect longer")
    if not (np.isfinite(estimates).all() and np.isfinite(stderrs).all() and (stderrs > 0).all()):
        rule = "estimates of a series are numbers with positive standard errors"
        raise SordinoError(rule, found="a period without", step="leave out a series in which a period has no reports")
    if season is not None and not 2 <= season <= periods // 2:
        rule = "a season has at least 2 periods and occurs at least twice in a series"
        raise SordinoError(rule, found=f"{season} of {periods} periods", step="smooth without a season, or wait")
