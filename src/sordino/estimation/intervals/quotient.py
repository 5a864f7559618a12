"""Limits of a quotient of two unbiased estimates whose errors are near normal: Fieller's.

They are all r for which N - r D is no further from 0 than its own standard errors allow. That is an interval where D's
own leaves 0 out; where it does not, the reports say nothing of the quotient.
Of few reports errors are not normal: of a part that nobody was seen to have N - r D seems to have no more than D's
own. There limits go on to all r, up to 0 and 1, with which the likelihood of what each code adds to N - r D lets its
mean be 0 (`mean_limits`).
Source: Fieller 1954, some problems in interval estimation.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.estimation.intervals.mean_limits import lower_limits, moments_by_codes, three_amounts, upper_limits
from sordino.exact.floats import Floats

HALVINGS = 20
"""Of what is left of 0 to 1: a millionth of it."""


def quotient_limits(
    part: ArrayLike, whole: ArrayLike, errors: tuple[ArrayLike, ArrayLike, ArrayLike], z: ArrayLike
) -> tuple[Floats, Floats]:
    """All r with (N - r D)^2 <= z^2 Var(N - r D), of any shape; not a number where D may be 0.

    Args:
        errors: the variances of N and of D, and the covariance of the two.

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


class QuotientRows(NamedTuple):
    """Shares whose limits likelihood is to widen, with what their reports say of them.

    Attributes:
        limits: by `quotient_limits`, or what is possible, shape (m,) each.
        parts: what each code adds to N, shape (m, codes).
        wholes: what it adds to D, shape (m, codes).
        law: how often each was sent, shape (codes,), or of each share its own, shape (m, codes).
        n: the number of reports, or of each share its own, shape (m,).
        error: how often both limits may miss, together.
    """

    limits: tuple[Floats, Floats]
    parts: Floats
    wholes: Floats
    law: Floats
    n: int | Floats
    error: float


def likely_limits_of(asked: Sequence[QuotientRows]) -> list[tuple[Floats, Floats]]:
    """`likely_limits` of each; those with equally many codes are looked for together, which is much faster."""
    alike: dict[tuple[int, float], list[int]] = {}
    for place, rows in enumerate(asked):
        alike.setdefault((rows.parts.shape[1], rows.error), []).append(place)
    found: list[tuple[Floats, Floats]] = [rows.limits for rows in asked]
    for (_, error), places in alike.items():
        own = [asked[place] for place in places]
        if len(own) == 1:
            found[places[0]] = likely_limits(*own[0])
            continue
        ends = np.concatenate([one.limits[0] for one in own]), np.concatenate([one.limits[1] for one in own])
        parts, wholes = np.concatenate([one.parts for one in own]), np.concatenate([one.wholes for one in own])
        law = np.concatenate([np.broadcast_to(one.law, one.parts.shape) for one in own])
        n = np.concatenate([np.broadcast_to(np.float64(one.n), len(one.parts)) for one in own])
        low, high = likely_limits(ends, parts, wholes, law, n, error)
        cuts = np.cumsum([len(one.parts) for one in own])[:-1]
        for place, *limits in zip(places, np.split(low, cuts), np.split(high, cuts), strict=True):
            found[place] = limits[0], limits[1]
    return found


def likely_limits(
    limits: tuple[Floats, Floats], parts: Floats, wholes: Floats, law: Floats, n: int | Floats, error: float
) -> tuple[Floats, Floats]:
    """Limits of shares, no closer together than likelihood lets them be, shape (m,) each.

    Args as of `QuotientRows`.
    """

    def is_allowed(rows: NDArray[np.intp], share: Floats, end: float) -> NDArray[np.bool_]:
        laws, reports = law if law.ndim == 1 else law[rows], n if isinstance(n, int) else n[rows]
        added = parts[rows] - share[:, None] * wholes[rows]
        amounts, came = three_amounts(moments_by_codes(added, laws))
        if end < 1:
            return lower_limits(amounts, reports * came, added.min(axis=1), error) <= 0
        return upper_limits(amounts, reports * came, added.max(axis=1), error) >= 0

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
