"""Errors of estimates from people who were drawn in groups, as schools or households: clusters.

People of a cluster are alike, so that n of them say less than n people drawn one by one; clusters are drawn
independently. What a cluster contributes to an estimate is seen without its reports: (1 - n_g / n) times what their
absence changes, n_g being their number. The variance is G / (G - 1) times the sum of the squares of all contributions,
and limits are as many standard errors away as Student's t has it on G - 1 degrees of freedom. A contribution to a mean
over reports is the total of the cluster's decoded reports, less n_g times the mean, over n; of a smooth function of
means it is that to first order. Where people of a cluster differ as much as others, the variance is that of people
drawn one by one, on average.

Clusters that are put together are clusters: of many, some stand together, which costs degrees of freedom alone.
Source: Wolter 2007, Introduction to Variance Estimation, chapters 4 and 6; Kott 2001, The delete-a-group jackknife.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heapreplace

import numpy as np
from numpy.typing import NDArray

from sordino.estimation.intervals.forged import Limits
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.intervals.share_interval import at_least_as_wide, require_confidence
from sordino.exact.floats import Floats

MOST_GROUPS = 100
"""Clusters that are left out one by one: t on 99 degrees of freedom makes limits 1.2 % wider than a normal law."""


@dataclass(frozen=True, eq=False)
class ClusterErrors:
    """Standard errors and limits by clusters.

    Attributes:
        parts: of all reports, those of each cluster, shape (G,), G >= 2; they add up to 1.
    """

    parts: Floats

    @property
    def degrees(self) -> int:
        """Degrees of freedom."""
        return len(self.parts) - 1

    def away(self, confidence: float) -> float:
        """How many standard errors limits are from an estimate.

        Example:
            >>> round(ClusterErrors(np.full(5, 0.2)).away(0.95), 3)
            2.776
        """
        from scipy import special

        require_confidence(confidence)
        return float(special.stdtrit(self.degrees, (1 + confidence) / 2))

    def stderr(self, value: Floats, without: Floats) -> Floats:
        """Standard errors, shape (q,).

        Args:
            value: estimates from all reports, shape (q,).
            without: from those of all clusters but one, shape (G, q).

        Example:
            >>> ClusterErrors(np.full(2, 0.5)).stderr(np.array([0.4]), np.array([[0.3], [0.5]])).round(6).tolist()
            [0.1]
        """
        clusters = len(self.parts)
        contributions = (1 - self.parts)[:, None] * (without - value)
        found: Floats = np.sqrt(clusters / (clusters - 1) * np.sum(contributions**2, axis=0))
        return found

    def widen(
        self, value: Floats, stderr: Floats, single: Limits, ends: tuple[Floats, Floats], confidence: float
    ) -> tuple[Floats, Limits]:
        """Standard errors and limits by clusters, nowhere inside those for people drawn one by one.

        Few clusters that happen to be alike would seem to have no spread: what these limits know of small counts stays.

        Args:
            value, stderr: of the estimates, shape (q,) each; limits are not numbers where these are not.
            single: limits for people drawn one by one.
            ends: of what is possible.
            confidence: of each interval.
        """
        away, unknown = self.away(confidence), np.isnan(stderr)
        low, high = possible_limits(value, (value - away * stderr, value + away * stderr), ends)
        limits = np.fmin(low, single[0]), np.fmax(high, single[1])
        low, high = (np.where(unknown, np.nan, limit) for limit in limits)
        return at_least_as_wide(stderr, single, away), (low, high)


def group_clusters(sizes: Sequence[int], most: int = MOST_GROUPS) -> NDArray[np.intp]:
    """For each cluster the group that it stands in, shape (G,): its own, or of many clusters one of about equal size.

    Args:
        sizes: reports of each cluster; sizes are public, and no answer has a part in the choice.
        most: groups.

    Example:
        >>> group_clusters([5, 1, 4], 2).tolist()
        [0, 1, 1]
    """
    if len(sizes) <= most:
        return np.arange(len(sizes))
    found = np.empty(len(sizes), dtype=np.intp)
    groups = [(0, group) for group in range(most)]
    heapify(groups)
    for cluster in np.argsort(-np.asarray(sizes), kind="stable").tolist():
        size, group = groups[0]
        found[cluster] = group
        heapreplace(groups, (size + sizes[cluster], group))
    return found
