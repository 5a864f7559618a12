"""A question of a survey file: what is to be learned, and how often it is asked.

[[ask]]
histogram = "smoker"                                           # shares of an attribute's values
[[ask]]
table = ["age_group", "smoker"]                                # shares of all combinations of their values
[[ask]]
tables = { of = ["age_group", "smoker", "sex"], ways = 2 }     # a table of each two of them
[[ask]]
mean = ["age", "income"]
[[ask]]
covariance = ["age", "income", "weight"]
[[ask]]
regression = { target = "weight", features = ["age", "smoker"], base = { smoker = "no" } }
weight = 2
[[ask]]
distribution = "income"
quantiles = [0.1, 0.5, 0.9]
ranges = [[0, 20000], [20000, 50000]]
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from sordino.definition.dependence import FEWEST_TOGETHER, MOST_TOGETHER
from sordino.document.checked_tables import nearest
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.survey.frozen.parts import Part, Text
from sordino.survey.reading.distribution import Quantiles, RangeList

QuestionKind = Literal["histogram", "mean", "covariance", "regression", "distribution", "table", "tables"]

KINDS: tuple[QuestionKind, ...] = ("histogram", "mean", "covariance", "regression", "distribution", "table", "tables")

MOST_TABLES = 1000
"""That one setting asks: all pairs of 45 attributes."""

MOST_NUMBERS = 1000
"""Numbers of one question at most."""

MOST_WEIGHT = 1 << 20
"""Of one question."""


def _listed(names: object) -> object:
    """A single name is a list of one."""
    if not isinstance(names, str | list):
        raise SordinoError(
            "attributes must be named, by one name or a list of names",
            found=shown(names),
            step='write "age", or ["age", "weight"]',
        )
    return [names] if isinstance(names, str) else names


def _table(regression: object) -> object:
    """What a regression is made of has names."""
    if not isinstance(regression, dict | RegressionTable):
        step = 'write { target = "weight", features = ["age", "height"] }'
        raise SordinoError("a regression must be a table", found=shown(regression), step=step)
    return regression


Names = Annotated[list[Text], BeforeValidator(_listed), Field(min_length=1, max_length=MOST_NUMBERS)]


class RegressionTable(Part):
    """A linear regression with an intercept, by least squares.

    Attributes:
        target: the number that is explained.
        features: the numbers, or attributes of categories, that explain it.
        base: the category that the others of such an attribute are compared to; its first one by default.
    """

    target: Text
    features: Names
    base: dict[str, Text] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.target in self.features:
            found = f"the target {self.target!r} among them"
            raise SordinoError(
                "features must be other attributes than the target", found=found, step="take it out of the features"
            )
        _require_distinct("features", self.features)
        unknown = [name for name in self.base if name not in self.features]
        if unknown:
            found = repr(unknown[0]) + nearest(unknown[:1], self.features)
            raise SordinoError(
                "base must name a category of some of the features",
                found=found,
                step='write base = { smoker = "no" }, of a feature with categories',
            )
        return self


def _tables(tables: object) -> object:
    """What tables are of has a name."""
    if not isinstance(tables, dict | TablesTable):
        step = 'write { of = ["age_group", "smoker", "sex"], ways = 2 }'
        raise SordinoError("tables must be a table", found=shown(tables), step=step)
    return tables


class TablesTable(Part):
    """All tables of some attributes.

    Attributes:
        of: the attributes.
        ways: how many of them each table has.
    """

    of: Names
    ways: int = Field(default=2, ge=FEWEST_TOGETHER, le=MOST_TOGETHER)

    @model_validator(mode="after")
    def _check(self) -> Self:
        _require_distinct("of", self.of)
        if len(self.of) < self.ways:
            found = f"{len(self.of)} for tables of {self.ways}"
            raise SordinoError(
                "tables must be of as many attributes as each has, or more",
                found=found,
                step="name more attributes, or lower `ways`",
            )
        if comb(len(self.of), self.ways) > MOST_TABLES:
            rule, found = f"there must be at most {MOST_TABLES:,} tables", f"{comb(len(self.of), self.ways):,}"
            raise SordinoError(rule, found=found, step="name fewer attributes")
        return self


class AskTable(Part):
    """One question: of a histogram, a table, tables, means, a covariance matrix, a regression or a distribution."""

    histogram: Text | None = None
    table: Names | None = None
    tables: Annotated[TablesTable | None, BeforeValidator(_tables)] = None
    mean: Names | None = None
    covariance: Names | None = None
    regression: Annotated[RegressionTable | None, BeforeValidator(_table)] = None
    distribution: Text | None = None
    quantiles: Quantiles | None = None
    ranges: RangeList | None = None
    weight: int = Field(default=1, ge=1, le=MOST_WEIGHT)

    @model_validator(mode="after")
    def _check(self) -> Self:
        given = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            raise SordinoError(
                f"a question must have one of {', '.join(KINDS)}",
                found=found,
                step='write one, as histogram = "age", and an [[ask]] for each more',
            )
        if self.distribution is None and (self.quantiles is not None or self.ranges is not None):
            setting = "quantiles" if self.quantiles is not None else "ranges"
            step = 'write distribution = "..." in place of it, or in a question of its own'
            raise SordinoError(f"{setting} are of a distribution", found=f"a question with {given[0]}", step=step)
        if self.table is not None:
            _require_distinct("table", self.table)
            if not FEWEST_TOGETHER <= len(self.table) <= MOST_TOGETHER:
                step = "ask for its histogram" if len(self.table) == 1 else "ask for tables of fewer"
                rule = f"a table must be of {FEWEST_TOGETHER} to {MOST_TOGETHER} attributes"
                raise SordinoError(rule, found=str(len(self.table)), step=step)
        if self.mean is not None:
            _require_distinct("mean", self.mean)
        if self.covariance is not None:
            _require_distinct("covariance", self.covariance)
            if len(self.covariance) < 2:
                raise SordinoError("a covariance must be of two numbers or more", found="one", step="ask for its mean")
        return self

    @property
    def kind(self) -> QuestionKind:
        """Which of them."""
        return next(kind for kind in KINDS if getattr(self, kind) is not None)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that it is about; a regression's target last."""
        if self.histogram is not None:
            return (self.histogram,)
        if self.distribution is not None:
            return (self.distribution,)
        if self.regression is not None:
            return (*self.regression.features, self.regression.target)
        if self.tables is not None:
            return tuple(self.tables.of)
        return tuple(self.table or self.mean or self.covariance or ())

    @property
    def questions(self) -> "tuple[AskTable, ...]":
        """What a person can be asked of it: itself, or each of the tables, with its weight."""
        if self.tables is None:
            return (self,)
        pairs = combinations(self.tables.of, self.tables.ways)
        return tuple(AskTable(table=list(names), weight=self.weight) for names in pairs)


def _require_distinct(setting: str, names: Sequence[str]) -> None:
    repeated = [name for i, name in enumerate(names) if name in names[:i]]
    if repeated:
        raise SordinoError(
            f"{setting} must name each attribute once", found=f"{repeated[0]!r} twice", step="leave it out once"
        )


def named_attributes(asks: object) -> Iterator[tuple[str, str, str]]:
    """Of unchecked tables each attribute that a question names: where, for which kind of question, and its name."""
    for i, ask in enumerate(asks if isinstance(asks, list) else []):
        for kind in KINDS:
            setting = ask.get(kind) if isinstance(ask, dict) else None
            places = {f"ask.{i}.{kind}": setting}
            if kind == "tables":
                places = {f"ask.{i}.tables.of": setting.get("of") if isinstance(setting, dict) else None}
            if kind == "regression":
                table = setting if isinstance(setting, dict) else {}
                places = {f"ask.{i}.regression.{name}": table.get(name) for name in ("target", "features")}
            for where, names in places.items():
                for name in [names] if isinstance(names, str) else names if isinstance(names, list) else []:
                    if isinstance(name, str):
                        yield where, kind, name
