"""Evidence about a record in a box: ln Pr(V | x) of reports V, a sum of scalar functions of affine forms of x.

Records are read in the coordinates y of the cube [-1, 1]^d: term i is f_i(slopes_i . y + intercept_i). The sum differs
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
    """Functions of one kind of affine forms.

    Attributes:
        shape: the n functions.
        slopes: shape (n, d).
        intercepts: shape (n,).
        weight: what the roundings of a bound are relative to, summed over the terms: the largest value, and four times
            the steepest slope times the largest argument.
        error: the rounding errors of the functions, summed.
    """

    shape: Shape
    slopes: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    weight: float
    error: float

    def __add__(self, other: "Terms") -> "Terms":
        return Terms(
            self.shape.join(other.shape),
            np.concatenate((self.slopes, other.slopes)),
            np.concatenate((self.intercepts, other.intercepts)),
            self.weight + other.weight,
            self.error + other.error,
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
        cls, box: Box, shape: Shape, form: tuple[NDArray[np.float64], float], radius: float, ceiling: float
    ) -> "BoxEvidence":
        """The evidence of one report: a function of coefficients . x + constant, the two of the form.

        Args:
            form: d coefficients and a constant, exact.
            radius: how far the report's ln Pr may be from the function.
            ceiling: what the channel promises, rounded up.

        Returns:
            The function; or none, and the promise for the radius, where rounding hides all that the function says.
        """
        coefficients, constant = form
        slopes = coefficients * box.reach
        intercept = math.fsum((coefficients * box.centre).tolist()) + constant
        # Centre, reach, their products and the sum are rounded, and a record has its point of the cube up to rounding.
        size, steepest = float(np.abs(coefficients) @ box.largest) + abs(constant), float(shape.steepest[0])
        radius = (radius + 16 * UNIT * size * steepest) * (1 + 4 * UNIT)
        # Anything that differs by at most the promise is within half of it of a constant.
        if not radius < ceiling / 2:
            return cls(box, (), ceiling / 2, ceiling)
        weight = float(shape.largest[0]) + 4 * steepest * (size * (1 + 8 * UNIT) + 1)
        terms = Terms(shape, slopes[None, :], np.array([intercept]), weight, float(shape.error[0]))
        return cls(box, (terms,), radius, ceiling)

    def __add__(self, other: "BoxEvidence") -> "BoxEvidence":
        """The evidence of both sets of reports together."""
        if self.box != other.box:
            raise SordinoError("evidence adds over one box", found="two boxes")
        groups = list(self.groups)
        for terms in other.groups:
            kind = type(terms.shape)
            place = next((i for i, own in enumerate(groups) if type(own.shape) is kind), len(groups))
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
    def margin(self) -> float:
        """Nats: the rounding error of a sum of the terms at a point, and of an upper bound on it."""
        weight, error = sum(terms.weight for terms in self.groups), sum(terms.error for terms in self.groups)
        return 4 * (self.n + self.box.d + SPARE_ROUNDINGS) * UNIT * weight + 2 * error

    def attained_loss(self, points: Sequence[NDArray[np.float64]]) -> float:
        """A lower bound on the realized loss, rounded down: the largest difference between points of the cube."""
        values = self.shape.value(np.stack(points) @ self.slopes.T + self.intercepts).sum(axis=-1)
        spread = float(values.max() - values.min())
        return max(math.nextafter(spread - 2 * (self.radius + self.margin), -math.inf), 0.0)

    def at(self, records: NDArray[np.float64]) -> NDArray[np.float64]:
        """Shape (m,): the sum of the terms at records of shape (m, d), for tests and drawings."""
        if not self.groups:
            return np.zeros(len(records))
        cube = (records - self.box.centre) / self.box.reach
        total: NDArray[np.float64] = self.shape.value(cube @ self.slopes.T + self.intercepts).sum(axis=-1)
        return total


def _stack(arrays: Sequence[NDArray[np.float64]], empty: tuple[int, ...]) -> NDArray[np.float64]:
    if len(arrays) == 1:
        return arrays[0]
    return np.concatenate(arrays) if arrays else np.empty(empty)
