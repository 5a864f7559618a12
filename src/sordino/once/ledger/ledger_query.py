"""What a ledger is asked, from a file or by a plan: frozen public words, and the query that its filter decides on.

The file of a query:

version = 1
id = "sleep-1"
collector = "Institute of Sleep"
epsilon = "0.1"
linear = { theta = { sleep = 1 }, low = 0, high = 12 }

Of categories one attribute is asked, by randomized response: category = "smoker". The id belongs to these words for
ever: asked again, the query has the answer that was given first.

Of a plan the words hold its bytes, and which of its queries the person was drawn to answer: by the ledger's key and the
plan's hash, by no record. Asked again, even after a refusal, the same query is drawn. A plan is known by its hash,
whatever its address.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from sordino.accounting.filter import BayesianFilter
from sordino.accounting.state import FilterQuery
from sordino.definition.pairwise import LDP
from sordino.document.checked_tables import VersionField, read_tables
from sordino.document.domains import domain_words
from sordino.document.files import read_toml
from sordino.document.formats import QUERY
from sordino.document.kinds import explain_kind
from sordino.document.schema.limits import ValueLimits
from sordino.document.schema.nearest import nearest
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.domain.attribute import Attribute
from sordino.domain.categories import Categories
from sordino.domain.grid import Grid
from sordino.domain.interval import Interval
from sordino.errors import RefusedError, SordinoError
from sordino.exact.messages import shown
from sordino.exact.nats import outward
from sordino.exact.source import Source, Stream, SystemSource
from sordino.mechanism.randomized import RandomizedResponse
from sordino.once.journal.event import KINDS, MODELS, PLAN_KIND
from sordino.once.ledger.ledger_terms import LedgerTerms
from sordino.once.ledger.person_record import PersonRecord
from sordino.query.linear import LinearQuery, LogisticQuery, TruncatedLinearQuery
from sordino.query.model import Model
from sordino.query.query import Query
from sordino.query.statistic import Value
from sordino.survey.answering.drawn_query import DrawnQuery
from sordino.survey.planning.plan import Plan
from sordino.survey.schema.attribute_part import require_one_of
from sordino.survey.schema.protect_table import Epsilon

Name = Annotated[str, ValueLimits(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]
"""One line of text."""

Finite = Annotated[float, ValueLimits(finite=True)]

UNBOUNDED = "inf"
"""The epsilon of a query some of whose answers rule values out, as text."""


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


@dataclass(frozen=True)
class PlanQuery(LedgerQuery):
    """A query of a plan, and its collector."""

    @classmethod
    def of(
        cls, plan: Plan, terms: LedgerTerms, collector: str, stream: Stream, question: int | None = None
    ) -> "PlanQuery":
        """Draw which query of a plan is asked, and freeze it.

        Args:
            plan: that asks.
            terms: of the ledger.
            collector: who asks.
            stream: of random words that depend on no record.
            question: its place in the plan, where it was drawn before.

        Raises:
            SordinoError: a plan whose attributes are not the ledger's.
        """
        require_plan_fits(plan, terms)
        drawn = DrawnQuery.draw(plan, stream, question)
        words = {
            "id": plan.hash,
            "collector": collector,
            "epsilon": _level(terms, drawn.filter_query),
            PLAN_KIND: plan.bytes.decode(),
            "question": drawn.first,
        }
        return cls(QUERY.seal(words), terms)

    @classmethod
    def of_document(cls, document: dict[str, Any], terms: LedgerTerms) -> "PlanQuery":
        """From frozen words. Raises SordinoError: words that were changed, or of another format or version."""
        QUERY.require(document)
        QUERY.require_unchanged(document)
        query = cls(document, terms)
        require_plan_fits(query.plan, terms)
        if query.plan.hash != query.id:
            raise SordinoError("a query's id must be the hash of its plan", found=shown(query.id))
        words = {"id", "collector", "epsilon", PLAN_KIND, "question"}
        same = QUERY.seal({name: document[name] for name in words if name in document})
        if same != document or query.epsilon != _level(terms, query.channel):
            raise QUERY.foreign("other words")
        return query

    @cached_property
    def plan(self) -> Plan:
        """The plan, certified again."""
        return _plan_of(str(self.document[PLAN_KIND]))

    @cached_property
    def drawn_query(self) -> DrawnQuery:
        """The query that is asked."""
        return DrawnQuery.at(self.plan, int(self.document["question"]))

    @cached_property
    def channel(self) -> FilterQuery:
        return self.drawn_query.filter_query

    @property
    def kind(self) -> str:
        return PLAN_KIND

    @property
    def attribute_names(self) -> tuple[str, ...]:
        return self.drawn_query.attribute_names

    def require_fit(self) -> None:
        require_plan_fits(self.plan, self.terms)

    def draw(self, record: PersonRecord, source: Source | None = None) -> int:
        record.require_of(self.terms)
        values = dict(zip(self.terms.names, record.values, strict=True))
        clipped = {name: _within(self.plan.attributes[name], values[name]) for name in self.plan.asked_names()}
        return self.drawn_query.draw_code(clipped, SystemSource() if source is None else source)

    def report_code(self, code: int) -> int:
        """The code as the plan's reports have it."""
        return self.drawn_query.first + code


def require_plan_fits(plan: Plan, terms: LedgerTerms) -> None:
    """Refuse a plan whose attributes are not the ledger's; no record is looked at.

    Raises:
        RefusedError: an attribute that the ledger does not know, or with other values; a public column of the ledger's.
    """
    asked = plan.asked_names()
    unknown = [name for name in asked if name not in terms.names]
    if unknown:
        rule = "the ledger's terms must name every attribute that the plan asks for"
        found = f"none for {', '.join(map(repr, unknown))}"
        raise RefusedError(rule, found=found, step="answer without this ledger, or from a ledger whose terms name them")
    public = [one.name for one in plan.cells.attributes if one.name in terms.names]
    if public:
        rule = "a public column must not be an attribute of the ledger, since reports say it in clear"
        raise RefusedError(rule, found=shown(public[0]), step="do not answer this plan from this ledger")
    for name in asked:
        own, theirs = terms.attributes[name], plan.attributes[name]
        reason = _mismatch(own, theirs)
        if reason:
            rule = f"the plan must ask for {name!r} as the ledger's terms have it"
            step = "answer without this ledger, or ask the collector for a plan with these values"
            raise RefusedError(rule, found=reason, step=step)


def public_tables(plan: Plan, tables: Mapping[str, Any]) -> dict[str, Any]:
    """Of the tables of a record file those that say what reports say in clear."""
    record = tables.get("record")
    if not isinstance(record, Mapping):
        return dict(tables)
    public = {one.name for one in plan.cells.attributes}
    return {**tables, "record": {name: value for name, value in record.items() if name in public}}


def ledger_tables(plan: Plan, terms: LedgerTerms, tables: Mapping[str, Any]) -> dict[str, Any]:
    """Of the tables of a record file those that a ledger reads: all but public columns that it does not know."""
    record = tables.get("record")
    if not isinstance(record, Mapping):
        return dict(tables)
    public = {one.name for one in plan.cells.attributes} - set(terms.names)
    return {**tables, "record": {name: value for name, value in record.items() if name not in public}}


def _mismatch(own: Attribute, theirs: Attribute) -> str:
    """How the values of an attribute differ; empty where every value of the ledger's is one of the plan's."""
    if not isinstance(theirs.domain, Interval):
        if isinstance(own.domain, Interval):
            return "values that are counted"
        same = domain_words(own.domain) == domain_words(theirs.domain)
        return "" if same else f"{theirs.domain.k} other values, or in another order"
    if not isinstance(own.domain, Interval):
        return "a number"
    if own.optional and not theirs.optional:
        return "a number that must not be missing"
    low, high = theirs.domain.low, theirs.domain.high
    if theirs.clip or low <= own.domain.low <= own.domain.high <= high:
        return ""
    return f"a range from {low:g} to {high:g}, beyond which numbers are refused"


def _within(attribute: Attribute, value: float) -> float | int:
    """A value as the plan reads it: a number beyond its range counts as the end."""
    if not isinstance(attribute.domain, Interval) or value != value:  # noqa: PLR0124 - missing
        return value
    return min(max(value, attribute.domain.low), attribute.domain.high)


def _level(terms: LedgerTerms, query: FilterQuery) -> str:
    try:
        level = BayesianFilter(terms.domain, LDP(0), nodes=terms.nodes).epsilon_of(query)
    except SordinoError:
        return UNBOUNDED
    return outward(level.around()[1], 6, up=True)


@lru_cache(maxsize=16)
def _plan_of(text: str) -> Plan:
    return Plan.of_text(text, "the plan in the ledger")


class ModelTable(StrictTable):
    """A model that is affine in the record.

    Attributes:
        theta: the coefficients by attribute, in the attributes' units; 0 for those that are not named.
    """

    theta: dict[str, Finite] = setting(min_length=1)
    intercept: Finite = 0.0


class RangedModelTable(ModelTable):
    """A model with a range.

    Attributes:
        low: what the answer 0 stands for.
        high: what the answer 1 stands for.
    """

    low: Finite
    high: Finite


class QueryTable(StrictTable):
    """The file of a query.

    Attributes:
        id: the query's name, never used for another one.
        collector: who asks, and gets the answer.
        epsilon: what the answer may tell by itself, in nats.
        linear: a model whose value stays in its range.
        truncated: a model whose value is cut to its range.
        logistic: a model of a probability.
        category: an attribute of categories, by randomized response.
    """

    version: VersionField
    id: Name
    collector: Name
    epsilon: Epsilon
    linear: RangedModelTable | None = None
    truncated: RangedModelTable | None = None
    logistic: ModelTable | None = None
    category: Name | None = None

    def _check(self) -> None:
        require_one_of(self, *KINDS)

    def document(self) -> dict[str, Any]:
        """The frozen words: public, with their hash."""
        words = self.dump(exclude={"version", "epsilon"})
        return QUERY.seal({**words, "epsilon": str(self.epsilon)})


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
    """A query from its frozen words, of which nothing is read yet."""
    kind = PlanQuery if PLAN_KIND in document else AskedQuery
    return kind(document, terms)
