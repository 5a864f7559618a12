"""The inequality that columns keep on a group of a few values and that says most where they are thought to lie.

On a group all extreme columns x are known (`listed_floor`), with mean one here. A matrix N with x'N x <= 0 for each of
them, and positive definite for vectors of sum zero, is kept by every column: along a section of mean one x'N x is
convex. Weights of columns that sum them to ones, of second moments J about ones, have trace(N J) <= -1'N 1: so N with
1'N 1 = -1 says most of all about moments J where trace(N J) is largest. That is linear in N, and solved by Newton steps
inside a logarithmic wall.

Nothing here is a guarantee: `grouped_floor` looks anew at what a matrix leaves.

Shapes: columns (n, b), N and moments (b, b). Cost: some 20 steps of n (b^2 / 2)^2 operations: 30 ms for b = 7.
"""

from dataclasses import dataclass

import numpy as np

from sordino.design.coarse import Floats
from sordino.design.histograms.grouped.sum_of_inequalities import contrasts
from sordino.design.histograms.listed_floor import ALIKE, ListedColumns

GAP = 1e-2
"""Stop where no matrix can say more by this."""

STEEPER = 8.0
"""By what the wall falls from one problem to the next."""

MOST_STEPS = 60
"""Newton steps; 15 to 30 are usual."""

TO_BOUNDARY = 0.9
"""The part of the way to the walls that a step may go: from near them it takes many to come back."""

NEAR = 0.3
"""A problem is solved where a step would lower it by less."""

DEFINITE = 10.0
"""How often the wall counts the determinant: once alone, steps crawl along where it is nearly zero."""

ROOM = 0.1
"""What the middle of all matrices leaves of the inequalities, about."""


@dataclass(frozen=True)
class GroupInequality:
    """|Z x|^2 <= l.x for columns x of mean one, nearly.

    Attributes:
        root: Z, symmetric, zero on ones, shape (b, b).
        prices: l, of sum one, shape (b,).
    """

    root: Floats
    prices: Floats

    @property
    def matrix(self) -> Floats:
        """N."""
        spread = self.prices / len(self.prices)
        found: Floats = self.root @ self.root - (spread[:, None] + spread) / 2
        return found


class GroupColumns:
    """The columns of a group, as what they make of the entries of N."""

    def __init__(self, listed: ListedColumns) -> None:
        self.listed = listed
        _, first = np.unique(np.round(listed.entries, ALIKE), axis=0, return_index=True)
        self.size = listed.entries.shape[1]
        self.basis = contrasts(self.size)
        apart = listed.entries[first] @ self.basis
        self.upper = np.triu_indices(self.size - 1)
        self.twice = np.where(self.upper[0] == self.upper[1], 1.0, 2.0)
        self.square = len(self.twice)
        # x'N x = features . point - 1, for the point that holds C and c of N = B C B' + sym(B c p') - p p'.
        self.features = np.concatenate([apart[:, self.upper[0]] * apart[:, self.upper[1]] * self.twice, apart], axis=1)
        self.walls = len(apart) + self.size - 1

    def middle(self) -> GroupInequality:
        """One that is nearly tight for as many columns as may be: the largest determinant."""
        return self._solved(np.zeros(self.features.shape[1]), 0.0, self.walls / (ROOM * (self.size - 1)))

    def strongest(self, moments: Floats) -> GroupInequality:
        """The one that says most about columns of these mean products, shape (b, b)."""
        turned = self.basis.T @ moments
        gain = np.concatenate([(turned @ self.basis)[self.upper] * self.twice, turned.mean(axis=1)])
        return self._solved(gain, float(moments.mean()), DEFINITE)

    def _solved(self, gain: Floats, constant: float, weight: float) -> GroupInequality:
        """The largest gain . point, with a wall that counts the determinant `weight` times."""
        diagonal = self.upper[0] == self.upper[1]
        point = np.zeros(len(gain))
        point[: self.square][diagonal] = 0.5 / float(self.features[:, : self.square][:, diagonal].sum(axis=1).max())
        height = self.walls / max(constant, 1.0)
        for _ in range(MOST_STEPS):
            try:
                point, rise = self._step(point, height * gain, weight)
            except np.linalg.LinAlgError:
                # So near the walls that floats cannot tell: what is found is good.
                break
            if rise < NEAR:
                if not gain.any() or self.walls / height < GAP * constant:
                    break
                height *= STEEPER
        values, vectors = np.linalg.eigh(self._curved(point))
        spread = self.basis @ vectors
        root = (spread * np.sqrt(np.maximum(values, 0.0))) @ spread.T
        return GroupInequality((root + root.T) / 2, 1 / self.size - self.basis @ point[self.square :])

    def _curved(self, point: Floats) -> Floats:
        """C."""
        matrix = np.zeros((self.size - 1, self.size - 1))
        matrix[self.upper] = point[: self.square]
        matrix.T[self.upper] = point[: self.square]
        return matrix

    def _value(self, point: Floats, gain: Floats, weight: float) -> float:
        left = 1 - self.features @ point
        try:
            pivots = np.diag(np.linalg.cholesky(self._curved(point)))
        except np.linalg.LinAlgError:
            return -np.inf
        if left.min() <= 0:
            return -np.inf
        return float(gain @ point + np.log(left).sum() + 2 * weight * np.log(pivots).sum())

    def _step(self, point: Floats, gain: Floats, weight: float) -> tuple[Floats, float]:
        """One step, and what it promised; nothing where no step rises."""
        (i, j), square = self.upper, self.square
        slopes = self.features / (1 - self.features @ point)[:, None]
        inverse = np.linalg.inv(self._curved(point))
        slope = gain - slopes.sum(axis=0)
        slope[:square] += weight * inverse[i, j] * self.twice
        curve = slopes.T @ slopes
        crossed = inverse[i][:, i] * inverse[j][:, j] + inverse[i][:, j] * inverse[j][:, i]
        curve[:square, :square] += weight / 2 * crossed * self.twice[:, None] * self.twice
        step = np.linalg.solve(curve + 1e-12 * np.diag(np.diag(curve)), slope)
        rise, here, length = float(slope @ step), self._value(point, gain, weight), self._room(point, step)
        while not self._value(point + length * step, gain, weight) >= here + 0.1 * length * rise:
            length /= 2
            if length < 1e-8:
                return point, 0.0
        return point + length * step, rise

    def _room(self, point: Floats, step: Floats) -> float:
        """How much of a step keeps away from every wall, one at most."""
        fall = float((self.features @ step / (1 - self.features @ point)).max())
        turned = np.linalg.inv(np.linalg.cholesky(self._curved(point)))
        shrink = -float(np.linalg.eigvalsh(turned @ self._curved(step) @ turned.T)[0])
        return min(1.0, TO_BOUNDARY / max(fall, shrink, TO_BOUNDARY))
