"""Evidence about a record in a box: ln Pr(V | x) of reports V, a sum of scalar functions of affine forms of x.

Records are read in the coordinates y of the cube [-1, 1]^d: term i is f_i(slopes_i . y + intercept_i), of models with
products of two numbers f_i(y' bends_i y + slopes_i . y + intercept_i). The sum differs
from ln Pr(V | x), of the integer thresholds that were really compared, by a constant and by at most `radius` on all of
the box; computing it, or a bound on it, in floats errs by at most `margin`. Both are in nats; reports with fresh
randomness about an unchanged record add: `first + second`.
Source: Bayesian privacy filter paper, Section 5.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.domain.box import Box
from sordino.errors import SordinoError
from sordino.evidence.shape import Shape, Stack
from sordino.exact.floats import up_from_zero

UNIT = 2.0**-53
"""Half the distance of 1 to the next float: the relative error of one rounding."""

SPARE_ROUNDINGS = 60
"""Roundings on the way to one term of a bound, beyond its sums over the terms and the coordinates; many to spare."""


@dataclass(frozen=True, eq=False)
class Terms:
    """Functions of one kind of affine forms, or of quadratic ones.

    Attributes:
        shape: the n functions.
        slopes: shape (n, d).
        intercepts: shape (n,).
        weight: what the roundings of a bound are relative to, summed over the terms: the largest value, and four times
            the steepest slope times the largest argument.
        error: the rounding errors of the functions, summed.
        bends: shape (n, d, d), symmetric: of the products of two coordinates; None of affine forms.
    """

    shape: Shape
    slopes: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    weight: float
    error: float
    bends: NDArray[np.float64] | None = None

    def __add__(self, other: "Terms") -> "Terms":
        return Terms(
            self.shape.join(other.shape),
            np.concatenate((self.slopes, other.slopes)),
            np.concatenate((self.intercepts, other.intercepts)),
            self.weight + other.weight,
            self.error + other.error,
            None if self.bends is None or other.bends is None else np.concatenate((self.bends, other.bends)),
        )


@dataclass(frozen=True, eq=False)
class BoxEvidence:
    """What reports say about a record in a box.

    Attributes:
        radius: nats; how far ln Pr(V | x) may be from the sum of the terms and a constant, anywhere in the box.
        ceiling: nats; what the channels promise: no two records differ by more.
    """

    box: Box
    groups: tuple[Terms, ...] = ()
    radius: float = 0.0
    ceiling: float = 0.0

    @classmethod
    def of_form(
        cls,
        box: Box,
        shape: Shape,
        form: tuple[NDArray[np.float64], float],
        radius: float,
        ceiling: float,
        matrix: NDArray[np.float64] | None = None,
    ) -> "BoxEvidence":
        """The evidence of one report: a function of coefficients . x + constant, the two of the form.

        Args:
            form: d coefficients and a constant, exact.
            radius: how far the report's ln Pr may be from the function.
            ceiling: what the channel promises, rounded up.
            matrix: symmetric, shape (d, d): x' matrix x is added to the form; None for nothing.

        Returns:
            The function; or none, and the promise for the radius, where rounding hides all that the function says.
        """
        coefficients, constant = form
        slopes = coefficients * box.reach
        intercept = math.fsum((coefficients * box.centre).tolist()) + constant
        # Centre, reach, their products and the sum are rounded, and a record has its point of the cube up to rounding.
        size, steepest = float(np.abs(coefficients) @ box.largest) + abs(constant), float(shape.steepest[0])
        bends, rounds = None, 16
        if matrix is not None:
            if shape.concave or shape.convex:
                raise AssertionError("of a quadratic form a function is neither")
            slopes = slopes + 2 * (matrix @ box.centre) * box.reach
            intercept += float(box.centre @ matrix @ box.centre)
            bends = (matrix * np.outer(box.reach, box.reach))[None]
            size += float(box.largest @ np.abs(matrix) @ box.largest)
            rounds += 16 * (box.d**2 + box.d)
        radius = (radius + rounds * UNIT * size * steepest) * (1 + 4 * UNIT)
        # Anything that differs by at most the promise is within half of it of a constant.
        if not radius < ceiling / 2:
            return cls(box, (), ceiling / 2, ceiling)
        weight = float(shape.largest[0]) + 4 * steepest * (size * (1 + 8 * UNIT) + 1)
        terms = Terms(shape, slopes[None, :], np.array([intercept]), weight, float(shape.error[0]), bends)
        return cls(box, (terms,), radius, ceiling)

    def __add__(self, other: "BoxEvidence") -> "BoxEvidence":
        """The evidence of both sets of reports together."""
        if self.box != other.box:
            raise SordinoError("evidence adds over one box", found="two boxes")
        groups = list(self.groups)
        for terms in other.groups:
            kind = type(terms.shape), terms.bends is None
            places = (i for i, own in enumerate(groups) if (type(own.shape), own.bends is None) == kind)
            place = next(places, len(groups))
            groups[place : place + 1] = [groups[place] + terms] if place < len(groups) else [terms]
        return BoxEvidence(
            self.box,
            tuple(groups),
            up_from_zero(self.radius + other.radius),
            up_from_zero(self.ceiling + other.ceiling),
        )

    @cached_property
    def n(self) -> int:
        return sum(terms.shape.n for terms in self.groups)

    @cached_property
    def shape(self) -> Shape:
        return Stack.of([terms.shape for terms in self.groups])

    @cached_property
    def slopes(self) -> NDArray[np.float64]:
        """All forms' slopes in the cube's coordinates, shape (n, d)."""
        return _stack([terms.slopes for terms in self.groups], (0, self.box.d))

    @cached_property
    def intercepts(self) -> NDArray[np.float64]:
        """All forms' values at the centre, shape (n,)."""
        return _stack([terms.intercepts for terms in self.groups], (0,))

    @cached_property
    def bends(self) -> NDArray[np.float64] | None:
        """All forms' products of two coordinates, shape (n, d, d); None where all are affine."""
        if all(terms.bends is None for terms in self.groups):
            return None
        none = [np.zeros((terms.shape.n, self.box.d, self.box.d)) for terms in self.groups]
        return _stack(
            [own if terms.bends is None else terms.bends for own, terms in zip(none, self.groups, strict=True)], (0,)
        )

    def forms(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """All forms at points of the cube, shape (..., d), to shape (..., n)."""
        return forms_at(self.slopes, self.intercepts, self.bends, points)

    @cached_property
    def margin(self) -> float:
        """Nats: the rounding error of a sum of the terms at a point, and of an upper bound on it."""
        weight, error = sum(terms.weight for terms in self.groups), sum(terms.error for terms in self.groups)
        each = self.box.d if self.bends is None else 8 * (self.box.d**2 + self.box.d)
        return 4 * (self.n + each + SPARE_ROUNDINGS) * UNIT * weight + 2 * error

    def attained_loss(self, points: Sequence[NDArray[np.float64]]) -> float:
        """A lower bound on the realized loss, rounded down: the largest difference between points of the cube."""
        values = self.shape.value(self.forms(np.stack(points))).sum(axis=-1)
        spread = float(values.max() - values.min())
        return max(math.nextafter(spread - 2 * (self.radius + self.margin), -math.inf), 0.0)

    def at(self, records: NDArray[np.float64]) -> NDArray[np.float64]:
        """Shape (m,): the sum of the terms at records of shape (m, d), for tests and drawings."""
        if not self.groups:
            return np.zeros(len(records))
        cube = (records - self.box.centre) / self.box.reach
        total: NDArray[np.float64] = self.shape.value(self.forms(cube)).sum(axis=-1)
        return total


def forms_at(
    slopes: NDArray[np.float64],
    intercepts: NDArray[np.float64],
    bends: NDArray[np.float64] | None,
    points: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Affine or quadratic forms at points of shape (..., d), shape (..., n)."""
    forms: NDArray[np.float64] = points @ slopes.T + intercepts
    if bends is None:
        return forms
    products = (points[..., :, None] * points[..., None, :]).reshape(*points.shape[:-1], -1)
    return forms + products @ bends.reshape(len(bends), -1).T


def _stack(arrays: Sequence[NDArray[np.float64]], empty: tuple[int, ...]) -> NDArray[np.float64]:
    if len(arrays) == 1:
        return arrays[0]
    return np.concatenate(arrays) if arrays else np.empty(empty)
