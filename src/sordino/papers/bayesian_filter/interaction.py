"""The interaction of an adversary and a record that a filter protects, question by question.

The adversary is a function of what anybody can see: the filter and the transcript so far. It may try the filter as
often as it likes; the filter is a function of the transcript, so trying tells nothing new. Its next query depends on
the record through earlier answers only, and every answer drawn is in the transcript: what a filter promises holds.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.accounting.filter import BayesianFilter
from sordino.definition.pairwise import LDP
from sordino.domain.box import Box
from sordino.domain.categories import Categories
from sordino.domain.finite_record import Record
from sordino.domain.grid import Grid
from sordino.errors import SordinoError
from sordino.exact.messages import checked, kind, shown
from sordino.exact.nats import Nats
from sordino.exact.source import Source
from sordino.mechanism.base import Mechanism
from sordino.query.query import Query

Transcript: TypeAlias = tuple[tuple[Any, int], ...]
"""Queries and their outputs, in order."""

MOST = 1_000_000
"""Largest number of answers of one interaction."""


class AnyFilter(Protocol):
    """What the interaction needs of a filter."""

    def accepts(self, query: Any) -> bool:
        """Whether the query may be asked."""

    def after(self, query: Any, output: int) -> Self:
        """The filter once it was answered."""


Adversary: TypeAlias = Callable[[AnyFilter, Transcript], Any]
"""The next query, or None to halt."""


@dataclass(frozen=True, eq=False)
class Interaction:
    """What an interaction gave.

    Attributes:
        refused: the query that the filter refused, which ended the interaction; None if the adversary halted.
    """

    transcript: Transcript
    filter: AnyFilter
    refused: Any = None


@checked
def interact(
    protected: AnyFilter, adversary: Adversary, answer: Callable[[Any], int], *, most: int = MOST
) -> Interaction:
    """Let an adversary ask until it halts or a query is refused; asked again, it would only propose the same query.

    Source: Bayesian privacy filter paper, Algorithm 1.

    Raises SordinoError: a query that does not fit the filter's domain.

    Args:
        adversary: a function of the filter and the transcript; any randomness of its own is fixed in advance.
        answer: draws a fresh answer to a query: the only part that knows the record. See `answers`.

    Example:
        >>> from sordino import LDP, BayesianFilter, Categories, RandomizedResponse
        >>> coin, domain = RandomizedResponse(2, "1"), Categories(["yes", "no"])
        >>> done = interact(BayesianFilter(domain, LDP("2")), lambda *seen: coin, lambda asked: asked.privatize([0])[0])
        >>> outputs = [output for _, output in done.transcript]
        >>> abs(outputs.count(0) - outputs.count(1))
        2
    """
    transcript: Transcript = ()
    while len(transcript) < most:
        query = adversary(protected, transcript)
        if query is None:
            break
        if not protected.accepts(query):
            return Interaction(transcript, protected, query)
        output = answer(query)
        transcript = (*transcript, (query, output))
        protected = protected.after(query, output)
    return Interaction(transcript, protected)


@checked
def ask_until_refused(protected: AnyFilter, queries: Iterable[Any], answer: Callable[[Any], int]) -> Interaction:
    """Ask a stream of queries, fixed in advance, until the filter refuses one or none is left.

    Source: Bayesian privacy filter paper, Algorithm 6.

    Raises SordinoError: a query that does not fit the filter's domain.

    Args:
        answer: draws a fresh answer to a query: the only part that knows the record. See `answers`.

    Example:
        >>> from sordino import LDP, BayesianFilter, Box, LinearQuery
        >>> box, query = Box([-1], [1]), LinearQuery([1.0], 0, -1, 1, epsilon="0.4")
        >>> done = ask_until_refused(BayesianFilter(box, LDP("1")), [query] * 9, lambda asked: 1)
        >>> len(done.transcript), done.refused == query
        (2, True)
    """
    stream = iter(queries)
    return interact(protected, lambda *_: next(stream, None), answer)


@checked
def efficiency(done: Interaction) -> float:
    """K: the epsilons of all accepted queries together, over the budget; to float accuracy.

    Source: Bayesian privacy filter paper, Definition 6.1 and (50).

    Raises:
        SordinoError: an interaction with something else than a Bayesian filter under LDP of an epsilon above 0.

    Example:
        >>> from sordino import LDP, BayesianFilter, Categories, RandomizedResponse
        >>> from sordino.papers import ask_until_refused
        >>> coin, codes = RandomizedResponse(2, "1"), iter([0, 1, 0, 0])
        >>> start = BayesianFilter(Categories(["yes", "no"]), LDP("2"))
        >>> done = ask_until_refused(start, [coin] * 9, lambda _: next(codes))
        >>> round(efficiency(done), 9)  # four answers of 1, a budget of 2
        2.0
    """
    protected = done.filter
    if not (isinstance(protected, BayesianFilter) and isinstance(protected.definition, LDP)):
        raise SordinoError("efficiency is of a Bayesian filter under LDP", found=kind(protected))
    budget = protected.definition.epsilon
    if not budget.sign():
        raise SordinoError("efficiency needs a budget above 0", found=f"epsilon {budget}")
    spent = sum((protected.epsilon_of(query) for query, _ in done.transcript), Nats.of(0))
    return float(spent) / float(budget)


@checked
def answers(
    domain: Categories | Grid | Record | Box, record: ArrayLike, source: Source | None = None
) -> Callable[[Any], int]:
    """A function that draws one fresh answer about a record to each query.

    Source: Bayesian privacy filter paper, Algorithm 1, the object's part.

    Args:
        record: the index of a value; for a `Record` its row of values; for a box its numbers.
        source: where random words come from; fresh ones from the operating system by default.

    Example:
        >>> from sordino import Categories, ChannelTable
        >>> answers(Categories(["yes", "no"]), 1)(ChannelTable([[1, 0], [0, 1]]))
        1
    """
    row = _require_record(domain, record)

    def answer(query: Any) -> int:
        # What does not fit the domain is refused before the record is looked at: else a refusal would tell about it.
        if isinstance(query, Query) and isinstance(domain, Record):
            return int(query.privatize(query.index(domain, row), source)[0])
        if isinstance(query, Mechanism) and not isinstance(domain, Box):
            if query.k != domain.k:
                raise SordinoError(f"a query must be about {domain.k} values", found=shown(query.k))
            return int(query.privatize(domain.index(row) if isinstance(domain, Record) else row, source)[0])
        if isinstance(query, Query) and isinstance(domain, Box):
            query.model.require_fit(domain)
            return int(query.privatize(row, source)[0])
        raise SordinoError("a query must be answered through a channel about the domain", found=type(query).__name__)

    return answer


def _require_record(domain: Any, record: ArrayLike) -> NDArray[Any]:
    row = np.asarray(record)[None]
    if isinstance(domain, Box | Record):
        return domain.check_records(row)
    if row.ndim != 1 or row.dtype.kind not in "iu" or not 0 <= int(row[0]) < domain.k:
        whole = row.ndim == 1 and row.dtype.kind in "iu"
        found = "an index that is too low or too high" if whole else f"{row.dtype} of shape {row.shape[1:]}"
        rule = f"a record must be the index of one of {domain.k} values"
        raise SordinoError(rule, found=found, step=f"give a whole number in 0..{domain.k - 1}")
    return row
