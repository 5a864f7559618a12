"""What a person's ledger is about: the attributes of the record, and what all answers together may tell about it.

version = 1
epsilon = "1"
[attribute.age]
number = { low = 18, high = 90 }
[attribute.sleep]
number = { low = 0, high = 12 }

Or categories, of which each attribute may have a delta of its own:

version = 1
epsilon = "2"
[attribute.smoker]
categories = ["yes", "no"]
delta = "0.5"
[attribute.region]
categories = ["north", "south", "west"]
[dependence]
rest = { smoker = 0.2 }

The terms are frozen when a ledger is made. Attributes stand in the order of the alphabet.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BeforeValidator, Field, model_validator

from sordino.accounting.filter import NODES, BayesianFilter
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.dependence import read_variation
from sordino.definition.pairwise import LDP
from sordino.domain.box import Box
from sordino.domain.categories import Categories
from sordino.domain.interval import Interval
from sordino.domain.record import Record
from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.survey.dependence import Rest
from sordino.survey.document import canonical, content_hash
from sordino.survey.load import read_toml
from sordino.survey.parts import Part, Text, require_one_of
from sordino.survey.protect import Epsilon, nearest
from sordino.survey.tables import read_tables, whole

FORMAT = "sordino ledger"
VERSION = 1

Values: TypeAlias = Interval | Categories
"""What an attribute can be."""


class RangeTable(Part):
    """A number between two ends, in the unit of the record."""

    low: float
    high: float

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.values()
        return self

    def values(self) -> Interval:
        """The range itself."""
        return Interval(self.low, self.high)


class RecordAttributeTable(Part):
    """One attribute of the record.

    Attributes:
        number: its range, or
        categories: its values.
        delta: of categories, the most that all answers may tell about it, for somebody whose beliefs are within the
            dependence bounds; epsilon by default.
    """

    number: RangeTable | None = None
    categories: list[Text] | None = None
    delta: Epsilon | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        require_one_of(self, "number", "categories")
        if self.number is not None and self.delta is not None:
            raise SordinoError("a number must be protected by epsilon alone", found="a delta", step="take it out")
        if self.categories is not None and len(self.categories) < 2:
            raise SordinoError("an attribute must have at least two categories", found=str(len(self.categories)))
        self.values()
        return self

    def values(self) -> Values:
        """Its range or its categories."""
        return Categories(self.categories or ()) if self.number is None else self.number.values()


class BoundsTable(Part):
    """How much the attributes may depend on each other, at most.

    Attributes:
        rest: for some attributes, or with one number for all, a bound on the total variation between the laws of all
            other attributes together given two of its values; 1 where it is not given.
    """

    rest: Rest


class TermsTable(Part):
    """The file from which a ledger is made.

    Attributes:
        version: of the format, 1.
        epsilon: the most that all answers together may tell about the whole record, in nats.
        attribute: the attributes by name, all numbers or all categories.
        dependence: of categories with deltas.
    """

    version: Annotated[Literal[1], BeforeValidator(whole)]
    epsilon: Epsilon
    attribute: dict[str, RecordAttributeTable] = Field(min_length=1)
    dependence: BoundsTable | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        numbers = [name for name, part in self.attribute.items() if part.number is not None]
        if 0 < len(numbers) < len(self.attribute):
            raise SordinoError(
                "a ledger must be about numbers or about categories",
                found=f"both: {numbers[0]!r} is a number",
                step="cut the numbers into categories",
            )
        if numbers and self.dependence is not None:
            raise SordinoError("numbers must be protected by epsilon alone", found="[dependence]", step="take it out")
        rest = self.dependence.rest if self.dependence is not None else {}
        foreign = [name for name in rest if name not in self.attribute] if isinstance(rest, dict) else []
        if foreign:
            hint = nearest(foreign, list(self.attribute))
            raise SordinoError(f"dependence.rest must name attributes{hint}", found=repr(foreign[0])[:80])
        return self

    def bounds(self) -> dict[str, Fraction]:
        """The dependence of each attribute."""
        rest = self.dependence.rest if self.dependence is not None else Fraction(1)
        return {name: rest.get(name, Fraction(1)) if isinstance(rest, dict) else rest for name in self.attribute}


@dataclass(frozen=True)
class LedgerTerms:
    """The record's domain and the promise about it.

    Attributes:
        attributes: each one's range or categories, in the order of the alphabet.
        epsilon: the most that all answers together may tell.
        deltas: about each attribute of categories, if that is promised; empty otherwise.
        rest: bounds on its dependence.
        nodes: the limit of the work for one decision, which decides with it.
    """

    attributes: Mapping[str, Values]
    epsilon: Nats
    deltas: Mapping[str, Nats] = field(default_factory=dict)
    rest: Mapping[str, Fraction] = field(default_factory=dict)
    nodes: int = NODES

    @classmethod
    def load(cls, path: Path | str) -> "LedgerTerms":
        """Read the file from which a ledger is made.

        Raises:
            SordinoError: unreadable.
            SordinoErrors: all its mistakes.
        """
        return cls.read(read_toml(Path(path)), str(path))

    @classmethod
    def read(cls, tables: dict[str, Any], name: str = "the terms") -> "LedgerTerms":
        """Check the tables of such a file."""
        table = read_tables(TermsTable, tables, name)
        parts = dict(sorted(table.attribute.items()))
        attributes = {attribute: part.values() for attribute, part in parts.items()}
        if table.dependence is None and all(part.delta is None for part in parts.values()):
            terms = cls(attributes, table.epsilon)
        else:
            deltas = {attribute: part.delta or table.epsilon for attribute, part in parts.items()}
            terms = cls(attributes, table.epsilon, deltas, dict(sorted(table.bounds().items())))
        # What no filter offers is refused before there is a ledger.
        terms.filter()
        return terms

    @classmethod
    def of_document(cls, document: dict[str, Any]) -> "LedgerTerms":
        """From the frozen words of a ledger.

        Raises:
            SordinoError: not terms of this version, or changed ones.
        """
        version = document.get("version")
        if document.get("format") != FORMAT:
            raise SordinoError("a ledger's terms must be those of a ledger", found="another format")
        if version != VERSION or isinstance(version, bool):
            step = "use a newer Sordino" if isinstance(version, int) and version > VERSION else "check the file"
            raise SordinoError(f"terms must be of version {VERSION} at most", found=repr(version)[:80], step=step)
        if document.get("hash") != content_hash(document):
            raise SordinoError(
                "a ledger's terms must be as they were frozen", found="words that do not match their hash"
            )
        parts = dict(sorted(document["attributes"].items()))
        return cls(
            {
                name: Interval(**part["number"]) if "number" in part else Categories(part["categories"])
                for name, part in parts.items()
            },
            Nats.of(document["epsilon"]),
            {name: Nats.of(part["delta"]) for name, part in parts.items() if "delta" in part},
            {name: read_variation(part["rest"]) for name, part in parts.items() if "rest" in part},
            document["nodes"],
        )

    @cached_property
    def document(self) -> dict[str, Any]:
        """The frozen words: public, with their hash."""
        content = {
            "format": FORMAT,
            "version": VERSION,
            "attributes": {name: self._words(name) for name in self.names},
            "epsilon": str(self.epsilon),
            "nodes": self.nodes,
        }
        return {**content, "hash": content_hash(content)}

    @property
    def hash(self) -> str:
        """Of the frozen words."""
        return str(self.document["hash"])

    @property
    def text(self) -> str:
        """The canonical text of the frozen words."""
        return canonical(self.document).decode("ascii")

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes in their order."""
        return tuple(self.attributes)

    @cached_property
    def domain(self) -> Box | Record:
        """Where the record lies."""
        if all(isinstance(values, Categories) for values in self.attributes.values()):
            return Record({name: values for name, values in self.attributes.items() if isinstance(values, Categories)})
        ranges = [values for values in self.attributes.values() if isinstance(values, Interval)]
        return Box([each.low for each in ranges], [each.high for each in ranges])

    @cached_property
    def definition(self) -> LDP | BayesianCoordinateDP:
        """What is promised."""
        if not self.deltas:
            return LDP(self.epsilon)
        deltas, rest = ([amounts[name] for name in self.names] for amounts in (self.deltas, self.rest))
        return BayesianCoordinateDP.bounded(deltas, self.epsilon, rest)  # type: ignore[arg-type]  # two kinds of amounts

    def filter(self) -> BayesianFilter:
        """A filter by which nothing was asked yet."""
        return BayesianFilter(self.domain, self.definition, nodes=self.nodes)

    def _words(self, name: str) -> dict[str, Any]:
        values = self.attributes[name]
        if isinstance(values, Interval):
            return {"number": {"low": values.low, "high": values.high}}
        words: dict[str, Any] = {"categories": list(values.labels)}
        return words | ({"delta": str(self.deltas[name]), "rest": str(self.rest[name])} if self.deltas else {})


def terms_of_text(text: str) -> LedgerTerms:
    """From the canonical text of the frozen words.

    Raises:
        SordinoError: not terms of this version, or changed ones.
    """
    return LedgerTerms.of_document(json.loads(text))
