"""Tables over the records of a product of attributes, seen from one attribute: what its definitions share.

A table holds one entry for each record, flat and in C order. Seen from attribute i it has a row for each value of i and
a column for each way that all others can be: `by_attribute`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounds import read_bound
from sordino.domain.finite_record import LARGEST_PRODUCT
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.exact.nats import Nats


class HasShape(Protocol):
    """A domain that is a product, as `Record`."""

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each attribute has."""


Shape: TypeAlias = Sequence[int] | HasShape
"""How many values each attribute has; or a domain that says so."""

Amounts: TypeAlias = tuple[Nats | None, ...]
"""One for each attribute; None where it is not protected."""


@dataclass(frozen=True)
class Contrast:
    """Two hypotheses about a record and how likely an output is under each, up to a common factor.

    Attributes:
        value, other: values of an attribute, or records, by what is compared.
        heavy, light: whole numbers; `light` may be zero, and then the loss is infinite.
    """

    value: int
    other: int
    heavy: int
    light: int

    @property
    def loss(self) -> Nats | None:
        """How far the output favours `value` over `other`; None: without bound."""
        return Nats.log(Fraction(self.heavy, self.light)) if self.light else None


def read_shape(shape: Shape, d: int) -> tuple[int, ...]:
    """How many values each of d attributes has."""
    sizes = sizes_of(shape)
    if not all(isinstance(size, int | np.integer) and not isinstance(size, bool) and size >= 1 for size in sizes):
        raise SordinoError("each attribute must have a whole number of values, at least 1", found=shown(sizes))
    if len(sizes) != d:
        raise SordinoError(f"sizes must be about the definition's {d} attributes", found=str(len(sizes)))
    if prod(map(int, sizes)) > LARGEST_PRODUCT:
        raise SordinoError(
            f"there must be at most {LARGEST_PRODUCT} records", found=f"attributes of {shown(sizes)} values"
        )
    return tuple(map(int, sizes))


def sizes_of(shape: Shape) -> tuple[Any, ...]:
    """The sizes themselves, unchecked; an array lists them, whatever its own shape."""
    if isinstance(shape, Sequence | np.ndarray):
        return tuple(shape)
    return shape.shape


def required_shape(shape: tuple[int, ...] | None) -> tuple[int, ...]:
    """The sizes of a definition that was told them."""
    if shape is None:
        rule, found = "evidence about records needs the number of values of each attribute", "a definition without them"
        raise SordinoError(rule, found=found, step="call .on(record), or .on((2, 3)) for attributes of 2 and 3 values")
    return shape


def read_amounts(what: str, amounts: Any) -> Amounts:
    """One amount of loss for each attribute; "inf" for one that is not protected."""
    row = amounts.tolist() if isinstance(amounts, np.ndarray) else amounts
    if not isinstance(row, Sequence) or isinstance(row, str) or not row:
        raise SordinoError(f"{what}s must be a row with one for each attribute", found=shown(amounts))
    read = []
    for i, amount in enumerate(row):
        if amount is None:
            raise SordinoError(
                f"the {what} of attribute {i} must be given", found="None", step='write "inf" to leave it unprotected'
            )
        try:
            read.append(read_bound(amount))
        except SordinoError as error:
            raise SordinoError(f"{what} of attribute {i}: {error.rule}", found=error.found, step=error.step) from None
    return tuple(read)


def by_attribute(table: NDArray[Any], shape: tuple[int, ...], attribute: int) -> NDArray[Any]:
    """Shape (values of the attribute, records of all others)."""
    return np.moveaxis(table.reshape(shape), attribute, 0).reshape(shape[attribute], -1)


def least_other(table: NDArray[Any]) -> NDArray[np.intp]:
    """For each entry the row of the least entry that its column has elsewhere; two rows or more."""
    columns = np.arange(table.shape[1])
    first = table.argmin(axis=0)
    without = table.copy()
    without[first, columns] = np.inf
    least = np.broadcast_to(first, table.shape).astype(np.intp)
    least[first, columns] = without.argmin(axis=0)
    return least


def steepest(heavy: NDArray[np.object_], light: NDArray[np.object_]) -> tuple[int, int] | None:
    """Where heavy / light is largest, exactly; None where nothing is possible. Both are tables of whole numbers."""
    best, place = (0, 1), None
    places = {pair: at for at, pair in enumerate(zip(heavy.ravel().tolist(), light.ravel().tolist(), strict=True))}
    for (most, least), at in places.items():
        if most * best[1] > least * best[0]:
            best, place = (most, least), at
    return None if place is None else divmod(place, heavy.shape[1])
