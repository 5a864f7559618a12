"""Polynomials of terms on boxes, and the most that the rest of a term differs by between two values of one number.

Any polynomial serves; one close to the best is read off at Chebyshev's nodes. What is left of the term is looked at on
a grid of the form's window; between two places of the grid it is above both by no more than an eighth of the squared
distance times its second derivative.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sordino.evidence.bound.problem import CELLS
from sordino.evidence.box_evidence import UNIT, Terms
from sordino.evidence.shape import Floats

NODES = np.cos(np.pi * (np.arange(12) + 0.5) / 12)
"""Where terms are read to choose their polynomials."""

READ = np.polynomial.chebyshev.chebvander(NODES, 3).T * np.array([[1], [2], [2], [2]]) / len(NODES)
"""From values at the nodes to coefficients of Chebyshev's polynomials."""

GRID = np.linspace(-1.0, 1.0, 25)
"""Where remainders are looked at, in parts of the window."""

ENDS, PLACES = np.unique(CELLS[:, :2], return_inverse=True)
FIRST, SECOND = PLACES.reshape(-1, 2).T
"""The values of cells, which are few, and the places of each cell's two among them."""

LEAST_REACH = 1e-30
"""Of a form that hardly changes: its term has no polynomial, the remainder is all of it."""

SPARE = 1e-9
"""Relative, for the roundings of what is small itself."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Polynomials of n terms on m boxes, in the boxes' own coordinates.

    Attributes:
        slopes: shape (m, n, d), of the forms.
        own: shape (m, n), their slopes along each box's number.
        coefficients: three, of shape (m, n), of the powers of the forms less their values at the boxes' centres.
        remainders: shape (m, cells), what is left of all terms.
        bends: shape (m, 2), the most that what is left turns down, and up, along each box's number.
        weight: of roundings, of the box with the largest.
    """

    READS: ClassVar[int] = len(NODES) + len(GRID) * (len(ENDS) + 1)
    """Values read of each term on each box."""

    slopes: Floats
    own: Floats
    coefficients: tuple[Floats, Floats, Floats]
    remainders: Floats
    bends: Floats
    weight: float

    @classmethod
    def of(cls, terms: Terms, number: NDArray[np.intp], centre: Floats, half: Floats, *, cubic: bool) -> "Fit":
        """On boxes of numbers: of terms of one kind with second derivatives, with a third power if `cubic`."""
        slopes = terms.slopes * half[:, None, :]
        middle = centre @ terms.slopes.T + terms.intercepts
        reach = np.abs(slopes).sum(axis=2)
        found = np.tensordot(READ, terms.shape.value(NODES[:, None, None] * reach + middle), 1)
        found[3] *= cubic
        zero, one, two, three = np.where(reach > LEAST_REACH, found, 0.0)
        parts = np.stack((zero - two, one - 3 * three, 2 * two, 4 * three))
        coefficients = parts / np.maximum(reach, LEAST_REACH) ** np.arange(4)[:, None, None]
        own = slopes[np.arange(len(number)), :, number]
        largest = np.abs(terms.slopes).sum(axis=1) + np.abs(terms.intercepts)
        size = np.abs(parts).sum(axis=0) + terms.shape.steepest * largest
        remainders = _remainders(terms, (middle, reach, own), coefficients, size)
        weight = float((size.sum(axis=1) + np.abs(remainders).max(axis=1)).max(initial=0.0))
        bends = _bends(terms, (middle, reach, own), coefficients)
        return cls(slopes, own, (coefficients[1], coefficients[2], coefficients[3]), remainders, bends, weight)


def _remainders(terms: Terms, form: tuple[Floats, Floats, Floats], coefficients: Floats, size: Floats) -> Floats:
    """The most that what is left of the terms differs by between two values of a number, shape (m, cells)."""
    shape, (middle, reach, own) = terms.shape, form
    d = terms.slopes.shape[1]
    window = np.maximum(reach - np.abs(own), 0.0) + (8 * d + 32) * UNIT * (reach + np.abs(middle))
    # Axes: boxes, values of the number, places in the window, terms.
    at = (GRID[:, None] * window[:, None, :])[:, None] + ENDS[:, None, None] * own[:, None, None, :]
    zero, one, two, three = (part[:, None, None, :] for part in coefficients)
    left = shape.value(at + middle[:, None, None, :])
    fitted = at * three
    for part in (two, one):
        fitted += part
        fitted *= at
    left -= fitted + zero
    # A cell at a time: of all together the pairs alone would not fit into the processor's cache.
    gaps, gap = np.empty((len(own), len(CELLS), own.shape[1])), np.empty_like(left[:, 0])
    for cell, (first, second) in enumerate(zip(FIRST.tolist(), SECOND.tolist(), strict=True)):
        np.subtract(left[:, first], left[:, second], out=gap)
        gap.max(axis=1, out=gaps[:, cell])
    steps = np.abs(own)[:, None, :] * np.abs(CELLS[:, 0] - CELLS[:, 1])[:, None]
    # No more than the term's own second derivatives at both values, and the polynomial's, which is the same anywhere.
    turned = np.minimum(2 * shape.most_bent, steps * shape.most_turned) + 6 * np.abs(three)[:, 0] * steps
    between = (2 * window / (len(GRID) - 1)) ** 2 / 8 * (1 + SPARE)
    rounding = 4 * shape.error + 16 * (d + 16) * UNIT * size
    found: Floats = (gaps + between[:, None, :] * turned + rounding[:, None, :]).sum(axis=2)
    return found


def _bends(terms: Terms, form: tuple[Floats, Floats, Floats], coefficients: Floats) -> Floats:
    """The most that what is left of the terms turns down, and up, along a number, shape (m, 2)."""
    shape, (middle, reach, own) = terms.shape, form
    rounds = (8 * terms.slopes.shape[1] + 32) * UNIT
    window = reach + rounds * (reach + np.abs(middle))
    at = GRID[:, None] * window[:, None, :]
    _, _, two, three = coefficients
    curved = 2 * two[:, None] + 6 * three[:, None] * at
    left = shape.turn(at + middle[:, None, :]) - curved
    between = window / (len(GRID) - 1) * (shape.most_turned + 6 * np.abs(three)) * (1 + SPARE)
    between = between + 2 * rounds * (shape.most_bent + np.abs(curved).max(axis=1) + shape.most_turned * np.abs(middle))
    most = np.stack((-left.min(axis=1), left.max(axis=1))) + between
    most = np.minimum(most, shape.most_bent + np.abs(curved).max(axis=1) * (1 + SPARE))
    found: Floats = (np.maximum(most, 0.0) * own * own).sum(axis=2).T * (1 + SPARE)
    return found
