"""Minima of quadratic forms t'At/2 - b't, also where noise has made the matrix A indefinite.

A matrix of estimated moments is symmetric but often not positive semidefinite, and then a convex optimizer finds
nothing that means anything. Two ways out: the nearest positive semidefinite matrix, and the exact global minimum over a
ball whatever the matrix.

Shapes: A is (p, p), b and t are (p,). Cost: one eigendecomposition each.
Source: More and Sorensen 1983 (the secular equation); what the BCDP paper's Algorithm 3 calls OPT.
"""

import numpy as np

from sordino.errors import SordinoError
from sordino.exact.arrays import Floats
from sordino.exact.messages.brief import shown

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
        matrix: A, symmetric.
        vector: b.
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
    """Refuse what is no radius of a ball."""
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
