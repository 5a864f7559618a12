"""Floats one step up or down: what a sum or a difference of two floats surely is not above, or not below."""

import math


def up(number: float) -> float:
    """The next float above."""
    return math.nextafter(number, math.inf)


def down(number: float) -> float:
    """The next float below."""
    return math.nextafter(number, -math.inf)


def up_from_zero(number: float) -> float:
    """The next float above a sum of numbers >= 0; where it is zero nothing was rounded, and it stays."""
    return up(number) if number else 0.0
