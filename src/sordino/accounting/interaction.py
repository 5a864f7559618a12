"""The interaction of an adversary and a record that a filter protects, question by question.

The adversary is a function of what anybody can see: the filter and the transcript so far. It may try the filter as
often as it likes; the filter is a function of the transcript, so trying tells nothing new. Its next query depends on
the record through earlier answers only, and every answer drawn is in the transcript: what a filter promises holds.
Source: Bayesian privacy filter paper, Algorithm 1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from sordino.domain.record import Record
from sordino.errors import SordinoError
from sordino.exact.source import Source
from sordino.mechanism.base import Mechanism
from sordino.mechanism.bit_query import BitQuery
from sordino.query import AttributeQuery

Transcript: TypeAlias = tuple[tuple[Any, int], ...]
"""Queries and their outputs, in order."""

MOST = 1_000_000
"""Answers of one interaction at most."""


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
        transcript: all that the adversary saw.
        filter: as it was left.
        refused: the query that the filter refused, which ended the interaction; None if the adversary halted.
    """

    transcript: Transcript
    filter: AnyFilter
    refused: Any = None


def interact(
    protected: AnyFilter, adversary: Adversary, answer: Callable[[Any], int], *, most: int = MOST
) -> Interaction:
    """Let an adversary ask until it halts or a query is refused; asked again, it would only propose the same query.

    Args:
        protected: the filter; it is asked before anything is drawn.
        adversary: a function of the filter and the transcript; any randomness of its own is fixed in advance.
        answer: draws a fresh answer to a query: the only part that knows the record. See `answers`.
        most: answers at most.

    Raises:
        SordinoError: a query that does not fit the filter's domain.

    Example:
        >>> from sordino import LDP, BayesianFilter, Categories, RandomizedResponse
        >>> coin, domain = RandomizedResponse(2, "1"), Categories(["yes", "no"])
        >>> done = interact(BayesianFilter(domain, LDP("2")), lambda *seen: coin, answers(domain, 0))
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


def answers(domain: Any, record: ArrayLike, source: Source | None = None) -> Callable[[Any], int]:
    """A function that draws one fresh answer about a record to each query.

    Args:
        domain: as of the filter.
        record: the index of a value; for a `Record` its row of values; for a box its numbers.
        source: where random words come from; fresh ones from the operating system by default.

    Raises:
        SordinoError: when asked, a query that does not fit, or a record outside the domain.

    Example:
        >>> from sordino import Categories, ChannelTable
        >>> answers(Categories(["yes", "no"]), 1)(ChannelTable([[1, 0], [0, 1]]))
        1
    """

    def answer(query: Any) -> int:
        if isinstance(query, AttributeQuery) and isinstance(domain, Record):
            return int(query.privatize(domain, np.asarray(record)[None], source)[0])
        if isinstance(query, Mechanism):
            value = domain.index(np.asarray(record)[None]) if isinstance(domain, Record) else np.asarray(record)[None]
            return int(query.privatize(value, source)[0])
        if isinstance(query, BitQuery):
            return int(query.privatize(np.asarray(record, dtype=np.float64)[None], source)[0])
        raise SordinoError("a query must be answered through a channel", found=type(query).__name__)

    return answer
