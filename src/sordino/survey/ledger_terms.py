"""What a person's ledger is about: the attributes of the record, and what all answers together may tell about it.

version = 1
epsilon = "1"
[attribute.age]
number = { low = 18, high = 90 }
[attribute.sleep]
number = { low = 0, high = 12 }

The terms are frozen when a ledger is made. Attributes stand in the order of the alphabet.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from sordino.accounting.filter import NODES, BayesianFilter
from sordino.definition.pairwise import LDP
from sordino.domain.box import Box
from sordino.domain.interval import Interval
from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.survey.document import canonical, content_hash
from sordino.survey.load import read_toml
from sordino.survey.parts import Part
from sordino.survey.protect import Epsilon
from sordino.survey.tables import read_tables, whole

FORMAT = "sordino ledger"
VERSION = 1


class RangeTable(Part):
    """A number between two ends, in the unit of the record."""

    low: float
    high: float

    @model_validator(mode="after")
    def _check(self) -> Self:
        Interval(self.low, self.high)
        return self


class RecordAttributeTable(Part):
    """One attribute of the record.

    Attributes:
        number: its range.
    """

    number: RangeTable


class TermsTable(Part):
    """The file from which a ledger is made.

    Attributes:
        version: of the format, 1.
        epsilon: the most that all answers together may tell about the whole record, in nats.
        attribute: the attributes by name.
    """

    version: Annotated[Literal[1], BeforeValidator(whole)]
    epsilon: Epsilon
    attribute: dict[str, RecordAttributeTable] = Field(min_length=1)


@dataclass(frozen=True)
class LedgerTerms:
    """The record's domain and the promise about it.

    Attributes:
        attributes: each one's range, in the order of the alphabet.
        epsilon: the most that all answers together may tell.
        nodes: the limit of the work for one decision, which decides with it.
    """

    attributes: Mapping[str, Interval]
    epsilon: Nats
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
        ranges = {
            attribute: Interval(part.number.low, part.number.high)
            for attribute, part in sorted(table.attribute.items())
        }
        return cls(ranges, table.epsilon)

    @classmethod
    def of_document(cls, document: dict[str, Any]) -> "LedgerTerms":
        """From the frozen words of a ledger.

        Raises:
            SordinoError: not terms of this version, or changed ones.
        """
        require_version(document, "a ledger's terms")
        if document.get("hash") != content_hash(document):
            raise SordinoError(
                "a ledger's terms must be as they were frozen", found="words that do not match their hash"
            )
        ranges = {name: Interval(**part["number"]) for name, part in sorted(document["attributes"].items())}
        return cls(ranges, Nats.of(document["epsilon"]), document["nodes"])

    @cached_property
    def document(self) -> dict[str, Any]:
        """The frozen words: public, with their hash."""
        content = {
            "format": FORMAT,
            "version": VERSION,
            "attributes": {name: {"number": {"low": a.low, "high": a.high}} for name, a in self.attributes.items()},
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
    def domain(self) -> Box:
        """Where the record lies."""
        return Box([a.low for a in self.attributes.values()], [a.high for a in self.attributes.values()])

    def filter(self, spent: str = "0") -> BayesianFilter | None:
        """A new filter for a version of the record, of which earlier versions have spent so much already.

        Versions are different records, whose losses add: each has evidence of its own. None where nothing is left.
        """
        left = self.epsilon - Nats.of(spent)
        return BayesianFilter(self.domain, LDP(left), nodes=self.nodes) if left.sign() > 0 else None


def terms_of_text(text: str) -> LedgerTerms:
    """From the canonical text of the frozen words.

    Raises:
        SordinoError: not terms of this version, or changed ones.
    """
    return LedgerTerms.of_document(json.loads(text))


def require_version(document: Mapping[str, Any], what: str) -> None:
    """Refuse the words of another format or of a newer version.

    Raises:
        SordinoError: another format or version.
    """
    version = document.get("version")
    if document.get("format") != FORMAT:
        raise SordinoError(f"{what} must be those of a ledger", found="another format")
    if version != VERSION or isinstance(version, bool):
        newer = isinstance(version, int) and version > VERSION
        step = "use a newer Sordino" if newer else "check that it is whole"
        raise SordinoError(f"{what} must be of version {VERSION} at most", found=repr(version)[:80], step=step)
