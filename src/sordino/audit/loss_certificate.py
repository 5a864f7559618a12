"""The verdict on a report about d numbers whose largest losses are known exactly, under four kinds of promise.

With c_i the largest loss of number i for somebody who knows all others, and epsilon that of a whole record:

    LDP              epsilon
    coordinate DP    c_i for each number
    Bayesian CDP     ln((1 - q_i) e^c_i + q_i e^epsilon) for each number, and epsilon

Losses are sums of logarithms of whole ratios, so that all of it is exact. The second line of the last is never below
the truth and is attained by some channel with these losses; where it exceeds a delta the promise is not proved.
Source: BCDP paper, Definitions 1, 3 and 4, Proposition 4 by its tight form.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.pairwise import LDP
from sordino.definition.rest import Rest
from sordino.errors import SordinoError
from sordino.exact.messages import kind
from sordino.exact.nats import Nats


@dataclass(frozen=True, repr=False)
class LossCertificate:
    """The verdict on a report about d numbers.

    Attributes:
        holds: whether the promise is proved.
        slack: the exact amount that is left of the bound where least is left; negative iff it is not proved.
        number: place of the number where that is; None for the whole record.
        losses: exact, shape (d,): of each number, for somebody who knows all others.
        epsilon: exact: of a whole record.
        deltas: shape (d,), rounded up: of each number by the tight accounting, which decides; empty unless Bayesian.
        published: shape (d,), rounded up: by the accounting of the BCDP paper's Proposition 4.
    """

    holds: bool
    slack: Nats
    number: int | None
    losses: tuple[Nats, ...]
    epsilon: Nats
    deltas: tuple[float, ...] = ()
    published: tuple[float, ...] = ()

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        where = "the whole record" if self.number is None else f"number {self.number}"
        verdict = "holds" if self.holds else "is NOT proved"
        return f"Certificate: {verdict}\n  tightest: {where}, with {self.slack.floor():.6g} nats left"


def certify_losses(losses: Sequence[Nats], epsilon: Nats, definition: Any) -> LossCertificate:
    """The verdict on a report of these largest losses.

    Args:
        losses: of each number, logarithms of ratios.
        epsilon: of a whole record, the same.

    Raises:
        SordinoError: a definition of another kind, or about another number of attributes, or with a prior.
    """
    deltas: tuple[float, ...] = ()
    published: tuple[float, ...] = ()
    left: list[tuple[Nats, int | None]] = []
    if isinstance(definition, LDP):
        left.append((definition.epsilon - epsilon, None))
    elif isinstance(definition, CoordinateDP):
        _require_numbers(definition.d, len(losses))
        limits = enumerate(zip(definition.budgets, losses, strict=True))
        left += [(budget - loss, place) for place, (budget, loss) in limits if budget is not None]
    elif isinstance(definition, BayesianCoordinateDP) and isinstance(definition.beliefs, Rest):
        _require_numbers(definition.d, len(losses))
        bounds = definition.beliefs.bounds
        exact = [tight_loss(loss, q, epsilon) for loss, q in zip(losses, bounds, strict=True)]
        paper = [published_loss(loss, q, epsilon) for loss, q in zip(losses, bounds, strict=True)]
        deltas, published = (tuple(one.ceil() for one in found) for found in (exact, paper))
        limits = enumerate(zip(definition.deltas, exact, strict=True))
        left += [(delta - loss, place) for place, (delta, loss) in limits if delta is not None]
        if definition.epsilon is not None:
            left.append((definition.epsilon - epsilon, None))
    else:
        step = "give LDP(epsilon), CoordinateDP(budgets) or BayesianCoordinateDP.bounded(deltas, epsilon, q)"
        rule = "reports about numbers are checked against promises about numbers"
        raise SordinoError(rule, found=kind(definition), step=step)
    if not left:
        return LossCertificate(True, Nats.of(0), None, tuple(losses), epsilon, deltas, published)
    slack, number = min(left, key=lambda one: one[0])
    return LossCertificate(slack.sign() >= 0, slack, number, tuple(losses), epsilon, deltas, published)


def tight_loss(loss: Nats, q: Fraction, epsilon: Nats) -> Nats:
    """Delta of a number, exactly, of losses that are logarithms: `ln((1 - q) e^c + q e^epsilon)`."""
    return Nats.log((1 - q) * _power(loss) + q * _power(epsilon))


def published_loss(loss: Nats, q: Fraction, epsilon: Nats) -> Nats:
    """Delta of a number as Proposition 4 has it: `min(c + ln(1 + q (e^epsilon - 1)), epsilon)`."""
    return min(loss + Nats.log(1 + q * (_power(epsilon) - 1)), epsilon)


def _power(loss: Nats) -> Fraction:
    if loss.rational:
        raise AssertionError("losses of reports are logarithms of whole ratios")
    return loss.ratio


def _require_numbers(d: int, numbers: int) -> None:
    if d != numbers:
        raise SordinoError(f"a promise must be about the report's {numbers} numbers", found=f"{d} attributes")
