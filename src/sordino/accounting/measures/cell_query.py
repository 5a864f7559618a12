"""Queries about numbers and categories together, as bounds on the likelihood in each cell of the record.

A query reads the record as one of k values, perhaps at random, and sends the reading through a finite mechanism:
Pr(code | x) = sum_g P(g | x) W[g, code]. The largest and the smallest probability in each cell are known
(`RecordReading`). Where the table would be too large, the mechanism's least epsilon stands for it: it holds for any
two records.

How a record of numbers and categories is read as one of k values, as bounds in each cell of the record.

Of each number P(g | x) is affine between some points, so that on a box of cells its extremes lie at corners, and a bin
of a number is constant between its edges. Bounds are widened by all that the device's floats and thresholds can be off.
Source: TRUTHS, N3; the average of a channel's rows. Units: numbers in those of the data, probabilities.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sordino.accounting.measures.mechanism_columns import LISTED, Columns, Ratio, epsilon_ratio, level_above
from sordino.domain.bins import Bins
from sordino.domain.box import Box
from sordino.domain.finite_record import Record
from sordino.domain.mixed_record import NumberCells
from sordino.errors import SordinoError
from sordino.evidence.factored import Factor
from sordino.exact.floats import Floats
from sordino.exact.messages import shown
from sordino.mechanism.base import Mechanism
from sordino.query.model import Model
from sordino.query.quadratic import Quadratic
from sordino.query.query import Query

LARGEST_TABLE = 1 << 16
"""Largest number of entries of a table over cells; beyond, the epsilon counts."""

ILL_CONDITIONED = 1 << 16
"""How much larger than the range of a model its terms may be, for a table."""


class RecordReading(ABC):
    """How a record is read.

    Attributes:
        names: the attributes that it depends on.
    """

    names: tuple[str, ...]

    @property
    @abstractmethod
    def parameters(self) -> str:
        """All that defines it, as canonical text."""

    @property
    @abstractmethod
    def k(self) -> int:
        """How many values can be read."""

    def places(self, record: Record) -> tuple[int, ...]:
        """Where its attributes stand in the record, in their order."""
        return tuple(record.names.index(name) for name in self.names)

    @abstractmethod
    def bounds(self, record: Record, weights: Floats) -> tuple[Floats, Floats]:
        """The largest and the smallest mean of weights of the readings, shape (k,), in each cell; an axis each name."""


@dataclass(frozen=True, eq=False)
class CellQuery:
    """A query about a record of numbers and categories: some readings, each through its mechanism.

    Readings of one query use words of their own, so given the record their codes are independent.

    Attributes:
        parts: each reading with its mechanism; codes are digits of mixed radix, the last part's run fastest.
    """

    parts: tuple[tuple[RecordReading, Mechanism], ...]

    def __post_init__(self) -> None:
        for reading, mechanism in self.parts:
            if reading.k != mechanism.k:
                rule = f"the mechanism must take the {reading.k} values that are read"
                raise SordinoError(rule, found=shown(mechanism.k))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CellQuery) and self.parameters == other.parameters

    def __hash__(self) -> int:
        return hash(self.parameters)

    @cached_property
    def parameters(self) -> str:
        return " || ".join(f"{reading.parameters} by {mechanism.parameters}" for reading, mechanism in self.parts)

    @property
    def outputs(self) -> int:
        return math.prod(mechanism.outputs for _, mechanism in self.parts)

    @cached_property
    def ratio(self) -> Ratio:
        """e^epsilon of the least epsilon that it satisfies under LDP; None where it satisfies none."""
        total: Ratio = Fraction(1)
        for _, mechanism in self.parts:
            own = epsilon_ratio(mechanism)
            total = None if total is None or own is None else total * own
        return total

    def places(self, record: Record) -> tuple[int, ...]:
        """Where its attributes stand in the record, ascending.

        Raises:
            SordinoError: an attribute that the record lacks.
        """
        names = {name for reading, _ in self.parts for name in reading.names}
        unknown = sorted(names - set(record.names))
        if unknown:
            raise SordinoError("a query must be about attributes of the record", found=shown(unknown[0]))
        return tuple(sorted(record.names.index(name) for name in names))

    def entries(self, record: Record) -> int:
        """How many numbers the tables of all codes have together."""
        sizes = [math.prod(record.shape[place] for place in reading.places(record)) for reading, _ in self.parts]
        return self.outputs * sum(min(size, LARGEST_TABLE) for size in sizes)

    def is_listed(self, record: Record) -> bool:
        return self.entries(record) <= LISTED

    def factors(self, record: Record, code: int, *, alone: bool) -> tuple[Factor, ...]:
        """What a code says.

        Args:
            alone: whether a query that is known by its epsilon only counts once for each of its attributes, as bounds
                on single attributes need it; else once.
        """
        found: list[Factor] = []
        for (reading, mechanism), digit in zip(self.parts, self._digits(code), strict=True):
            found += self._part_factors(reading, mechanism, record, digit, alone=alone)
        return tuple(found)

    def _digits(self, code: int) -> Sequence[int]:
        digits = []
        for _, mechanism in self.parts[::-1]:
            code, digit = divmod(code, mechanism.outputs)
            digits.append(digit)
        return digits[::-1]

    def _part_factors(
        self, reading: RecordReading, mechanism: Mechanism, record: Record, code: int, *, alone: bool
    ) -> Iterator[Factor]:
        places = reading.places(record)
        size = math.prod(record.shape[place] for place in places)
        if size > LARGEST_TABLE or isinstance(reading, UntabledReading):
            # The epsilon holds for any two records.
            most = float(level_above([epsilon_ratio(mechanism)])[0])
            for place in sorted(places) if alone else [min(places)]:
                shape = (record.shape[place],)
                yield Factor((place,), np.zeros(shape), 0.0, np.full(shape, -most))
            return
        high, low = reading.bounds(record, _weights(mechanism, code))
        order = np.argsort(places)
        with np.errstate(divide="ignore"):
            logs = [np.log(side.transpose(order)) for side in (high, low)]
        radius = 4 * math.ulp(max(1.0, *(float(np.abs(log[np.isfinite(log)]).max(initial=0.0)) for log in logs)))
        yield Factor(tuple(sorted(places)), logs[0], radius, logs[1])


def cell_query_of(query: Query, record: Record) -> CellQuery:
    """A query of a model of the numbers of a record, by cells.

    Args:
        query: whose model's coefficients are those of the record's numbers, in their order.

    Raises:
        SordinoError: another number of coefficients, or a range that the model can leave.
    """
    model = query.model
    if isinstance(model, Quadratic):
        # In a cell it need not be largest at a corner.
        rule, step = "by cells models without products are bounded", "promise LDP over a Box of the numbers"
        raise SordinoError(rule, found="a model with products", step=step)
    cells = {name: own for name, own in zip(record.names, record.domains, strict=True) if isinstance(own, NumberCells)}
    ends = [own.ends for own in cells.values()]
    model.require_fit(Box([own.low for own in ends], [own.high for own in ends]))
    numbers = tuple(cells)
    names = tuple(name for name, coefficient in zip(numbers, model.theta, strict=True) if coefficient)
    terms = abs(model.intercept) + sum(
        abs(coefficient) * max(abs(own.low), abs(own.high)) for coefficient, own in zip(model.theta, ends, strict=True)
    )
    low, high = model.ends
    reading: RecordReading = ModelReading(names, model, numbers)
    if not names or terms > ILL_CONDITIONED * min(high - low, 1.0 if model.name == "logistic" else math.inf):
        reading = UntabledReading(names or numbers[:1], 2, model.parameters)
    return CellQuery(((reading, query.mechanism),))


def _weights(mechanism: Mechanism, code: int) -> Floats:
    """The weights of a code, shape (k,), over the largest: a common factor tells nothing."""
    columns = Columns.of(mechanism, [code])
    heaviest = max(columns.distinct[place] for place in np.unique(columns.place[0]).tolist())
    own = np.array([float(Fraction(weight, heaviest or 1)) for weight in columns.distinct])
    weights: NDArray[np.float64] = own[columns.place[0]]
    return weights


MODEL_ERROR = 2.0**-30
"""By how much the share of a model's upper end may be off, where its sums are not ill-conditioned, and then some."""


@dataclass(frozen=True, eq=False)
class ModelReading(RecordReading):
    """A model of numbers, read as one of its two ends: monotone in each number, so that corners are extremes.

    Attributes:
        names: the numbers that it depends on.
        model: of all numbers of the record.
        numbers: their names, in the order of the model's coefficients.
    """

    names: tuple[str, ...]
    model: Model
    numbers: tuple[str, ...]

    @property
    def k(self) -> int:
        return 2

    @property
    def parameters(self) -> str:
        return f"model of {self.names!r} {self.model.parameters}"

    def bounds(self, record: Record, weights: Floats) -> tuple[Floats, Floats]:
        """The largest and the smallest mean of weights in each cell."""
        edges = []
        for name in self.names:
            domain = record.domains[record.names.index(name)]
            if not isinstance(domain, NumberCells) or domain.missing:
                raise SordinoError(f"{name!r} must be a number that everybody has", found="other values")
            edges.append(domain.edges)
        corners = np.meshgrid(*edges, indexing="ij")
        rows = np.zeros((corners[0].size, len(self.numbers)))
        for name, own in zip(self.names, corners, strict=True):
            rows[:, self.numbers.index(name)] = own.ravel()
        shares = ((1 + self.model.scale(self.model.statistic(rows))) / 2).reshape(corners[0].shape)
        means = weights[0] + shares * (weights[1] - weights[0])
        most = least = means
        for axis in range(means.ndim):
            lower, upper = (np.take(most, range(i, most.shape[axis] - 1 + i), axis=axis) for i in (0, 1))
            most = np.maximum(lower, upper)
            lower, upper = (np.take(least, range(i, least.shape[axis] - 1 + i), axis=axis) for i in (0, 1))
            least = np.minimum(lower, upper)
        slack = MODEL_ERROR * float(weights.max())
        return most + slack, np.maximum(least - slack, 0.0)


RELATIVE = 2.0**-40
"""By how much a sum of up to 4,096 products may be off, and then some."""

ABSOLUTE = 2.0**-46
"""By how much the share of a reading may be off that a device rounds: its floats and its threshold, and then some."""


@dataclass(frozen=True, eq=False)
class LawReading(RecordReading):
    """A reading whose law is known at some points, and affine in each number between them.

    Attributes:
        points: of each number where its law may bend, ascending, at least two; None of an attribute that is counted.
        missing: of each attribute whether its axis has one entry more, the last, for who has no number.
        law: the probability of each reading, an axis for each attribute, the readings last.
        error: by how much the sum of the probabilities of some readings may be off between points.
    """

    names: tuple[str, ...]
    points: tuple[tuple[float, ...] | None, ...]
    missing: tuple[bool, ...]
    law: Floats
    error: float = 0.0

    @property
    def k(self) -> int:
        return int(self.law.shape[-1])

    @property
    def parameters(self) -> str:
        points = ";".join("-" if own is None else " ".join(x.hex() for x in own) for own in self.points)
        digest = sha256(np.ascontiguousarray(self.law).tobytes()).hexdigest()
        return f"law of {self.names!r} at {points} {self.missing} {self.law.shape} {digest} {self.error.hex()}"

    def bounds(self, record: Record, weights: Floats) -> tuple[Floats, Floats]:
        """The largest and the smallest mean of weights in each cell."""
        most = least = self.law @ weights
        slack = self.error
        for axis, name in enumerate(self.names):
            domain, points = record.domains[record.names.index(name)], self.points[axis]
            if points is None:
                if most.shape[axis] != domain.k:
                    raise SordinoError(f"{name!r} must have {most.shape[axis]} values", found=shown(domain.k))
                continue
            if not isinstance(domain, NumberCells):
                raise SordinoError(f"{name!r} must be a number of the record", found="values that are counted")
            ends = max(abs(domain.ends.low), abs(domain.ends.high), abs(points[0]), abs(points[-1]))
            slack += ABSOLUTE * (1 + ends / (points[-1] - points[0]) + ends / domain.ends.width)
            most, least = (
                np.moveaxis(self._cells(np.moveaxis(side, axis, 0), axis, domain, largest=largest), 0, axis)
                for side, largest in ((most, True), (least, False))
            )
        heaviest = float(weights.max())
        return most * (1 + RELATIVE) + slack * heaviest, np.maximum(least * (1 - RELATIVE) - slack * heaviest, 0.0)

    def _cells(self, side: Floats, axis: int, domain: NumberCells, *, largest: bool) -> Floats:
        """The extremes in each cell along the first axis of what is affine between the points."""
        points = np.array(self.points[axis])
        inside = points[(points > domain.ends.low) & (points < domain.ends.high)]
        fine = np.unique(np.concatenate([domain.edges, inside]))
        at = np.clip(np.searchsorted(points, fine, side="right") - 1, 0, len(points) - 2)
        share = np.clip((fine - points[at]) / (points[at + 1] - points[at]), 0.0, 1.0)
        share = share.reshape(-1, *[1] * (side.ndim - 1))
        values = side[at] * (1 - share) + side[at + 1] * share
        starts = np.searchsorted(fine, domain.edges)
        choose = np.maximum if largest else np.minimum
        found = choose(choose.reduceat(values, starts[:-1], axis=0), values[starts[1:]])
        if not domain.missing:
            return np.asarray(found)
        if not self.missing[axis]:
            raise SordinoError(f"the query must take a missing {self.names[axis]!r}", found="one that needs a number")
        return np.concatenate([found, side[-1:]])


@dataclass(frozen=True, eq=False)
class BinReading(RecordReading):
    """In which bin a number lies.

    Attributes:
        name: the number.
        bins: numbers beyond them count as their ends.
        missing: whether the last reading is that there is no number.
    """

    name: str
    bins: Bins
    missing: bool

    @property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]  # of one attribute
        return (self.name,)

    @property
    def k(self) -> int:
        return self.bins.k + self.missing

    @property
    def parameters(self) -> str:
        edges = " ".join(edge.hex() for edge in self.bins.edges)
        return f"bin of {self.name!r} {sha256(edges.encode()).hexdigest()} {self.missing}"

    def bounds(self, record: Record, weights: Floats) -> tuple[Floats, Floats]:
        """The largest and the smallest mean of weights in each cell."""
        domain = record.domains[record.names.index(self.name)]
        if not isinstance(domain, NumberCells):
            raise SordinoError(f"{self.name!r} must be a number of the record", found="values that are counted")
        if domain.missing and not self.missing:
            raise SordinoError(f"the query must take a missing {self.name!r}", found="one that needs a number")
        within = np.clip(domain.edges, self.bins.edges[0], self.bins.edges[-1])
        at = self.bins.locate(within)
        cells = [weights[low : high + 1] for low, high in pairwise(at)]
        cells += [weights[-1:]] if domain.missing else []
        return np.array([own.max() for own in cells]), np.array([own.min() for own in cells])


@dataclass(frozen=True, eq=False)
class UntabledReading(RecordReading):
    """A reading of which nothing is known but the attributes that it depends on.

    Attributes:
        count: how many values can be read.
        words: all that defines it, as canonical text.
    """

    names: tuple[str, ...]
    count: int
    words: str

    @property
    def k(self) -> int:
        return self.count

    @property
    def parameters(self) -> str:
        return f"reading of {self.names!r} {self.words}"

    def bounds(self, record: Record, weights: Floats) -> tuple[Floats, Floats]:
        """The largest and the smallest mean of weights in each cell."""
        shape = tuple(record.shape[place] for place in self.places(record))
        return np.full(shape, weights.max()), np.full(shape, weights.min())
