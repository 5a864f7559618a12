"""What a ledger is asked, whatever it comes from: frozen public words, and the query that its filter decides on."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

from sordino.accounting.state import FilterQuery
from sordino.exact.source import Source
from sordino.once.ledger.documents.ledger_terms import LedgerTerms
from sordino.once.ledger.documents.person_record import PersonRecord


@dataclass(frozen=True)
class LedgerQuery(ABC):
    """A query and who asks it."""

    document: Mapping[str, Any]
    terms: LedgerTerms = field(compare=False, repr=False)

    @property
    @abstractmethod
    def channel(self) -> FilterQuery:
        """What answers it, and what the filter decides by."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """What is asked, in a word."""

    @property
    @abstractmethod
    def attribute_names(self) -> tuple[str, ...]:
        """The attributes of the ledger that it depends on."""

    @abstractmethod
    def require_fit(self) -> None:
        """Check that the query can be asked about every record of the terms; no record is looked at.

        Raises SordinoError: a query that does not fit them.
        """

    @abstractmethod
    def draw(self, record: PersonRecord, source: Source | None = None) -> int:
        """An answer's code, with fresh randomness; every call is a new release.

        Raises SordinoError: a record outside the terms, whatever is asked; or a query that does not fit them, whatever
        the record.
        """

    @cached_property
    def fingerprint(self) -> str:
        """A short hash of all that defines the channel."""
        return sha256(self.channel.parameters.encode()).hexdigest()[:16]

    @property
    def id(self) -> str:
        """The query's name."""
        return str(self.document["id"])

    @property
    def collector(self) -> str:
        """Who asks."""
        return str(self.document["collector"])

    @property
    def epsilon(self) -> str:
        """What the answer may tell by itself, in nats, as text."""
        return str(self.document["epsilon"])

    @property
    def hash(self) -> str:
        """Of the frozen words."""
        return str(self.document["hash"])
