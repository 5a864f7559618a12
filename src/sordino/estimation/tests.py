"""Tests of groups, of pairs of attributes, and of whether reports can be people's; and Holm's correction for many.

All are by the chi-square distribution of a statistic of unbiased estimates, in their covariance. Quantities that add up
to something known, as the shares of all values do, have a singular covariance: what has no variance there is left out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.errors import SordinoError
from sordino.estimation.intervals.contrast import tells_covariance
from sordino.estimation.share_estimate import Estimate
from sordino.estimation.simplex import project

Floats = NDArray[np.float64]

Covariance = Callable[[Floats], Floats]
"""The covariance, times n, of the cells' estimates for people with these shares, shape (k,) to shape (k, k)."""

NOISELESS = 1e-9
"""Relative to the largest variance: what is below it does not vary but for rounding."""

STEPS, COVARIANCES = 8, 2
"""Gauss-Newton steps at most, and steps before which the covariance is taken anew."""

SMALL_STEP = 1e-7

LARGEST_CURVATURE = 1 / 15
"""Of rho: beyond it the level is not kept."""

LARGEST_EXCESS = 0.05
"""Of what few counts add to the variance of the statistic, relative to it."""

MOST_VALUES = 100
"""Of a question that is tested: a hundredth of a second."""

FEWEST_REPORTS = 100
"""From which on the level was kept, in the surveys of `tests/estimation`."""

TOGETHER = 1e4
"""How much more it counts that shares add up to 1 than any single one."""


@dataclass(frozen=True)
class ChiSquareTest:
    """A statistic that has a chi-square distribution where what is tested holds.

    Attributes:
        statistic: how far the estimates are from what is tested.
        degrees: of freedom; 0 where nothing varies.
    """

    statistic: float
    degrees: int

    @property
    def p_value(self) -> float:
        """How probable a statistic as large is where what is tested holds."""
        from scipy import special

        return float(special.chdtrc(self.degrees, self.statistic)) if self.degrees else 1.0


def equality_test(values: Sequence[Floats], covariances: Sequence[Floats]) -> ChiSquareTest:
    """Whether several groups have the same numbers: Wald's test.

    W = sum over groups of (v_g - v)' C_g^+ (v_g - v), written as the square of all contrasts against the first group in
    units of their covariance, so that a singular covariance needs no inverse of its own: shares add up to 1, and what
    a group's reports cannot vary in is left out. Under equality W is near chi squared with as many degrees of freedom
    as the contrasts' covariance has rank. Cost: an eigendecomposition of (groups - 1) x numbers.

    Args:
        values: the estimates of each group, shape (m,), independent of each other.
        covariances: of each group's estimates, shape (m, m).

    Raises:
        SordinoError: fewer than two groups.

    Example:
        >>> found = equality_test([np.array([0.3]), np.array([0.5])], [np.array([[0.005]])] * 2)
        >>> round(found.statistic, 6), found.degrees, round(found.p_value, 4)
        (4.0, 1, 0.0455)
    """
    if len(values) < 2:
        raise SordinoError("equality must be of several groups", found=f"{len(values)}", step="compare two or more")
    first, *others = values
    size, m = len(others), len(first)
    contrasts = np.concatenate([value - first for value in others])
    covariance = np.kron(np.ones((size, size)), covariances[0])
    for place, own in enumerate(covariances[1:]):
        rows = slice(place * m, (place + 1) * m)
        covariance[rows, rows] += own
    # In units of each contrast's own error: shares of few people count beside those of many.
    scale = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    known = scale > 0
    contrasts, scale = contrasts[known], scale[known]
    size_of, direction = np.linalg.eigh(covariance[np.ix_(known, known)] / np.outer(scale, scale))
    kept = size_of > NOISELESS * max(len(size_of), 1)
    along = direction[:, kept].T @ (contrasts / scale)
    return ChiSquareTest(float((along**2 / size_of[kept]).sum()), int(kept.sum()))


def adjust_p_values(p_values: ArrayLike) -> NDArray[np.float64]:
    """The level at which each statement is rejected when all are looked at, shape (m,): Holm's correction.

    Guarantee: where some of the tested statements hold, the probability that any of these is rejected at a level is at
    most that level, however the tests depend on each other. Source: Holm 1979.

    Example:
        >>> [round(float(each), 6) for each in adjust_p_values([0.01, 0.04, 0.03])]
        [0.03, 0.06, 0.06]
    """
    values = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    stepwise = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1)) if len(values) else values
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(stepwise, 1.0)
    return adjusted


def can_be_tested(estimate: Estimate) -> bool:
    """Whether reports are many, values few enough, and the tally shows how estimates go together."""
    enough = estimate.n >= FEWEST_REPORTS and estimate.mechanism.k <= MOST_VALUES
    return enough and tells_covariance(estimate.mechanism)


def population_test(estimate: Estimate) -> ChiSquareTest:
    """How far the estimated shares are from those of the nearest people.

    Estimated shares of honest reports lie near the shares of some people: all at least 0, and together 1. Where no
    people's are near them in the estimates' covariance, reports were forged, or a client draws otherwise than the plan.

    Guarantee: of many honest reports, whatever people send them, the p-value is below a level with at most that
    probability: the squared distance to the nearest people's shares is at most that to the true ones, which is chi
    squared with as many degrees of freedom as the covariance has rank. Of people who have some value each it is much
    less. Forged reports that are distributed as those of other people cannot be seen.
    Cost: an eigendecomposition of k x k, and a nonnegative least squares problem of k numbers.
    Sources: Robertson, Wright and Dykstra 1988 (cones); Cao, Jia and Gong 2021 (what forged reports look like).

    Example:
        >>> from sordino import HadamardResponse, estimate
        >>> mechanism = HadamardResponse(4, "2")
        >>> honest = mechanism.tally(mechanism.privatize([0, 0, 1, 1] * 1000))
        >>> population_test(estimate(mechanism, honest)).p_value > 1e-6
        True
    """
    k = len(estimate.value)
    whole = np.eye(k)
    # The covariance is that of the nearest people, twice: first by the plain distance.
    shares = project(estimate.value)
    for _ in range(2):
        sizes, directions = np.linalg.eigh(estimate.covariance_among(whole, shares) / estimate.n)
        kept = sizes > NOISELESS * sizes.max() * k
        units = directions[:, kept].T / np.sqrt(sizes[kept])[:, np.newaxis]
        shares = _nearest_shares(units, estimate.value)
    return ChiSquareTest(float(((units @ (estimate.value - shares)) ** 2).sum()), int(kept.sum()))


def _nearest_shares(units: Floats, value: Floats) -> Floats:
    """The shares of people, at least 0 and together 1, that are nearest to some numbers in units of their errors."""
    from scipy.optimize import nnls

    weight = TOGETHER * float(np.abs(units).max())
    rows = np.vstack([units, np.full(len(value), weight)])
    found, _ = nnls(rows, np.concatenate([units @ value, [weight]]))
    shares: Floats = found / found.sum()
    return shares


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

    It minimizes (p - a b')' C^-1 (p - a b') over margins a, b with sum 1, C the covariance of the cells' estimates
    where the cells are the fitted product's: the channel's own, exactly. It takes Gauss-Newton steps from the table's
    margins. What is known better, as the relative shares of values that are not sensitive, so weighs more than what
    noise is added to. Source: minimum chi-square, Neyman 1949; Ferguson 1996, chapter 23.

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


@dataclass(frozen=True, eq=False)
class IndependenceTest:
    """A table of two attributes beside the nearest product of margins, and the test of whether they are independent.

    The statistic is how far the cells are from the product, in standard errors of what is left: Wald's test of all
    interactions, with the covariance that the cells would have if the attributes were independent. Its distribution is
    chi-square with (r - 1) (c - 1) degrees of freedom. Two corrections keep its level where noise is large:

    - Margins that err by A and B (covariances) move the product by their errors' product too, and enlarge the variances
      that the statistic is divided by: its mean is too low by the part rho = tr(V^-1 (A x B)) / degrees, V the
      covariance of what is left. So it is multiplied by 1 + rho. Sums of squares of margins are freed from noise before
      A and B are worked out, since noise makes margins look more different than they are.
    - Where so few reports tell of some cell that its errors are not near normal, or rho is large, there is no test.

    Level: 4 to 6 % at a nominal 5 %, by simulation (`make bench BENCH=testing`).
    Sources: Wald 1943; Rao and Scott 1981 (a covariance that is not multinomial); Cochran 1954 (fewest counts).

    Attributes:
        fit: the product.
        cells: the estimates of their shares, shape (r, c).
        covariance: of these, times n, by the shares that people have.
        n: the number of reports.
        contributions: the difference that one report can make to each cell's estimate, times n, shape (k,).
    """

    fit: ProductFit
    cells: Floats
    covariance: Covariance
    n: int
    contributions: Floats

    @classmethod
    def of(cls, cells: Floats, covariance: Covariance, n: int, contributions: Floats) -> "IndependenceTest":
        """Of estimated cells.

        Args:
            cells: their estimates, shape (r, c).
            covariance: of these, times n, by the shares that people have.
            n: the number of reports.
            contributions: the difference that one report can make to each cell's estimate, times n, shape (k,).
        """
        return cls(fit_product(cells, covariance, n), cells, covariance, n, contributions)

    @cached_property
    def margin_covariances(self) -> tuple[Floats, Floats]:
        """The covariances of the fitted margins, at margins whose sums of squares are freed from noise."""
        fit = self.fit
        rows, columns = (possible_margin(margin, self.n) for margin in (fit.rows, fit.columns))
        by_row, by_column = fit.margin_covariances(rows, columns)
        for _ in range(2):
            calm = _without_noise(rows, by_row), _without_noise(columns, by_column)
            by_row, by_column = fit.margin_covariances(*calm)
        return by_row, by_column

    @cached_property
    def curvature(self) -> float:
        """Rho: what the errors of both margins together add to the statistic, relative to it."""
        fit = self.fit
        product = fit.whitening_matrix @ np.kron(*self.margin_covariances) @ fit.whitening_matrix.T
        return float(np.trace(fit.without_margins(product))) / fit.degrees

    @cached_property
    def excess(self) -> float:
        """What few counts add to the variance of the statistic, relative to it."""
        variances = np.diagonal(self.fit.covariance)
        return added_by_few_counts(variances, self.contributions, self.n) / (2 * self.fit.degrees)

    @property
    def has_level(self) -> bool:
        """Whether there are reports enough for a test that errs as often as it says."""
        return self.curvature <= LARGEST_CURVATURE and self.excess <= LARGEST_EXCESS

    @cached_property
    def test(self) -> ChiSquareTest:
        """Of independence."""
        return ChiSquareTest(
            float(self.fit.beyond_margins @ self.fit.beyond_margins) * (1 + self.curvature), self.fit.degrees
        )


def _without_noise(margin: Floats, covariance: Floats) -> Floats:
    """A margin moved towards equal shares until its sum of squares is what it is on average without noise."""
    equal = 1 / len(margin)
    apart = float(np.square(margin - equal).sum())
    kept = max(1 - float(np.trace(covariance)) / apart, 0.0) if apart > 0 else 0.0
    calm: Floats = equal + np.sqrt(kept) * (margin - equal)
    return calm


def added_by_few_counts(variances: Floats, contributions: Floats, n: int) -> float:
    """What few counts add to the variance of a sum of squares of estimates over their variances.

    An estimate errs as the count of lambda reports does that each move it by the largest difference that one can make;
    the variance of the sum of squares is larger by the sum of 1 / lambda.

    Args:
        variances: of the estimates, shape (k,).
        contributions: the difference that one report can make to each, times n, shape (k,).
        n: the number of reports.
    """
    with np.errstate(divide="ignore"):
        return float(np.sum(1 / (n**2 * variances / np.square(contributions))))


def varying_directions(covariance: Floats) -> Floats:
    """Orthogonal directions in which estimates vary, shape (m, rank)."""
    variances, directions = np.linalg.eigh(covariance)
    found: Floats = directions[:, variances > NOISELESS * max(float(variances[-1]), np.finfo(np.float64).tiny)]
    return found
