"""What no channel can do better: a lower bound on the worst variance of one number in [-1, 1], proved exactly.

Any channel under epsilon, with any reports y and any numbers z_y for them whose mean is the number x whatever x is, has
of each report a probability of at least some w, and at most e^epsilon w, at all points x of a grid. Let l be a prior on
these points and a, b numbers for each of them, and g_x(z) = l_x z^2 - b_x z - a_x. If for every real z

    h(z) = sum over x of min(g_x(z), e^epsilon g_x(z)) >= 0,

then the sum over x and y of Pr(y | x) g_x(z_y) is at least w h(z_y) >= 0 for each y. Its parts are the second moments
under l, the means and the total probabilities, so

    max Var >= sum l_x Var_x >= sum a_x + b_x x - l_x x^2,      sum l_x = 1.

This holds for more than averages of one number for each report: of any unbiased estimate from the reports of n people
what it owes to one report is unbiased too, for given other people, and people drawn from l make the sum of these parts.
l, a and b are those of `unbiased_channel`, taken as the fractions that their floats are. h is proved to be >= 0 cell by
cell: between two fractions a convex g_x is surely negative, surely not, or undecided; for every choice of undecided
ones the sum is a quadratic function of z, whose discriminant is looked at in fractions.
Guarantee: the value is a proved bound, rounded down. Cost: a tenth of a second, once for each epsilon.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, product
from typing import Self

import numpy as np

from sordino.design.coarse import exponential
from sordino.design.numbers.unbiased_channel import Prices, UnbiasedChannel
from sordino.exact.nats import Nats
from sordino.exact.nats import exponential as enclosed

POINTS = 21
"""Of the grid. More raise the bound by less than .1 % up to epsilon 4."""

DIGITS = 30

MARGINS = (0.0, 1e-9, 1e-6, 1e-4)
"""What is taken off, relatively, until the proof succeeds; the first nearly always does."""

MOST_UNDECIDED = 6


@dataclass(frozen=True)
class QuadraticFunction:
    """The function l z^2 - b z - a.

    Example:
        >>> QuadraticFunction(Fraction(1), Fraction(2), Fraction(-1)).never_negative
        True
    """

    square: Fraction
    slope: Fraction
    constant: Fraction

    def __add__(self, other: Self) -> "QuadraticFunction":
        return QuadraticFunction(self.square + other.square, self.slope + other.slope, self.constant + other.constant)

    def times(self, factor: Fraction) -> "QuadraticFunction":
        return QuadraticFunction(factor * self.square, factor * self.slope, factor * self.constant)

    def at(self, z: Fraction) -> Fraction:
        return (self.square * z - self.slope) * z - self.constant

    @property
    def never_negative(self) -> bool:
        """Whether it is convex, and no value is below 0."""
        return self.square > 0 and self.slope**2 + 4 * self.square * self.constant <= 0

    def is_positive_outside(self, low: Fraction, high: Fraction) -> bool:
        """Whether a convex one is surely not negative below and above."""
        return min(self.at(low), self.at(high)) >= 0 and low <= self.slope / (2 * self.square) <= high

    def signs(self, low: Fraction, high: Fraction, ends: tuple[Fraction, Fraction]) -> tuple[bool, ...]:
        """Whether a convex one is negative somewhere in [low, high]: (True,) or (False,) for everywhere, else both."""
        if max(ends) <= 0:
            return (True,)
        outside = not low < self.slope / (2 * self.square) < high
        return (False,) if min(ends) >= 0 and (outside or self.never_negative) else (False, True)


@lru_cache(maxsize=1 << 8)
def least_variance(level: Nats) -> float | None:
    """What the worst n Var of one number is at least, whatever the channel under epsilon; None where nothing is proved.

    Args:
        level: epsilon, above 0.

    Example:
        >>> round(least_variance(Nats.of(2)), 4)
        0.865
    """
    factor = enclosed(level.rational, DIGITS)[1] * level.ratio
    rounded = float(exponential(np.array([float(level)]))[0])
    if not 1 < rounded < 1e6:
        return None
    prices = UnbiasedChannel.of(rounded, POINTS).prices
    for margin in MARGINS:
        terms = tuple(_terms(prices, margin))
        if is_allowed([term for _, term in terms], factor):
            total = sum(term.square for _, term in terms)
            bound = sum(term.constant + term.slope * x - term.square * x**2 for x, term in terms) / total
            return float(np.nextafter(float(bound), -np.inf))
    return None


def _terms(prices: Prices, margin: float) -> Iterator[tuple[Fraction, QuadraticFunction]]:
    reach = len(prices.b)
    for place in range(-reach, reach + 1):
        square, slope, constant = (
            Fraction(float(part[abs(place)])) for part in (prices.prior, (0, *prices.b), prices.a)
        )
        yield (
            Fraction(place, reach),
            QuadraticFunction(square, slope if place > 0 else -slope, constant - square * Fraction(margin)),
        )


def is_allowed(terms: Sequence[QuadraticFunction], factor: Fraction) -> bool:
    """Whether sum min(g, factor g) of convex functions is >= 0 everywhere, surely."""
    if any(term.square <= 0 for term in terms):
        return False
    ends = _ends(terms)
    if not all(term.is_positive_outside(ends[0], ends[-1]) for term in terms):
        return False
    choices = {tuple(False for _ in terms)}
    values = [[term.at(end) for term in terms] for end in ends]
    for (low, high), at_ends in zip(pairwise(ends), pairwise(values), strict=True):
        signs = [term.signs(low, high, own) for term, own in zip(terms, zip(*at_ends, strict=True), strict=True)]
        if sum(len(own) - 1 for own in signs) > MOST_UNDECIDED:
            return False
        choices.update(product(*signs))
    return all(_sum(terms, negative, factor).never_negative for negative in choices)


def _ends(terms: Sequence[QuadraticFunction]) -> list[Fraction]:
    """Fractions between the roots of all functions, and one beyond them on each side."""
    roots: list[float] = []
    for term in terms:
        middle, square = float(term.slope / (2 * term.square)), float(term.constant / term.square)
        if (spread := middle**2 + square) > 0:
            roots += [middle - spread**0.5, middle + spread**0.5]
    roots.sort()
    inner = [Fraction((low + high) / 2) for low, high in pairwise(roots) if low < high]
    outermost = max((abs(root) for root in roots), default=0.0) + 1
    return [Fraction(-outermost), *inner, Fraction(outermost)]


def _sum(terms: Sequence[QuadraticFunction], negative: Sequence[bool], factor: Fraction) -> QuadraticFunction:
    total = QuadraticFunction(Fraction(0), Fraction(0), Fraction(0))
    for term, is_negative in zip(terms, negative, strict=True):
        total += term.times(factor) if is_negative else term
    return total
