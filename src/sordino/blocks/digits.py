"""Estimates in as many digits as they have: two of the standard error, and the others down to the same place.

Where there is none, as of a quantile, a quarter of the interval's width counts as one.
"""

from collections.abc import Mapping, Sequence
from math import floor, isfinite, log10

DIGITS = 2
"""Of a standard error."""

WIDTH = 4
"""Of an interval, in standard errors and about."""

FEWEST_OF_SHARES = 5
"""Decimals of a share, which many tables have in one column; more where its error is smaller."""

MOST_DECIMALS = 9
"""Beyond them, and from 15 digits before the point, a power of ten is clearer."""


def round_row(row: Mapping[str, object]) -> dict[str, str]:
    """The numbers of a row as texts.

    Example:
        >>> row = {"value": "age", "estimate": 0.539681, "stderr": 0.0476573, "low": 0.446275, "high": 0.633088}
        >>> round_row(row)
        {'estimate': '0.540', 'stderr': '0.048', 'low': '0.446', 'high': '0.633'}
    """
    numbers = {name: number for name, number in row.items() if isinstance(number, float)}
    decimals = _decimals(numbers["stderr"] if "stderr" in numbers else (numbers["high"] - numbers["low"]) / WIDTH)
    largest = max(abs(number) for number in numbers.values())
    if decimals is None or largest >= 1e15:
        return {name: f"{number:.6g}" for name, number in numbers.items()}
    # No minus sign before a zero.
    return {name: f"{number:z.{decimals}f}" for name, number in numbers.items()}


def rounded_share(row: Mapping[str, object], names: Sequence[str]) -> tuple[str, ...]:
    """Those of the named numbers of a share's row that it has.

    Example:
        >>> rounded_share({"estimate": 0.25, "stderr": 0.013}, ["estimate", "stderr", "fitted"])
        ('0.25000', '0.01300')
        >>> rounded_share({"estimate": 2.5e-6, "stderr": 1.3e-6}, ["estimate", "stderr"])
        ('0.0000025', '0.0000013')
    """
    numbers = [row[name] for name in names if name in row]
    decimals = max(FEWEST_OF_SHARES, _decimals(float(str(row["stderr"]))) or 0)
    return tuple(f"{number:z.{decimals}f}" for number in numbers)


def _decimals(error: float) -> int | None:
    """Digits after the point; None where the error cannot say."""
    if not (isfinite(error) and error > 0):
        return None
    # Rounded first: 0.0996 has the first digit of 0.10.
    first = floor(log10(float(f"{error:.{DIGITS - 1}e}")))
    decimals = max(0, DIGITS - 1 - first)
    return decimals if decimals <= MOST_DECIMALS else None
