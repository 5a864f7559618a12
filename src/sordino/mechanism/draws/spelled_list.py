"""Lists of whole numbers as draws spell them: by a formula where a short one gives them, else number by number.

Blocks of a map, or of a table's cells, are sums of quotients of a value's digits: a plan of many values stays small.
Cost: some comparisons of all numbers for each divisor of their count.
"""

import math
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

SHORT = 64
"""Largest number of numbers that are listed within a formula."""


def spelled_list(numbers: NDArray[np.intp]) -> list[Any]:
    """An operation that gives the numbers, all >= 0.

    Example:
        >>> spelled_list(np.arange(100) // 5)
        ['each', 100, ['/', 'i', 5]]
        >>> spelled_list(np.array([2, 0, 1]))
        ['list', 2, 0, 1]
    """
    formula = _formula(numbers, {}, is_whole=True) if len(numbers) > 1 else None
    return ["list", *numbers.tolist()] if formula is None else ["each", len(numbers), formula]


def _formula(numbers: NDArray[np.intp], known: dict[bytes, Any], *, is_whole: bool = False) -> Any | None:
    """What gives the number at place "i": a constant, a quotient, the place before, or a sum over two digits.

    The same part comes up for many pairs of digits: `known` has the formulas of parts by a hash of them.
    """
    key = blake2b(np.ascontiguousarray(numbers).data).digest()
    if key not in known:
        known[key] = _find_formula(numbers, known, is_whole=is_whole)
    return known[key]


def _find_formula(numbers: NDArray[np.intp], known: dict[bytes, Any], *, is_whole: bool) -> Any | None:
    first, steps = int(numbers[0]), np.flatnonzero(np.diff(numbers))
    if not len(steps):
        return first
    if np.array_equal(numbers, np.maximum(np.arange(len(numbers)) - 1, 0)):
        return ["-", "i", 1]
    width, scale = int(steps[0]) + 1, int(numbers[steps[0] + 1]) - first
    if scale > 0 and np.array_equal(numbers, first + np.arange(len(numbers)) // width * scale):
        quotient = "i" if width == 1 else ["/", "i", width]
        return _sum(quotient if scale == 1 else ["*", quotient, scale], first)
    sums = [found for size in _divisors(len(numbers)) if (found := _sum_of_digits(numbers, known, size)) is not None]
    if sums:
        return min(sums, key=lambda found: len(str(found)))
    return ["at", ["list", *numbers.tolist()], "i"] if len(numbers) <= SHORT and not is_whole else None


def _sum_of_digits(numbers: NDArray[np.intp], known: dict[bytes, Any], size: int) -> Any | None:
    """Of a number for the quotient of the place by `size` and one for the rest."""
    rows = numbers.reshape(-1, size)
    lower = rows[0] - rows[0].min()
    upper = rows[:, 0] - lower[0]
    if not np.array_equal(rows[1], upper[1] + lower) or not np.array_equal(rows, upper[:, None] + lower):
        return None
    above, below = _formula(upper, known), _formula(lower, known)
    if above is None or below is None:
        return None
    return _sum(_with_place(above, ["/", "i", size]), _with_place(below, ["%", "i", size]))


def _with_place(formula: Any, place: Any) -> Any:
    if formula == "i":
        return place
    return [_with_place(part, place) for part in formula] if isinstance(formula, list) else formula


def _sum(one: Any, other: Any) -> Any:
    return other if one == 0 else one if other == 0 else ["+", one, other]


def _divisors(number: int) -> list[int]:
    small = [size for size in range(2, math.isqrt(number) + 1) if number % size == 0]
    return sorted({*small, *(number // size for size in small)})
