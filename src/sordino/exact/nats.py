"""Amounts of privacy loss, exactly: `Nats` = r + ln q with r and q rational.

Sums of declared epsilons and of logarithms of integer ratios stay in this form, so that "does this loss exceed that
bound" is decided without rounding: e^r is irrational for every rational r != 0 (Lindemann), hence r + ln q is zero only
where r = 0 and q = 1, and anything else is told from zero by enclosures of e^r that are narrowed until they decide.
Minus infinity is q = 0 (the slack of an output that one hypothesis can cause and the other cannot).
"""

import math
import sys
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from sordino.errors import SordinoError
from sordino.exact.messages import checked, read_rational, require_short, shown

FIRST_DIGITS = 40
"""Decimal digits of the first enclosure of e^r; doubled until it decides."""


@dataclass(frozen=True, eq=False)
class Nats:
    """An exact amount of loss `rational + ln(ratio)`, in nats.

    Attributes:
        rational: the rational part r.
        ratio: q >= 0; zero makes the amount minus infinity.

    Example:
        >>> Nats.of("ln 3") + "1/2"
        Nats('1/2 + ln 3')
        >>> Nats.of("1.0986") < "ln 3" < Nats.of("1.0987")
        True
    """

    rational: Fraction
    ratio: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if self.ratio < 0:
            raise SordinoError("the logarithm's argument must not be negative", found=shown(self.ratio))

    @classmethod
    @checked
    def of(cls, amount: "NatsLike") -> "Nats":
        """Read "1.0", "1/2", "ln 3" or "ln(3)", "1 + ln 3", an int, a Fraction, a Decimal, or a float as its decimal.

        Raises:
            SordinoError: not an amount, not finite, or of absurdly many digits.
        """
        if isinstance(amount, Nats):
            return amount
        try:
            return cls(*_terms(amount)) if isinstance(amount, str) else cls(read_rational(amount))
        except SordinoError:
            rule, found = "an amount of loss must be a finite number of nats", shown(amount)
            raise SordinoError(rule, found=found, step='write it as "1.0", "1/2", "ln 3" or "1 + ln 3"') from None

    @classmethod
    @checked
    def log(cls, ratio: Fraction | int) -> "Nats":
        """The exact logarithm of a ratio >= 0."""
        return cls(Fraction(0), Fraction(ratio))

    @property
    def is_finite(self) -> bool:
        """False for minus infinity."""
        return self.ratio != 0

    def __add__(self, other: "NatsLike") -> "Nats":
        amount = Nats.of(other)
        return Nats(self.rational + amount.rational, self.ratio * amount.ratio)

    def __sub__(self, other: "NatsLike") -> "Nats":
        amount = Nats.of(other)
        if not amount.is_finite:
            raise SordinoError("only a finite loss can be subtracted", found="minus infinity")
        return Nats(self.rational - amount.rational, self.ratio / amount.ratio)

    def sign(self) -> int:
        """-1, 0 or 1: the exact sign of the amount."""
        if not self.is_finite:
            return -1
        if self.rational == 0 or self.ratio == 1:
            # One of the two summands is zero; the other decides.
            return _sign(self.rational) or _sign(self.ratio - 1)
        # |ln q| is below the bits of q's larger side, so a larger r decides without e^r.
        if abs(self.rational) > max(self.ratio.numerator, self.ratio.denominator).bit_length():
            return _sign(self.rational)
        digits = FIRST_DIGITS
        while True:
            low, high = exponential(self.rational, digits)
            if low * self.ratio > 1:
                return 1
            if high * self.ratio < 1:
                return -1
            digits *= 2

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Nats | int | Fraction):
            return NotImplemented
        amount = other if isinstance(other, Nats) else Nats(Fraction(other))
        return (self.rational, self.ratio) == (amount.rational, amount.ratio) or (
            not self.is_finite and not amount.is_finite
        )

    def __hash__(self) -> int:
        """Agree with equality: all infinite amounts are one."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        if not self.is_finite:
            return hash(-math.inf)
        return hash(self.rational) if self.ratio == 1 else hash((self.rational, self.ratio))

    def compare(self, other: "NatsLike") -> int:
        """-1, 0 or 1: whether this amount is below, equal to or above another, exactly."""
        amount = Nats.of(other)
        if not amount.is_finite:
            return int(self.is_finite)
        if self.ratio == amount.ratio:
            return _sign(self.rational - amount.rational)
        return (self - amount).sign()

    def __lt__(self, other: "NatsLike") -> bool:
        return self.compare(other) < 0

    def __le__(self, other: "NatsLike") -> bool:
        return self.compare(other) <= 0

    def __gt__(self, other: "NatsLike") -> bool:
        return self.compare(other) > 0

    def __ge__(self, other: "NatsLike") -> bool:
        return self.compare(other) >= 0

    def floor(self) -> float:
        """A float that is surely not above the amount: the largest, but where sums cancel beyond 1e-39."""
        return self._enclosure[0]

    def ceil(self) -> float:
        """A float that is surely not below the amount: the smallest, but where sums cancel beyond 1e-39."""
        return self._enclosure[1]

    def __float__(self) -> float:
        """A float within one unit in the last place; use `floor` or `ceil` for guarantees."""
        return self.floor()

    @cached_property
    def _enclosure(self) -> tuple[float, float]:
        if not self.is_finite:
            return -math.inf, -math.inf
        low, high = self.around()
        # Less zero, negated, would print as -0.0.
        return _float_down(low), 0.0 - _float_down(-high)

    def around(self) -> tuple[Fraction, Fraction]:
        """Rationals around a finite amount, about 1e-39 of its terms apart, neither of them beyond zero.

        Both are the amount where it is rational.
        """
        return self._rationals

    @cached_property
    def _rationals(self) -> tuple[Fraction, Fraction]:
        if self.ratio == 1:
            return self.rational, self.rational
        with localcontext(Context(prec=FIRST_DIGITS)):
            # `ln` is correctly rounded, so one step to either side encloses; the sum is exact in Fraction.
            low = (_decimal(self.ratio, ROUND_FLOOR)).ln().next_minus()
            high = (_decimal(self.ratio, ROUND_CEILING)).ln().next_plus()
        below, above = self.rational + Fraction(low), self.rational + Fraction(high)
        if below < 0 < above:
            # What is left of two terms that nearly cancel, or of a ratio next to 1: its sign is known exactly.
            sign = self.sign()
            below, above = (below if sign < 0 else Fraction(0)), (above if sign > 0 else Fraction(0))
        return below, above

    def __str__(self) -> str:
        """The canonical text; that of a finite amount is readable again by `of`."""
        if not self.is_finite:
            return "-inf"
        if self.ratio == 1:
            return str(self.rational)
        logarithm = f"ln {self.ratio}"
        return logarithm if self.rational == 0 else f"{self.rational} + {logarithm}"

    def __repr__(self) -> str:
        return f"Nats({str(self)!r})"


NatsLike: TypeAlias = Nats | str | int | float | Fraction | Decimal
"""What `Nats.of` reads."""


def exponential(rational: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Rationals just below and above e^rational, about `digits` decimal digits apart; both are 1 at 0.

    `decimal` rounds exp correctly, and exp is increasing, so rounding the argument outward and stepping once encloses.
    """
    if rational == 0:
        return Fraction(1), Fraction(1)
    with localcontext(Context(prec=digits)):
        low = _decimal(rational, ROUND_FLOOR).exp().next_minus()
        high = _decimal(rational, ROUND_CEILING).exp().next_plus()
    return Fraction(low), Fraction(high)


def _decimal(value: Fraction, rounding: str) -> Decimal:
    """The fraction as a decimal of the context's precision, rounded as told."""
    with localcontext() as context:
        context.rounding = rounding
        return Decimal(value.numerator) / Decimal(value.denominator)


def _float_down(value: Fraction) -> float:
    try:
        nearest = float(value)
    except OverflowError:
        return sys.float_info.max if value > 0 else -math.inf
    return nearest if Fraction(nearest) <= value else math.nextafter(nearest, -math.inf)


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


def upward(amount: Nats, digits: int) -> str:
    return outward(amount.around()[1], digits, up=True)


def outward(value: Fraction, digits: int, *, up: bool) -> str:
    """A short decimal with that many significant digits, rounded up or down but never to the nearest."""
    if value == 0:
        return "0"
    with localcontext(Context(prec=digits)):
        rounded = _decimal(value, ROUND_CEILING if up else ROUND_FLOOR)
    return f"{rounded.normalize():f}" if -6 <= rounded.adjusted() < 6 else f"{rounded.normalize():E}".lower()


def in_nats(amount: object) -> str:
    """An amount with its unit, as a sentence has it: 1 nat, 0.5 nats."""
    return f"{amount} nat{'' if str(amount) == '1' else 's'}"


def _terms(text: str) -> tuple[Fraction, Fraction]:
    rational, ratio = Fraction(0), Fraction(1)
    for term in text.split(" + "):
        number = term.strip()
        if number.startswith("ln"):
            argument = number.removeprefix("ln").strip()
            bracketed = argument.startswith("(") and argument.endswith(")")
            factor = read_rational(argument[1:-1] if bracketed else argument)
            if factor <= 0:
                raise SordinoError("the logarithm's argument must be above 0", found=shown(term))
            ratio = require_short(ratio * factor)
        else:
            rational = require_short(rational + read_rational(number))
    return rational, ratio
