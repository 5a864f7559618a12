"""Weights of cells of people that agree with known totals, and the errors of what is weighted by them.

The weights are the shares that reports have in each cell, times what a report stands for by the design, scaled until
the shares of all known groups are as they are known (iterative proportional fitting; of one grouping it is
post-stratification). A weighted estimate is the sum of the cells' estimates v_c times their weights W_c. Its variance
has two parts: sum W_c^2 s_c^2, with s_c the standard error of v_c, and sum W_c^2 e_c^2 / n_c for the chance by which
reports fall into cells, with e_c what is left of v_c by a regression on the known groups, each cell counting as W_c
(linearization). Where every cell's own total is known, nothing is left. Groups that the design fixes are among those.
Cells are those that have reports. Cost: rounds x cells x groupings.
Sources: Deming and Stephan 1940; Deville and Saerndal 1992 (calibration estimators).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError

Floats = NDArray[np.float64]

MOST_ROUNDS = 1000

AGREED = 1e-12
"""By how much shares may differ from what is known."""


@dataclass(frozen=True, eq=False)
class KnownShares:
    """A grouping of cells whose shares are known.

    Attributes:
        group: of each cell, shape (m,).
        shares: of each group, shape (g,), which add up to 1.
    """

    group: NDArray[np.intp]
    shares: Floats

    def of(self, weights: Floats) -> Floats:
        """The shares that cells of such weights give the groups, shape (g,)."""
        return np.bincount(self.group, weights, minlength=len(self.shares)).astype(np.float64)


@dataclass(frozen=True, eq=False)
class CellWeights:
    """What each cell counts.

    Attributes:
        reports: of each cell, shape (m,), above 0.
        share: the weight of each cell, shape (m,); they add up to 1.
        groupings: what is known or fixed by the design: for each the group of each cell, shape (m,).
        is_fixed: whether the design fixes how many reports each cell has.

    Example:
        >>> men = KnownShares(np.array([0, 1]), np.array([0.5, 0.5]))
        >>> found = CellWeights.calibrate(np.array([300, 100]), np.ones(2), [men])
        >>> found.share.round(6).tolist(), round(found.design_effect, 3)
        ([0.5, 0.5], 1.333)
    """

    reports: NDArray[np.int64]
    share: Floats
    groupings: tuple[NDArray[np.intp], ...]
    is_fixed: bool

    @classmethod
    def calibrate(
        cls,
        reports: NDArray[np.int64],
        design: Floats,
        known: Sequence[KnownShares],
        fixed: Sequence[NDArray[np.intp]] = (),
    ) -> "CellWeights":
        """The weights that agree with what is known.

        Args:
            reports: of each cell, shape (m,), above 0.
            design: how many people a report of each cell stands for, shape (m,).
            fixed: groupings of which the design fixes how many reports each group has.

        Raises:
            SordinoError: a group of somebody without a report, or shares that no weights of these cells have.
        """
        weights = reports * design
        weights /= weights.sum()
        for one in known:
            if ((one.of(weights) <= 0) & (one.shares > 0)).any():
                step = "wait for more reports, or merge public values"
                rule = "each group that is known to have people must have reports"
                raise SordinoError(rule, found="a group without any", step=step)
        for _ in range(MOST_ROUNDS):
            worst = 0.0
            for one in known:
                found = one.of(weights)
                worst = max(worst, float(np.abs(found - one.shares).max()))
                weights = weights * np.divide(one.shares, found, out=np.zeros_like(found), where=found > 0)[one.group]
            if worst <= AGREED:
                groupings = (*(one.group for one in known), *fixed)
                return cls(reports, weights, groupings, not known)
        rule, step = "known totals must be such that weights can agree with them", "give the totals of fewer columns"
        raise SordinoError(rule, found="totals that no weights of these reports have", step=step)

    @property
    def of_report(self) -> Floats:
        """What a report of each cell counts beside the average one, shape (m,)."""
        each: Floats = self.share / self.reports * self.reports.sum()
        return each

    @property
    def design_effect(self) -> float:
        """By how much unequal weights alone enlarge a variance: 1 and their squared coefficient of variation (Kish)."""
        return float((self.share**2 / self.reports).sum() * self.reports.sum())

    def weigh(self, values: Floats, stderrs: Floats) -> tuple[Floats, Floats]:
        """Weighted estimates with their standard errors, shape (q,) each.

        Args:
            values: of each cell, shape (m, q).
            stderrs: of these, shape (m, q).
        """
        own = self.share[:, None]
        value: Floats = (own * values).sum(axis=0)
        variance = (own**2 * stderrs**2).sum(axis=0)
        if not self.is_fixed:
            variance += (own**2 * self._residuals(values) ** 2 / self.reports[:, None]).sum(axis=0)
        return value, np.sqrt(variance)

    def _residuals(self, values: Floats) -> Floats:
        """What a regression on the groups leaves of the cells' numbers, shape (m, q)."""
        columns = [(group[:, None] == np.arange(group.max() + 1)).astype(np.float64) for group in self.groupings] or [
            np.ones((len(self.share), 1))
        ]
        groups, root = np.concatenate(columns, axis=1), np.sqrt(self.share)[:, None]
        slopes, *_ = np.linalg.lstsq(groups * root, values * root, rcond=None)
        residuals: Floats = values - groups @ slopes
        return residuals
