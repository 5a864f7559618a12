"""Limits of a quotient of two unbiased estimates whose errors are near normal: Fieller's.

They are all r for which N - r D is no further from 0 than its own standard errors allow. That is an interval where D's
own leaves 0 out; where it does not, the reports say nothing of the quotient.
Of few reports errors are not normal: of a part that nobody was seen to have N - r D seems to have no more than D's
own. There limits go on to all r, up to 0 and 1, with which the likelihood of what each code adds to N - r D lets its
mean be 0 (`mean_limits`).
Source: Fieller 1954, some problems in interval estimation.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.estimation.intervals.mean_limits import limits_by_codes
from sordino.exact.arrays import Floats

HALVINGS = 20
"""Of what is left of 0 to 1: a millionth of it."""


def quotient_limits(
    part: ArrayLike, whole: ArrayLike, errors: tuple[ArrayLike, ArrayLike, ArrayLike], z: ArrayLike
) -> tuple[Floats, Floats]:
    """All r with (N - r D)^2 <= z^2 Var(N - r D), of any shape; not a number where D may be 0.

    Args:
        part: N.
        whole: D.
        errors: the variances of N and of D, and the covariance of the two.
        z: how many standard errors.

    Example:
        >>> [round(float(end), 6) for end in quotient_limits(2.0, 4.0, (0.04, 0.0, 0.0), 2.0)]
        [0.4, 0.6]
    """
    part, whole, squared = np.asarray(part), np.asarray(whole), np.square(z)
    part_variance, whole_variance, shared = map(np.asarray, errors)
    square = whole**2 - squared * whole_variance
    middle, end = part * whole - squared * shared, part**2 - squared * part_variance
    # N / D solves the quadratic in r: there are two ends.
    root = np.sqrt(np.maximum(middle**2 - square * end, 0.0))
    divisor = np.where((whole > 0) & (square > 0), square, np.nan)
    return (middle - root) / divisor, (middle + root) / divisor


def likely_limits(
    limits: tuple[Floats, Floats], parts: Floats, wholes: Floats, law: Floats, n: int | Floats, error: float
) -> tuple[Floats, Floats]:
    """Limits of shares, no closer together than likelihood lets them be, shape (m,) each.

    Args:
        limits: by `quotient_limits`, or what is possible.
        parts: what each code adds to N, shape (m, codes).
        wholes: what it adds to D, shape (m, codes).
        law: how often each was sent, shape (codes,), or of each share its own, shape (m, codes).
        n: the number of reports, or of each share its own, shape (m,).
        error: how often both limits may miss, together.
    """

    def is_allowed(rows: NDArray[np.intp], share: Floats, end: float) -> NDArray[np.bool_]:
        laws, reports = law if law.ndim == 1 else law[rows], n if isinstance(n, int) else n[rows]
        low, high = limits_by_codes(parts[rows] - share[:, None] * wholes[rows], laws, reports, error)
        return low <= 0 if end < 1 else high >= 0

    found = []
    for end, limit in zip((0.0, 1.0), limits, strict=True):
        widened, start = limit.copy(), np.clip(limit, 0.0, 1.0)
        rest = np.flatnonzero(start != end)
        rest = rest[is_allowed(rest, start[rest], end)]
        near, far = start[rest], np.full(len(rest), end)
        for _ in range(HALVINGS if len(rest) else 0):
            middle = (near + far) / 2
            inside = is_allowed(rest, middle, end)
            near, far = np.where(inside, middle, near), np.where(inside, far, middle)
        widened[rest] = far
        found.append(widened)
    return found[0], found[1]
