"""Delta of an attribute from its budget and its dependence on the others, and the budget from delta, in nats.

For a report that is c-CDP for an attribute and epsilon-LDP, and beliefs in which the distribution of all other
attributes changes by a total variation of at most q between two values of it:

    "paper"   delta = min(c + ln(1 + q (e^epsilon - 1)), epsilon)
    "tight"   delta = ln((1 - q) e^c + q e^epsilon), never larger, and attained

Powers of e are enclosed in rationals and rounded against the promise: deltas up, budgets down.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import get_args

import numpy as np

from sordino.audit.region import ErrorRegion, allowed_errors
from sordino.definition.bounded_dependence import BoundOnVariation, read_variation
from sordino.definition.bounds import read_epsilon
from sordino.errors import SordinoError
from sordino.exact.floats import Floats
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

    Source: BCDP paper, Proposition 4, solved for c of one attribute; by the tight bound unless the paper's is asked.

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


def budget_conditions(deltas: Sequence[NatsLike], variations: Sequence[BoundOnVariation]) -> Floats:
    """The matrix A of linear conditions A c <= 1 on the budgets of all attributes, under which each keeps its delta.

    Source: BCDP paper, Proposition 6, (53).

    Args:
        deltas: of the attributes in nats, above 0.
        variations: q of each attribute.

    Returns:
        Shape (d, d), in one over nats, rounded up: what keeps the conditions keeps the deltas.

    Raises:
        SordinoError: a delta that is not above 0, q outside [0, 1], or as many of one as there are not of the other.

    Example:
        >>> conditions = budget_conditions(["0.5", "0.5"], ["0.1", "0.1"])
        >>> conditions.round(4).tolist(), round(1 / float(conditions[0].sum()), 4)
        ([[2.0, 0.4967], [0.4967, 2.0]], 0.4005)
    """
    wanted, known = [*map(read_epsilon, deltas)], [*map(read_variation, variations)]
    if len(wanted) != len(known) or any(delta.sign() <= 0 for delta in wanted):
        rule = "conditions on budgets must be of deltas above 0, each with its q"
        raise SordinoError(rule, found=f"{shown([*deltas])} and {shown([*variations])}", step="give one of each")
    conditions = np.empty((len(wanted), len(wanted)))
    for row, delta, variation in zip(conditions, wanted, known, strict=True):
        # If nothing depends on the attribute, the budgets of the others are free.
        least = Nats.log(1 + (powers(delta)[0] - 1) / variation).floor() if variation else inf
        row[:] = np.nextafter(1 / least, inf) if variation else 0.0
    np.fill_diagonal(conditions, [np.nextafter(1 / delta.floor(), inf) for delta in wanted])
    return conditions


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
