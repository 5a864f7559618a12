"""Quotas on top of one filter, so that no collector uses up everybody's budget.

Guarantee: the promise is that of the one filter of all answers, whatever the quotas are; budgets of single collectors
would promise nothing. A query is accepted if that filter accepts it and the filter of its collector's own answers does:
so at every moment the realized loss of one collector's answers, by themselves, is at most its quota. Collectors without
a quota of their own share one, or are refused: a new name buys nothing. A decision is a function of queries, answers
and collectors, which are public.

What a collector can rely on, over finite domains, under definitions whose losses add (all but Bayesian coordinate DP):

- Losses of all answers together are at most the sum of the collectors' losses. So if the quotas add up to at most the
  budget, the one filter refuses nothing that a quota allows: each collector has its quota, whatever others do.
- If they add up to more, whatever some collectors do, the others are refused nothing that a filter of the budget less
  the quotas of those, and of the others' answers alone, accepts, as far as their own quotas go.

Cost: two decisions for one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sordino.accounting.filter import BayesianFilter
from sordino.accounting.measures.measure_of import FiniteDefinition
from sordino.accounting.state import Decision, FilterQuery, FilterState
from sordino.errors import RefusedError, SordinoError
from sordino.exact.messages import checked_class, shown

OTHERS = ""
"""Stands for all collectors without a quota of their own."""


@checked_class
@dataclass(frozen=True, eq=False)
class QuotaFilter:
    """A filter of all collectors' queries with a quota for each: a value; `after` gives the next one.

    Attributes:
        promise: the filter of all answers; none yet.
        quotas: a definition for each collector: what its answers may reveal by themselves.
        others: the same for all other collectors together; None refuses them.

    Raises:
        SordinoError: a promise that has answers, a quota that the promise's domain does not take, or a name of no
            letters.

    Example:
        >>> from sordino import LDP, BayesianFilter, Categories, RandomizedResponse
        >>> start = QuotaFilter(BayesianFilter(Categories(["no", "yes"]), LDP("1")), {"A": LDP("0.6"), "B": LDP("0.4")})
        >>> query = RandomizedResponse(2, "0.4")
        >>> asked = start.after("A", query, 1)
        >>> asked.accepts("A", query), asked.accepts("B", query), asked.accepts("C", query)
        (False, True, False)
    """

    promise: BayesianFilter
    quotas: Mapping[str, FiniteDefinition]
    others: FiniteDefinition | None = None
    _own: Mapping[str, BayesianFilter] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self._own:
            return
        if self.promise.spent:
            found = f"a loss of {self.promise.spent:.4g} nats"
            raise SordinoError("quotas must be set before the first answer", found=found, step="begin a new filter")
        for name in self.quotas:
            if type(name) is not str or not name:
                raise SordinoError("a quota must be for a collector's name", found=shown(name))
        definitions = dict(self.quotas) | ({} if self.others is None else {OTHERS: self.others})
        own = {name: replace(self.promise, definition=quota, _state=None) for name, quota in definitions.items()}
        object.__setattr__(self, "_own", own)

    def decide(self, collector: str, query: FilterQuery) -> Decision[FilterState]:
        """Whether a collector's query may be asked; nothing changes.

        Raises:
            SordinoError: a query that does not fit the domain.
        """
        whole, own = self.promise.decide(query), self._own_filter(collector)
        by_quota = None if own is None else own.decide(query)
        return replace(whole, accepted=whole.accepted and by_quota is not None and by_quota.accepted, follow=None)

    def accepts(self, collector: str, query: FilterQuery) -> bool:
        """Whether a collector's query may be asked; a dry run that changes nothing.

        Raises:
            SordinoError: a query that does not fit the domain.
        """
        return self.decide(collector, query).accepted

    def after(self, collector: str, query: FilterQuery, output: int) -> "QuotaFilter":
        """The filters once an accepted query has been answered.

        Raises:
            RefusedError: a query that is not accepted, and whether the promise or the quota refuses it.
            SordinoError: an answer that it cannot have.
        """
        own = self._own_filter(collector)
        if own is None:
            step = "give the collector a quota, or one to all others"
            raise RefusedError("a collector must have a quota", found=shown(collector), step=step)
        if not own.accepts(query):
            rule = f"the answers to {shown(collector)} must stay within its quota"
            found = f"{own.spent:.4g} nats so far and up to {own.decide(query).loss:.4g} with this query"
            raise RefusedError(rule, found=found, step="ask with a smaller epsilon, or not at all")
        place = collector if collector in self._own else OTHERS
        return replace(
            self, promise=self.promise.after(query, output), _own={**self._own, place: own.after(query, output)}
        )

    def after_change(self) -> "QuotaFilter":
        """The filters once the record has changed (more often than the promise covers); losses add, quotas too.

        Raises:
            SordinoError: Bayesian coordinate DP, which says nothing of two versions.
        """
        own = {name: each.changed() for name, each in self._own.items()}
        return replace(self, promise=self.promise.changed(), _own=own)

    @property
    def collectors(self) -> tuple[str, ...]:
        """Those with a quota, and `OTHERS` where all others share one."""
        return tuple(self._own)

    def spent_by(self, collector: str) -> float:
        """Nats, rounded up: the realized loss of the answers to a collector; to all others if it has no quota."""
        own = self._own_filter(collector)
        return 0.0 if own is None else own.spent

    def remaining_for(self, collector: str) -> float:
        """Nats, rounded down: a collector's queries whose epsilons add up to at most this are accepted."""
        own = self._own_filter(collector)
        return 0.0 if own is None else min(own.remaining, self.promise.remaining)

    def _own_filter(self, collector: str) -> BayesianFilter | None:
        """Of a collector's own answers, or of all that have no quota of their own; None where these are refused."""
        if not isinstance(collector, str):
            raise SordinoError("a collector must be named by a text", found=shown(collector))
        return self._own.get(collector, self._own.get(OTHERS))
