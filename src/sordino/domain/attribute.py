"""One attribute of a person's record: its name, its values, where they stand in a table, and how sensitive it is.

A survey, a plan, a sample and a ledger are about attributes, and a table is read by them. What values there can be is
decided here: a new kind is a domain, and its place in `AttributeDomain`.
"""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.domain.bins import MISSING, Bins
from sordino.domain.calendar import iso_date
from sordino.domain.categories import Categories
from sordino.domain.choices import Choices
from sordino.domain.grid import Grid
from sordino.domain.interval import Interval
from sordino.domain.phrasing import Phrasing
from sordino.errors import SordinoError
from sordino.exact.nats import Nats

Domain: TypeAlias = Categories | Grid

AttributeDomain: TypeAlias = Domain | Interval | Choices
"""What an attribute's values can be."""


@dataclass(frozen=True)
class Attribute:
    """One attribute.

    Attributes:
        columns: of a table, that it is read from: one, by default of its own name; for a map perhaps two, latitude and
            longitude.
        missing: the category that a missing value counts as; of a number the share of the people who are expected to
            lack it, as a decimal text; None where a missing value is refused.
        clip: whether a number beyond an end counts as that end, instead of being refused.
        delta: the most that may be told about it by itself; None where nothing is promised about it.
        only_if: the attributes that decide whether it is asked, each with the categories of which it must have one;
            empty where everybody is asked.
        not_asked: the category of who was not asked; None where everybody is, and of a number, which is missing then.
        is_date: whether it is a number that is asked for as a date, in days since 1970-01-01.
        phrasing: its words in the language in which results are shown; nothing is drawn, sent or compared by it.
        bins: of a number, those by which tables count it; None where it has none.

    Example:
        >>> Attribute("smoker", Categories(["yes", "no"])).columns
        ('smoker',)
    """

    name: str
    domain: AttributeDomain
    columns: tuple[str, ...] = ()
    missing: str | None = None
    clip: bool = False
    delta: Nats | None = None
    only_if: tuple[tuple[str, tuple[str, ...]], ...] = ()
    not_asked: str | None = None
    is_date: bool = False
    phrasing: Phrasing = field(default_factory=Phrasing, compare=False, repr=False)
    bins: Bins | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns) or (self.name,))

    @property
    def title(self) -> str:
        """The question as people read it, or the name."""
        return self.phrasing.title(self.name)

    @property
    def quoted_title(self) -> str:
        """The title within a sentence, where a name stands in quotation marks too."""
        return self.phrasing.quoted_title(self.name)

    @property
    def title_with_unit(self) -> str:
        """The question of a number with its unit, which dates have none of."""
        return self.title if self.is_date else self.phrasing.with_unit(self.title)

    @property
    def optional(self) -> bool:
        """Whether it is a number that may be missing, and NaN where it is."""
        return isinstance(self.domain, Interval) and self.missing is not None

    @property
    def missing_share(self) -> float:
        """The share of the people who are expected to lack the number; 0 where it may not be missing."""
        return float(self.missing or 0) if self.optional else 0.0

    @property
    def finite(self) -> Domain:
        """The values of categories or a map.

        Raises:
            SordinoError: a number, or categories of which several apply.
        """
        if isinstance(self.domain, Interval | Choices):
            found = "a number" if isinstance(self.domain, Interval) else "categories of which several apply"
            raise SordinoError(f"{self.name!r} must have values that can be counted", found=found)
        return self.domain

    @cached_property
    def table_domain(self) -> Domain:
        """The values by which a table counts it: its own; of a number its bins, and that it is missing if it may be.

        Raises:
            SordinoError: a number without bins, or categories of which several apply.
        """
        if self.bins is None:
            return self.finite
        return self.named_bins(self.bins)

    def named_bins(self, bins: Bins) -> Categories:
        """Bins of the number by name, as people read their ends, and that it is missing if it may be."""
        ends = list(pairwise(bins.edges))
        labels = [
            f"{iso_date(low)} to {iso_date(high)}" if self.is_date else bins.title(low, high) for low, high in ends
        ]
        if len(set(labels)) < len(labels):
            labels = [f"{low!r} to {high!r}" for low, high in ends]
        return Categories([*labels, MISSING] if self.optional else labels)

    def count(self, values: NDArray[Any]) -> NDArray[np.intp]:
        """The place of each person's value among those by which a table counts it, shape (n,).

        Args:
            values: of categories and maps these places; numbers, within their ends unless they are clipped, NaN where
                one is missing.
        """
        if self.bins is None:
            return values
        # One beyond an end lies in the bin at that end.
        places = self.bins.locate(values)
        return np.where(np.isnan(values), self.bins.k, places) if self.optional else places

    @property
    def choices(self) -> Choices:
        """The categories of which several apply.

        Raises:
            SordinoError: other values.
        """
        if not isinstance(self.domain, Choices):
            rule = f"{self.name!r} must have categories of which several apply"
            raise SordinoError(rule, found="other values", step="write several = 3 beside its categories")
        return self.domain

    @property
    def interval(self) -> Interval:
        """The ends of a number."""
        if not isinstance(self.domain, Interval):
            found = f"{self.name!r} with {self.domain.k} values"
            step = "ask for its shares, or declare it as an interval"
            raise SordinoError("a question about numbers must be about numbers", found=found, step=step)
        return self.domain
