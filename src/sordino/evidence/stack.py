"""Functions of several kinds as one: what evidence from questions of several kinds is a sum of."""

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from sordino.evidence.shape import Floats, Shape


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
        """The one kind itself where there is one only."""
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
    """Pairs of all kinds as one pair."""
    first, second = zip(*found, strict=True)
    return np.concatenate(first, axis=-1), np.concatenate(second, axis=-1)
