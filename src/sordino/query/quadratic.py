"""Models of degree two of a record of numbers, such as a product or a square, asked by one bit.

Evidence of such answers is a sum of logarithms of quadratic functions of the record: the tangents of all of them at a
point add up to one quadratic function above the sum, and the chords to one below, in which what the answers say cancels
(`evidence.bound`).
Source: Bayesian privacy filter paper, Appendix A, whose square is one of them. Units: as the record's.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from sordino.definition.bounds import read_epsilon
from sordino.domain.box import Box
from sordino.domain.interval import read_ends, read_number, to_unit
from sordino.errors import SordinoError
from sordino.evidence.box_evidence import UNIT, BoxEvidence
from sordino.exact.floats import Floats, ignore_float_errors
from sordino.exact.messages import checked, checked_class, shown
from sordino.exact.nats import NatsLike
from sordino.mechanism.randomized import RandomizedResponse
from sordino.query.affine import log_share
from sordino.query.column import Column
from sordino.query.model import Model
from sordino.query.query import Query

LARGEST = 32
"""Numbers of a record at most: a bound costs their products for every answer."""


@checked_class
@dataclass(frozen=True, init=False)
class Quadratic(Model):
    """A model with products of two numbers, read as the lower or the upper end of its range.

    Attributes:
        products: the places of two numbers, in ascending order, and the coefficient of their product.
        low: what lies below counts as it.
        high: what lies above counts as it.

    Source: Bayesian privacy filter paper, Appendix A.

    Example:
        >>> model = Quadratic({(0, 1): 1.0}, [0.0, 0.0], 0, low=-1, high=1)
        >>> model.law([1.0, 1.0]), model.law([0.5, -1.0])[1]
        ([Fraction(0, 1), Fraction(1, 1)], Fraction(1, 4))
    """

    name: ClassVar[str] = "quadratic"

    products: tuple[tuple[int, int, float], ...]
    low: float
    high: float

    def __init__(
        self,
        products: Mapping[tuple[int, int], float],
        theta: Iterable[float],
        intercept: float,
        low: float,
        high: float,
    ) -> None:
        self._set_form(theta, intercept)
        object.__setattr__(self, "products", _read_products(products, self.d))
        least, largest = read_ends(low, high)
        object.__setattr__(self, "low", least)
        object.__setattr__(self, "high", largest)

    @property
    def ends(self) -> tuple[float, float]:
        return self.low, self.high

    @property
    def parameters(self) -> str:
        products = " ".join(f"{i}*{j}*{coefficient.hex()}" for i, j, coefficient in self.products)
        return f"{super().parameters} {products}"

    @property
    def attribute_names(self) -> tuple[str | int, ...]:
        named = {place for *places, _ in self.products for place in places}
        return tuple(place for place, coefficient in enumerate(self.theta) if coefficient or place in named)

    def statistic(self, records: Floats) -> Floats:
        total = super().statistic(records)
        for i, j, coefficient in self.products:
            total += coefficient * (records[:, i] * records[:, j])
        return total

    def scale(self, statistic: Floats) -> Floats:
        return to_unit(statistic, self.low, self.high)

    @ignore_float_errors
    def require_fit(self, box: Box) -> None:
        """Check that the value is known to a billionth of its range on the box."""
        super().require_fit(box)
        if not self._off(box) <= 1e-9 * (self.high - self.low):
            rule, found = "the value must be known to a billionth of its range", f"rounding of {self._off(box):.3g}"
            raise SordinoError(rule, found=found, step="ask about numbers nearer to 0")

    @ignore_float_errors
    def box_evidence(self, box: Box, column: Column) -> BoxEvidence:
        """A function of the share, or of 1 less the share, cut to [0, 1] as the answer is."""
        width, rounding = self.high - self.low, self._off(box) / (self.high - self.low)
        sign, end = (1.0, self.low) if column.rising else (-1.0, self.high)
        form = sign * self._coefficients / width, sign * (self.intercept - end) / width
        shape = log_share(column, cut=True)
        radius = column.radius(rounding) + float(shape.steepest[0]) * rounding
        return BoxEvidence.of_form(box, shape, form, radius, column.level, sign * self._matrix / width)

    def _size(self, box: Box) -> float:
        return super()._size(box) + float(box.largest @ np.abs(self._matrix) @ box.largest)

    def _off(self, box: Box) -> float:
        """How far the value may be off on the box, and its distance from either end, by rounding."""
        rounding = self._rounding + (len(self.products) + self.d**2) * 4 * UNIT
        return rounding * (self._size(box) + abs(self.low) + abs(self.high))

    @cached_property
    def _matrix(self) -> Floats:
        """Symmetric, shape (d, d): the value is x' matrix x + theta . x + intercept."""
        matrix = np.zeros((self.d, self.d))
        for i, j, coefficient in self.products:
            matrix[i, j] += coefficient / 2
            matrix[j, i] += coefficient / 2
        return matrix


@checked
def QuadraticQuery(  # noqa: N802 - a noun for users: the query that it returns
    products: Mapping[tuple[int, int], float],
    theta: Iterable[float],
    intercept: float,
    low: float,
    high: float,
    epsilon: NatsLike,
) -> Query:
    """Is a model with products of two numbers nearer to its upper end? One bit.

    Source: Bayesian privacy filter paper, Appendix A.

    Args:
        products: the coefficient of each product, by the places of its two numbers: {(0, 0): 1.0} is a square.
        theta: the coefficients of the numbers themselves, one for each number of the record.
        low: answer 0 stands for it, and for what lies below.
        high: answer 1 stands for it, and for what lies above.
        epsilon: the most that the answer may reveal, in nats.

    Raises:
        SordinoError: no numbers or more than 32, places beyond them, or ends with nothing between them.

    Example:
        >>> from sordino import LDP, BayesianFilter, Box, LinearQuery
        >>> mean, square = LinearQuery([1.0], 0, -1, 1, "1"), QuadraticQuery({(0, 0): 1.0}, [0.0], 0, 0, 1, "1")
        >>> BayesianFilter(Box([-1], [1]), LDP("1.7")).after(mean, 1).accepts(square)  # where the epsilons add up to 2
        True
    """
    return Query(Quadratic(products, theta, intercept, low, high), RandomizedResponse(2, read_epsilon(epsilon)))


def _read_products(products: Any, d: int) -> tuple[tuple[int, int, float], ...]:
    if d > LARGEST:
        raise SordinoError(
            f"a model with products has at most {LARGEST} numbers", found=shown(d), step="ask about fewer"
        )
    rule = "products must be a dictionary of coefficients by two places"
    if not isinstance(products, Mapping):
        raise SordinoError(
            rule, found=type(products).__name__, step="{(0, 1): 1.0} is the first number times the second"
        )
    found: dict[tuple[int, int], float] = {}
    for places, coefficient in products.items():
        if not (
            isinstance(places, tuple)
            and len(places) == 2
            and all(type(place) is int and 0 <= place < d for place in places)
        ):
            raise SordinoError(rule, found=shown(places), step=f"give two whole numbers in 0..{d - 1}")
        pair = min(places), max(places)
        if pair in found:
            raise SordinoError("a product must be given once", found=f"{pair} twice", step="add the two coefficients")
        found[pair] = read_number(coefficient, f"the coefficient of {pair}")
    return tuple((i, j, coefficient) for (i, j), coefficient in sorted(found.items()) if coefficient)
