"""Shares of a table's cells that agree with margins which are known otherwise: post-stratification and raking.

Cells are multiplied by a factor for each value of each attribute whose shares are known, until all of them agree:
iterative proportional fitting. Of one such attribute it is post-stratification, each row scaled to its known share. Of
all tables with these margins the result is the nearest to the cells in relative entropy.

Errors follow by the delta method. With r the result, c the factors, R = diag(r) and A the sums that are known, a change
dp of the cells moves it by (I - R A' (A R A')^-1 A) diag(c) dp: what the cells say of the known sums is left out, which
is how knowing them makes the others more exact. The margins are taken to be known without error.
Sources: Deming and Stephan 1940; Deville and Saerndal 1992 (variances of calibrated estimates).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeVar

import numpy as np

from sordino.errors import SordinoError
from sordino.exact.floats import Floats

Table = TypeVar("Table")

MOST_ROUNDS = 1000
"""Of scaling each attribute once; some ten suffice where cells are above 0."""

AGREED = 1e-10
"""By how much sums may differ from what is known."""


@dataclass(frozen=True, eq=False)
class Raked:
    """Cells that agree with known margins.

    Attributes:
        value: shape (k,).
        slopes: how each moves with each of the cells that it was made of, shape (k, k).
    """

    value: Floats
    slopes: Floats


def rake(cells: Floats, shape: Sequence[int], known: Mapping[int, Floats]) -> Floats:
    """Scale the cells until the known attributes have their shares, shape (k,).

    Raises SordinoError: nobody is seen to have a value that somebody is known to have, or margins that the cells cannot
    agree with.

    Args:
        cells: shares, shape (k,), the last attribute's values run fastest; may be below 0 where sums are not.
        known: of some attributes by their places, the shares of their values, which add up to 1.
    """
    places = range(len(shape))

    def sums(table: Floats, axis: int) -> Floats:
        found: Floats = table.sum(axis=tuple(other for other in places if other != axis))
        return found

    def scale(table: Floats, axis: int, factors: Floats) -> Floats:
        return table * factors.reshape([-1 if at == axis else 1 for at in places])

    return rake_all(cells.reshape(tuple(shape)), known, sums, scale).reshape(-1)


def rake_all(
    start: Table,
    known: Mapping[int, Floats],
    sums: Callable[[Table, int], Floats],
    scaled: Callable[[Table, int, Floats], Table],
) -> Table:
    """Scale whatever has margins until the known attributes have their shares.

    Args:
        known: of some attributes by their places, the shares of their values, which add up to 1.
        sums: of a table and an attribute's place, the shares of its values.
        scaled: a table, with each value of an attribute multiplied by a factor.
    """
    table = start
    for _ in range(MOST_ROUNDS):
        worst = 0.0
        for place, shares in known.items():
            found = sums(table, place)
            if ((found <= 0) & (shares > 0)).any():
                raise SordinoError(
                    "the reports must show each value that has a share in the margins",
                    found="a value with an estimated share of 0 or less",
                    step="ask more people, or merge rare values",
                )
            worst = max(worst, float(np.abs(found - shares).max()))
            table = scaled(table, place, np.divide(shares, found, out=np.zeros_like(shares), where=found > 0))
        if worst <= AGREED:
            return table
    rule = "margins must be such that the table can agree with them"
    raise SordinoError(rule, found="none that it reaches", step="give the margins of fewer attributes")


def rake_with_slopes(cells: Floats, shape: Sequence[int], known: Mapping[int, Floats]) -> Raked:
    """The same, with how the result moves with the cells; of tables whose k x k numbers fit in memory."""
    value = rake(cells, shape, known)
    values = np.unravel_index(np.arange(prod(shape)), tuple(shape))
    sums = np.concatenate([values[axis] == np.arange(shape[axis])[:, None] for axis in known]).astype(np.float64)
    factors = np.divide(value, cells, out=np.ones_like(cells), where=cells != 0)
    weighted = sums * value
    inner = np.linalg.pinv(weighted @ sums.T, hermitian=True)
    slopes = (np.eye(len(value)) - weighted.T @ inner @ sums) * factors
    return Raked(value, slopes)
