"""Delta of an attribute from its budget and its dependence on the others, and the budget from delta, in nats.

For a report that is c-CDP for an attribute and epsilon-LDP, and beliefs in which the distribution of all other
attributes changes by a total variation of at most q between two values of it:

    "paper"   delta = min(c + ln(1 + q (e^epsilon - 1)), epsilon)
    "tight"   delta = ln((1 - q) e^c + q e^epsilon), never larger, and attained

Powers of e are enclosed in rationals and rounded against the promise: deltas up, budgets down.
"""

from fractions import Fraction
from typing import get_args

from sordino.audit.region import ErrorRegion, allowed_errors
from sordino.definition.bounded_dependence import BoundOnVariation, read_variation
from sordino.definition.bounds import read_epsilon
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.exact.nats import Nats, NatsLike
from sordino.papers.bayesian_coordinate.nested_budgets import Account, Accounting, powers


def attribute_loss(c: NatsLike, q: BoundOnVariation, epsilon: NatsLike, accounting: Accounting = "tight") -> float:
    """Delta of an attribute, in nats, rounded up.

    Source: BCDP paper, Proposition 4; the tight bound is Sordino's
    (`Dependence.realized_losses_bound_dependence`).

    Raises:
        SordinoError: a budget above epsilon, or q outside [0, 1].

    Args:
        c: budget of the attribute in nats, all others fixed.
        q: total variation between the distributions of all others, given two of its values.
        epsilon: LDP level in nats.

    Example:
        >>> round(attribute_loss("0.5", "0.1", 2, "paper"), 4), round(attribute_loss("0.5", "0.1", 2), 4)
        (0.994, 0.7987)
    """
    budget, variation, whole = read_epsilon(c), read_variation(q), read_epsilon(epsilon)
    _require_accounting(accounting)
    if budget > whole:
        rule = "a budget must lie between 0 and epsilon"
        raise SordinoError(rule, found=f"c {budget}, epsilon {whole}", step="lower c to epsilon")
    return _loss(budget, variation, whole, accounting).ceil()


def attribute_budget(delta: NatsLike, q: BoundOnVariation, epsilon: NatsLike, accounting: Accounting = "tight") -> Nats:
    """Largest budget c with which an attribute's delta is kept, exact or rounded down to 12 decimals.

    Source: BCDP paper, Proposition 6, which solves Proposition 4 for c; by the tight bound unless the paper's is asked.

    Raises:
        SordinoError: no budget keeps delta; q outside [0, 1].

    Example:
        >>> from sordino.papers import attribute_loss
        >>> budget = attribute_budget("0.7987", "0.1", 2)
        >>> round(float(budget), 3), attribute_loss(budget, "0.1", 2) <= 0.7987
        (0.5, True)
    """
    wanted, variation, whole = read_epsilon(delta), read_variation(q), read_epsilon(epsilon)
    _require_accounting(accounting)
    if wanted >= whole:
        return whole
    least = _loss(Nats.of(0), variation, whole, accounting)
    if least > wanted:
        rule = "no budget keeps delta: even with c = 0 the others reveal ln(1 + q (e^epsilon - 1))"
        step = f"allow {least.ceil():.6g}, or lower epsilon"
        raise SordinoError(rule, found=f"delta {wanted}", step=step)
    return Account((wanted,), (variation,), accounting).most(whole, wanted, variation)


def attribute_errors(c: NatsLike, q: BoundOnVariation, epsilon: NatsLike) -> ErrorRegion:
    """Error rates that tests of an attribute can have at best, whichever of its values are tested.

    Source: BCDP paper, Proposition 2 and Theorem 1.

    Arguments and errors as of `attribute_loss`.

    Example:
        >>> region = attribute_errors("0.5", "0.1", 2)
        >>> [round(float(rate), 4) for rate in (region.false_alarm[1], region.missed[1])]
        [0.3103, 0.3103]
    """
    budget, variation, whole = read_epsilon(c), read_variation(q), read_epsilon(epsilon)
    attribute_loss(budget, variation, whole)
    delta = _loss(budget, variation, whole, "tight")
    return allowed_errors(delta, delta)


def _loss(budget: Nats, variation: Fraction, epsilon: Nats, accounting: Accounting) -> Nats:
    """Delta from rationals above the powers; exact where one of the two amounts decides alone."""
    if variation == 0 or budget == epsilon:
        return budget
    if variation == 1:
        return epsilon
    (_, own), (_, whole) = powers(budget), powers(epsilon)
    if accounting == "paper":
        return min(budget + Nats.log(1 + variation * (whole - 1)), epsilon)
    return min(Nats.log((1 - variation) * own + variation * whole), epsilon)


def _require_accounting(accounting: str) -> None:
    if accounting not in get_args(Accounting):
        raise SordinoError(f"accounting must be one of {', '.join(get_args(Accounting))}", found=shown(accounting))
