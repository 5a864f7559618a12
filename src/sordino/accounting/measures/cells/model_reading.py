"""A model of numbers as a reading of the record: one of its two ends, at random."""

from dataclasses import dataclass

import numpy as np

from sordino.accounting.measures.cells.record_reading import RecordReading
from sordino.domain.mixed.cells import NumberCells
from sordino.domain.record import Record
from sordino.errors import SordinoError
from sordino.exact.arrays import Floats
from sordino.query.model import Model

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
        """Both ends."""
        return 2

    @property
    def parameters(self) -> str:
        """All that defines it, as canonical text."""
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
