"""Queries about numbers and categories together, as bounds on the likelihood in each cell of the record.

A query reads the record as one of k values, perhaps at random, and sends the reading through a finite mechanism:
Pr(code | x) = sum_g P(g | x) W[g, code]. The largest and the smallest probability in each cell are known
(`record_reading`). Where the table would be too large, the mechanism's least epsilon stands for it: it holds for any
two records.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.accounting.measures.cells.model_reading import ModelReading
from sordino.accounting.measures.cells.record_reading import RecordReading, UntabledReading
from sordino.accounting.measures.mechanism_columns import LISTED, Columns
from sordino.accounting.measures.ratio import Ratio, epsilon_ratio, level_above
from sordino.domain.box import Box
from sordino.domain.mixed.cells import NumberCells
from sordino.domain.record import Record
from sordino.errors import SordinoError
from sordino.evidence.factored import Factor
from sordino.exact.arrays import Floats
from sordino.exact.messages.brief import shown
from sordino.mechanism.base import Mechanism
from sordino.query.query import Query

LARGEST_TABLE = 1 << 16
"""Entries of a table over cells at most; beyond, the epsilon counts."""

ILL_CONDITIONED = 1 << 16
"""How much larger than the range of a model its terms may be, for a table."""


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
        """All that defines it, as canonical text."""
        return " || ".join(f"{reading.parameters} by {mechanism.parameters}" for reading, mechanism in self.parts)

    @property
    def outputs(self) -> int:
        """How many codes there are."""
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
        """Whether every code is looked at by itself."""
        return self.entries(record) <= LISTED

    def factors(self, record: Record, code: int, *, alone: bool) -> tuple[Factor, ...]:
        """What a code says.

        Args:
            record: of cells.
            code: that was sent.
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
        record: of cells.

    Raises:
        SordinoError: another number of coefficients, or a range that the model can leave.
    """
    model = query.model
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
