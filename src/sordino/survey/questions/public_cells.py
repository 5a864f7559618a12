"""Public cells: the combinations of the values of a plan's public columns, which reports name in clear.

A cell is a whole number: the places of the values in their columns, the last column counting fastest. A report's number
is cell x outputs + code, so that one number of at most 64 bits says all that a report does; without public columns it
is the code. The code is drawn by the same channel in every cell: what is known of a cell was known before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from sordino.domain.attribute import Attribute
from sordino.domain.categories import Categories
from sordino.errors import SordinoError
from sordino.exact.source import Words
from sordino.survey.frozen.public_part import PublicPart

UNSENDABLE = (1 << 64) - 1
"""The number of no report of a plan with public columns: for what came as a code or a cell that is none."""

MOST_CELLS = 1 << 32
"""Combinations of public values."""


@dataclass(frozen=True)
class PublicCells:
    """The public cells of a plan; one, of no values, without public columns.

    Attributes:
        parts: the public columns.
        outputs: how many codes the plan's queries have.

    Raises:
        SordinoError: more numbers of reports than 64 bits have.

    Example:
        >>> region = PublicPart(name="region", labels=["north", "south"], columns=["region"])
        >>> cells = PublicCells((region,), outputs=3)
        >>> cells.join(np.array([2, 0]), np.array([0, 1])).tolist()
        [2, 3]
        >>> cells.labels(1)
        {'region': 'south'}
    """

    parts: tuple[PublicPart, ...]
    outputs: int

    def __post_init__(self) -> None:
        if self.count > MOST_CELLS or (self.parts and self.count * self.outputs > UNSENDABLE):
            raise SordinoError(
                "a code and its public values must fit into 64 bits",
                found=f"{self.count:,} combinations of public values, and {self.outputs:,} codes",
                step="merge public values, or ask less",
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Of the public columns."""
        return tuple(part.name for part in self.parts)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each column has."""
        return tuple(len(part.labels) for part in self.parts)

    @cached_property
    def count(self) -> int:
        """How many cells there are."""
        return prod(self.shape)

    @property
    def last_number(self) -> int:
        """The largest number of a report."""
        return self.count * self.outputs - 1

    @cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        """The public columns as they are read from a table or a record."""
        return tuple(
            Attribute(part.name, Categories(part.labels), tuple(part.columns), part.missing) for part in self.parts
        )

    @property
    def cell_bytes(self) -> int:
        """Bytes of a cell where reports are packed; none without public columns."""
        return -(-(self.count - 1).bit_length() // 8)

    def join(self, codes: Words, cells: NDArray[np.integer]) -> Words:
        """The numbers of reports, as they are drawn or as they came: those of no report get a number of none."""
        if not self.parts:
            return codes
        own = cells.astype(np.uint64)
        numbers: Words = own * np.uint64(self.outputs) + codes.astype(np.uint64)
        numbers[(codes >= np.uint64(self.outputs)) | (own >= np.uint64(self.count))] = np.uint64(UNSENDABLE)
        return numbers

    def split(self, numbers: Words) -> tuple[Words, Words]:
        """Of reports the codes and the cells."""
        if not self.parts:
            return numbers, np.zeros(len(numbers), dtype=np.uint64)
        cells, codes = np.divmod(numbers, np.uint64(self.outputs))
        return codes, cells

    def periods(self, numbers: Words) -> NDArray[np.int64]:
        """Of reports of a series the places of their periods: the last public column, which counts fastest."""
        _, cells = self.split(numbers)
        return (cells % np.uint64(self.shape[-1])).astype(np.int64)

    def cell(self, places: Sequence[NDArray[np.integer]]) -> NDArray[np.int64]:
        """The cells of people, from the place of each one's value in each column."""
        found = np.zeros(len(places[0]) if places else 0, dtype=np.int64)
        for own, count in zip(places, self.shape, strict=True):
            found = found * count + own
        return found

    def places(self, cell: int) -> tuple[int, ...]:
        """The place of the value in each column."""
        found = []
        for count in reversed(self.shape):
            cell, place = divmod(cell, count)
            found.append(place)
        return tuple(reversed(found))

    def labels(self, cell: int) -> dict[str, str]:
        """The value in each column, by its name."""
        return {part.name: part.labels[place] for part, place in zip(self.parts, self.places(cell), strict=True)}

    def of_labels(self, given: object) -> int | None:
        """The cell of the values of all columns, by their names; None where they are something else."""
        if not isinstance(given, Mapping) or given.keys() != set(self.names):
            return None
        cell = 0
        for part in self.parts:
            label = given[part.name]
            if not isinstance(label, str) or label not in part.labels:
                return None
            cell = cell * len(part.labels) + part.labels.index(label)
        return cell
