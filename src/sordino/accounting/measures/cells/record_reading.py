"""How a record of numbers and categories is read as one of k values, as bounds in each cell of the record.

Of each number P(g | x) is affine between some points, so that on a box of cells its extremes lie at corners, and a bin
of a number is constant between its edges. Bounds are widened by all that the device's floats and thresholds can be off.
Source: TRUTHS, N3; the average of a channel's rows. Units: numbers in those of the data, probabilities.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise

import numpy as np

from sordino.domain.bins import Bins
from sordino.domain.mixed.cells import NumberCells
from sordino.domain.record import Record
from sordino.errors import SordinoError
from sordino.exact.arrays import Floats
from sordino.exact.messages.brief import shown

RELATIVE = 2.0**-40
"""By how much a sum of up to 4,096 products may be off, and then some."""

ABSOLUTE = 2.0**-46
"""By how much the share of a reading may be off that a device rounds: its floats and its threshold, and then some."""


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
        """How many values can be read."""
        return int(self.law.shape[-1])

    @property
    def parameters(self) -> str:
        """All that defines it, as canonical text."""
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
        """The number alone."""
        return (self.name,)

    @property
    def k(self) -> int:
        """How many values can be read."""
        return self.bins.k + self.missing

    @property
    def parameters(self) -> str:
        """All that defines it, as canonical text."""
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
        """How many values can be read."""
        return self.count

    @property
    def parameters(self) -> str:
        """All that defines it, as canonical text."""
        return f"reading of {self.names!r} {self.words}"

    def bounds(self, record: Record, weights: Floats) -> tuple[Floats, Floats]:
        """The largest and the smallest mean of weights in each cell."""
        shape = tuple(record.shape[place] for place in self.places(record))
        return np.full(shape, weights.max()), np.full(shape, weights.min())
