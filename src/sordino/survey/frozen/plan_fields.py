"""The fields of a frozen plan. Integers beyond 2^53 are strings; a plan file holds canonical bytes and nothing else."""

from itertools import combinations
from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, StringConstraints, Tag, model_validator

from sordino.definition.dependence import FEWEST_TOGETHER, MOST_TOGETHER
from sordino.document.formats import PLAN
from sordino.errors import SordinoError
from sordino.survey.frozen.expected_part import ExpectedPart
from sordino.survey.frozen.own_columns import require_own_columns
from sordino.survey.frozen.parts import BETWEEN_0_AND_1, AttributePart, Count, DependencePart, Part, require_one_of


class HistogramPart(Part):
    """A question about the shares of an attribute's values, and how it is answered.

    Attributes:
        weight: a person answers it with probability weight over the sum of all weights.
        mechanism: its name and its integers, as they are frozen.
        subtract_totals: whether estimates are shifted to the known share of their block.
        expected: what the people are expected to be like; answers do not depend on it. None where nothing is known.
    """

    histogram: str
    weight: int = Field(ge=1, le=1 << 20)
    mechanism: dict[str, Any]
    subtract_totals: bool
    expected: ExpectedPart | None = None


class DistributionPart(Part):
    """A question about the distribution of a number, and how it is answered.

    Attributes:
        distribution: the number.
        weight: a person answers it with probability weight over the sum of all weights.
        epsilon: for every two bins alike, in nats, as text.
        bins, edges: exactly one; how many equal bins, or where they begin and end.
        mechanism: over the bins: its name and its integers, as they are frozen.
        spikes: where many people are thought to have equal numbers: what is fitted is not smoothed, and quantiles are
            edges.
        quantiles: that are told, as decimal texts; answers do not depend on them.
        ranges: whose shares are told, from an edge to an edge; answers do not depend on them.
        expected: as of a histogram, of what is read.
    """

    distribution: str
    weight: int = Field(ge=1, le=1 << 20)
    epsilon: str
    bins: int | None = None
    edges: list[float] | None = None
    mechanism: dict[str, Any]
    spikes: Literal[True] | None = None
    quantiles: list[Annotated[str, StringConstraints(pattern=f"^{BETWEEN_0_AND_1}$")]]
    ranges: list[Annotated[list[float], Field(min_length=2, max_length=2)]]
    expected: ExpectedPart | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        require_one_of(self, "bins", "edges")
        if any(not low < high for low, high in self.ranges):
            raise SordinoError("a range must go from a lower to a higher number", found="another")
        return self


class TablePart(Part):
    """A question about the shares of the cells of several attributes together, and how it is answered.

    Attributes:
        table: the attributes; a cell is a value of each, the last one's run fastest.
        weight: a person answers it with probability weight over the sum of all weights.
        epsilon: for every two cells alike, in nats, as text, where attributes have deltas; None where what is promised
            about each attribute's values says it all.
        mechanism: its name and its integers, as they are frozen.
        subtract_totals: whether estimates are shifted to the known share of their block.
        expected: what the people are expected to be like; answers do not depend on it. None where nothing is known.
    """

    table: list[str] = Field(min_length=FEWEST_TOGETHER, max_length=MOST_TOGETHER)
    weight: int = Field(ge=1, le=1 << 20)
    epsilon: str | None = None
    mechanism: dict[str, Any]
    subtract_totals: bool
    expected: ExpectedPart | None = None


class NumbersPart(Part):
    """A question about means, a covariance matrix or a regression, and how it is answered.

    Attributes:
        numbers: the attributes, in the queries' order; of a regression the target last.
        asked: what is estimated.
        weight: a person answers it with probability weight over the sum of all weights.
        queries: the statistics that are drawn from, their mechanisms' integers and weights, as they are frozen.
        base: of a regression on attributes of categories too, the category of each that the others are compared to;
            answers do not depend on it. None where all are numbers.
        expected: as of a histogram, of what each statistic reads (`statistics_read`).
    """

    numbers: list[str] = Field(min_length=1)
    asked: Literal["mean", "covariance", "regression"]
    weight: int = Field(ge=1, le=1 << 20)
    queries: dict[str, Any]
    base: dict[str, str] | None = None
    expected: list[ExpectedPart] | None = None

    @property
    def categorical(self) -> frozenset[str]:
        """The attributes among them that are no numbers: features of a regression."""
        return frozenset(self.base or ())

    @model_validator(mode="after")
    def _check(self) -> Self:
        features = self.numbers[:-1] if self.asked == "regression" else []
        if self.base is not None and not (self.base and self.categorical <= set(features)):
            raise SordinoError("categories must be features of a regression, each with its base", found="others")
        return self


def _part_of(query: Any) -> str:
    """Which of them a question is, so that its mistakes are about that one."""
    if not isinstance(query, dict):
        return type(query).__name__
    kinds = {"histogram": HistogramPart, "table": TablePart, "distribution": DistributionPart}
    return next((part for word, part in kinds.items() if word in query), NumbersPart).__name__


QueryPart = Annotated[
    Annotated[HistogramPart, Tag(HistogramPart.__name__)]
    | Annotated[DistributionPart, Tag(DistributionPart.__name__)]
    | Annotated[TablePart, Tag(TablePart.__name__)]
    | Annotated[NumbersPart, Tag(NumbersPart.__name__)],
    Discriminator(_part_of),
]


class PlanDocument(Part):
    """The whole plan: public, frozen, hashed.

    Attributes:
        hash: "sha256:" and 64 hexadecimal digits.
        people: how many are expected to answer; estimates do not depend on it.
        epsilon: the most that a report may tell about the whole record, where attributes have a delta.
        queries: in the order of the survey's questions.
        dependence: between the attributes; None where nothing is declared.
    """

    format: Literal["sordino plan"]
    version: Literal[3]
    hash: str
    people: Count
    epsilon: str | None = None
    dependence: DependencePart | None = None
    attributes: dict[str, AttributePart] = Field(min_length=1)
    queries: list[QueryPart] = Field(min_length=1)

    @model_validator(mode="after")
    def _check(self) -> Self:
        shares = [query.histogram for query in self.queries if isinstance(query, HistogramPart)]
        about_numbers = [query for query in self.queries if isinstance(query, NumbersPart)]
        numbers = [name for query in about_numbers for name in query.numbers if name not in query.categorical]
        categorical = [name for query in about_numbers for name in query.categorical]
        distributions = [query.distribution for query in self.queries if isinstance(query, DistributionPart)]
        tables = [query for query in self.queries if isinstance(query, TablePart)]
        found = {*shares, *numbers, *categorical, *distributions, *(name for part in tables for name in part.table)}
        unknown = sorted(found - set(self.attributes))
        if unknown or len(set(shares)) < len(shares):
            wrong = ", ".join(map(repr, unknown)) or "one twice"
            raise SordinoError("a question must be about the plan's attributes, a histogram of each once", found=wrong)
        if len(set(distributions)) < len(distributions):
            raise SordinoError("the distribution of a number must be asked once", found="one twice")
        if any(len(set(part.numbers)) < len(part.numbers) for part in about_numbers):
            raise SordinoError("a question about numbers must be about different ones", found="one of them twice")
        self._check_tables(tables)
        self._check_thresholds(distributions)
        self._check_signs(about_numbers)
        if any(self.attributes[name].labels is None and self.attributes[name].numbers is None for name in categorical):
            raise SordinoError("a base must be of an attribute with categories", found="another")
        unlike = [name for name in shares if self.attributes[name].protect is None]
        if unlike or any(self.attributes[name].number is None for name in (*numbers, *distributions)):
            raise SordinoError("a histogram must be of protected values, everything else of numbers")
        if any(part.delta is None for name, part in self.attributes.items() if name not in found):
            raise SordinoError("each attribute must be asked for, or have a delta")
        require_own_columns({name: part.columns for name, part in self.attributes.items()})
        self._check_promise(bool(numbers or distributions))
        return self

    def _check_tables(self, tables: list[TablePart]) -> None:
        """Each is about different attributes that can be counted, and asked once."""
        for part in tables:
            if len(set(part.table)) < len(part.table) or any(self.attributes[n].number is not None for n in part.table):
                raise SordinoError("a table must be of different attributes without numbers", found="others")
            if (part.epsilon is None) != (self.epsilon is None):
                raise SordinoError("a table must have an epsilon where attributes have deltas, and only there")
            if self.epsilon is None and any(self.attributes[name].protect is None for name in part.table):
                raise SordinoError("a table must be of protected values")
        asked = {frozenset(part.table) for part in tables}
        if len(asked) < len(tables):
            raise SordinoError("a table must be asked once", found="one twice")
        asked |= {
            frozenset(pair)
            for part in self.queries
            if isinstance(part, NumbersPart)
            for pair in combinations(part.categorical, 2)
        }
        bounds = (self.dependence.tables if self.dependence is not None else None) or ()
        if any(frozenset(bound.table) not in asked for bound in bounds):
            raise SordinoError("a bound for a table must be about one that is asked", found="another")

    def _check_signs(self, parts: list[NumbersPart]) -> None:
        """A bound for a category with a number's sign is about two that a regression asks together."""
        asked = {
            (category, number)
            for part in parts
            for category in part.categorical
            for number in set(part.numbers) - set(part.categorical)
        }
        bounds = (self.dependence.category_signs if self.dependence is not None else None) or ()
        if any((bound.category, bound.number) not in asked for bound in bounds):
            raise SordinoError(
                "a bound for a sign must be about a category and a number of a regression", found="another"
            )

    def _check_thresholds(self, distributions: list[str]) -> None:
        """What bounds on a distribution function are about is which bins there are, so they are about those asked."""
        bounds = (self.dependence.thresholds if self.dependence is not None else None) or ()
        if any(bound.number not in distributions for bound in bounds):
            raise SordinoError("a bound for thresholds must be about a distribution that is asked", found="another")

    def _check_promise(self, numbers: bool) -> None:  # noqa: FBT001 - whether there are any
        """One promise for all: about the values of each histogram, or about each attribute whatever is asked."""
        if len({self.epsilon is None, *(part.delta is None for part in self.attributes.values())}) > 1:
            raise SordinoError("a plan with an epsilon must have a delta for each attribute", found="only some of them")
        if self.epsilon is None:
            if numbers or self.dependence is not None:
                raise SordinoError("a plan with numbers or dependence must have an epsilon and deltas", found="none")
            return
        # The level of an answer counts for all values of its attribute alike.
        for protect in [part.protect for part in self.attributes.values() if part.protect is not None]:
            ways = (protect.blocks, protect.sensitive, protect.metric, protect.bounds)
            if any(words is not None for words in ways):
                found = "blocks, sensitive values, a metric or bounds"
                raise SordinoError("attributes with deltas must be protected as a whole", found=found)


def seal(content: dict[str, Any]) -> PlanDocument:
    """Complete the content with format, version and hash."""
    return PlanDocument.model_validate(PLAN.seal(content))


def dump(document: PlanDocument) -> dict[str, Any]:
    """The document as plain data, without what is not set."""
    return document.model_dump(exclude_none=True)


def unseal(document: dict[str, Any], name: str) -> PlanDocument:
    """Check the words of a document whose format and version are a plan's.

    Raises:
        DamagedError: changed after it was frozen, or with fields that do not fit.
    """
    PLAN.require_unchanged(document, name)
    return PLAN.fields(PlanDocument, document, name)
