"""A plan as a person's ledger is asked it: its bytes, and which of its queries the person was drawn to answer.

The draw depends on the ledger's key and the plan's hash, on no record: asked again, even after a refusal, the same
query is drawn. A plan is known by its hash, whatever its address.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from sordino.accounting.filter import BayesianFilter
from sordino.accounting.state import FilterQuery
from sordino.definition.pairwise import LDP
from sordino.document.domains import domain_words
from sordino.document.formats import QUERY
from sordino.domain.answers.condition import with_conditions
from sordino.domain.attribute import Attribute
from sordino.domain.interval import Interval
from sordino.errors import RefusedError, SordinoError
from sordino.exact.messages.brief import shown
from sordino.exact.nats import outward
from sordino.exact.source import Source, Stream, SystemSource
from sordino.once.journal.event import PLAN_KIND
from sordino.once.ledger.documents.ledger_query import LedgerQuery
from sordino.once.ledger.documents.ledger_terms import LedgerTerms
from sordino.once.ledger.documents.person_record import PersonRecord
from sordino.survey.answering.drawn_query import DrawnQuery
from sordino.survey.planning.plan import Plan

UNBOUNDED = "inf"
"""The epsilon of a query some of whose answers rule values out, as text."""


@dataclass(frozen=True)
class PlanQuery(LedgerQuery):
    """A query of a plan, and its collector."""

    @classmethod
    def of(cls, plan: Plan, terms: LedgerTerms, collector: str, stream: Stream) -> "PlanQuery":
        """Draw which query of a plan is asked, and freeze it.

        Args:
            plan: that asks.
            terms: of the ledger.
            collector: who asks.
            stream: of random words that depend on no record.

        Raises:
            SordinoError: a plan whose attributes are not the ledger's.
        """
        require_plan_fits(plan, terms)
        drawn = DrawnQuery.draw(plan, stream)
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
        clipped = {name: _within(self.plan.attributes[name], values[name]) for name in asked_attributes(self.plan)}
        return self.drawn_query.draw_code(clipped, SystemSource() if source is None else source)

    def report_code(self, code: int) -> int:
        """The code as the plan's reports have it."""
        return self.drawn_query.first + code


def asked_attributes(plan: Plan) -> tuple[str, ...]:
    """The attributes that a plan asks for, with all that decide whether they are asked."""
    asked = {name: None for question in plan.questions for name in question.attribute_names}
    return tuple(with_conditions(asked, plan.attributes))


def require_plan_fits(plan: Plan, terms: LedgerTerms) -> None:
    """Refuse a plan whose attributes are not the ledger's; no record is looked at.

    Raises:
        RefusedError: an attribute that the ledger does not know, or with other values; a public column of the ledger's.
    """
    asked = asked_attributes(plan)
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
    """The least epsilon that a query satisfies, rounded up to six decimals."""
    try:
        level = BayesianFilter(terms.domain, LDP(0), nodes=terms.nodes).epsilon_of(query)
    except SordinoError:
        return UNBOUNDED
    return outward(level.around()[1], 6, up=True)


@lru_cache(maxsize=16)
def _plan_of(text: str) -> Plan:
    """A plan is certified once in a process, however often the ledger is read."""
    return Plan.of_text(text, "the plan in the ledger")
