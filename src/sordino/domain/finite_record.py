"""Records of a few categorical attributes: a finite product, whose values are 0..k-1.

A record's index counts in C order: the last attribute runs fastest, as in `numpy.ravel_multi_index`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.errors import SordinoError
from sordino.exact.messages import Brief, checked_class, shown
from sordino.printable import join_names

LARGEST_PRODUCT = 1 << 24
"""Records of a product at most where evidence holds a number for each."""

LARGEST_INDEX = 1 << 62
"""Largest number of records of a product that are told apart by one whole number."""


class FiniteDomain(Protocol):
    """What an attribute of a record offers."""

    @property
    def k(self) -> int:
        """The number of values."""

    def label(self, index: int) -> str:
        """The text of one value."""


@checked_class
@dataclass(frozen=True, init=False, repr=False)
class Record(Brief):
    """The records of some attributes, each with a finite domain.

    Attributes:
        names: the attributes, in the order of their places.
        domains: their values.

    Raises:
        SordinoError: no attribute, a name that is no text, or no finite domain.

    Example:
        >>> from sordino import Categories
        >>> record = Record({"smoker": Categories(["yes", "no"]), "stage": Categories(["I", "II", "III"])})
        >>> record.shape, record.k, record.values([4]).tolist(), record.index([[1, 1]]).tolist(), record.label(4)
        ((2, 3), 6, [[1, 1]], [4], 'no, II')
    """

    names: tuple[str, ...]
    domains: tuple[FiniteDomain, ...]

    def __init__(self, attributes: Mapping[str, FiniteDomain]) -> None:
        given: Any = attributes
        if not isinstance(given, Mapping) or not given:
            step = 'write Record({"smoker": Categories(["yes", "no"])})'
            raise SordinoError("a record must have attributes, a domain for each name", found=shown(given), step=step)
        for name, domain in given.items():
            if not isinstance(name, str) or not name:
                raise SordinoError("an attribute's name must be a text", found=shown(name))
            if not isinstance(getattr(domain, "k", None), int):
                rule = f"attribute {name!r} must have a finite domain"
                raise SordinoError(rule, found=type(domain).__name__, step="give its Categories")
        object.__setattr__(self, "names", tuple(attributes))
        object.__setattr__(self, "domains", tuple(attributes.values()))

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each attribute has."""
        return tuple(domain.k for domain in self.domains)

    @property
    def d(self) -> int:
        """How many attributes."""
        return len(self.names)

    @property
    def k(self) -> int:
        """How many records."""
        return prod(self.shape)

    def index(self, values: ArrayLike) -> NDArray[np.intp]:
        """The records' indices, shape (n,), of their attributes' values, shape (n, d).

        Raises:
            SordinoError: other than d whole numbers each, or one outside its domain (named by its position only);
            too many records for an index.
        """
        self._require_index()
        table = self.check_records(values)
        index: NDArray[np.intp] = np.ravel_multi_index(tuple(table.T), self.shape)
        return index

    def check_records(self, values: ArrayLike) -> NDArray[np.intp]:
        """Records as rows of their attributes' values, shape (n, d).

        Raises:
            SordinoError: other than d whole numbers each, or one outside its domain (named by its position only).
        """
        table = np.asarray(values)
        if table.ndim != 2 or table.shape[1] != self.d or (table.size and table.dtype.kind not in "iu"):
            raise SordinoError(
                f"records must be rows of {self.d} whole numbers", found=f"shape {table.shape}, type {table.dtype}"
            )
        outside = np.argwhere((table < 0) | (table >= np.array(self.shape)))
        if outside.size:
            row, place = outside[0].tolist()
            raise SordinoError(
                f"values of {self.names[place]!r} must lie in 0..{self.shape[place] - 1}",
                found=f"a value out of range at position {row}",
            )
        return table.astype(np.intp)

    def values(self, index: ArrayLike) -> NDArray[np.intp]:
        """The attributes' values, shape (n, d), of records by index, shape (n,)."""
        self._require_index()
        array = np.asarray(index)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise SordinoError(
                "records must be whole numbers in one row", found=f"type {array.dtype}, {array.ndim} axes"
            )
        outside = np.flatnonzero((array < 0) | (array >= self.k))
        if outside.size:
            raise SordinoError(
                f"records must lie in 0..{self.k - 1}", found=f"a value out of range at position {int(outside[0])}"
            )
        values: NDArray[np.intp] = np.stack(np.unravel_index(array.astype(np.intp), self.shape), axis=1)
        return values

    def label(self, index: int) -> str:
        """The texts of one record's values."""
        (row,) = self.values([index]).tolist()
        return join_names(domain.label(value) for domain, value in zip(self.domains, row, strict=True))

    def _require_index(self) -> None:
        if self.k > LARGEST_INDEX:
            raise SordinoError(f"an index must distinguish at most {LARGEST_INDEX} records apart", found=shown(self.k))
