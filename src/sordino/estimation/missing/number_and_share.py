"""A number that may be missing: its mean among the people who have it, and the share of the people who do.

With y the mean of the number, a missing one counted as 0, and s the share of people who have it, both unbiased, the
mean among these is y / s. Its standard error is first-order (delta method). Its interval is Fieller's (`quotient`):
where the interval of s does not leave 0 out, the reports say nothing of the mean, and none is told.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.intervals.quotient import quotient_limits
from sordino.exact.arrays import Floats

Limits = tuple[Floats, Floats]


@dataclass(frozen=True, eq=False)
class NumberAndShare:
    """What is told of one scaled number that may be missing.

    Attributes:
        number: y, its mean, a missing one counted as 0.
        share: s, of the people who have it.
        covariance: of the two, shape (2, 2).
    """

    number: float
    share: float
    covariance: Floats

    @classmethod
    def of(cls, means: Floats, covariance: Floats) -> "NumberAndShare":
        """Of the means of the number and of whether it is given, which is 1 or -1, shape (2,)."""
        to_share = np.array([1.0, 0.5])
        return cls(float(means[0]), (1 + float(means[1])) / 2, covariance * np.outer(to_share, to_share))

    @property
    def mean(self) -> float:
        """Of the number among those who have it."""
        return self.number / self.share

    @property
    def stderr(self) -> float:
        """Of this mean, to the first order."""
        slopes = np.array([1.0, -self.mean]) / self.share
        return sqrt(max(float(slopes @ self.covariance @ slopes), 0.0))

    @property
    def share_stderr(self) -> float:
        """Of the share."""
        return sqrt(float(self.covariance[1, 1]))

    def limits(self, z: float) -> tuple[float, float] | None:
        """Of the mean, within [-1, 1], at this many standard errors; None where the share may be 0."""
        found = self.uncut(z)
        if np.isnan(found[0]):
            return None
        least, most = map(float, possible_limits(self.mean, found, (-1, 1)))
        return least, most

    def uncut(self, z: float) -> tuple[float, float]:
        """The same limits, also beyond what is possible; not numbers where there are none."""
        (yy, ys), (_, ss) = self.covariance.tolist()
        low, high = quotient_limits(self.number, self.share, (yy, ss, ys), z)
        return float(low), float(high)
