"""Whole weights of channels with given odds, for mechanisms that are made of their weights."""

from fractions import Fraction
from functools import cache
from math import ceil

import numpy as np

from sordino import Nats, WindowResponse
from sordino.mechanism.window import OptionalWindow


@cache
def exp_bounds(rational: Fraction, ratio: Fraction | int = 1) -> tuple[Fraction, Fraction]:
    """Rationals around ratio e^rational, rational >= 0: the power series, with many more terms than it needs."""
    term = total = Fraction(1)
    for n in range(1, 6 * ceil(rational) + 100):
        term *= Fraction(rational, n)
        total += term
    # Each later term is below half of the one before it.
    return ratio * total, ratio * (total + term)


def circulant(k: int, odds: Fraction, seed: int = 0) -> list[list[int]]:
    """Rows with the same weights in another order: whole numbers whose ratios stay within the odds."""
    light = max(1, int(2**62 / (odds * (k + 1))))
    heavy = int(light * odds)
    weights = [light, heavy, *np.random.default_rng(seed).integers(light, heavy, k - 1, endpoint=True).tolist()]
    return [[weights[(code - x) % (k + 1)] for code in range(k + 1)] for x in range(k)]


def linear(k: int, odds: Fraction) -> list[list[int]]:
    """Two neighbouring codes for each value: rows with one sum, whose mean code grows by equal steps."""
    light = max(1, int(2**62 / (2 * odds + k)))
    return [[int(light * odds) if code in (x, x + 1) else light for code in range(k + 1)] for x in range(k)]


def flips(k: int, odds: Fraction) -> list[int]:
    """Weights of patterns with sum 2^64, the first by the odds above the second, all others between the two."""
    others = [1 + (odds - 1) * Fraction(place * 37 % 101, 505 * k) for place in range(2, k)]
    light = ceil(2**64 / (odds + 1 + sum(others))) + 1
    weights = [light, *(int(light * ratio) for ratio in others)]
    return [2**64 - sum(weights), *weights]


def most_present(bins: int, epsilon: str, window: int) -> int:
    """Of 2^64, how often "missing" is said at most of a number, for windows that keep the same epsilon."""
    part = min(float(WindowResponse(bins, epsilon, window).probabilities().min()) * (bins + window - 1), 1 - 1e-9)
    return max(int(2**64 * (1 - part) / (np.exp(float(Nats.of(epsilon))) - part)), 1)


def optional(bins: int, epsilon: str, window: int, part: float = 1.0) -> OptionalWindow:
    """Windows over the bins of a number that may be missing; of a part of the largest chance of "missing"."""
    present = max(int(part * most_present(bins, epsilon, window)), 1)
    return OptionalWindow(WindowResponse(bins, epsilon, window), epsilon, present)
