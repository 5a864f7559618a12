"""What every question of a frozen plan says of itself, whatever its kind: its weight, and what it is about."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from typing import Annotated, Any, Literal

from sordino.document.schema.limits import ValueLimits
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.domain.categories import few
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.survey.frozen.expected_part import ExpectedPart
from sordino.survey.frozen.parts import BETWEEN_0_AND_1, AttributePart, require_one_of

TableOf = frozenset[str]
"""The attributes of a table, in any order."""

CategoryWithSign = tuple[str, str]
"""A category, and the number whose sign goes with it."""


class QuestionPart(StrictTable, ABC):
    """A question of a plan, and how it is answered.

    Attributes:
        weight: a person answers it with probability weight over the sum of all weights.
    """

    weight: int = setting(ge=1, le=1 << 20)

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The attributes that it is about, in the order of its values."""

    @property
    def once(self) -> Hashable:
        """What no other part of its kind can be about; None where several can be about the same."""
        return None

    @property
    def needs_deltas(self) -> bool:
        """Whether it can be asked only where each attribute is promised a delta."""
        return False

    @property
    def tables(self) -> frozenset[TableOf]:
        """The tables of categories that a bound on dependence may be about."""
        return frozenset()

    @property
    def signs(self) -> frozenset[CategoryWithSign]:
        """The categories with a number's sign that such a bound may be about."""
        return frozenset()

    @property
    def thresholds(self) -> frozenset[str]:
        """The numbers about whose distribution function such a bound may be."""
        return frozenset()


class SharesPart(QuestionPart, ABC):
    """A question about shares of values, and how it is answered.

    Attributes:
        mechanism: its name and its integers, as they are frozen.
        subtract_totals: whether estimates are shifted to the known share of their block.
        expected: what the people are expected to be like; answers do not depend on it. None where nothing is known.
    """

    mechanism: dict[str, Any]
    subtract_totals: bool
    expected: ExpectedPart | None = None


class SeveralPart(SharesPart):
    """A question about categories of which several apply, and how it is answered.

    Attributes:
        several: the attribute.
        way: whether the combination is one value of the mechanism, or one of the marks is drawn, uniformly, and its
            mechanism takes 0 for no and 1 for yes.
        expected: the shares of what is read: of combinations; or of no and yes for each mark, each mark alike.
    """

    several: str
    way: Literal["combination", "category"]

    @property
    def names(self) -> tuple[str, ...]:
        """The attribute."""
        return (self.several,)

    @property
    def once(self) -> str:
        """The attribute."""
        return self.several


class NumbersPart(QuestionPart, ABC):
    """A question about moments of numbers, and how it is answered.

    Attributes:
        numbers: the attributes, in the queries' order; of a regression the target last.
        asked: what is estimated.
        queries: the statistics that are drawn from, their mechanisms' integers and weights, as they are frozen.
        base: of a regression on attributes of categories too, the category of each that the others are compared to;
            answers do not depend on it. None where all are numbers.
        expected: as of shares, of what each statistic reads (`Sampled.statistics_read`).
    """

    numbers: list[str] = setting(min_length=1)
    asked: Literal["mean", "covariance", "regression"]
    queries: dict[str, Any]
    base: dict[str, str] | None = None
    expected: list[ExpectedPart] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(self.numbers)

    @property
    def needs_deltas(self) -> bool:
        """Whoever is asked one of several numbers reveals something of each."""
        return True

    @property
    def categorical(self) -> frozenset[str]:
        """The attributes among them that are no numbers: features of a regression."""
        return frozenset(self.base or ())

    @property
    def features(self) -> list[str]:
        """Those that may be categories."""
        return []

    def _check(self) -> None:
        if self.base is not None and not (self.base and self.categorical <= set(self.features)):
            found = f"bases of {few([*self.base])}" if self.base else "no base"
            rule = "categories must be features of a regression, each with its base"
            raise SordinoError(rule, found=found, step="get the plan again")

    def require_numbers(self, attributes: Mapping[str, AttributePart]) -> None:
        """Refuse what is asked twice, and categories in place of numbers.

        Raises:
            SordinoError: about other attributes than it can be.
        """
        if len(set(self.numbers)) < len(self.numbers):
            twice = sorted({name for name in self.numbers if self.numbers.count(name) > 1})
            rule = "a question about numbers must be about different ones"
            raise SordinoError(rule, found=f"{few(twice)} twice", step="name each once")
        if any(attributes[name].number is None for name in self.numbers if name not in self.categorical):
            raise SordinoError("a histogram must be of protected values, everything else of numbers")


class DistributionPart(QuestionPart):
    """A question about the distribution of a number, and how it is answered.

    Attributes:
        distribution: the number.
        epsilon: for every two bins alike, in nats, as text.
        bins, edges: exactly one; how many equal bins, or where they begin and end.
        mechanism: over the bins: its name and its integers, as they are frozen.
        spikes: where many people are thought to have equal numbers: what is fitted is not smoothed, and quantiles are
            edges.
        quantiles: that are told, as decimal texts; answers do not depend on them.
        ranges: whose shares are told, from an edge to an edge; answers do not depend on them.
        expected: as of shares, of what is read.
    """

    distribution: str
    epsilon: str
    bins: int | None = None
    edges: list[float] | None = None
    mechanism: dict[str, Any]
    spikes: Literal[True] | None = None
    quantiles: list[Annotated[str, ValueLimits(pattern=f"^{BETWEEN_0_AND_1}$")]]
    ranges: list[Annotated[list[float], ValueLimits(min_length=2, max_length=2)]]
    expected: ExpectedPart | None = None

    def _check(self) -> None:
        require_one_of(self, "bins", "edges")
        if wrong := [ends for ends in self.ranges if not ends[0] < ends[1]]:
            step = "write the lower number first"
            raise SordinoError("a range must go from a lower to a higher number", found=shown(wrong[0]), step=step)

    @property
    def names(self) -> tuple[str, ...]:
        """The number."""
        return (self.distribution,)

    @property
    def once(self) -> str:
        """The number."""
        return self.distribution

    @property
    def needs_deltas(self) -> bool:
        """A number has no promise about its values alone."""
        return True

    @property
    def thresholds(self) -> frozenset[str]:
        """The number."""
        return frozenset([self.distribution])
