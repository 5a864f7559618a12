"""Amounts of loss as people read them: three digits, rounded against the promise.

What was or can be told is never said smaller than it is, and what is left never larger. What is told and exceeds a
short decimal by at most 1e-9 nats is said as that decimal and 1e-9 more; what is left and falls short of one by as
little as that decimal and 1e-9 less. Exact amounts are in `--json`.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import count

from sordino.exact.nats import Nats, in_nats, outward, upward

DIGITS = 3
"""Significant digits of an amount in a sentence."""

CLOSE = Fraction(1, 10**9)
"""Nats that nobody reads: the grain of a coin on 64-bit words, and of sums of floats."""

SMALL = Fraction(1, 10**4)
"""Nats below which even `CLOSE` would show in the digits."""

MORE = " (+ 1e-9)"
"""Said where an amount exceeds a short decimal by at most `CLOSE`."""

LESS = " (- 1e-9)"
"""Said where what is left falls short of one by at most that."""

MOST_DIGITS = 9
"""Where fewer would make an amount look like its bound."""


def loss_text(amount: Nats | Fraction) -> str:
    """What can be told at most, with its unit.

    Example:
        >>> loss_text(Nats.of("1.74188396"))
        '1.75 nats'
        >>> loss_text(Fraction(4, 10) + Fraction(1, 10**12))
        '0.4 nats (+ 1e-9)'
    """
    value = _above(amount)
    if 0 < value <= CLOSE:
        return in_nats(outward(CLOSE, 1, up=True))
    number = next(_ever_longer(value))
    return in_nats(number) + (MORE if Fraction(number) < value else "")


def loss_text_of(amount: Nats | Fraction, bound: Nats) -> str:
    """What can be told at most, beside what is promised.

    Example:
        >>> loss_text_of(Nats.of("1.74188396"), Nats.of(2))
        '1.75 of 2 nats'
        >>> loss_text_of(Nats.of("0.9999999999999"), Nats.of(1))
        '1 nat, its bound'
    """
    most = _above(bound)
    value = min(_above(amount), most) if _keeps(amount, bound) else _above(amount)
    promised = in_nats(outward(most, MOST_DIGITS if bound.ratio == 1 else DIGITS + 1, up=True))
    if abs(most - value) <= CLOSE:
        return f"{promised}, its bound" if value <= most else f"{promised}, its bound{MORE}"
    if value > most:
        # What is broken looks broken: neither number is rounded towards the other.
        return f"{outward(value, MOST_DIGITS, up=True)} of {in_nats(outward(most, MOST_DIGITS, up=False))}"
    number = next(text for text in _ever_longer(value) if Fraction(text) < most)
    return f"{number} of {promised}{MORE if Fraction(number) < value else ''}"


def loss_text_beside(amount: Nats, bound: Nats) -> str:
    """What can be told at most, for a table that has its bound in the next column by `upward`.

    Example:
        >>> loss_text_beside(Nats.of("0.123456"), Nats.of(1)), loss_text_beside(Nats.of("1.001"), Nats.of(1))
        ('0.124', '1.01')
    """
    # The decimals around a logarithm that just keeps its bound may lie beyond that: what is kept must not look broken.
    return upward(bound if _keeps(amount, bound) and _above(amount) > _above(bound) else amount, DIGITS)


def remaining_text(amount: Nats | Fraction) -> str:
    """What is surely left, with its unit: rounded down, but for `CLOSE`.

    Example:
        >>> remaining_text(Fraction("0.0999999999")), remaining_text(Fraction("7.34e-20"))
        ('0.1 nats (- 1e-9)', '0 nats')
    """
    value = amount.around()[0] if isinstance(amount, Nats) else amount
    if 0 <= value < CLOSE:
        return in_nats("0")
    number = outward(value + CLOSE if value > SMALL else value, DIGITS, up=False)
    return in_nats(number) + (LESS if Fraction(number) > value else "")


def _keeps(amount: Nats | Fraction, bound: Nats) -> bool:
    return (amount if isinstance(amount, Nats) else Nats(amount)) <= bound


def _above(amount: Nats | Fraction) -> Fraction:
    return amount.around()[1] if isinstance(amount, Nats) else amount


def _ever_longer(value: Fraction) -> Iterator[str]:
    """The amount rounded up, but for `CLOSE`, in ever more digits."""
    return (outward(value - CLOSE if value > SMALL else value, digits, up=True) for digits in count(DIGITS))
