"""Coordinate DP: records that differ in one attribute only cannot be told apart by more than that attribute's budget.

It protects an attribute from somebody who already knows all others. For anybody else the others may tell about it: a
budget of 0 does not mean that nothing is learned.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounds import BoundLike
from sordino.definition.pairwise import CertificateBasis, Extreme, loss_over, require_size, weight_range
from sordino.definition.product import (
    Amounts,
    Contrast,
    Shape,
    by_attribute,
    least_other,
    read_amounts,
    read_shape,
    required_shape,
    steepest,
)
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ColumnStack, FiniteEvidence
from sordino.exact.messages import checked_class
from sordino.exact.nats import Nats

SHOWN = 1 << 12
"""Largest number of places of the largest ratio that are handed on as its pairs."""


@checked_class
@dataclass(frozen=True, init=False)
class CoordinateDP:
    """Coordinate DP of records with d attributes; values are the records' indices in C order.

    Source: BCDP paper, Definition 3 (c-CDP).

    Attributes:
        budgets: one for each attribute, in nats; None ("inf") where it is not protected.
        shape: how many values each attribute has; None until `on` tells it.

    Example:
        >>> definition = CoordinateDP(["0.5", "ln 3"]).on((2, 3))
        >>> str(definition.bound(0, 3)), str(definition.bound(0, 2)), definition.bound(0, 4)
        ('1/2', 'ln 3', None)
    """

    certificate_basis: ClassVar[CertificateBasis] = "outputs"

    budgets: Amounts
    shape: tuple[int, ...] | None = None

    def __init__(self, budgets: Sequence[BoundLike]) -> None:
        object.__setattr__(self, "budgets", read_amounts("budget", budgets))

    @property
    def ldp_level(self) -> Nats | None:
        """The level of LDP that follows: the sum of all budgets; None where one is infinite (BCDP paper, 4.1)."""
        return None if None in self.budgets else sum((budget for budget in self.budgets if budget), Nats.of(0))

    def on(self, shape: Shape) -> "CoordinateDP":
        """The same about records with so many values of each attribute; or on a `Record`.

        Raises:
            SordinoError: another number of attributes, or no sizes.
        """
        shaped = CoordinateDP(["inf" if budget is None else budget for budget in self.budgets])
        object.__setattr__(shaped, "shape", read_shape(shape, self.d))
        return shaped

    @property
    def d(self) -> int:
        """How many attributes."""
        return len(self.budgets)

    @property
    def k(self) -> int:
        """How many records."""
        return math.prod(required_shape(self.shape))

    @property
    def epsilon(self) -> Nats:
        """The largest finite budget of an attribute with two values or more."""
        return max((budget for _, budget in self._budgets_by_attribute()), default=Nats.of(0))

    def bound(self, value: int, other: int) -> Nats | None:
        """The budget of the one attribute in which two records differ; None where it is none or several."""
        places = np.unravel_index([value, other], required_shape(self.shape))
        differing = [i for i, place in enumerate(places) if place[0] != place[1]]
        return self.budgets[differing[0]] if len(differing) == 1 else None

    def loss(self, evidence: FiniteEvidence) -> NDArray[np.float64]:
        """Shape (k,): how far the evidence favours each record over one it must not be told from; rounded up."""
        largest = np.zeros(self.k)
        for _, losses in self._losses(evidence):
            largest = np.maximum(largest, losses)
        return largest

    def levels(self, evidence: FiniteEvidence) -> NDArray[np.float64]:
        """Shape (d,): the loss of each attribute so far, rounded up; also where it is not protected."""
        shape = required_shape(self.shape)
        return np.array([float(coordinate_loss(evidence, shape, i).max()) for i in range(self.d)])

    def slack(self, evidence: FiniteEvidence) -> float:
        """The least that is left of any budget, rounded down; infinite where nothing is protected."""
        left = (budget.floor() - float(losses.max()) for budget, losses in self._losses(evidence))
        return min((math.nextafter(remaining, -math.inf) for remaining in left), default=math.inf)

    def extremes(self, column: ColumnClass) -> Iterator[Extreme]:
        """For each protected attribute the largest ratio of the weights of two records that differ in it only.

        Of a class of several outputs, each record is taken with its heaviest and its lightest weight on any of them:
        never less than the truth.
        """
        require_size(column.k, self.k)
        heavy, light = (np.zeros(self.k, dtype=object) for _ in range(2))
        for part in column.parts:
            heavy[part.values], light[part.values] = weight_range(part)
        shape = required_shape(self.shape)
        for i, budget in self._budgets_by_attribute():
            own, against, records = (by_attribute(table, shape, i) for table in (heavy, light, np.arange(self.k)))
            other = np.take_along_axis(against, least_other(against), axis=0)
            place = steepest(own, other)
            if place is not None:
                ratio = own[place], other[place]
                rows, columns = (at[:SHOWN] for at in np.nonzero((own == ratio[0]) & (other == ratio[1])))
                fits = against[:, columns] == ratio[1]
                fits[rows, np.arange(len(rows))] = False
                second, found = np.nonzero(fits)
                pairs = records[rows[found], columns[found]], records[second, columns[found]]
                yield Extreme(*ratio, budget, pairs=pairs)

    def distinct(self, stack: ColumnStack) -> Iterator[ColumnClass]:
        """All: each record differs from others in attributes of its own."""
        yield from stack

    def contrasts(self, weights: NDArray[np.object_]) -> tuple[Contrast | None, ...]:
        """For each attribute the two records that one output tells apart best, of its whole weights, shape (k,)."""
        shape = required_shape(self.shape)
        require_size(len(weights), self.k)
        found: list[Contrast | None] = []
        for i, size in enumerate(shape):
            own, records = (by_attribute(table, shape, i) for table in (weights, np.arange(self.k)))
            least = least_other(own) if size > 1 else None
            place = None if least is None else steepest(own, np.take_along_axis(own, least, axis=0))
            if least is None or place is None:
                found.append(None)
            else:
                other = int(least[place]), place[1]
                found.append(Contrast(int(records[place]), int(records[other]), own[place], own[other]))
        return tuple(found)

    def __add__(self, other: "CoordinateDP") -> "CoordinateDP":
        """What two reports about the same record keep together: the budgets add."""
        if self.d != other.d or self.shape != other.shape:
            found = f"budgets of {self.d} and {other.d} attributes"
            raise SordinoError(
                "budgets add over the same attributes", found=found, step="give both the same attributes"
            )
        sums = [
            a + b if a is not None and b is not None else "inf"
            for a, b in zip(self.budgets, other.budgets, strict=True)
        ]
        total = CoordinateDP(sums)
        return total if self.shape is None else total.on(self.shape)

    def _budgets_by_attribute(self) -> Iterator[tuple[int, Nats]]:
        """The attributes with a budget, and with two values or more as far as that is known."""
        for i, budget in enumerate(self.budgets):
            if budget is not None and (self.shape is None or self.shape[i] > 1):
                yield i, budget

    def _losses(self, evidence: FiniteEvidence) -> Iterator[tuple[Nats, NDArray[np.float64]]]:
        shape = required_shape(self.shape)
        for i, budget in self._budgets_by_attribute():
            yield budget, coordinate_loss(evidence, shape, i)


def coordinate_loss(evidence: FiniteEvidence, shape: tuple[int, ...], attribute: int) -> NDArray[np.float64]:
    """Shape (k,): how far the evidence favours each record over the least likely that differs in the attribute only."""
    require_size(len(evidence.log), math.prod(shape))
    table = evidence.log.reshape(shape)
    least = np.broadcast_to(table.min(axis=attribute, keepdims=True), shape).ravel()
    return loss_over(evidence, least, alone=shape[attribute] == 1)
