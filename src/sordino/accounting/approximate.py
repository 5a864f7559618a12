"""A filter for approximate local differential privacy: more answers, and with a small probability one too many.

Guarantee: (epsilon, delta)-LDP of all answers together, whatever the queries, chosen with all earlier answers in view.
First a filter that looks at the epsilons only accepts; once it has refused a query that the Bayesian filter accepts,
only the latter decides: then all that is answered loses at most epsilon for sure. Transcripts that end in the first
phase keep the first filter's guarantee. A refusal changes nothing.

First filters: basic composition, the sum of the epsilons; Renyi divergence of one fixed order (Feldman and Zrnic 2021,
with the divergence of randomized response, the largest of any epsilon-LDP query, and the conversion of Canonne, Kamath
and Steinke 2020); and, to compare with, Rogers et al. 2016 (Theorem 5.1) and Whitehouse et al. 2023. Basic composition
or Renyi, whichever accepts, is the best of them and the default. All are computed in decimals of 50 digits and compared
with a margin against the user.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import Literal, TypeAlias, get_args

from sordino.accounting.filter import BayesianFilter, read_output
from sordino.accounting.state import FilterQuery, Rule
from sordino.definition.bounds import read_epsilon
from sordino.definition.pairwise import LDP
from sordino.domain.box import Box
from sordino.domain.finite_record import FiniteDomain, Record
from sordino.errors import RefusedError, SordinoError
from sordino.exact.messages import checked_class, kind, read_rational, shown
from sordino.exact.nats import Nats, NatsLike
from sordino.mechanism.base import Mechanism
from sordino.query.query import Query

First = Literal["best", "basic", "renyi", "rogers", "whitehouse"]
"""Which filter by epsilons comes first; best: basic composition or Renyi, whichever accepts."""

CountedQuery: TypeAlias = "Mechanism | Query | NatsLike"
"""A query, or only its epsilon where a filter has no domain."""

DIGITS = 50

MARGIN = Decimal(10) ** -30
"""Relative; more than all roundings together, against the user."""

ORDERS = tuple(Decimal(order) / 4 for order in (*range(5, 200), *range(200, 4001, 40)))
"""Orders of the Renyi divergence to choose from."""


@dataclass(frozen=True)
class Spent:
    """The epsilons of the queries so far, as each first filter adds them up.

    Attributes:
        basic: their sum, exactly.
        squares: the sum of their squares, rounded up.
        drift: the sum of epsilon (e^epsilon - 1) / 2, rounded up.
        divergence: the sum of the Renyi divergences of the order, rounded up.
    """

    basic: Nats = field(default_factory=lambda: Nats.of(0))
    squares: Decimal = Decimal(0)
    drift: Decimal = Decimal(0)
    divergence: Decimal = Decimal(0)

    def plus(self, epsilon: Nats, order: Decimal) -> "Spent":
        with localcontext(Context(prec=DIGITS)):
            amount = Decimal(epsilon.ceil())
            return Spent(
                self.basic + epsilon,
                _up(self.squares + amount * amount),
                _up(self.drift + amount * (amount.exp() - 1) / 2),
                _up(self.divergence + renyi_divergence(amount, order)),
            )


@checked_class
@dataclass(frozen=True, eq=False)
class ApproximateFilter:
    """A filter of queries about one record under (epsilon, delta)-LDP: a value; `after` gives the next one.

    Source: Bayesian privacy filter paper, Algorithm 4.

    Attributes:
        epsilon, delta_probability: of the (epsilon, delta)-LDP of all answers together: whatever the record, a set of
            answers is at most e^epsilon times as probable as for another one, plus delta, which is below 1/e. That is
            no bound on how often a loss exceeds epsilon.
        domain: as of a `BayesianFilter`; None for a filter by epsilons only, which takes epsilons in place of queries.
        first: the filter by epsilons.
        order: of the Renyi divergence, fixed in advance; None for the best with queries of the typical epsilon.
        typical: epsilon of a query, to choose the order; very small where none is told.
        rule: of the Bayesian filter.

    Raises:
        SordinoError: a probability that is none, no such first filter, or an order of at most 1.

    Example:
        >>> asked = ApproximateFilter("1", "1e-6")
        >>> for _ in range(400): asked = asked.after("0.01")
        >>> asked.accepts("0.01")
        True
    """

    epsilon: Nats
    delta_probability: Fraction
    domain: Box | Record | FiniteDomain | None
    first: First
    order: Decimal
    typical: Nats | None
    rule: Rule
    spent_by_epsilons: Spent
    halted: bool
    exact: BayesianFilter | None

    def __init__(
        self,
        epsilon: NatsLike,
        delta_probability: str | float | Fraction,
        domain: Box | Record | FiniteDomain | None = None,
        *,
        first: First = "best",
        order: str | float | Decimal | None = None,
        typical: "NatsLike | None" = None,
        rule: Rule = "full",
    ) -> None:
        amount, probability = read_epsilon(epsilon), _read_probability(delta_probability)
        each = None if typical is None else read_epsilon(typical)
        if first not in get_args(First):
            raise SordinoError(f"the first filter must be one of {', '.join(get_args(First))}", found=shown(first))
        exact = None if domain is None else BayesianFilter(domain, LDP(amount), rule)
        values = {
            "epsilon": amount,
            "delta_probability": probability,
            "domain": domain,
            "first": first,
            "order": best_order(amount, probability, each) if order is None else _read_order(order),
            "typical": each,
            "rule": rule,
            "spent_by_epsilons": Spent(),
            "halted": False,
            "exact": exact,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def accepts(self, query: CountedQuery) -> bool:
        """Whether the query may be asked; a dry run that changes nothing.

        Raises:
            SordinoError: a query that does not fit the domain.
        """
        return self._accepted_by(query) is not None

    def after(self, query: CountedQuery, output: int | None = None) -> "ApproximateFilter":
        """The filter once an accepted query has been answered; without a domain no output is needed.

        Raises:
            SordinoError: a query that is not accepted, or an answer that it cannot have.
        """
        way = self._accepted_by(query)
        if way is None:
            step = "ask with a smaller epsilon, or not at all"
            raise RefusedError("a query must be accepted before it is asked", found="one that is refused", step=step)
        exact = self.exact
        if exact is not None:
            if output is None:
                rule = "a filter over a domain needs the answer"
                raise SordinoError(rule, found="None", step="give `after` the answer too")
            asked = _query(query)
            exact = exact.with_answer(asked, read_output(output, asked.outputs))
        spent = self._plus(query) if way == "first" else self.spent_by_epsilons
        return _with_spent(self, spent, halted=self.halted or way == "exact", exact=exact)

    def _accepted_by(self, query: CountedQuery) -> Literal["first", "exact"] | None:
        """Which of the two filters accepts; None where neither does."""
        spent = self._plus(query)
        if not self.halted and self._first_holds(spent):
            return "first"
        return "exact" if self.exact is not None and self.exact.accepts(_query(query)) else None

    def _plus(self, query: CountedQuery) -> Spent:
        level = _epsilon(query) if self.exact is None else self.exact.epsilon_of(_query(query))
        return self.spent_by_epsilons.plus(level, self.order)

    def _first_holds(self, spent: Spent) -> bool:
        ways: dict[str, Callable[[Spent], bool]] = {
            "basic": lambda spent: spent.basic <= self.epsilon,
            "renyi": self._renyi_holds,
            "rogers": self._rogers_holds,
            "whitehouse": self._whitehouse_holds,
        }
        names = ("basic", "renyi") if self.first == "best" else (self.first,)
        return any(ways[name](spent) for name in names)

    def _renyi_holds(self, spent: Spent) -> bool:
        return spent.divergence * (1 + MARGIN) <= self._allowed_divergence

    def _rogers_holds(self, spent: Spent) -> bool:
        """Sum eps' (e^eps' - 1)/2 + sqrt(2 (S + H) (1 + ln(S/H + 1)/2) ln(2/delta)) <= eps.

        H = eps^2/(28.04 ln(1/delta)), S the sum of the squares of the queries' eps'.
        """
        with localcontext(Context(prec=DIGITS)):
            total, chance = self._total, self._chance
            if total <= 0:
                return spent.squares == 0
            extra = total * total / (Decimal("28.04") * -chance.ln())
            root = 2 * (spent.squares + extra) * (1 + (spent.squares / extra + 1).ln() / 2) * (2 / chance).ln()
            return (spent.drift + root.sqrt()) * (1 + MARGIN) <= total

    def _whitehouse_holds(self, spent: Spent) -> bool:
        """Sqrt(2 ln(1/delta) S) + S/2 <= eps."""
        with localcontext(Context(prec=DIGITS)):
            lost = (-2 * self._chance.ln() * spent.squares).sqrt() + spent.squares / 2
            return lost * (1 + MARGIN) <= self._total

    @cached_property
    def _allowed_divergence(self) -> Decimal:
        with localcontext(Context(prec=DIGITS)):
            return allowed_divergence(self._total, self._chance, self.order)

    @cached_property
    def _total(self) -> Decimal:
        """Epsilon, rounded down."""
        return Decimal(self.epsilon.floor())

    @cached_property
    def _chance(self) -> Decimal:
        """The probability, rounded down."""
        return _decimal_below(self.delta_probability)


def _query(query: CountedQuery) -> FilterQuery:
    if isinstance(query, Mechanism | Query):
        return query
    rule = "a filter over a domain is asked queries"
    raise SordinoError(rule, found=kind(query), step="give the query, not only its epsilon")


def _epsilon(query: CountedQuery) -> Nats:
    if isinstance(query, Mechanism | Query):
        step = "give the query's epsilon, or make the filter over a domain"
        raise SordinoError("a filter without a domain counts epsilons", found=kind(query), step=step)
    return read_epsilon(query)


def renyi_divergence(epsilon: Decimal, order: Decimal) -> Decimal:
    """The largest Renyi divergence of an order between two laws of an answer that is epsilon-LDP: a fair coin's odds.

    Call within a context of many digits. Source: Bun and Steinke 2016, in the exact form.
    """
    if epsilon == 0:
        return Decimal(0)
    heads = epsilon.exp() / (1 + epsilon.exp())
    tails = 1 - heads
    total = heads * (epsilon * (order - 1)).exp() + tails * (-epsilon * (order - 1)).exp()
    return total.ln() / (order - 1)


def allowed_divergence(epsilon: Decimal, chance: Decimal, order: Decimal) -> Decimal:
    """The largest Renyi divergence of an order that is (epsilon, chance)-DP; may be negative.

    Source: Canonne, Kamath and Steinke 2020, Proposition 12.
    """
    return (epsilon - (1 - 1 / order).ln() + (chance.ln() + order.ln()) / (order - 1)) * (1 - MARGIN)


def best_order(epsilon: Nats, delta_probability: Fraction, typical: Nats | None = None) -> Decimal:
    """The order that allows the most queries of one epsilon; of very small ones where none is told."""
    with localcontext(Context(prec=20)):
        total, chance = Decimal(epsilon.floor()), _decimal_below(delta_probability)
        each = Decimal("1e-4") if typical is None or typical <= "1e-4" else Decimal(typical.ceil())
        return max(ORDERS, key=lambda order: allowed_divergence(total, chance, order) / renyi_divergence(each, order))


def _with_spent(
    known: ApproximateFilter, spent: Spent, *, halted: bool, exact: BayesianFilter | None
) -> ApproximateFilter:
    after = ApproximateFilter.__new__(ApproximateFilter)
    for name in ("epsilon", "delta_probability", "domain", "first", "order", "typical", "rule"):
        object.__setattr__(after, name, getattr(known, name))
    object.__setattr__(after, "spent_by_epsilons", spent)
    object.__setattr__(after, "halted", halted)
    object.__setattr__(after, "exact", exact)
    return after


def _read_probability(probability: str | float | Fraction) -> Fraction:
    try:
        read = read_rational(probability)
    except SordinoError:
        read = Fraction(0)
    if not 0 < read < Fraction(36, 100):
        step = 'for probability 0 use a BayesianFilter; write small ones as "1e-6"'
        raise SordinoError("delta_probability must lie above 0 and below 0.36", found=shown(probability), step=step)
    return read


def _read_order(order: str | float | Decimal) -> Decimal:
    try:
        read = read_rational(order)
    except SordinoError:
        read = Fraction(0)
    if not 1 < read <= 10**4:
        raise SordinoError("an order of the Renyi divergence must lie above 1, at most 10^4", found=shown(order))
    with localcontext(Context(prec=DIGITS)):
        return Decimal(read.numerator) / Decimal(read.denominator)


def _decimal_below(fraction: Fraction) -> Decimal:
    with localcontext(Context(prec=DIGITS)):
        return Decimal(fraction.numerator) / Decimal(fraction.denominator) * (1 - MARGIN)


def _up(amount: Decimal) -> Decimal:
    return amount * (1 + MARGIN)
