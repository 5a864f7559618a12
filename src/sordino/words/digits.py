"""Estimates in as many digits as they have: two of the standard error, and the others down to the same place."""

from math import floor, isfinite, log10

from sordino.survey.results.result import EstimateRow

DIGITS = 2
"""Of a standard error."""

MOST_DECIMALS = 9
"""Beyond them, and from 15 digits before the point, a power of ten is clearer."""


def rounded(row: EstimateRow) -> dict[str, str]:
    """The numbers of a row as texts.

    Example:
        >>> row = {"value": "age", "estimate": 0.539681, "stderr": 0.0476573, "low": 0.446275, "high": 0.633088}
        >>> rounded(row)
        {'estimate': '0.540', 'stderr': '0.048', 'low': '0.446', 'high': '0.633'}
    """
    numbers = {name: number for name, number in row.items() if isinstance(number, float)}
    decimals = _decimals(numbers["stderr"])
    largest = max(abs(number) for number in numbers.values())
    if decimals is None or largest >= 1e15:
        return {name: f"{number:.6g}" for name, number in numbers.items()}
    # No minus sign before a zero.
    return {name: f"{number:z.{decimals}f}" for name, number in numbers.items()}


def _decimals(error: float) -> int | None:
    """Digits after the point; None where the error cannot say."""
    if not (isfinite(error) and error > 0):
        return None
    # Rounded first: 0.0996 has the first digit of 0.10.
    first = floor(log10(float(f"{error:.{DIGITS - 1}e}")))
    decimals = max(0, DIGITS - 1 - first)
    return decimals if decimals <= MOST_DECIMALS else None
