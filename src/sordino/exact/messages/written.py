"""Numbers as people write them, read exactly, and refused at once where they are absurd.

"1e999999999" has eleven characters, and a billion digits as a whole number. Every amount of loss and every bound on
dependence is read here, whether it comes from a survey, a plan, a ledger or a program. What is read can be written, and
be read again.
"""

import re
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Rational, Real

from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown

MOST_DIGITS = 401
"""Decimal digits of a numerator or denominator at most: from 1e-400 to 1e400."""

LONGEST = 1000
"""Characters of a number at most; with more it has more digits than are read, or zeros that say nothing."""

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,9})?", re.ASCII)
"""A decimal number as everybody reads it: no underscores, no digits of other scripts."""

_TOO_LARGE = 10**MOST_DIGITS


def read_rational(number: object) -> Fraction:
    """A number exactly: a text like "0.25", "1e-6" or "1/3", a whole number, a fraction, a float's shortest decimal.

    Example:
        >>> read_rational("1/3"), read_rational(0.1), read_rational("1e-6")
        (Fraction(1, 3), Fraction(1, 10), Fraction(1, 1000000))
    """
    if isinstance(number, bool):
        raise _absurd(number)
    if isinstance(number, Rational):
        # Another library's whole numbers may be of 64 bits only.
        value = Fraction(int(number.numerator), int(number.denominator))
    elif isinstance(number, Real):
        value = _quotient(repr(float(number)))
    elif isinstance(number, str | Decimal):
        value = _quotient(str(number))
    else:
        raise _absurd(number)
    return require_short(value)


def exact_value(number: object) -> Fraction:
    """A float as the binary fraction that it is, anything else as it is written.

    Raises:
        SordinoError: another thing, no finite number, or one of more than 401 digits.
    """
    if isinstance(number, float) and isfinite(number):
        return Fraction(number)
    return read_rational(number)


def require_short(number: Fraction) -> Fraction:
    """The same number, if it can be written and read again."""
    if abs(number.numerator) >= _TOO_LARGE or number.denominator >= _TOO_LARGE:
        digits = max(abs(number.numerator), number.denominator).bit_length() * 30103 // 100000 + 1
        step = "round it"
        raise SordinoError(f"a number must have at most {MOST_DIGITS} digits", found=f"about {digits:,}", step=step)
    return number


def _quotient(text: str) -> Fraction:
    """A decimal, or a quotient of two."""
    parts = [part.strip() for part in text.split("/", 2)]
    if len(parts) > 2 or not all(len(part) <= LONGEST and NUMBER.fullmatch(part) for part in parts):
        raise _absurd(text)
    numbers = [Decimal(part) for part in parts]
    if not all(abs(number.adjusted()) < MOST_DIGITS for number in numbers) or (len(numbers) > 1 and not numbers[1]):
        raise _absurd(text)
    return Fraction(numbers[0]) / (Fraction(numbers[1]) if len(numbers) > 1 else 1)


def _absurd(number: object) -> SordinoError:
    return SordinoError(f"a number must be finite, of at most {MOST_DIGITS} digits", found=shown(number))
