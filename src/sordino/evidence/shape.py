"""Scalar functions of which evidence on a box is a sum: each a function f of one number t that is affine in the record.

An object stands for n functions of one kind, that differ in their parameters; t has shape (..., n). What a bound needs
of a kind is a certified concave envelope in its dual form: `offset(slope, low, high)`, a number that f(t) - slope t
does not exceed on [low, high], for every slope. By weak duality any slopes at all then give a valid upper bound on a
sum (see `evidence.bound.search`); `tangent` only says which slopes are good. All numbers are floats; `error` and
`steepest` bound what rounding can do, and the margin of the evidence contains them.
Source: Bayesian privacy filter paper, Section 5.3; the dual form replaces the chords of its Algorithm 5.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TANGENT_ROUNDS = 3
"""Steps towards the point where the line from the left end touches the function; each squares the error."""


class Shape(ABC):
    """n functions of one kind.

    Attributes:
        parameters: shape (p, n).
        concave, convex: whether every function of the kind is, on all of its domain.
        two_sided: whether a line from the right end can be part of the envelope, too.
    """

    concave: bool = False
    convex: bool = False
    kinked: bool = False
    two_sided: bool = False

    def __init__(self, parameters: Floats) -> None:
        self.parameters = parameters

    @property
    def n(self) -> int:
        """How many functions."""
        return int(self.parameters.shape[1])

    @abstractmethod
    def value(self, t: Floats) -> Floats:
        """f(t), within `error`."""

    @abstractmethod
    def slope(self, t: Floats) -> Floats:
        """f'(t); one of its one-sided values at a kink."""

    @abstractmethod
    def tangent(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Where the line from (low, f(low)) touches f from above on [low, high], about, and its slope."""

    def tangent_right(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """The same from the right end (high, f(high)): most kinds have no such line."""
        del low
        return high, np.broadcast_to(-self.steepest, high.shape)

    @abstractmethod
    def offset(self, slope: Floats, low: Floats, high: Floats) -> Floats:
        """At least the largest f(t) - slope t over low <= t <= high, but for the rounding that the margin contains."""

    def slope_range(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Bounds on f' over [low, high], up to rounding: where a sum is monotone, its maximum is at an end."""
        del high
        steepest = np.broadcast_to(self.steepest, low.shape)
        return -steepest, steepest

    def highest(self, low: Floats, high: Floats) -> Floats:
        """At least the largest value over [low, high]."""
        return self.offset(np.zeros_like(low), low, high)

    @abstractmethod
    def reflect(self) -> "Shape":
        """The functions s -> -f(-s), whose largest sum is less the smallest sum of these."""

    @property
    @abstractmethod
    def steepest(self) -> Floats:
        """At least |f'|, shape (n,)."""

    @property
    @abstractmethod
    def bend(self) -> Floats:
        """About the largest |f''| where f is concave, shape (n,): the step of the search; no guarantee needs it."""

    def curve(self, t: Floats) -> Floats:
        """About |f''(t)|: for Newton's steps, which no guarantee needs."""
        return np.broadcast_to(self.bend, t.shape)

    def turn(self, t: Floats) -> Floats:
        """f''(t), within some units of `most_bent`; no number where slopes jump."""
        return np.full_like(t, np.nan)

    def rise(self, up: Floats, down: Floats) -> "Shape | None":
        """The functions t -> f(t + up) - f(t + down), as one kind with an envelope of its own; None if none is."""
        del up, down
        return None

    @property
    def most_bent(self) -> Floats:
        """At least the largest |f''|, shape (n,); infinite where slopes jump."""
        return np.full(self.n, np.inf)

    @property
    def most_turned(self) -> Floats:
        """At least the largest |f'''|, shape (n,); infinite where slopes jump."""
        return np.full(self.n, np.inf)

    @property
    @abstractmethod
    def largest(self) -> Floats:
        """At least |f|, shape (n,)."""

    @property
    @abstractmethod
    def error(self) -> Floats:
        """At least the rounding error of `value`, shape (n,)."""

    def join(self, other: Self) -> Self:
        """These functions, then those of another object of the same kind."""
        return type(self)(np.concatenate((self.parameters, other.parameters), axis=1))


class Sigmoid(Shape):
    """Increasing functions that are convex up to an inflection and concave from there on.

    Functions that are concave everywhere have their inflection at minus infinity.
    """

    @property
    @abstractmethod
    def inflection(self) -> Floats:
        """Where it stops being convex, shape (n,)."""

    @abstractmethod
    def stationary(self, slope: Floats) -> Floats:
        """About the point of the concave part where f' is the slope (any point where there is none)."""

    @abstractmethod
    def stationary_convex(self, slope: Floats) -> Floats:
        """The same on the convex part."""

    def slopes(self, t: Floats) -> tuple[Floats, Floats]:
        """The one-sided derivatives to the left and to the right; they differ at kinks."""
        slope = self.slope(t)
        return slope, slope

    def tangent(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """By Dinkelbach's steps for the largest slope (f(t) - f(low)) / (t - low)."""
        start, base = self.value(low), np.minimum(np.maximum(self.inflection, low), high)
        slope = _quotient(self.value(high) - start, high - low)
        end = high
        for _ in range(TANGENT_ROUNDS):
            end = np.minimum(np.maximum(self.stationary(slope), base), high)
            slope = _quotient(self.value(end) - start, end - low)
        return np.where(self.inflection <= low, low, end), slope

    def highest(self, low: Floats, high: Floats) -> Floats:
        del low
        return self.value(high)

    def slope_range(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """The derivative rises up to the inflection and falls from there on."""
        base = np.minimum(np.maximum(self.inflection, low), high)
        at_low, at_high, at_base = self.slopes(low), self.slopes(high), self.slopes(base)
        return np.minimum(np.minimum(*at_low), np.minimum(*at_high)), np.maximum(*at_base)

    def offset(self, slope: Floats, low: Floats, high: Floats) -> Floats:
        """On the convex part the left end or the inflection; on the concave part the stationary point.

        That point may be off: by concavity what is missing is at most what is left of the derivative times the way to
        the end that it points to.
        """
        base = np.minimum(np.maximum(self.inflection, low), high)
        at = np.minimum(np.maximum(self.stationary(slope), base), high)
        left, right = self.slopes(at)
        missing = np.maximum(right - slope, 0) * (high - at) + np.maximum(slope - left, 0) * (at - base)
        best: Floats = np.maximum(self.value(at) - slope * at + missing, self.value(low) - slope * low)
        return best

    def reflect(self) -> "Shape":
        """Again such functions: the convex part becomes the concave one."""
        return Reflected(self)


class Reflected(Sigmoid):
    """The functions s -> -f(-s) of sigmoid functions f."""

    def __init__(self, inner: Sigmoid) -> None:
        super().__init__(inner.parameters)
        self._inner = inner
        self.concave, self.convex, self.kinked = inner.convex, inner.concave, inner.kinked

    def value(self, t: Floats) -> Floats:
        return -self._inner.value(-t)

    def slope(self, t: Floats) -> Floats:
        return self._inner.slope(-t)

    def slopes(self, t: Floats) -> tuple[Floats, Floats]:
        left, right = self._inner.slopes(-t)
        return right, left

    @property
    def inflection(self) -> Floats:
        return -self._inner.inflection

    def stationary(self, slope: Floats) -> Floats:
        return -self._inner.stationary_convex(slope)

    def stationary_convex(self, slope: Floats) -> Floats:
        return -self._inner.stationary(slope)

    def reflect(self) -> Shape:
        return self._inner

    @property
    def steepest(self) -> Floats:
        return self._inner.steepest

    @property
    def bend(self) -> Floats:
        return self._inner.bend

    @property
    def largest(self) -> Floats:
        return self._inner.largest

    @property
    def error(self) -> Floats:
        return self._inner.error


def _quotient(rise: Floats, run: Floats) -> Floats:
    return np.divide(rise, run, out=np.zeros_like(rise), where=run > 0)


class Stack(Shape):
    """Functions of several kinds, one after the other."""

    def __init__(self, shapes: Sequence[Shape]) -> None:
        super().__init__(np.empty((0, sum(shape.n for shape in shapes))))
        ends = np.cumsum([0, *(shape.n for shape in shapes)]).tolist()
        self._parts = [(slice(*span), shape) for span, shape in zip(pairwise(ends), shapes, strict=True)]
        self.concave = all(shape.concave for shape in shapes)
        self.convex = all(shape.convex for shape in shapes)
        self.kinked = any(shape.kinked for shape in shapes)
        self.two_sided = any(shape.two_sided for shape in shapes)

    @classmethod
    def of(cls, shapes: Sequence[Shape]) -> Shape:
        return shapes[0] if len(shapes) == 1 else cls(shapes)

    def value(self, t: Floats) -> Floats:
        return np.concatenate([shape.value(t[..., part]) for part, shape in self._parts], axis=-1)

    def slope(self, t: Floats) -> Floats:
        return np.concatenate([shape.slope(t[..., part]) for part, shape in self._parts], axis=-1)

    def tangent(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        return _together([shape.tangent(low[..., part], high[..., part]) for part, shape in self._parts])

    def tangent_right(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        return _together([shape.tangent_right(low[..., part], high[..., part]) for part, shape in self._parts])

    def offset(self, slope: Floats, low: Floats, high: Floats) -> Floats:
        found = [shape.offset(slope[..., part], low[..., part], high[..., part]) for part, shape in self._parts]
        return np.concatenate(found, axis=-1)

    def highest(self, low: Floats, high: Floats) -> Floats:
        return np.concatenate([shape.highest(low[..., part], high[..., part]) for part, shape in self._parts], axis=-1)

    def slope_range(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        return _together([shape.slope_range(low[..., part], high[..., part]) for part, shape in self._parts])

    def reflect(self) -> Shape:
        return Stack([shape.reflect() for _, shape in self._parts])

    @cached_property
    def steepest(self) -> Floats:
        return np.concatenate([shape.steepest for _, shape in self._parts])

    @cached_property
    def bend(self) -> Floats:
        return np.concatenate([shape.bend for _, shape in self._parts])

    @cached_property
    def largest(self) -> Floats:
        return np.concatenate([shape.largest for _, shape in self._parts])

    @cached_property
    def error(self) -> Floats:
        return np.concatenate([shape.error for _, shape in self._parts])


def _together(found: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    first, second = zip(*found, strict=True)
    return np.concatenate(first, axis=-1), np.concatenate(second, axis=-1)
