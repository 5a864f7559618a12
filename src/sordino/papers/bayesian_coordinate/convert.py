"""The arrows between LDP, Bayesian DP, coordinate DP and Bayesian coordinate DP, each with its proposition.

A level is an amount of nats, "inf" for none; what is returned is an upper bound, rounded up by at most 1e-38 nats, and
exact where levels are logarithms of rationals. The inverses return the largest budget that surely keeps a delta,
rounded down. In all of them q_i bounds the total variation between the laws of *all other attributes together* given
two values of attribute i: (13) of the paper. None stands for "without bound".

    LDP(e)  ->  BDP(e), CDP(e, .., e), BCDP(e, .., e)            Propositions 1 and 3
    BDP(e)  ->  LDP(e) where every record is possible            Proposition 1
    CDP(c)  ->  LDP(c_1 + .. + c_d)                              Proposition 4.1
    CDP(c) and q_i  ->  BCDP                                     Proposition 4.1
    CDP(c), LDP(e) and q_i  ->  BCDP                             Proposition 4.2, and the tighter mixture rule
    the likelihoods of one output and q_i  ->  BCDP, exactly     the worst prior within q_i

BCDP implies none of the others: Example 1 of the paper.
Source: BCDP paper, Figure 1, Sections 2 and 3, Appendix A.5 with e^delta - 1 in (55).
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.definition.bounds import BoundLike, read_bound
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.dependence import BoundOnVariation
from sordino.definition.prior import Prior
from sordino.definition.product import Amounts, read_amounts
from sordino.definition.rest import Rest
from sordino.errors import SordinoError
from sordino.exact.messages.written import exact_value
from sordino.exact.nats import FIRST_DIGITS, Nats, exponential

NOTHING = Nats.of(0)


def bayesian_from_ldp(epsilon: BoundLike) -> Nats | None:
    """LDP to Bayesian DP under any prior, at the same level (Proposition 1)."""
    return read_bound(epsilon)


def ldp_from_bayesian(epsilon: BoundLike, prior: Prior | ArrayLike) -> Nats | None:
    """Bayesian DP to LDP at the same level, where every record is possible; else nothing follows (Proposition 1).

    (The paper's converse changes the mechanism on records of probability zero; a mechanism as it is has no such luck.)
    """
    return read_bound(epsilon) if min(Prior.of(prior).weights) > 0 else None


def coordinate_from_ldp(epsilon: BoundLike, d: int) -> Amounts:
    """LDP to coordinate DP: a budget of epsilon for each of d attributes (Figure 1)."""
    return (read_bound(epsilon),) * d


def deltas_from_ldp(epsilon: BoundLike, d: int) -> Amounts:
    """LDP, or Bayesian DP, to Bayesian coordinate DP: a delta of epsilon for each of d attributes (Proposition 3)."""
    return (read_bound(epsilon),) * d


def ldp_from_coordinate(budgets: Sequence[BoundLike]) -> Nats | None:
    """Coordinate DP to LDP: the sum of the budgets (Proposition 4.1).

    Example:
        >>> str(ldp_from_coordinate(["0.5", "ln 3"]))
        '1/2 + ln 3'
    """
    return CoordinateDP(budgets).ldp_level


def deltas_from_coordinate(
    budgets: Sequence[BoundLike], rest: BoundOnVariation | Sequence[BoundOnVariation]
) -> Amounts:
    """Coordinate DP and bounds q to Bayesian coordinate DP (Proposition 4.1).

    delta_i = c_i + ln(1 + q_i (e^(sum of the other c_j) - 1)).

    Example:
        >>> [str(delta) for delta in deltas_from_coordinate(["ln 2", "ln 3"], [1, 0])]
        ['ln 6', 'ln 3']
    """
    amounts = read_amounts("budget", budgets)
    others = (_sum(amounts[:i] + amounts[i + 1 :]) for i in range(len(amounts)))
    bounds = Rest.of(rest, len(amounts)).bounds
    return tuple(_sum((c, _tilted(other, q))) for c, other, q in zip(amounts, others, bounds, strict=True))


def deltas_as_published(
    budgets: Sequence[BoundLike], epsilon: BoundLike, rest: BoundOnVariation | Sequence[BoundOnVariation]
) -> Amounts:
    """Coordinate DP, LDP and bounds q to Bayesian coordinate DP (Proposition 4.2).

    delta_i = min(c_i + ln(1 + q_i (e^epsilon - 1)), epsilon). `deltas_by_mixture` is never larger.
    """
    amounts, level = read_amounts("budget", budgets), read_bound(epsilon)
    bounds = Rest.of(rest, len(amounts)).bounds
    return tuple(_least(_sum((c, _tilted(level, q))), level) for c, q in zip(amounts, bounds, strict=True))


def deltas_by_mixture(
    budgets: Sequence[BoundLike], epsilon: BoundLike, rest: BoundOnVariation | Sequence[BoundOnVariation]
) -> Amounts:
    """Coordinate DP, LDP and bounds q to Bayesian coordinate DP, tightly.

    delta_i = ln((1 - q_i) e^c_i + q_i e^epsilon): between two values of the attribute the laws of the rest share a mass
    of 1 - q_i, where outputs differ by at most e^c_i; elsewhere they differ by at most e^epsilon. It also holds for
    what a transcript really lost; but merging outputs may raise it, unlike the truth.

    Example:
        >>> [str(delta) for delta in deltas_by_mixture(["ln 2", "ln 2"], "ln 6", ["1/4", 1])]
        ['ln 3', 'ln 6']
    """
    amounts, level = read_amounts("budget", budgets), read_bound(epsilon)
    bounds = Rest.of(rest, len(amounts)).bounds
    return tuple(_mixture(_least(c, level), level, q) for c, q in zip(amounts, bounds, strict=True))


def deltas_from_likelihood(likelihood: ArrayLike, rest: BoundOnVariation | Sequence[BoundOnVariation]) -> Amounts:
    """The exact losses of one output over all priors within the bounds q.

    Args:
        likelihood: shape (k_1, .., k_d): the probability of the output for each record, up to a common factor; whole
        numbers, Fractions, or floats taken as the exact numbers that they are.
        rest: q, one for each attribute or one for all.

    Raises:
        SordinoError: no table of finite numbers >= 0.

    Example:
        >>> [str(delta) for delta in deltas_from_likelihood([[3, 1], [1, 3]], "1/2")]
        ['ln 3', 'ln 3']
    """
    try:
        table = np.asarray(likelihood)
        exact = [exact_value(entry) for entry in table.ravel().tolist()]
    except (ValueError, TypeError, OverflowError):
        raise SordinoError("a likelihood must be a table of finite numbers", found="another entry") from None
    if not table.ndim or not exact or min(exact) < 0:
        raise SordinoError("a likelihood must be a table of numbers >= 0", found=f"shape {table.shape}")
    scale = np.lcm.reduce(np.array([entry.denominator for entry in exact], dtype=object))
    whole = np.array([int(entry * scale) for entry in exact], dtype=object)
    contrasts = Rest.of(rest, table.ndim).on(table.shape).contrasts(whole)
    return tuple(NOTHING if contrast is None else contrast.loss for contrast in contrasts)


def linear_rule(
    deltas: Sequence[BoundLike], rest: BoundOnVariation | Sequence[BoundOnVariation]
) -> NDArray[np.float64]:
    """The matrix A of Proposition 6, rounded up: budgets c >= 0 with A c <= 1 keep the deltas by Proposition 4.1.

    A[i, i] = 1/delta_i, A[i, j] = 1/ln(1 + (e^delta_i - 1)/q_i); an infinite entry allows a budget of 0 only.

    Returns:
        float64, shape (d, d).
    """
    rows = _linear_rule(deltas, rest)
    return np.array([[np.inf if entry is None else Nats(entry).ceil() for entry in row] for row in rows])


def keeps_linear_rule(
    budgets: Sequence[BoundLike], deltas: Sequence[BoundLike], rest: BoundOnVariation | Sequence[BoundOnVariation]
) -> bool:
    """Whether budgets surely satisfy A c <= 1 (Proposition 6); rounded against the budgets.

    Raises:
        SordinoError: another number of budgets than of deltas.
    """
    amounts, rows = read_amounts("budget", budgets), _linear_rule(deltas, rest)
    if len(amounts) != len(rows):
        raise SordinoError("there must be as many budgets as deltas", found=f"{len(amounts)} and {len(rows)}")
    for row in rows:
        used = Fraction(0)
        for c, entry in zip(amounts, row, strict=True):
            if entry == 0 or c == NOTHING:
                continue
            if c is None or entry is None:
                return False
            used += Fraction(c.ceil()) * entry
        if used > 1:
            return False
    return True


def largest_budget(delta: BoundLike, epsilon: BoundLike, q: BoundOnVariation) -> Nats | None:
    """The largest budget of an attribute that keeps its delta by the mixture rule; at most epsilon.

    Returns:
        The budget, rounded down; None where none does, not even 0.

    Example:
        >>> str(largest_budget("ln 3", "ln 6", "1/4")), largest_budget("ln 2", "ln 6", "1/4")
        ('ln 2', None)
    """
    bound, level, (share,) = _finite("delta", delta), _finite("epsilon", epsilon), Rest.of(q, 1).bounds
    if bound >= level:
        return level
    if share in (0, 1):
        return None if share else bound
    left = (_below(bound) - share * _above(level)) / (1 - share)
    return Nats.log(left) if left >= 1 else None


def largest_budget_as_published(delta: BoundLike, epsilon: BoundLike, q: BoundOnVariation) -> Nats | None:
    """The largest budget of an attribute that keeps its delta by Proposition 4.2; None where none does."""
    bound, level, (share,) = _finite("delta", delta), _finite("epsilon", epsilon), Rest.of(q, 1).bounds
    if bound >= level:
        return level
    left = bound - (_tilted(level, share) or NOTHING)
    return left if left >= NOTHING else None


def _sum(amounts: Sequence[Nats | None]) -> Nats | None:
    total = NOTHING
    for amount in amounts:
        if amount is None:
            return None
        total += amount
    return total


def _least(first: Nats | None, second: Nats | None) -> Nats | None:
    if first is None or second is None:
        return second if first is None else first
    return min(first, second)


def _tilted(level: Nats | None, q: Fraction) -> Nats | None:
    """ln(1 + q (e^level - 1)), rounded up: exact at q = 0 and 1."""
    return _mixture(NOTHING, level, q)


def _mixture(budget: Nats | None, level: Nats | None, q: Fraction) -> Nats | None:
    """ln((1 - q) e^budget + q e^level), rounded up but never above the larger of the two."""
    if q in (0, 1) or budget == level:
        return level if q else budget
    if budget is None or level is None:
        return None
    return min(Nats.log((1 - q) * _above(budget) + q * _above(level)), max(budget, level))


def _above(amount: Nats) -> Fraction:
    """e^amount, rounded up."""
    return exponential(amount.rational, FIRST_DIGITS)[1] * amount.ratio


def _below(amount: Nats) -> Fraction:
    """e^amount, rounded down; at least 1 for an amount that is not negative."""
    return max(exponential(amount.rational, FIRST_DIGITS)[0] * amount.ratio, Fraction(1))


def _linear_rule(deltas: Sequence[BoundLike], rest: Any) -> list[list[Fraction | None]]:
    """The matrix of Proposition 6, rounded up; None for an infinite entry."""
    amounts = read_amounts("delta", deltas)
    rows = []
    for i, (delta, q) in enumerate(zip(amounts, Rest.of(rest, len(amounts)).bounds, strict=True)):
        row: list[Fraction | None] = [Fraction(0)] * len(amounts)
        if delta is not None:
            if q > 0:
                row = [_inverse(Nats.log(1 + (_below(delta) - 1) / q))] * len(amounts)
            row[i] = _inverse(delta)
        rows.append(row)
    return rows


def _inverse(amount: Nats) -> Fraction | None:
    """1/amount, rounded up; None for infinity."""
    least = amount.floor()
    return 1 / Fraction(least) if least > 0 else None


def _finite(name: str, amount: BoundLike) -> Nats:
    bound = read_bound(amount)
    if bound is None:
        raise SordinoError(f"{name} must be finite", found="inf")
    return bound
