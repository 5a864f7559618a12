"""A query that a collector asks of a person's record: its frozen words, and the channel that answers it."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sordino.document.checked_tables import read_tables
from sordino.document.files import read_toml
from sordino.document.formats import QUERY
from sordino.document.kinds import explain_kind
from sordino.document.schema.nearest import nearest
from sordino.domain.categories import Categories
from sordino.domain.grid import Grid
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.exact.source import Source
from sordino.mechanism.randomized import RandomizedResponse
from sordino.once.journal.event import KINDS, MODELS, PLAN_KIND
from sordino.once.ledger.documents.ledger_query import LedgerQuery
from sordino.once.ledger.documents.ledger_terms import LedgerTerms
from sordino.once.ledger.documents.person_record import PersonRecord
from sordino.once.ledger.documents.plan_query import PlanQuery
from sordino.once.ledger.documents.query_table import QueryTable, RangedModelTable
from sordino.query.linear import LinearQuery, LogisticQuery, TruncatedLinearQuery
from sordino.query.model import Model
from sordino.query.query import Query
from sordino.query.statistic import Value


@dataclass(frozen=True)
class AskedQuery(LedgerQuery):
    """A query that a file of its own says."""

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
    def attribute_names(self) -> tuple[str, ...]:
        statistic = self.channel.statistic
        if isinstance(statistic, Value):
            return tuple(map(str, statistic.attribute_names))
        return tuple(self.terms.numbers[int(place)] for place in statistic.attribute_names)

    def require_fit(self) -> None:
        box = self.terms.box
        if box is not None and isinstance(self.channel.statistic, Model):
            self.channel.model.require_fit(box)

    def draw(self, record: PersonRecord, source: Source | None = None) -> int:
        record.require_of(self.terms)
        self.require_fit()
        statistic = self.channel.statistic
        if isinstance(statistic, Value):
            read: Any = [record.values[self.terms.names.index(str(statistic.attributes[0]))]]
        else:
            read = record.numbers(self.terms)
        return int(self.channel.privatize(read, source)[0])

    @cached_property
    def kind(self) -> str:
        """What is asked, as a word of the file."""
        return next(kind for kind in KINDS if kind in self.document)


def _channel(table: QueryTable, terms: LedgerTerms) -> Query:
    """Raises: SordinoError, for what cannot be asked of such records."""
    model = table.linear or table.truncated or table.logistic
    if model is None:
        return _categorical_query(table, terms)
    if not terms.numbers:
        rule = "this ledger's records must be asked by category"
        raise SordinoError(rule, found="a model", step="ask by one of these")
    if terms.box is None:
        missing = next(name for name in terms.numbers if terms.attributes[name].optional)
        rule = "a model must be of numbers that everybody has"
        raise SordinoError(rule, found=f"{missing!r}, which may be missing", step="ask by a plan, for its mean")
    unknown = [name for name in model.theta if name not in terms.numbers]
    if unknown:
        hint = nearest(unknown, terms.numbers)
        rule = f"theta must name {'attributes' if terms.numbers == terms.names else 'numbers'} of the ledger{hint}"
        raise SordinoError(rule, found=shown(unknown[0]), step="name some of the ledger's terms")
    theta = [model.theta.get(name, 0.0) for name in terms.numbers]
    if isinstance(model, RangedModelTable):
        kind = LinearQuery if table.linear is not None else TruncatedLinearQuery
        return kind(theta, model.intercept, model.low, model.high, table.epsilon)
    return LogisticQuery(theta, model.intercept, table.epsilon)


def _categorical_query(table: QueryTable, terms: LedgerTerms) -> Query:
    name = table.category or ""
    if terms.numbers == terms.names:
        rule = f"this ledger's records must be asked by {', '.join(MODELS)}"
        raise SordinoError(rule, found="categories", step="ask by one of these")
    attribute = terms.attributes.get(name)
    known = [one for one in terms.names if one not in terms.numbers]
    if attribute is None or name in terms.numbers:
        hint = nearest([name], known)
        rule = f"category must name an attribute of the ledger{hint}"
        raise SordinoError(rule, found=shown(name), step="name one of the ledger's terms")
    if not isinstance(attribute.domain, Categories | Grid):
        rule = f"{name!r} must have categories of which one applies"
        raise SordinoError(rule, found="several", step="ask by a plan")
    return Query(Value(name), RandomizedResponse(attribute.finite.k, table.epsilon))


def query_of_document(document: dict[str, Any], terms: LedgerTerms) -> LedgerQuery:
    """A query from its frozen words, read and checked.

    Raises:
        SordinoError: words that were changed, or of another format or version.
    """
    kind = PlanQuery if PLAN_KIND in document else AskedQuery
    return kind.of_document(document, terms)


def unread_query(document: dict[str, Any], terms: LedgerTerms) -> LedgerQuery:
    """The same, of which nothing is read yet."""
    kind = PlanQuery if PLAN_KIND in document else AskedQuery
    return kind(document, terms)
