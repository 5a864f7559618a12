"""A floor of the variance in exact rationals, from what floats found: whatever that is, nothing false follows.

Write p for equal shares, v for a column, M = sum of w v v' / (p.v) for what a channel tells, whose weights w sum its
columns to ones. For every symmetric Z, trace(M^-1) >= 2 trace(Z) - trace(Z M Z). If v'F v >= 0 for every column, then
    v'Z Z v <= (l.v)(p.v) + t (p.v)^2,  for all l and t = k^2 times the largest entry of Z Z - sym(l p') + F
because v >= 0, and trace(M^-1) >= 2 trace(Z) - sum l - t. How near this comes is for who chooses F, Z and l.

F may speak of more: of entries y that each column fixes, each from 0 to p.v. With any rows R of (v, y) squares
|R (v, y)|^2 >= 0 are added on the left, and t is d^2 times the largest entry for d entries in all.
"""

from fractions import Fraction
from typing import TypeAlias

import numpy as np

from sordino.design.coarse import Floats

BITS = 80
"""Binary digits after the point of Z and of the prices."""

WholeMatrix: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.object_]]"
"""Of Python's integers."""


def proved_trace(root: Floats, prices: Floats, form: WholeMatrix, beside: Floats | None = None) -> Fraction:
    """The floor of trace(M^-1).

    Args:
        root: Z, made symmetric here, shape (k, k).
        prices: l, shape (k,).
        form: F, symmetric, in units of 2^-(2 BITS), rounded up if at all; (v, y)'F (v, y) >= 0 for every column v,
            shape (d, d).
        beside: R, shape (any, d).
    """
    k, d, unit = len(root), len(form), 2**BITS
    exact, costs = whole((root + root.T) / 2), whole(prices)
    # k times the matrix that is left, in units of 2^-(2 BITS).
    left = k * form
    left[:k, :k] += k * exact.dot(exact) - (costs[:, None] + costs) * unit // 2
    if beside is not None:
        squared = whole(beside)
        left += k * squared.T.dot(squared)
    largest = max(0, *left.ravel().tolist())
    return Fraction(2 * int(np.trace(exact)) - int(costs.sum()), unit) - Fraction(d * d * largest, k * unit * unit)


def whole(values: Floats, bits: int = BITS) -> WholeMatrix:
    """In units of 2^-bits, rounded down."""
    mantissas, exponents = np.frexp(values.ravel())
    shifts = (exponents - 53 + bits).tolist()
    wholes = np.ldexp(mantissas, 53).astype(np.int64).tolist()
    flat = [digits << shift if shift >= 0 else digits >> -shift for digits, shift in zip(wholes, shifts, strict=True)]
    found = np.empty(len(flat), dtype=object)
    found[:] = flat
    return found.reshape(values.shape)
