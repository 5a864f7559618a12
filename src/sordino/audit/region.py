"""The error region: how well anybody can tell two values by a report, whatever test is used.

A test says x or x'. Under E-LDP its false alarms P_FA = Pr(says x | x') and missed detections P_MD = Pr(says x' | x)
satisfy P_FA + e^E[x',x] P_MD >= 1 and e^E[x,x'] P_FA + P_MD >= 1; a mechanism's own tests reach the curve of its
likelihood ratios, which lies inside.
Source: context-aware LDP paper, Theorem 1, (7) and (8); (22) and (23) as corrected.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.exact.nats import FIRST_DIGITS, Nats, exponential
from sordino.mechanism.base import Mechanism

MOST_CODES = 1 << 16
"""Largest number of outputs of a mechanism whose own curve is computed."""


@dataclass(frozen=True, eq=False)
class ErrorRegion:
    """The lower boundary of the error rates that tests of x against x' can have.

    Attributes:
        false_alarm: P_FA of the corners, ascending from 0, shape (corners,).
        missed: P_MD of the corners, descending to 0.

    Example:
        >>> allowed_errors("1", "2").missed.round(6)
        array([1.      , 0.090031, 0.      ])
    """

    false_alarm: NDArray[np.float64]
    missed: NDArray[np.float64]


def allowed_errors(bound: Nats | str | None, back: Nats | str | None) -> ErrorRegion:
    """Error rates of tests of x against x' that a definition with E[x, x'] = bound and E[x', x] = back allows at best.

    Source: context-aware LDP paper, Theorem 1 and Figure 1.

    The corner lies where both inequalities hold with equality; powers of e are rounded up.

    Args:
        bound, back: in nats; "inf" or None where the value is not protected from the other one.

    Example:
        >>> region = allowed_errors("1", "2")
        >>> region.false_alarm.round(6).tolist(), region.missed.round(6).tolist()
        ([0.0, 0.334759, 1.0], [1.0, 0.090031, 0.0])
    """
    first, second = (_factor(amount) for amount in (bound, back))
    if first == 1 or second == 1:
        return ErrorRegion(np.array([0.0, 1.0]), np.array([1.0, 0.0]))
    if first is None and second is None:
        corner = Fraction(0), Fraction(0)
    elif first is None or second is None:
        # One of the errors vanishes, the other keeps what the finite bound leaves.
        corner = (Fraction(0), 1 / second) if second is not None else (1 / (first or Fraction(1)), Fraction(0))
    else:
        corner = (second - 1) / (first * second - 1), (first - 1) / (first * second - 1)
    alarm, miss = (float(rate) for rate in corner)
    return ErrorRegion(np.array([0.0, alarm, 1.0]), np.array([1.0, miss, 0.0]))


def code_weights(mechanism: Mechanism, value: int) -> list[int]:
    """The weights of a value's codes, in their order; together the denominator."""
    return [mechanism.weight(value, code) for code in range(mechanism.outputs)]


def reached_errors(
    mechanism: Mechanism, value: int, other: int, weights: Callable[[int], list[int]] | None = None
) -> ErrorRegion:
    """What the best tests of a mechanism's reports reach: by descending likelihood ratio, code by code.

    Args:
        weights: `code_weights` of a value, from whoever tests it against several and remembers them.
    """
    if mechanism.outputs > MOST_CODES:
        raise SordinoError(f"a curve needs a mechanism of at most {MOST_CODES} codes", found=f"{mechanism.outputs}")
    if value == other or not all(0 <= one < mechanism.k for one in (value, other)):
        raise SordinoError(
            f"a test is of two different values in 0..{mechanism.k - 1}", found=" and ".join(map(shown, (value, other)))
        )
    own, against = map(weights or partial(code_weights, mechanism), (value, other))
    # Outputs of the same two weights are accepted together: between them the boundary has no corner.
    outputs = Counter(zip(own, against, strict=True))
    # A ratio own / against falls as against / (own + against) rises, which is never a division by zero.
    pairs = sorted(filter(any, outputs), key=lambda pair: Fraction(pair[1], sum(pair)))
    told = accumulate((pair[0] * outputs[pair] for pair in pairs), initial=0)
    alarms = accumulate((pair[1] * outputs[pair] for pair in pairs), initial=0)
    whole = mechanism.denominator
    return ErrorRegion(np.array([alarm / whole for alarm in alarms]), np.array([(whole - one) / whole for one in told]))


def _factor(amount: Nats | str | None) -> Fraction | None:
    """e^amount, rounded up; None for infinity."""
    if amount is None or amount == "inf":
        return None
    bound = Nats.of(amount)
    return exponential(bound.rational, FIRST_DIGITS)[1] * bound.ratio
