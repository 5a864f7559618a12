"""Delta of an attribute from its budget and its dependence on the others, and the budget from delta, in nats.

For a report that is c-CDP for an attribute and epsilon-LDP, and beliefs in which the distribution of all other
attributes changes by a total variation of at most q between two values of it:

    "paper"   delta = min(c + ln(1 + q (e^epsilon - 1)), epsilon)
    "tight"   delta = ln((1 - q) e^c + q e^epsilon), never larger, and attained
"""

from math import exp, expm1, log, log1p
from typing import Literal

from sordino.errors import SordinoError


def attribute_loss(c: float, q: float, epsilon: float, accounting: Literal["paper", "tight"] = "tight") -> float:
    """Delta of an attribute, in nats and to float accuracy.

    Source: BCDP paper, Proposition 4; the tight bound is Sordino's
    (`Dependence.realized_losses_bound_dependence`).

    Args:
        c: budget of the attribute in nats, all others fixed.
        q: total variation between the distributions of all others, given two of its values.
        epsilon: LDP level in nats.

    Example:
        >>> round(attribute_loss(0.5, 0.1, 2, "paper"), 4), round(attribute_loss(0.5, 0.1, 2), 4)
        (0.994, 0.7987)
    """
    if not (0 <= c <= epsilon and 0 <= q <= 1):
        rule = "a budget must lie between 0 and epsilon, and q between 0 and 1"
        raise SordinoError(rule, found=f"c {c}, epsilon {epsilon}, q {q}", step="lower c to epsilon, and q to 1")
    if accounting == "paper":
        return min(c + log1p(q * expm1(epsilon)), epsilon)
    return c + log1p(q * expm1(epsilon - c))


def attribute_budget(delta: float, q: float, epsilon: float) -> float:
    """Largest budget c with which an attribute's delta is kept by the tight bound, to float accuracy.

    Source: BCDP paper, Proposition 6, by the tight bound solved for c.

    Example:
        >>> round(attribute_budget(0.7987, 0.1, 2), 3)
        0.5
    """
    if not (delta >= 0 and epsilon >= 0 and 0 <= q <= 1):
        raise SordinoError("delta and epsilon must be at least 0, and q in [0, 1]", found=f"{delta}, {epsilon}, {q}")
    if delta >= epsilon:
        return epsilon
    power = exp(delta) - q * exp(epsilon)
    if power < 1 - q:
        rule = "no budget keeps delta: even with c = 0 the others reveal ln(1 + q (e^epsilon - 1))"
        raise SordinoError(
            rule, found=f"delta {delta}", step=f"allow {attribute_loss(0, q, epsilon):.6g}, or lower epsilon"
        )
    return max(0.0, log(power / (1 - q)))
