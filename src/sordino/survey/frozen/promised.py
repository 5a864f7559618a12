"""What a plan promises, in a line: what its survey has written down, before anything is computed from it."""

from collections.abc import Mapping
from fractions import Fraction

from sordino.exact.nats import Nats, outward
from sordino.survey.frozen.parts import AttributePart, ProtectPart

MOST_NAMED = 3
"""Attributes of whose promises a line speaks."""

MOST_DIGITS = 9
"""Of a decimal that stands for an amount."""

EPSILON, DISTANCE, BOUNDS = "epsilon {}", "epsilon {} for each unit of distance", "bounds for pairs of values"


def promised_text(epsilon: str | None, attributes: Mapping[str, AttributePart]) -> str:
    """The epsilons and deltas of a plan.

    Args:
        epsilon: of the whole record, in nats, where attributes have a delta.
        attributes: of the plan, by name.
    """
    if epsilon is not None:
        whole = f"{EPSILON.format(_amount(epsilon))} of the whole record"
        below = {name: _amount(own.delta) for name, own in attributes.items() if own.delta not in {None, epsilon}}
        return f"{whole}; {_by_name({n: f'delta {own}' for n, own in below.items()})}" if below else whole
    each = {name: _protection(own.protect) for name, own in attributes.items() if own.protect is not None}
    ways = set(each.values())
    return ways.pop() if len(ways) == 1 else _by_name(each)


def _by_name(texts: Mapping[str, str]) -> str:
    named = [f"{text} of {name}" for name, text in list(texts.items())[:MOST_NAMED]]
    more = len(texts) - len(named)
    return ", ".join(named) + (f", and {more:,} more" if more else "")


def _protection(protect: ProtectPart) -> str:
    if protect.epsilon is None:
        return BOUNDS
    return (EPSILON if protect.metric is None else DISTANCE).format(_amount(protect.epsilon))


def _amount(text: str | None) -> str:
    """As a decimal, where that is exact and short."""
    amount = Nats.of(text or "0")
    if amount.ratio != 1:
        return str(amount)
    decimal = outward(amount.rational, MOST_DIGITS, up=True)
    return decimal if Fraction(decimal) == amount.rational else str(amount)
