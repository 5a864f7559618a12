"""Linear algebra that gives the same bits on every machine, for designs that end in a public plan.

IEEE 754 fixes every bit of +, -, *, / and the square root of two floats, element by element; what differs between
processors and libraries is the order of sums, fused multiplications, and the functions of mathematical libraries. So
nothing here leaves an order open: sums fold halves onto each other, small products and eliminations take one middle
index after the other, large ones are sums that are never rounded (`exact_product`), and exponentials are rounded from
decimals. (LAPACK, einsum, exp and log are not used.)

Cost: that of textbook algorithms in numpy; a system of 400 unknowns takes some tens of milliseconds.
"""

import random
from decimal import Context, Decimal, localcontext
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.design.exact_product import exact_product

Floats: TypeAlias = NDArray[np.float64]

BATCH = 1 << 13
"""Rows of a product at once, so that they stay near the processor."""

LARGE = 1 << 10
"""Entries of a right factor from which exact slices pay off."""

ONE_PANEL, PANEL = 200, 32
"""Columns that are eliminated one after the other, before all others follow at once: all of small systems."""

SMALL = 1 << 14
"""Entries of a product that is added up as a whole, one middle index after the other: the same sums in fewer steps."""

DIGITS = 36
"""Binary, of what is kept of a number whose last digits depend on the machine."""

PRECISION = 40
"""Of decimals, so that floats made of them are rightly rounded, whatever precision the caller has set."""

LN_2 = float(Context(prec=PRECISION).ln(Decimal(2)))

LOG_TERMS = 12
"""Of the series of the inverse hyperbolic tangent: the next is below 2^-60 of the first."""


def total(values: Floats, axis: int = -1) -> Floats:
    """Sums along an axis: the second half is added to the first until one is left."""
    left = np.moveaxis(values, axis, 0)
    if not len(left):
        return np.zeros(left.shape[1:])
    while len(left) > 1:
        half = (len(left) + 1) // 2
        folded = left[:half].copy()
        folded[: len(left) - half] += left[half:]
        left = folded
    return np.asarray(left[0])


def product(left: Floats, right: Floats) -> Floats:
    """The matrix product of shapes (..., k) and (k,) or (k, m), one middle index after the other."""
    if right.ndim == 1:
        return product(left, right[:, None])[..., 0]
    k, m = right.shape
    rows = left.reshape(-1, k)
    if k * m >= LARGE:
        return exact_product(rows, right).reshape(*left.shape[:-1], m)
    if k and len(rows) * m <= SMALL:
        small: Floats = rows[:, 0, None] * right[0]
        for i in range(1, k):
            small += rows[:, i, None] * right[i]
        return small.reshape(*left.shape[:-1], m)
    found = np.empty((len(rows), m))
    for first in range(0, len(rows), BATCH):
        part = np.ascontiguousarray(rows[first : first + BATCH].T)
        for column in range(m):
            summed = part[0] * right[0, column]
            for i in range(1, k):
                summed += part[i] * right[i, column]
            found[first : first + BATCH, column] = summed
    return found.reshape(*left.shape[:-1], m)


def coarse(values: Floats) -> Floats:
    """The values in 36 binary digits: what other libraries found in their own order is one number again.

    Rounding takes differences away unless a value lies just between two of these numbers. Those that a symmetry makes
    equal stay equal, so that ties are broken by their order. A design loses about 1e-10 of its accuracy by it.
    """
    mantissa, exponent = np.frexp(values)
    found: Floats = np.ldexp(np.rint(np.ldexp(mantissa, DIGITS)), exponent - DIGITS)
    return found


def coarse_number(value: float) -> float:
    """The same for one."""
    return float(coarse(np.array(value)))


def solve(matrix: Floats, right: Floats) -> Floats:
    """Solve a system by elimination; the largest entry of each column becomes its pivot, the first of equal ones.

    Args:
        matrix: regular, shape (n, n).
        right: shape (n,) or (n, m).
    """
    n = len(matrix)
    panel = n if n <= ONE_PANEL else PANEL
    work = np.column_stack([matrix, right])
    for first in range(0, n, panel):
        _eliminate(work, first, min(first + panel, n), n)
    for last in range(n, 0, -panel):
        first = max(last - panel, 0)
        for i in range(last - 1, first - 1, -1):
            work[i, n:] /= work[i, i]
            work[first:i, n:] -= work[first:i, i, None] * work[i, n:]
        if first:
            work[:first, n:] -= product(work[:first, first:last], work[first:last, n:])
    return work[:, n:].reshape(right.shape)


def _eliminate(work: Floats, first: int, last: int, n: int) -> None:
    """Columns `first` to `last` below the diagonal, within them one by one, then for all columns behind at once."""
    end = last if last < n else work.shape[1]
    # One buffer for all of the products: a new one each step takes as long as the arithmetic.
    buffer = np.empty((len(work) - first - 1) * (end - first - 1))
    for i in range(first, last):
        largest = i + int(np.argmax(np.abs(work[i:, i])))
        if largest != i:
            work[[i, largest]] = work[[largest, i]]
        work[i + 1 :, i] /= work[i, i]
        left = work[i + 1 :, i + 1 : end]
        products = buffer[: left.size].reshape(left.shape)
        left -= np.multiply(work[i + 1 :, i, None], work[i, i + 1 : end], out=products)
    if last < n:
        for i in range(first, last - 1):
            work[i + 1 : last, last:] -= work[i + 1 : last, i, None] * work[i, last:]
        work[last:, last:] -= product(work[last:, first:last], work[first:last, last:])


def inverse(matrix: Floats) -> Floats:
    """The inverse of a positive definite matrix, symmetric to the last bit."""
    found = solve(matrix, np.eye(len(matrix)))
    return np.asarray((found + found.T) / 2)


def is_definite(matrix: Floats) -> bool:
    """Whether a symmetric matrix is positive definite: all pivots are positive."""
    work = matrix.copy()
    for i in range(len(work)):
        if not work[i, i] > 0:
            return False
        work[i + 1 :, i + 1 :] -= (work[i + 1 :, i] / work[i, i])[:, None] * work[i, i + 1 :]
    return True


def null_space(matrix: Floats, rounding: float) -> Floats:
    """A basis of the vectors that a matrix takes to zero, as columns, by elimination with full exchanges.

    Args:
        matrix: shape (n, m).
        rounding: pivots below this part of the largest entry count as zero.
    """
    work, m = matrix.copy(), matrix.shape[1]
    order, rank = np.arange(m), 0
    least = rounding * float(np.abs(matrix).max())
    for step in range(min(work.shape)):
        place = int(np.argmax(np.abs(work[step:, step:])))
        row, column = step + place // (m - step), step + place % (m - step)
        if abs(work[row, column]) <= least:
            break
        work[[step, row]] = work[[row, step]]
        work[:, [step, column]] = work[:, [column, step]]
        order[[step, column]] = order[[column, step]]
        work[step] /= work[step, step]
        others = np.arange(len(work)) != step
        work[others] -= work[others, step, None] * work[step]
        rank = step + 1
    basis = np.zeros((m, m - rank))
    basis[order[:rank]] = -work[:rank, rank:]
    basis[order[rank:], np.arange(m - rank)] = 1.0
    return basis


def exponential(values: Floats) -> Floats:
    """e^x, each correctly rounded; for few values."""
    with localcontext(Context(prec=PRECISION)):
        flat = [float(Decimal(x).exp()) for x in values.ravel().tolist()]
    return np.array(flat, dtype=np.float64).reshape(values.shape)


def logarithm(values: Floats) -> Floats:
    """Natural logarithms of positive values, to about one unit in the last place."""
    mantissa, exponent = np.frexp(values)
    small = mantissa < np.sqrt(0.5)
    mantissa, exponent = np.where(small, 2 * mantissa, mantissa), exponent - small
    z = (mantissa - 1) / (mantissa + 1)
    square, series = z * z, np.zeros_like(z)
    for i in range(2 * LOG_TERMS - 1, 0, -2):
        series = series * square + 1 / i
    found: Floats = exponent * LN_2 + 2 * z * series
    return found


class ReproducibleDraws:
    """Numbers that look random and are the same for ever: Python promises that of its `random()` alone."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - starts of a search, not noise

    def uniform(self, *shape: int) -> Floats:
        """Floats in [0, 1)."""
        count = int(np.prod(shape))
        return np.array([self._random.random() for _ in range(count)]).reshape(shape)

    def below(self, end: int, *shape: int) -> NDArray[np.intp]:
        """Whole numbers in 0..end-1."""
        return (self.uniform(*shape) * end).astype(np.intp)
