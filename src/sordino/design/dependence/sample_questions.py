"""What a sample is compared by: the attributes of a record, with their values, and the statistics that will be asked.

All of it is fixed before anybody looks at the sample. An attribute of categories is compared by its categories. A
number is compared by bins that are declared, and then what is promised is about its bin; or, with a declared Lipschitz
constant of the conditional means, about the number itself; with neither nothing is known about it.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.domain.categories import Categories
from sordino.domain.grid import Grid
from sordino.domain.interval import to_unit
from sordino.domain.statistic import Statistic
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown

MOST_VALUES = 1000
"""An attribute with more values is not compared: that few records of each tell nothing."""

MOST_CELLS = 1 << 18
"""Nor is a histogram by an attribute, if the table of both has more cells."""

MOST_DENOMINATOR = 10**30
"""Of a number that is written into a file."""

Why: TypeAlias = Literal["sample", "own", "no bins", "exact number", "many values"]
"""Where a bound comes from: the sample; or it is 1, because the statistic is about the attribute itself, the attribute
is a number without bins, a Lipschitz constant says nothing about a histogram, or there are too many values."""


@dataclass(frozen=True)
class CategoryAttribute:
    """An attribute of categories, or of the cells of a map.

    Attributes:
        name: of the attribute.
        domain: its values.
        columns: of a table: by default one of the attribute's name; for a map perhaps two, latitude and longitude.
        missing: the category that a missing value counts as; None where it is refused.
    """

    name: str
    domain: Categories | Grid
    columns: tuple[str, ...] = ()
    missing: str | None = None

    @property
    def cells(self) -> int:
        """How many values are compared."""
        return self.domain.k


@dataclass(frozen=True)
class NumberAttribute:
    """An attribute whose values are numbers.

    Attributes:
        name: of the attribute.
        low, high: its range, which is scaled to [-1, 1].
        answers: what a device answers about: the number, or the middle of its bin. The sample is read alike, and a
            bound serves no other answers.
        edges: of its bins, from low to high; an inner edge belongs to the upper bin, the last to the last.
        lipschitz: the most that the conditional mean of any statistic of *other* attributes, in [-1, 1], changes per
            unit of this number. Declared, never estimated.
        clip: whether a number beyond an end counts as that end, for devices and the sample alike.
        columns: of a table: by default one of the attribute's name.
    """

    name: str
    low: float
    high: float
    answers: Literal["number", "bin"]
    edges: tuple[float, ...] = ()
    lipschitz: Fraction | None = None
    clip: bool = False
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        where = f"number {self.name!r}"
        if not (math.isfinite(self.high - self.low) and self.low < self.high):
            raise SordinoError(f"{where}: low must lie below high", found=f"{self.low} and {self.high}")
        ends = (self.low, self.high)
        rising = all(first < second for first, second in pairwise(self.edges))
        if self.edges and not (rising and (self.edges[0], self.edges[-1]) == ends):
            raise SordinoError(f"{where}: edges of bins must rise from low to high", found=shown(self.edges))
        if self.lipschitz is not None and not (self.lipschitz >= 0 and self.lipschitz.denominator <= MOST_DENOMINATOR):
            found = shown(self.lipschitz)
            raise SordinoError(f"{where}: a Lipschitz constant must be at least 0, of at most 30 decimals", found=found)
        if len(self.edges) == 2 and self.lipschitz is None:
            raise SordinoError(f"{where}: there must be at least two bins to compare", found="one")
        if self.answers == "bin" and (not self.edges or self.lipschitz is not None):
            found = "a Lipschitz constant" if self.edges else "no bins"
            raise SordinoError(f"{where}: answers about the bin need bins, and nothing finer", found=found)

    @property
    def cells(self) -> int:
        """How many bins are compared: with a Lipschitz constant at least one, the whole range."""
        return max(len(self.edges) - 1, int(self.lipschitz is not None))

    def scaled(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Numbers of the range in [-1, 1]."""
        return to_unit(numbers, self.low, self.high)

    def cell(self, numbers: NDArray[np.float64]) -> NDArray[np.intp]:
        """The bin of each number."""
        inner = np.array(self.edges[1:-1])
        return np.searchsorted(inner, numbers, side="right").astype(np.intp)

    def answered(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the answers are about, in [-1, 1]."""
        if self.answers == "number":
            return self.scaled(numbers)
        edges = self.scaled(np.array(self.edges))
        return ((edges[:-1] + edges[1:]) / 2)[self.cell(numbers)]


Attribute: TypeAlias = CategoryAttribute | NumberAttribute


@dataclass(frozen=True)
class SampleQuestions:
    """Attributes, and statistics of them.

    Attributes:
        attributes: in the order of their places.
        statistics: (j,) for the histogram of categories or one bit about a number, (j, k) for one bit about the product
            of two numbers, or about 2 x^2 - 1 of one.

    Example:
        >>> yes_no = Categories(["yes", "no"])
        >>> asked = SampleQuestions(tuple(CategoryAttribute(name, yes_no) for name in ("a", "b")), ((0,), (1,)))
        >>> asked.comparisons, asked.why(0, (1,)), asked.why(0, (0,))
        (2, 'sample', 'own')
    """

    attributes: tuple[Attribute, ...]
    statistics: tuple[Statistic, ...]

    def __post_init__(self) -> None:
        if not self.attributes or len(set(self.names)) < self.d or not all(self.names):
            raise SordinoError("attributes must have names, each another", found=", ".join(map(repr, self.names)))
        if not self.statistics or len(set(self.statistics)) < len(self.statistics):
            raise SordinoError("there must be statistics, each once", found=f"{len(self.statistics)}")
        for statistic in self.statistics:
            fitting = 1 <= len(statistic) <= 2 and list(statistic) == sorted(statistic)
            if not (fitting and all(0 <= place < self.d for place in statistic)):
                rule = f"a statistic must be about one or two of {self.d} attributes, in ascending order"
                raise SordinoError(rule, found=shown(statistic))
            if len(statistic) == 2 and any(isinstance(self.attributes[j], CategoryAttribute) for j in statistic):
                raise SordinoError("only numbers have products", found=self.label(statistic))

    @property
    def d(self) -> int:
        """How many attributes."""
        return len(self.attributes)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the attributes."""
        return tuple(attribute.name for attribute in self.attributes)

    def label(self, statistic: Statistic) -> str:
        """A statistic's name for people."""
        return " * ".join(self.names[place] for place in statistic)

    def is_histogram(self, statistic: Statistic) -> bool:
        """Whether it is answered as a category, so that its whole law counts and not its mean alone."""
        return isinstance(self.attributes[statistic[0]], CategoryAttribute)

    def why(self, i: int, statistic: Statistic) -> Why:
        """Whether a sample can tell how much a statistic depends on attribute i, and else why it cannot."""
        attribute, cells = self.attributes[i], self.attributes[i].cells
        if set(statistic) == {i}:
            return "own"
        if cells == 0:
            return "no bins"
        exact = isinstance(attribute, NumberAttribute) and attribute.lipschitz is not None
        if exact and self.is_histogram(statistic):
            return "exact number"
        answers = self.attributes[statistic[0]].cells if self.is_histogram(statistic) else 1
        return "many values" if cells > MOST_VALUES or cells * answers > MOST_CELLS else "sample"

    @cached_property
    def compared(self) -> tuple[tuple[int, Statistic], ...]:
        """The attributes and statistics that a sample tells about."""
        pairs = ((i, statistic) for i in range(self.d) for statistic in self.statistics)
        return tuple((i, statistic) for i, statistic in pairs if self.why(i, statistic) == "sample")

    @cached_property
    def comparisons(self) -> int:
        """M, how many pairs of values of an attribute are compared by a statistic; known before the sample."""
        return sum(math.comb(self.attributes[i].cells, 2) for i, _ in self.compared)
