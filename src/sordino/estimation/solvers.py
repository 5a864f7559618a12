"""Linear equations of searches and of estimates, which a singular matrix must meet differently.

Whether LAPACK calls a nearly singular matrix singular depends on the last bits of its sums, and so on the processor.
The result of a *search* for a design or a fit is looked at afterwards (channels are certified, fits compared): where
its equations have no single solution it takes the shortest step that solves them best, and never fails. An *estimate*
is what somebody reads: where the equations do not determine it, it is refused.

Cost: one factorization; for an estimate, and where a search meets a singular matrix, a singular value decomposition.
Source: Golub and Van Loan 2013, Sections 3.4 (elimination), 3.5.2 (scaling) and 5.5 (deficient rank).

Minima of quadratic forms t'At/2 - b't, also where noise has made the matrix A indefinite.

A matrix of estimated moments is symmetric but often not positive semidefinite, and then a convex optimizer finds
nothing that means anything. Two ways out: the nearest positive semidefinite matrix, and the exact global minimum over a
ball whatever the matrix.

Shapes: A is (p, p), b and t are (p,). Cost: one eigendecomposition each.
Source: More and Sorensen 1983 (the secular equation); what the BCDP paper's Algorithm 3 calls OPT.
"""

from typing import NamedTuple

import numpy as np

from sordino.errors import SordinoError
from sordino.exact.floats import Floats
from sordino.exact.messages import shown

LARGEST_CONDITION = 1e13
"""Condition number, once rows and columns are scaled, above which a solution has no more than two digits."""


class Undetermined(NamedTuple):
    """The refusal of an estimate that its equations do not determine: what must hold, and what to do."""

    rule: str
    step: str


def search_step(matrix: Floats, right: Floats) -> Floats:
    """The solution of matrix @ x = right; of a singular matrix the shortest least-squares solution, in its own units.

    Args:
        matrix: shape (..., m, m).
        right: shape (m,) or (..., m, r).

    Returns:
        Shape of `right`; all NaN where the matrix is not finite: a search ends at its last point.

    Example:
        >>> search_step(np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([2.0, 2.0])).round(6).tolist()
        [1.0, 1.0]
    """
    try:
        found = np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        found = search_inverse(matrix) @ right
    return np.asarray(found)


def search_inverse(matrix: Floats) -> Floats:
    """The inverse; of a singular matrix that of its range, in its own units; shape (..., m, m).

    All NaN where the matrix is not finite: a search ends at its last point.

    Example:
        >>> search_inverse(np.array([[4.0, 0.0], [0.0, 0.0]])).tolist()
        [[0.25, 0.0], [0.0, 0.0]]
    """
    try:
        found = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        size = _size(matrix)
        scaled = matrix / size[..., :, None] / size[..., None, :]
        if not np.isfinite(scaled).all():
            return np.full_like(matrix, np.nan)
        found = np.linalg.pinv(scaled) / size[..., :, None] / size[..., None, :]
    return np.asarray(found)


def inverse_trace(matrix: Floats) -> float:
    """The trace of the inverse of a positive definite matrix, as a search compares designs; infinite of a singular one.

    Example:
        >>> inverse_trace(np.eye(2)), inverse_trace(np.ones((2, 2)))
        (2.0, inf)
    """
    try:
        found = float(np.trace(np.linalg.inv(matrix)))
    except np.linalg.LinAlgError:
        return np.inf
    # Rounding alone makes the inverse of a singular matrix negative.
    return found if found > 0 else np.inf


def solve_estimate(matrix: Floats, right: Floats, undetermined: Undetermined) -> Floats:
    """The solution of matrix @ x = right, shape of `right`, which must have digits that are not noise.

    Args:
        matrix: shape (m, m).
        right: shape (m,) or (m, r).
        undetermined: the refusal of a matrix that is singular but for rounding.

    Raises SordinoError: such a matrix.

    Example:
        >>> refusal = Undetermined("features must differ", "leave one out")
        >>> solve_estimate(np.array([[2.0, 0.0], [0.0, 4.0]]), np.ones(2), refusal).tolist()
        [0.5, 0.25]
        >>> solve_estimate(np.ones((2, 2)), np.ones(2), refusal)
        Traceback (most recent call last):
        sordino.errors.SordinoError: features must differ; found equations without a single solution: leave one out.
    """
    size = _size(matrix)
    scaled = matrix / size[:, None] / size
    if not np.isfinite(scaled).all() or np.linalg.cond(scaled) > LARGEST_CONDITION:
        raise SordinoError(undetermined.rule, found="equations without a single solution", step=undetermined.step)
    return np.asarray(np.linalg.solve(matrix, right))


def _size(matrix: Floats) -> Floats:
    size = np.sqrt(np.abs(np.diagonal(matrix, axis1=-2, axis2=-1)))
    return np.where((size > 0) & np.isfinite(size), size, 1.0)


ASYMMETRY = 1e-9
"""Relative to the largest entry: what rounding may leave between an entry and its mirror image."""

SMALLEST = 1e-300
"""Absolute tolerance of the secular root: none, so that a root near 0 keeps its relative precision."""

TURNS, SETTLED = 500, 1e-12
"""Steps of the dual at most, and its slope where it is at its end."""


def positive_part(matrix: Floats) -> Floats:
    """The nearest positive semidefinite matrix, by the sum of squared differences: negative eigenvalues become 0.

    Raises SordinoError: not symmetric, or not finite.
    """
    values, vectors = np.linalg.eigh(_symmetric(matrix))
    part: Floats = (vectors * np.maximum(values, 0)) @ vectors.T
    return (part + part.T) / 2


def bounded_part(matrix: Floats) -> Floats:
    """The nearest positive semidefinite matrix without an entry above 1 on its diagonal.

    All covariances of numbers in [-1, 1] are such. These matrices are a convex set: none of it is further from the
    nearest one than from what was given. It is the positive part of the matrix with less on its diagonal; how much less
    is the minimum of a smooth convex function of p numbers >= 0, the dual. What is above 1 when its search ends, next
    to nothing, is scaled down.
    Source: Boyd and Xiao 2005, least-squares covariance matrix adjustment.

    Example:
        >>> bounded_part(np.array([[1.2, 0.3], [0.3, 0.5]])).round(6).tolist()
        [[1.0, 0.3], [0.3, 0.5]]
    """
    matrix = _symmetric(matrix)
    part = positive_part(matrix)
    if np.diagonal(part).max() > 1:
        # Optimisers take a while to load: only those who need one wait for it.
        from scipy.optimize import minimize

        def dual(less: Floats) -> tuple[float, Floats]:
            part = positive_part(matrix - np.diag(less))
            return float(np.sum(part**2)) / 2 + float(less.sum()), 1 - np.diagonal(part)

        found = minimize(
            dual,
            np.zeros(len(matrix)),
            jac=True,
            method="L-BFGS-B",
            bounds=[(0, None)] * len(matrix),
            options={"ftol": 0, "gtol": SETTLED, "maxiter": TURNS},
        )
        part = positive_part(matrix - np.diag(found.x))
    scale = 1 / np.sqrt(np.maximum(np.diagonal(part), 1.0))
    return np.outer(scale, scale) * part


def trust_region(matrix: Floats, vector: Floats, radius: float) -> Floats:
    """A global minimum of t'At/2 - b't over |t| <= radius, for any symmetric A; one of two where there are two.

    It solves (A + level I) t = b with the least level >= 0 that makes A + level I positive semidefinite and |t| at most
    the radius. Where b has no part along the lowest eigenvectors, no level may reach the radius (the hard case): then
    the rest of the way is gone along one of them. Raises SordinoError: a matrix that is not symmetric, another length,
    numbers that are not finite, no radius.

    Args:
        radius: above 0.
    """
    matrix, vector = _form(matrix, vector)
    check_radius(radius)
    values, vectors = np.linalg.eigh(matrix)
    along, above = vectors.T @ vector, values - values[0]
    # Counted from the lowest eigenvalue: shift = level + values[0], so no digits are lost where it is small.
    least = max(0.0, float(values[0]))

    def solve(shift: float) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.where(along == 0, 0.0, along / (above + shift))

    def excess(shift: float) -> float:
        length = float(np.linalg.norm(solve(shift)))
        return np.inf if length == 0 else radius / length - 1

    point = solve(least)
    length = float(np.linalg.norm(point))
    if length > radius:
        # Optimisers take a while to load: only those who need one wait for it.
        from scipy.optimize import brentq

        most = float(np.linalg.norm(along)) / radius
        # At `most` no coordinate exceeds its part of the radius; rounding may leave a hair.
        point = solve(most if excess(most) <= 0 else brentq(excess, least, most, xtol=SMALLEST, maxiter=2000))
    elif values[0] < 0:
        point[0] = np.sqrt(max(radius**2 - length**2, 0.0))
    point *= min(1.0, radius / max(float(np.linalg.norm(point)), SMALLEST))
    return vectors @ point


def check_radius(radius: float) -> None:
    if not 0 < radius < np.inf:
        raise SordinoError("a radius must be above 0 and finite", found=shown(radius))


def _form(matrix: Floats, vector: Floats) -> tuple[Floats, Floats]:
    matrix, vector = _symmetric(matrix), np.asarray(vector, dtype=np.float64)
    if vector.shape != matrix.shape[:1] or not np.isfinite(vector).all():
        raise SordinoError(f"the linear part must be {len(matrix)} finite numbers", found=f"shape {vector.shape}")
    return matrix, vector


def _symmetric(matrix: Floats) -> Floats:
    matrix = np.asarray(matrix, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size or not np.isfinite(matrix).all():
        raise SordinoError("a quadratic form must be a square matrix of finite numbers", found=f"shape {matrix.shape}")
    if np.abs(matrix - matrix.T).max() > ASYMMETRY * np.abs(matrix).max():
        raise SordinoError("a quadratic form must be symmetric", step="take the mean of it and its mirror image")
    return (matrix + matrix.T) / 2
