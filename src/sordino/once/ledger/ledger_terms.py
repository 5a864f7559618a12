"""What a person's ledger is about: the attributes of the record, and what all answers together may tell; and its file.

Terms are frozen when a ledger is made, and hashed. Attributes stand in the order of the alphabet.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from sordino.accounting.filter import NODES, BayesianFilter
from sordino.accounting.measures.measure_of import FiniteDefinition
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.bounded_dependence import read_variation
from sordino.definition.combined import PromiseOfValues, combined_definition
from sordino.definition.pairwise import LDP
from sordino.document.checked_tables import VersionField, read_tables
from sordino.document.domains import domain_of, domain_words
from sordino.document.files import read_toml
from sordino.document.formats import TERMS
from sordino.document.kinds import explain_kind
from sordino.document.schema.nearest import nearest
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.document.sealed import canonical
from sordino.domain.attribute import Attribute, AttributeDomain, Domain
from sordino.domain.box import Box
from sordino.domain.categories import Categories
from sordino.domain.choices import LARGEST as LARGEST_LISTED
from sordino.domain.choices import Choices
from sordino.domain.finite_record import Record
from sordino.domain.grid import Grid
from sordino.domain.interval import Interval
from sordino.domain.mixed_record import MixedRecord
from sordino.errors import DamagedError, SordinoError
from sordino.exact.messages import shown
from sordino.exact.nats import Nats
from sordino.once.ledger.quotas import Quotas, QuotaTable
from sordino.survey.schema.attribute_part import ProtectPart, Text, require_one_of
from sordino.survey.schema.attribute_table import GridTable, RangeTable
from sordino.survey.schema.dependence_bounds import RestBounds
from sordino.survey.schema.promise import definition_of
from sordino.survey.schema.protect_table import Epsilon, ProtectTable, protect_mistakes, protect_part

MISSING = "0"
"""Share of people who lack a number that may be missing: nobody knows it."""


class RecordNumberTable(RangeTable):
    """A number of the record.

    Attributes:
        missing: whether a person may have none.
    """

    missing: bool = False


class RecordValuesTable(StrictTable):
    """One attribute of the record.

    Attributes:
        number: its range, or
        categories: its values, or how many numbered ones there are, or
        grid: the cells of a map.
        several: how many of the categories apply to one person at most, where several may.
        none: what it is called then that none of them applies.
        not_asked: of several what it is called that a survey did not ask.
        delta: the most that all answers may tell about it, for somebody whose beliefs are within the dependence bounds;
            epsilon by default.
        protect: which of its values are protected from each other, as in a survey; all alike by default.
    """

    number: RecordNumberTable | None = None
    categories: list[Text] | int | None = None
    grid: GridTable | None = None
    several: int | None = None
    none: Text | None = None
    not_asked: Text | None = None
    delta: Epsilon | None = None
    protect: ProtectTable | None = None

    def _check(self) -> None:
        require_one_of(self, "number", "categories", "grid")
        if self.several is None and self.not_asked is not None:
            rule = "not_asked must stand beside several"
            raise SordinoError(rule, found="no several", step="write several = 3, or name it among the categories")
        count = self.categories if isinstance(self.categories, int) else len(self.categories or "12")
        if count < 2:
            rule = "an attribute must have at least two categories"
            raise SordinoError(rule, found=f"{count:,}", step="name the others too")
        domain = self.domain()
        if isinstance(domain, Choices) and not domain.is_listed:
            rule = f"several must allow at most {LARGEST_LISTED:,} combinations"
            raise SordinoError(rule, found=f"{domain.k:,}", step="lower several, or name fewer categories")
        if self.protect is not None:
            if not isinstance(domain, Categories | Grid):
                rule = "protect must stand beside categories of which one applies, or a map"
                raise SordinoError(rule, found="other values", step="leave it out: all values are protected alike")
            for mistake in protect_mistakes(self.protect, domain):
                raise mistake

    def domain(self) -> AttributeDomain:
        """Its range or its values."""
        number = self.number and {"low": self.number.low, "high": self.number.high}
        named = isinstance(self.categories, list)
        words = {"labels" if named else "numbers": self.categories, "number": number, "several": self.several}
        grid = self.grid and self.grid.dump()
        return domain_of({**words, "grid": grid, "none": self.none, "not_asked": self.not_asked})


class BoundsTable(StrictTable):
    """How much the attributes may depend on each other, at most.

    Attributes:
        rest: for some attributes, or with one number for all, a bound on the total variation between the laws of all
            other attributes together given two of its values; 1 where it is not given.
    """

    rest: RestBounds


class TermsTable(StrictTable):
    """The file from which a person's ledger is made: the record's attributes, and what all answers together may tell.

    version = 1
    epsilon = "1"
    [attribute.age]
    number = { low = 18, high = 90 }

    Numbers and categories may stand together, and each attribute may have a delta of its own:

    epsilon = "2"
    [attribute.smoker]
    categories = ["yes", "no"]
    delta = "0.5"
    [attribute.region]
    categories = ["north", "south", "west"]
    [dependence]
    rest = { smoker = 0.2 }

    Attributes:
        epsilon: the most that all answers together may tell about the whole record, in nats.
        attribute: the attributes by name.
        dependence: of attributes with deltas.
        quota: the most that the answers to each collector may tell by themselves, and those to all others together.
        changes: how often the record may change within the promise, which is about its histories then.
    """

    version: VersionField
    epsilon: Epsilon
    attribute: dict[str, RecordValuesTable] = setting(min_length=1)
    dependence: BoundsTable | None = None
    quota: QuotaTable | None = None
    changes: int = 0

    def _check(self) -> None:
        protected = [name for name, part in self.attribute.items() if part.protect is not None]
        numbers = [name for name, part in self.attribute.items() if part.number is not None]
        if protected and numbers:
            rule = "protect must be of a ledger without numbers, whose pairs of values are listed"
            step = "keep numbers in cells as categories, or leave protect out: all values are protected alike"
            raise SordinoError(rule, found=f"{protected[0]!r} beside the number {numbers[0]!r}", step=step)
        if protected and (self.dependence is not None or any(part.delta for part in self.attribute.values())):
            step = "leave one of them out"
            raise SordinoError("a ledger must have protect or deltas", found="both settings", step=step)
        if self.changes and (self.dependence is not None or any(part.delta for part in self.attribute.values())):
            rule = "changes must stand in terms without deltas and bounds on dependence"
            step = "leave one of them out: beliefs about one version of a record say nothing about another"
            raise SordinoError(rule, found="both settings", step=step)
        rest = self.dependence.rest if self.dependence is not None else {}
        foreign = [name for name in rest if name not in self.attribute] if isinstance(rest, dict) else []
        if foreign:
            hint = nearest(foreign, list(self.attribute))
            rule = f"dependence.rest must name attributes{hint}"
            raise SordinoError(rule, found=shown(foreign[0]), step="write their names as [attribute.NAME] does")

    def bounds(self) -> dict[str, Fraction]:
        """The dependence of each attribute."""
        rest = self.dependence.rest if self.dependence is not None else Fraction(1)
        return {name: rest.get(name, Fraction(1)) if isinstance(rest, dict) else rest for name in self.attribute}


@dataclass(frozen=True)
class LedgerTerms:
    """The record's domain and the promise about it.

    Attributes:
        attributes: in the order of the alphabet, perhaps each with a delta.
        epsilon: the most that all answers together may tell.
        rest: bounds on the dependence of attributes with deltas.
        nodes: the limit of the work for one decision, which decides with it.
        protects: which values of some attributes are protected from each other, in the words of a plan.
        quotas: the most that the answers to one collector may tell by themselves; None for no limits but epsilon.
        changes: how often the record may change within the promise.
    """

    attributes: Mapping[str, Attribute]
    epsilon: Nats
    rest: Mapping[str, Fraction] = field(default_factory=dict)
    nodes: int = NODES
    protects: Mapping[str, ProtectPart] = field(default_factory=dict)
    quotas: Quotas | None = None
    changes: int = 0

    def __post_init__(self) -> None:
        for name, part in self.protects.items():
            # Of a metric epsilon is the unit: values far apart have a multiple of it.
            own = [part.epsilon] if part.epsilon is not None and part.metric is None else []
            finite = [bound for row in part.bounds or () for bound in row if bound != "inf"]
            if max(map(Nats.of, [*own, *finite]), default=Nats.of(0)) > self.epsilon:
                rule = f"what protect allows for {name!r} must not exceed epsilon, which holds for the whole record"
                raise SordinoError(rule, found="a larger amount", step="lower it, or raise epsilon")

    @classmethod
    def load(cls, path: Path | str) -> "LedgerTerms":
        """Read the file from which a ledger is made.

        Raises:
            SordinoError: unreadable.
            SordinoErrors: all its mistakes.
        """
        with explain_kind(Path(path), "terms"):
            return cls.read(read_toml(Path(path)), str(path))

    @classmethod
    def read(cls, tables: dict[str, Any], name: str = "the terms") -> "LedgerTerms":
        """Check the tables of such a file."""
        table = read_tables(TermsTable, tables, name)
        parts = dict(sorted(table.attribute.items()))
        each = table.dependence is not None or any(part.delta is not None for part in parts.values())
        attributes = {
            own: Attribute(
                own,
                part.domain(),
                missing=MISSING if part.number is not None and part.number.missing else None,
                delta=(part.delta or table.epsilon) if each else None,
            )
            for own, part in parts.items()
        }
        protects = {
            own: protect_part(attributes[own].finite, part.protect, table.epsilon)
            for own, part in parts.items()
            if part.protect is not None
        }
        rest = dict(sorted(table.bounds().items())) if each else {}
        terms = cls(attributes, table.epsilon, rest, protects=protects, quotas=table.quota, changes=table.changes)
        # What no filter offers is refused before there is a ledger.
        terms.filter()
        terms.quota_filters()
        return terms

    @classmethod
    def of_document(cls, document: dict[str, Any]) -> "LedgerTerms":
        """From the frozen words of a ledger."""
        TERMS.require(document)
        TERMS.require_unchanged(document)
        try:
            terms = cls._of_words(document)
            TERMS.require_spelling(document, terms.document)
            # What no filter offers was never frozen.
            terms.filter()
            terms.quota_filters()
        except DamagedError:
            raise
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError, RecursionError):
            raise TERMS.foreign("other words") from None
        return terms

    @classmethod
    def _of_words(cls, document: dict[str, Any]) -> "LedgerTerms":
        """From frozen words of whatever kind: what is built may fail, or give other words."""
        parts = dict(sorted(document["attributes"].items()))
        return cls(
            {
                name: Attribute(
                    name,
                    domain_of({**part, "labels": part.get("categories")}),
                    missing=MISSING if part.get("missing") is True else None,
                    delta=Nats.of(part["delta"]) if "delta" in part else None,
                )
                for name, part in parts.items()
            },
            Nats.of(document["epsilon"]),
            {name: read_variation(part["rest"]) for name, part in parts.items() if "rest" in part},
            document["nodes"],
            {name: ProtectPart(**part["protect"]) for name, part in parts.items() if "protect" in part},
            Quotas.read(document["quota"]) if "quota" in document else None,
            document.get("changes", 0),
        )

    @cached_property
    def document(self) -> dict[str, Any]:
        """The frozen words: public, with their hash."""
        attributes = {name: self._words(name) for name in self.names}
        quota = {} if self.quotas is None else {"quota": self.quotas.words}
        changes = {"changes": self.changes} if self.changes else {}
        words = {"attributes": attributes, "epsilon": str(self.epsilon), "nodes": self.nodes}
        return TERMS.seal({**words, **quota, **changes})

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

    @property
    def numbers(self) -> tuple[str, ...]:
        """The attributes that are numbers, in their order."""
        return tuple(name for name, one in self.attributes.items() if isinstance(one.domain, Interval))

    @cached_property
    def domain(self) -> MixedRecord | Record:
        """Where the record lies."""
        attributes = self.attributes.values()
        if not self.numbers:
            return Record({one.name: _countable(one) for one in attributes})
        optional = [one.name for one in attributes if one.optional]
        ranges = {one.name: one.domain if isinstance(one.domain, Interval) else _countable(one) for one in attributes}
        return MixedRecord(ranges, optional)

    @property
    def box(self) -> Box | None:
        """Of the numbers, if everybody has them all; None where there are none, or one may be missing."""
        return self.domain.box if isinstance(self.domain, MixedRecord) else None

    @property
    def deltas(self) -> Mapping[str, Nats]:
        """The most that may be told about each attribute by itself, if that is promised; empty otherwise."""
        return {name: own.delta for name, own in self.attributes.items() if own.delta is not None}

    @cached_property
    def definition(self) -> PromiseOfValues | BayesianCoordinateDP:
        """What is promised."""
        if self.protects:
            finite = [(self.protects.get(name), _countable(one)) for name, one in self.attributes.items()]
            own = [
                LDP(self.epsilon) if part is None or isinstance(domain, Choices) else definition_of(domain, part)
                for part, domain in finite
            ]
            return combined_definition(own, [domain.k for _, domain in finite])
        if not self.deltas:
            return LDP(self.epsilon)
        deltas, rest = ([amounts[name] for name in self.names] for amounts in (self.deltas, self.rest))
        return BayesianCoordinateDP.bounded(deltas, self.epsilon, rest)  # type: ignore[arg-type]  # two kinds of amounts

    def filter(self) -> BayesianFilter:
        """A filter by which nothing was asked yet."""
        return self.filter_of(self.definition)

    def filter_of(self, definition: FiniteDefinition) -> BayesianFilter:
        """The same by another promise about such records."""
        return BayesianFilter(self.domain, definition, nodes=self.nodes, changes=self.changes)

    def quota_filters(self) -> dict[str, BayesianFilter]:
        """For each quota a filter of the answers that it bounds, by which nothing was asked yet.

        Raises SordinoError: a quota beside a promise that is not one epsilon for all values alike, or beyond it.
        """
        if self.quotas is None:
            return {}
        if self.protects or self.deltas:
            rule = "quotas must stand in terms with one epsilon for all values alike"
            found = "protect" if self.protects else "deltas or bounds on dependence"
            step = "leave one of them out: a quota says nothing about pairs of values or beliefs"
            raise SordinoError(rule, found=found, step=step)
        self.quotas.require_at_most(self.epsilon)
        definitions = self.quotas.definitions
        return {key: self.filter_of(own) for key, own in definitions.items()}

    def _words(self, name: str) -> dict[str, Any]:
        attribute = self.attributes[name]
        words = domain_words(attribute.domain)
        if "labels" in words:
            words = {"categories": words.pop("labels")} | words
        words |= {"missing": True} if attribute.optional else {}
        protect = self.protects.get(name)
        words |= {} if protect is None else {"protect": protect.dump()}
        return words | (
            {} if attribute.delta is None else {"delta": str(attribute.delta), "rest": str(self.rest[name])}
        )


def _countable(attribute: Attribute) -> Domain | Choices:
    return attribute.choices if isinstance(attribute.domain, Choices) else attribute.finite


def terms_of_text(text: str) -> LedgerTerms:
    """From the canonical text of the frozen words."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise TERMS.foreign("no words")
    return LedgerTerms.of_document(document)
