"""From a tally to shares: the public `estimate`, and its result with standard errors and intervals."""

from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.estimation.interval import share_interval
from sordino.estimation.likelihood import likelihood
from sordino.estimation.simplex import project
from sordino.estimation.unbiased import unbiased, unit_variance
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.base import Mechanism

Method = Literal["unbiased", "simplex", "block-simplex", "likelihood"]
"""unbiased: right on average, may be negative. simplex: the nearest distribution. block-simplex: the same within each
block, whose share is known. likelihood: the distribution under which the reports are the most probable."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """Shares of the values in the population that the people were drawn from.

    Attributes:
        value: shape (k,); add up to 1 after every method but "unbiased".
        stderr: shape (k,); of the unbiased estimate, whatever the method.
        n: the number of reports.
        method: how the values were made.

    Example:
        >>> from sordino import RandomizedResponse
        >>> mechanism = RandomizedResponse(2, "ln 3")
        >>> estimate(mechanism, mechanism.tally([0, 0, 0, 1])).value.round(6)
        array([1., 0.])
    """

    value: NDArray[np.float64]
    stderr: NDArray[np.float64]
    n: int
    method: Method
    _mechanism: Mechanism = field(repr=False)
    _aggregate: Aggregate = field(repr=False)

    def interval(self, confidence: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper limits, shape (k,) each, from the counts (whatever the method); each covers by itself.

        Example:
            >>> from sordino import RandomizedResponse, estimate
            >>> mechanism = RandomizedResponse(2, "1")
            >>> low, high = estimate(mechanism, mechanism.tally([0, 0, 1])).interval(0.9)
            >>> bool(low[0] <= high[0])
            True
        """
        return share_interval(self._mechanism, self._aggregate, confidence)


def estimate(
    mechanism: Mechanism, aggregate: Aggregate, method: Method = "unbiased", *, subtract_totals: bool = False
) -> Estimate:
    """Estimate each value's share from the tally of a mechanism's reports.

    Args:
        mechanism: made the reports.
        aggregate: their tally.
        method: "unbiased", "simplex", "block-simplex" or "likelihood".
        subtract_totals: shift each block's estimates to the block's share before anything else; decide before the data.
            The likelihood knows the blocks' shares anyway.

    Raises:
        SordinoError: no reports, another mechanism's tally, or a mechanism from which nothing can be learned.

    Example:
        >>> from sordino import HadamardResponse, estimate
        >>> mechanism = HadamardResponse(4, "2")
        >>> codes = mechanism.privatize([0, 1, 2, 3] * 1000)
        >>> estimate(mechanism, mechanism.tally(codes), method="simplex").value.sum().round(6)
        np.float64(1.0)
    """
    if method not in get_args(Method):
        raise SordinoError(f"method must be one of {', '.join(get_args(Method))}", found=repr(method))
    if aggregate.fingerprint != mechanism.fingerprint:
        raise SordinoError(
            "reports can be read only with the mechanism that made them",
            found=f"a tally of {aggregate.fingerprint}, not {mechanism.fingerprint}",
        )
    if aggregate.n == 0:
        raise SordinoError("an estimate needs reports", found="none")
    law = aggregate.counts / aggregate.n
    value = unbiased(mechanism, law, subtract_totals=subtract_totals)
    stderr = np.sqrt(unit_variance(mechanism, law, subtract_totals=subtract_totals) / aggregate.n)
    if method == "simplex":
        value = project(value)
    elif method == "block-simplex":
        blocks = mechanism.partition
        value = project(value, blocks, mechanism.block_shares(law))
    elif method == "likelihood":
        value = likelihood(mechanism, law, aggregate.n)
    return Estimate(value, stderr, aggregate.n, method, mechanism, aggregate)
