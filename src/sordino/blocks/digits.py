"""Estimates in as many digits as they have: two of the standard error, and the others down to the same place.

Where there is none, as of a quantile, a quarter of the interval's width counts as one.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import floor, isfinite, log10

from sordino.domain.calendar import iso_date

DISTANCES = {"stderr", "moved"}
"""Numbers of a row that are no estimates or limits."""

LIMITS = {"low", "high"}
"""Ends of an interval, which holds 0 or does not."""

DIGITS = 2
"""Of a standard error."""

WIDTH = 4
"""Of an interval, in standard errors and about."""

MOST_DECIMALS = 9
"""Beyond them, and from 15 digits before the point, a power of ten is clearer."""


def round_row(row: Mapping[str, object]) -> dict[str, str]:
    """The numbers of a row as texts.

    Example:
        >>> row = {"value": "age", "estimate": 0.539681, "stderr": 0.0476573, "low": 0.446275, "high": 0.633088}
        >>> round_row(row)
        {'estimate': '0.540', 'stderr': '0.048', 'low': '0.446', 'high': '0.633'}
        >>> round_row({"estimate": 0.0513, "stderr": 0.026, "low": 0.0004, "high": 0.1023})
        {'estimate': '0.051', 'stderr': '0.026', 'low': '0.0004', 'high': '0.102'}
    """
    numbers = {name: number for name, number in row.items() if isinstance(number, float)}
    decimals = _decimals(numbers["stderr"] if "stderr" in numbers else (numbers["high"] - numbers["low"]) / WIDTH)
    largest = max(abs(number) for number in numbers.values())
    if decimals is None or largest >= 1e15:
        return {name: f"{number:.6g}" for name, number in numbers.items()}
    return {name: _with_decimals(name, number, decimals) for name, number in numbers.items()}


def _with_decimals(name: str, number: float, decimals: int) -> str:
    """A number with so many decimals; a limit beside 0 with its first digit, since it says what noise explains."""
    # No minus sign before a zero.
    text = f"{number:z.{decimals}f}"
    if name not in LIMITS or number == 0 or float(text):
        return text
    first = -floor(log10(abs(number)))
    return f"{number:.{first}f}" if first <= MOST_DECIMALS else text


def round_dates(row: Mapping[str, object]) -> dict[str, str]:
    """The same of a row of dates, which are days since 1970-01-01: as dates, and distances between them in days.

    Example:
        >>> round_dates({"estimate": 11321.7, "stderr": 12.34, "low": 11297.5, "high": 11345.9})
        {'estimate': '2000-12-31', 'stderr': '12 days', 'low': '2000-12-07', 'high': '2001-01-24'}
    """
    numbers = {name: number for name, number in row.items() if isinstance(number, float)}
    texts = round_row(row)
    return {name: f"{texts[name]} days" if name in DISTANCES else iso_date(number) for name, number in numbers.items()}


def in_percent(row: Mapping[str, object]) -> dict[str, str]:
    """The numbers of a share's row as percentages, in the same digits.

    Example:
        >>> in_percent({"estimate": 0.20115, "stderr": 0.0214, "low": 0.1592, "high": 0.2431})
        {'estimate': '20.1 %', 'stderr': '2.1 %', 'low': '15.9 %', 'high': '24.3 %'}
    """
    hundredfold = {name: 100 * number for name, number in row.items() if isinstance(number, float)}
    return {name: f"{text} %" for name, text in round_row(hundredfold).items()}


def error_in_percent(part: float) -> str:
    """A standard error of a share in two digits, never with an exponent.

    Example:
        >>> [error_in_percent(part) for part in (0.0214, 0.02, 1.234, 12.34, 0.0000123)]
        ['2.1 %', '2 %', '120 %', '1,200 %', '0.0012 %']
    """
    return f"{Decimal(f'{100 * part:.2g}'):,f} %"


def to_span(ends: Sequence[str]) -> str:
    """From the first to the last of some texts in order; one of them where they are the same."""
    return " to ".join(dict.fromkeys((*ends[:1], *ends[-1:])))


def _decimals(error: float) -> int | None:
    """Digits after the point; None where the error cannot say."""
    if not (isfinite(error) and error > 0):
        return None
    # Rounded first: 0.0996 has the first digit of 0.10.
    first = floor(log10(float(f"{error:.{DIGITS - 1}e}")))
    decimals = max(0, DIGITS - 1 - first)
    return decimals if decimals <= MOST_DECIMALS else None
