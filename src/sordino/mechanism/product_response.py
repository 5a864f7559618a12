"""A product of channels: each coordinate of a value is answered by itself, and the answers are the digits of one code.

Guarantee: for two values that differ along one axis what that axis's channel keeps, exactly, since all others are
factors of both weights; so the sum of distances over the axes, as `MetricLDP` has it. A tally counts codes; estimates
are decoded along each axis in turn, since the inverse of a product is the product of inverses, and so are their powers.
Cost: what the parts take, each for all codes. A named combinator: it holds other mechanisms.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product
from math import prod
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.definition.metric import MetricLDP
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, FiniteEvidence, ValueClass
from sordino.exact.entries import Entries
from sordino.exact.messages import Brief, checked, checked_class, shown
from sordino.exact.source import Stream, Words
from sordino.mechanism.base import Mechanism, Squares
from sordino.mechanism.binary import BinaryOptimal
from sordino.mechanism.channel import read_channel
from sordino.mechanism.channel_table import ChannelTable
from sordino.mechanism.randomized import RandomizedResponse
from sordino.mechanism.tree_response import TreeResponse

Floats: TypeAlias = NDArray[np.float64]

PARTS: Mapping[str, type[Mechanism]] = {
    kind.name: kind for kind in (TreeResponse, RandomizedResponse, BinaryOptimal, ChannelTable)
}
"""What can answer a coordinate, by name: channels that count codes, of few codes each."""

LARGEST = 1 << 22
"""Values, and codes, at most: estimates hold several vectors of this length."""


@checked_class
@dataclass(frozen=True, init=False, repr=False)
class ProductResponse(Brief, Mechanism):
    """The channels of some axes; a code has theirs as digits, the last runs fastest.

    Example:
        >>> grid = MetricLDP.grid(125, 350, "1/2", "1/2")
        >>> channel = ProductResponse([TreeResponse(MetricLDP((axis,))) for axis in grid.axes])
        >>> channel.k, channel.code_bits
        (43750, 16)
    """

    name: ClassVar[str] = "product"

    axes: tuple[Mechanism, ...]

    def __init__(self, axes: Sequence[Mechanism]) -> None:
        for part in axes:
            if type(part) not in PARTS.values():
                names = ", ".join(kind.__name__ for kind in PARTS.values())
                raise SordinoError(f"the parts of a product must be among {names}", found=type(part).__name__)
        largest = max(prod(part.k for part in axes), prod(part.outputs for part in axes))
        if not axes or largest > LARGEST:
            found = shown(largest) if axes else "none"
            raise SordinoError(f"a product must have parts, and at most {LARGEST} values and codes", found=found)
        object.__setattr__(self, "k", prod(part.k for part in axes))
        object.__setattr__(self, "axes", tuple(axes))

    @property
    def record(self) -> dict[str, Any]:
        return {"axes": [part.document_fields for part in self.axes]}

    @classmethod
    @checked
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        if not isinstance(promise, MetricLDP):
            raise SordinoError("a product of channels needs a promise by distances", found=type(promise).__name__)
        found = entries.inners("axes")
        if len(found) != len(promise.axes):
            rule = f"a product must have a channel for each of {len(promise.axes)} axes"
            raise SordinoError(rule, found=shown(len(found)))
        axes = zip(found, promise.axes, strict=True)
        mechanism = cls([read_channel(own, PARTS, MetricLDP((axis,))) for own, axis in axes])
        if tuple(part.k for part in mechanism.axes) != promise.shape:
            sizes = [part.k for part in mechanism.axes]
            wrong = f"channels of {shown(sizes)} values for axes of {shown([*promise.shape])}"
            rule = "each channel of a product must be about the values of its axis"
            raise SordinoError(rule, found=wrong, step="give the channels in the order of the axes")
        return mechanism

    @property
    def parts(self) -> tuple[Mechanism, ...]:
        return self.axes

    @property
    def draw(self) -> Any:
        return ["digits", "axes"]

    @property
    def parameters(self) -> str:
        return "product " + " | ".join(part.parameters for part in self.axes)

    @property
    def outputs(self) -> int:
        return prod(part.outputs for part in self.axes)

    @property
    def denominator(self) -> int:
        return prod(part.denominator for part in self.axes)

    @property
    def informative(self) -> bool:
        return all(part.informative for part in self.axes)

    @cached_property
    def excess(self) -> Floats | None:
        sums = []
        for part in self.axes:
            if part.excess is None:
                return None
            sums.append(1 + part.k * part.excess)
        return (reduce(_outer_products, sums) - 1) / self.k

    def weight(self, value: int, code: int) -> int:
        weight = 1
        for part in reversed(self.axes):
            value, own = divmod(value, part.k)
            code, digit = divmod(code, part.outputs)
            weight *= part.weight(own, digit)
        return weight

    def marks(self, codes: Words) -> tuple[tuple[int, ...], NDArray[np.integer]]:
        weights: tuple[int, ...] = (1,)
        marks: NDArray[np.integer] = np.zeros((len(codes), 1), dtype=np.int64)
        for part, digit in zip(self.axes, self._digits(codes), strict=True):
            own, place = part.marks(digit)
            weights = tuple(one * other for one, other in product(weights, own))
            marks = (marks[:, :, None] * len(own) + place[:, None, :]).reshape(len(codes), -1)
        return weights, marks

    def columns(self) -> Iterator[ColumnClass]:
        for columns in product(*(part.columns() for part in self.axes)):
            code = 0
            for part, column in zip(self.axes, columns, strict=True):
                code = code * part.outputs + column.code
            parts = tuple(map(self._combine_classes, product(*(column.parts for column in columns))))
            yield ColumnClass(self.k, prod(column.count for column in columns), code, parts)

    def _combine_classes(self, parts: Sequence[ValueClass]) -> ValueClass:
        """The values that are alike on every axis; their weights are products."""
        grids = np.meshgrid(*(part.values for part in parts), indexing="ij")
        values = np.ravel_multi_index([grid.ravel() for grid in grids], [part.k for part in self.axes])
        outputs: dict[int, int] = {}
        for each in product(*(part.weights for part in parts)):
            weight = prod(weight for weight, _ in each)
            outputs[weight] = outputs.get(weight, 0) + prod(count for _, count in each)
        return ValueClass(values.astype(np.intp), tuple(outputs.items()))

    def probabilities(self) -> Floats:
        dense: Floats = np.ones((1, 1))
        for part in self.axes:
            dense = np.asarray(np.kron(dense, part.probabilities()), dtype=np.float64)
        return dense

    def evidence(self, code: int) -> FiniteEvidence:
        digits = [int(digit[0]) for digit in self._digits(np.array([code], dtype=np.uint64))]
        own = [part.evidence(digit) for part, digit in zip(self.axes, digits, strict=True)]
        grids = np.meshgrid(*(np.arange(part.k) for part in self.axes), indexing="ij")
        told = FiniteEvidence.of_no_reports(self.k)
        for evidence, grid in zip(own, grids, strict=True):
            told += FiniteEvidence(evidence.log[grid.ravel()], evidence.radius)
        return told

    def forward(self, p: Floats) -> Floats:
        return self._along(p, [part.k for part in self.axes], lambda part, own: part.forward(own))

    def adjoint(self, weights: Floats) -> Floats:
        return self._along(weights, self._codes, lambda part, own: part.adjoint(own))

    def decode(self, law: Floats) -> Floats:
        """The inverse of a product is the product of inverses."""
        return self._along(law, self._codes, lambda part, own: part.decode(own))

    def decode_powers(self, law: Floats, power: int) -> Floats:
        """What codes add is the product of what their digits add, and so are the powers."""
        return self._along(law, self._codes, lambda part, own: part.decode_powers(own, power))

    def code_values(self, functional: Floats) -> Floats:

        def along(part: Mechanism, own: Floats) -> Floats:
            rows = own.reshape(-1, part.k)
            found: Floats = np.array([part.code_values(row) for row in rows])
            return found.reshape(*own.shape[:-1], part.outputs)

        return self._along(functional, [part.k for part in self.axes], along)

    @cached_property
    def contribution_range(self) -> tuple[Floats, Floats]:
        """The products of the parts' ends, of which codes attain all."""
        least, most = np.ones(1), np.ones(1)
        for part in self.axes:
            own = part.contribution_range
            ends = [_outer_products(one, other) for one in (least, most) for other in own]
            least, most = np.min(ends, axis=0), np.max(ends, axis=0)
        return least, most

    @cached_property
    def squares(self) -> Squares:
        """Another value differs along some axes: along each of these by the least or the most of its part."""
        own, least, most = np.ones(1), np.full(1, np.inf), np.zeros(1)
        for part in self.axes:
            its = part.squares
            lows, highs = [], []
            # An axis of one value has no other.
            if part.k > 1:
                lows.append(_outer_products(own, its.least))
                highs.append(_outer_products(own, its.most))
            if len(own) > 1:
                lows.append(_outer_products(least, its.own))
                highs.append(_outer_products(most, its.own))
            if len(lows) > 1:
                lows.append(_outer_products(least, its.least))
                highs.append(_outer_products(most, its.most))
            own = _outer_products(own, its.own)
            if lows:
                least, most = np.min(lows, axis=0), np.max(highs, axis=0)
        return Squares(own, least, most)

    def are_impossible(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        wrong = np.zeros(len(codes), dtype=np.bool_)
        for part, digit in zip(self.axes, self._digits(codes.astype(np.uint64)), strict=True):
            wrong |= part.are_impossible(digit)
        return wrong

    def _sample(self, values: NDArray[np.intp], stream: Stream) -> Words:
        code = np.zeros(len(values), dtype=np.uint64)
        for part, own in zip(self.axes, np.unravel_index(values, [part.k for part in self.axes]), strict=True):
            code = code * np.uint64(part.outputs) + part._sample(own, stream)
        return code

    @property
    def _codes(self) -> list[int]:
        return [part.outputs for part in self.axes]

    def _digits(self, codes: Words) -> tuple[Words, ...]:
        return tuple(digit.astype(np.uint64) for digit in np.unravel_index(codes.astype(np.intp), self._codes))

    def _along(self, amounts: Floats, shape: list[int], apply: Callable[[Mechanism, Floats], Floats]) -> Floats:
        """Amounts of shape (..., product of the shape) with a map of each part along its axis."""
        before = amounts.shape[:-1]
        table = amounts.reshape(*before, *shape)
        for axis, part in enumerate(self.axes):
            place = len(before) + axis
            table = np.moveaxis(apply(part, np.ascontiguousarray(np.moveaxis(table, place, -1))), -1, place)
        return np.ascontiguousarray(table).reshape(*before, -1)


def _outer_products(first: Floats, second: Floats) -> Floats:
    """Products of each of the first with each of the second, whose run is fastest."""
    return np.multiply.outer(first, second).ravel()
