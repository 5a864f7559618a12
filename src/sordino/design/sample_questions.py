"""What a sample is compared by: the attributes of a record, with their values, and the statistics that will be asked.

All of it is fixed before anybody looks at the sample. An attribute of categories is compared by its categories. A
number is compared by bins that are declared, and then what is promised is about its bin; or, with a declared Lipschitz
constant of the conditional means, about the number itself; with neither nothing is known about it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounded_dependence import MOST_TOGETHER
from sordino.domain.attribute import Attribute
from sordino.domain.bins import Bins
from sordino.domain.moment import Moment
from sordino.errors import SordinoError
from sordino.exact.floats import Floats
from sordino.exact.messages import shown

MOST_VALUES = 1000
"""An attribute with more values is not compared: that few records of each tell nothing."""

MOST_CELLS = 1 << 18
"""Nor is a histogram by an attribute, if the table of both has more cells."""

SIGNS = 2

MOST_DENOMINATOR = 10**30
"""Of a number that is written into a file."""

Why: TypeAlias = Literal["sample", "own", "no bins", "exact number", "many values"]
"""Where a bound comes from: the sample; or it is 1, because the statistic is about the attribute itself, the attribute
is a number without bins, a Lipschitz constant says nothing about a histogram, or there are too many values."""


@dataclass(frozen=True, order=True)
class DistributionFunction:
    """The distribution function of a number: whether it lies below each of the thresholds between its asked bins.

    Attributes:
        number: its place.
    """

    number: int

    @property
    def places(self) -> Moment:
        return (self.number,)


@dataclass(frozen=True, order=True)
class CategorySignDistribution:
    """The joint distribution of a category and a number that is rounded at random to a sign.

    Attributes:
        category: its place.
        number: its place.
    """

    category: int
    number: int

    @property
    def places(self) -> Moment:
        return self.category, self.number


Compared: TypeAlias = Moment | DistributionFunction | CategorySignDistribution
"""What a sample is compared by: a statistic, the distribution function of a number, or a category with a sign."""


def places_of(statistic: Compared) -> Moment:
    return statistic if isinstance(statistic, tuple) else statistic.places


@dataclass(frozen=True, kw_only=True)
class SampleNumber(Attribute):
    """A number, and by what others' dependence on it is compared.

    Attributes:
        answers: what a device answers about: the number, or the middle of its bin. The sample is read alike, and a
            bound serves no other answers.
        edges: of its bins, from low to high; an inner edge belongs to the upper bin, the last to the last.
        lipschitz: the most that the conditional mean of any statistic of *other* attributes, in [-1, 1], changes per
            unit of this number. Declared, never estimated.
        asked: the edges of the bins between which its distribution is asked, from low to high; none where it is not.
    """

    answers: Literal["number", "bin"] = "number"
    edges: tuple[float, ...] = ()
    lipschitz: Fraction | None = None
    asked: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        where, ends = f"number {self.name!r}", (self.interval.low, self.interval.high)
        rising = all(first < second for first, second in pairwise(self.edges))
        if self.edges and not (rising and (self.edges[0], self.edges[-1]) == ends):
            raise SordinoError(f"{where}: edges of bins must rise from low to high", found=shown(self.edges))
        if self.asked:
            Bins.from_edges(self.asked, self.interval)
        if self.lipschitz is not None and not (self.lipschitz >= 0 and self.lipschitz.denominator <= MOST_DENOMINATOR):
            found = shown(self.lipschitz)
            raise SordinoError(f"{where}: a Lipschitz constant must be at least 0, of at most 30 decimals", found=found)
        if len(self.edges) == 2 and self.lipschitz is None:
            rule = f"{where}: there must be at least two bins to compare"
            raise SordinoError(rule, found="one bin", step="declare more bins")
        if self.answers == "bin" and (not self.edges or self.lipschitz is not None):
            found = "a Lipschitz constant" if self.edges else "no bins"
            raise SordinoError(f"{where}: answers about the bin need bins, and nothing finer", found=found)

    def cell(self, numbers: Floats) -> NDArray[np.intp]:
        """The bin of each number."""
        inner = np.array(self.edges[1:-1])
        return np.searchsorted(inner, numbers, side="right").astype(np.intp)

    def statistic_values(self, numbers: Floats) -> Floats:
        """What the answers are about, in [-1, 1]."""
        if self.answers == "number":
            return self.interval.scale(numbers)
        edges = self.interval.scale(self.edges)
        return ((edges[:-1] + edges[1:]) / 2)[self.cell(numbers)]


def cells_of(attribute: Attribute) -> int:
    """How many values or bins are compared: of a number with a Lipschitz constant at least one, the whole range."""
    if isinstance(attribute, SampleNumber):
        return max(len(attribute.edges) - 1, int(attribute.lipschitz is not None))
    return attribute.finite.k


@dataclass(frozen=True)
class SampleQuestions:
    """Attributes, each finite or a `SampleNumber`, and statistics of them.

    Attributes:
        attributes: in the order of their places.
        statistics: (j,) for the histogram of categories or one bit about a number, (j, k) for one bit about the product
            of two numbers, or about 2 x^2 - 1 of one; several places of categories, ascending, for the combination of
            their values, a table; `DistributionFunction(j)` for a bit about a threshold of a number;
            `CategorySignDistribution(j, k)` for a category with a number's sign.

    Example:
        >>> from sordino import Categories
        >>> yes_no = Categories(["yes", "no"])
        >>> asked = SampleQuestions(tuple(Attribute(name, yes_no) for name in ("a", "b")), ((0,), (1,)))
        >>> asked.comparisons, asked.why(0, (1,)), asked.why(0, (0,))
        (2, 'sample', 'own')
    """

    attributes: tuple[Attribute, ...]
    statistics: tuple[Compared, ...]

    def __post_init__(self) -> None:
        if not self.attributes or len(set(self.names)) < self.d or not all(self.names):
            raise SordinoError("attributes must have different names", found=", ".join(map(repr, self.names)))
        if not self.statistics or len(set(self.statistics)) < len(self.statistics):
            raise SordinoError("there must be statistics, each once", found=f"{len(self.statistics)}")
        for statistic in self.statistics:
            self._require(statistic)

    def _require(self, statistic: Compared) -> None:
        places = places_of(statistic)
        known = bool(places) and all(0 <= place < self.d for place in places)
        if isinstance(statistic, DistributionFunction):
            attribute = self.attributes[statistic.number] if known else None
            if not (isinstance(attribute, SampleNumber) and attribute.asked):
                raise SordinoError("thresholds must be of numbers whose distribution is asked", found=shown(statistic))
        elif isinstance(statistic, CategorySignDistribution):
            if not known or self._kinds(places) != [True, False]:
                raise SordinoError("a sign must be of a number, with a category", found=shown(statistic))
        elif not known or list(statistic) != sorted(statistic):
            rule = f"a statistic must be about some of {self.d} attributes, in ascending order"
            raise SordinoError(rule, found=shown(statistic))
        else:
            self._require_together(statistic)

    def _require_together(self, statistic: Moment) -> None:
        """Refuse what is neither a product of numbers nor a table of categories."""
        counted = set(self._kinds(statistic))
        if len(counted) > 1 or (counted == {True} and len(set(statistic)) < len(statistic)):
            raise SordinoError("only numbers have products", found=" * ".join(self._names(statistic)))
        most = MOST_TOGETHER if counted == {True} else 2
        if len(statistic) > most:
            rule = f"a statistic must be about at most {most} such attributes"
            raise SordinoError(rule, found=self.label(statistic))

    @property
    def d(self) -> int:
        return len(self.attributes)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.attributes)

    def label(self, statistic: Compared) -> str:
        """A statistic's name for people."""
        if isinstance(statistic, DistributionFunction):
            return f"{self.names[statistic.number]}, thresholds"
        if isinstance(statistic, CategorySignDistribution):
            return f"{', '.join(self._names(statistic.places))}, sign"
        return (", " if self.is_table(statistic) else " * ").join(self._names(statistic))

    def is_table(self, statistic: Compared) -> bool:
        """Whether it is the combination of several categories."""
        return isinstance(statistic, tuple) and len(statistic) > 1 and self.is_histogram(statistic)

    def answers(self, statistic: Compared) -> int:
        """How many values a histogram or a table has, bins between thresholds, or signs with categories."""
        if isinstance(statistic, DistributionFunction):
            number = self.attributes[statistic.number]
            return len(number.asked) - 1 if isinstance(number, SampleNumber) else 0
        if isinstance(statistic, CategorySignDistribution):
            return SIGNS * cells_of(self.attributes[statistic.category])
        return math.prod(cells_of(self.attributes[place]) for place in statistic)

    def is_histogram(self, statistic: Compared) -> bool:
        """Whether it is answered as a category, so that its whole law counts and not its mean alone."""
        return not isinstance(statistic, tuple) or not isinstance(self.attributes[statistic[0]], SampleNumber)

    def why(self, i: int, statistic: Compared) -> Why:
        """Whether a sample can tell how much a statistic depends on attribute i, and else why it cannot."""
        attribute, cells = self.attributes[i], self._cells[i]
        places, whole, histogram, answers = self._facts.get(statistic) or self._facts_of(statistic)
        if places == {i} or (i in places and whole):
            return "own"
        if cells == 0:
            return "no bins"
        # Total variation given x and y would be at most L |x - y|/2 if L held for every function in [-1, 1] of the
        # others, the chance to be read in any set of answers among them. It is declared of means of numbers, which
        # may move slowly where whole distributions do not: a law needs a declaration of its own.
        if histogram and isinstance(attribute, SampleNumber) and attribute.lipschitz is not None:
            return "exact number"
        return "many values" if cells > MOST_VALUES or cells * answers > MOST_CELLS else "sample"

    def _facts_of(self, statistic: Compared) -> tuple[frozenset[int], bool, bool, int]:
        """The places it is about, whether it tells each of them, whether it is counted, and its answers if so."""
        whole = isinstance(statistic, CategorySignDistribution) or self.is_table(statistic)
        histogram = self.is_histogram(statistic)
        return frozenset(places_of(statistic)), whole, histogram, self.answers(statistic) if histogram else 1

    @cached_property
    def _facts(self) -> dict[Compared, tuple[frozenset[int], bool, bool, int]]:
        return {statistic: self._facts_of(statistic) for statistic in self.statistics}

    @cached_property
    def _cells(self) -> tuple[int, ...]:
        return tuple(map(cells_of, self.attributes))

    def _kinds(self, places: Sequence[int]) -> list[bool]:
        return [not isinstance(self.attributes[place], SampleNumber) for place in places]

    def _names(self, statistic: Moment) -> Sequence[str]:
        return [self.names[place] for place in statistic]

    @cached_property
    def compared_by(self) -> Mapping[Compared, tuple[int, ...]]:
        """The attributes that a sample tells about, by each statistic of which there are any."""
        every = {one: tuple(i for i in range(self.d) if self.why(i, one) == "sample") for one in self.statistics}
        return {statistic: attributes for statistic, attributes in every.items() if attributes}

    @cached_property
    def compared_with(self) -> tuple[tuple[Compared, ...], ...]:
        """For each attribute the statistics that a sample compares it by."""
        found: list[list[Compared]] = [[] for _ in self.attributes]
        for statistic, attributes in self.compared_by.items():
            for i in attributes:
                found[i].append(statistic)
        return tuple(map(tuple, found))

    @cached_property
    def comparisons(self) -> int:
        """M, how many pairs of values of an attribute are compared by a statistic; known before the sample."""
        return sum(
            math.comb(cells_of(self.attributes[i]), 2) for attributes in self.compared_by.values() for i in attributes
        )
