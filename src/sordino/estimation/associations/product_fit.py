"""The product of margins that is nearest to the estimated cells of a table of two attributes.

Two attributes are independent where the cells' shares are P = a b'. The fit minimizes (p - a b')' C^-1 (p - a b') over
margins a, b with sum 1, C the covariance of the cells' estimates where the cells are the fitted product's: the
channel's own, exactly. It takes Gauss-Newton steps from the table's margins. What is known better, as the relative
shares of values that are not sensitive, so weighs more than what noise is added to.
Source: minimum chi-square, Neyman 1949; Ferguson 1996, chapter 23.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.estimation.associations.equality import varying_directions

Floats = NDArray[np.float64]

Covariance = Callable[[Floats], Floats]
"""The covariance, times n, of the cells' estimates for people with these shares, shape (k,) to shape (k, k)."""

STEPS, COVARIANCES = 8, 2
"""Gauss-Newton steps at most, and steps before which the covariance is taken anew."""

SMALL_STEP = 1e-7


@dataclass(frozen=True, eq=False)
class ProductFit:
    """A product of margins, and what is left of the cells beside it.

    Attributes:
        rows, columns: the margins, shape (r,) and (c,); noise can make some negative.
        residual: the cells minus the product, shape (r c,).
        covariance: of the cells' estimates, if they are the product's, shape (r c, r c).
    """

    rows: Floats
    columns: Floats
    residual: Floats
    covariance: Floats

    @property
    def degrees(self) -> int:
        """Of freedom of what is left: one more than of counts where the sum of the cells' estimates varies too."""
        return len(self.whitening_matrix) - len(self._explained_part.T)

    @cached_property
    def whitening_matrix(self) -> Floats:
        """Makes the cells' errors independent with variance 1, shape (rank, r c)."""
        return whitening_matrix(self.covariance)

    @cached_property
    def beyond_margins(self) -> Floats:
        """The whitened residual without what other margins would explain, shape (rank,)."""
        return self.without_margins(self.whitening_matrix @ self.residual)

    def without_margins(self, whitened: Floats) -> Floats:
        """Whitened cells without what other margins would explain, shape (rank, ...)."""
        removed: Floats = whitened - self._explained_part @ (self._explained_part.T @ whitened)
        return removed

    @cached_property
    def _explained_part(self) -> Floats:
        """Orthonormal directions of whitened cells in which the product moves with its margins."""
        directions, _ = np.linalg.qr(self.whitening_matrix @ tangent(self.rows, self.columns))
        return directions

    def margin_covariances(self, rows: Floats, columns: Floats) -> tuple[Floats, Floats]:
        """The covariances of the fitted margins, if these are the people's, shape (r, r) and (c, c)."""
        moved = self.whitening_matrix @ tangent(rows, columns)
        covariance = np.linalg.pinv(moved.T @ moved, hermitian=True)
        split = len(rows) - 1
        first, second = contrasts(len(rows)), contrasts(len(columns))
        return first @ covariance[:split, :split] @ first.T, second @ covariance[split:, split:] @ second.T


def fit_product(cells: Floats, covariance: Covariance, n: int) -> ProductFit:
    """The product of margins that is nearest to estimated cells.

    Args:
        cells: their estimates, shape (r, c).
        covariance: of these, by the shares that people have.
        n: the number of reports.
    """
    rows, columns = (margin / cells.sum() for margin in (cells.sum(axis=1), cells.sum(axis=0)))
    first, second = contrasts(len(rows)), contrasts(len(columns))
    spread = np.empty((0, 0))
    for step in range(STEPS):
        if step < COVARIANCES:
            spread = covariance(np.outer(possible_margin(rows, n), possible_margin(columns, n)).ravel()) / n
            white = whitening_matrix(spread)
        apart = white @ (cells - np.outer(rows, columns)).ravel()
        moves = np.linalg.lstsq(white @ tangent(rows, columns), apart, rcond=None)[0]
        by_row, by_column = first @ moves[: len(rows) - 1], second @ moves[len(rows) - 1 :]
        rows, columns = rows + by_row, columns + by_column
        if step >= COVARIANCES and max(np.abs(by_row).max(), np.abs(by_column).max()) < SMALL_STEP:
            break
    return ProductFit(rows, columns, (cells - np.outer(rows, columns)).ravel(), spread)


def whitening_matrix(covariance: Floats) -> Floats:
    """Makes errors with this covariance independent with variance 1, shape (rank, m)."""
    directions = varying_directions(covariance)
    variances = np.einsum("ij,ij->j", directions, covariance @ directions)
    white: Floats = (directions / np.sqrt(variances)).T
    return white


def possible_margin(margin: Floats, n: int) -> Floats:
    """The margin with one person at least for each value, and sum 1."""
    least = np.maximum(margin, 1 / n)
    possible: Floats = least / least.sum()
    return possible


def contrasts(count: int) -> Floats:
    """Directions in which shares with a known sum can move, shape (count, count - 1)."""
    return np.vstack([np.eye(count - 1), -np.ones(count - 1)])


def tangent(rows: Floats, columns: Floats) -> Floats:
    """How the cells of a product move with its margins, shape (r c, r + c - 2)."""
    by_row = np.kron(contrasts(len(rows)), columns[:, None])
    by_column = np.kron(rows[:, None], contrasts(len(columns)))
    return np.hstack([by_row, by_column])
