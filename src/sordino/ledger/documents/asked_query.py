"""A query that a collector asks of a person's record: its frozen words, and the channel that answers it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from sordino.document.checked_tables import nearest, read_tables
from sordino.document.files import read_toml
from sordino.document.formats import QUERY
from sordino.document.kinds import explain_kind
from sordino.domain.box import Box
from sordino.domain.record import Record
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.exact.source import Source
from sordino.ledger.documents.ledger_terms import LedgerTerms
from sordino.ledger.documents.person_record import PersonRecord
from sordino.ledger.documents.query_table import KINDS, MODELS, QueryTable, RangedModelTable
from sordino.mechanism.randomized import RandomizedResponse
from sordino.query.linear import LinearQuery, LogisticQuery, TruncatedLinearQuery
from sordino.query.query import Query
from sordino.query.statistic import Value


@dataclass(frozen=True)
class AskedQuery:
    """A query and who asks it."""

    document: Mapping[str, Any]
    terms: LedgerTerms = field(compare=False, repr=False)

    @classmethod
    def load(cls, path: Path | str, terms: LedgerTerms) -> "AskedQuery":
        """Read the file of a query about records of these terms.

        Raises:
            SordinoError: unreadable, or about other attributes.
            SordinoErrors: all its mistakes.
        """
        with explain_kind(Path(path), "query"):
            return cls.read(read_toml(Path(path)), terms, str(path))

    @classmethod
    def read(cls, tables: dict[str, Any], terms: LedgerTerms, name: str = "the query") -> "AskedQuery":
        """Check the tables of such a file."""
        table = read_tables(QueryTable, tables, name)
        query = cls(table.document(), terms)
        query.__dict__["channel"] = _channel(table, terms)
        return query

    @classmethod
    def of_document(cls, document: dict[str, Any], terms: LedgerTerms) -> "AskedQuery":
        """From frozen words. Raises SordinoError: words that were changed, or of another format or version."""
        QUERY.require(document)
        QUERY.require_unchanged(document)
        query = cls(document, terms)
        _ = query.channel
        return query

    @cached_property
    def channel(self) -> Query:
        """What answers it, and what the filter decides by.

        Raises:
            SordinoErrors: words that are no query about these terms.
        """
        tables = {name: part for name, part in self.document.items() if name not in {"format", "hash"}}
        return _channel(read_tables(QueryTable, tables, "the query"), self.terms)

    @property
    def fingerprint(self) -> str:
        """A short hash of all that defines the channel."""
        return sha256(self.channel.parameters.encode()).hexdigest()[:16]

    def require_fit(self) -> None:
        """Check that the query can be asked about every record of the terms; no record is looked at.

        Raises SordinoError: a statistic that can leave its range.
        """
        domain = self.terms.domain
        if isinstance(domain, Box):
            self.channel.model.require_fit(domain)

    def draw(self, record: PersonRecord, source: Source | None = None) -> int:
        """An answer's code, with fresh randomness; every call is a new release.

        Raises SordinoError: a record outside the terms, whatever is asked; or a query that does not fit them, whatever
        the record.
        """
        record.require_of(self.terms)
        self.require_fit()
        domain = self.terms.domain
        read = self.channel.index(domain, record.row) if isinstance(domain, Record) else record.row
        return int(self.channel.privatize(read, source)[0])

    @property
    def id(self) -> str:
        """The query's name."""
        return str(self.document["id"])

    @property
    def collector(self) -> str:
        """Who asks."""
        return str(self.document["collector"])

    @property
    def hash(self) -> str:
        """Of the frozen words."""
        return str(self.document["hash"])

    @cached_property
    def kind(self) -> str:
        """What is asked, as a word of the file."""
        return next(kind for kind in KINDS if kind in self.document)


def _channel(table: QueryTable, terms: LedgerTerms) -> Query:
    """Raises: SordinoError, for what cannot be asked of such records."""
    model = table.linear or table.truncated or table.logistic
    if (model is None) != isinstance(terms.domain, Record):
        known = "category" if isinstance(terms.domain, Record) else ", ".join(MODELS)
        rule = f"this ledger's records must be asked by {known}"
        raise SordinoError(rule, found="a model" if model else "categories", step="ask by one of these")
    if model is None:
        name = table.category or ""
        attribute = terms.attributes.get(name)
        if attribute is None:
            hint = nearest([name], terms.names)
            rule = f"category must name an attribute of the ledger{hint}"
            raise SordinoError(rule, found=shown(name), step="name one of the ledger's terms")
        return Query(Value(name), RandomizedResponse(attribute.finite.k, table.epsilon))
    unknown = [name for name in model.theta if name not in terms.names]
    if unknown:
        hint = nearest(unknown, terms.names)
        rule = f"theta must name attributes of the ledger{hint}"
        raise SordinoError(rule, found=shown(unknown[0]), step="name some of the ledger's terms")
    theta = [model.theta.get(name, 0.0) for name in terms.names]
    if isinstance(model, RangedModelTable):
        kind = LinearQuery if table.linear is not None else TruncatedLinearQuery
        return kind(theta, model.intercept, model.low, model.high, table.epsilon)
    return LogisticQuery(theta, model.intercept, table.epsilon)
