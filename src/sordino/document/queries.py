"""Queries about numbers as documents hold them, and back: statistics and mechanisms bring their names and records.

Mechanisms that several queries go through stand once. What is read is written again to the same bytes: a document has
one text for the same queries.
"""

from typing import Any

from sordino.document.codec import freeze
from sordino.errors import DamagedError, SordinoError
from sordino.exact.entries import Entries
from sordino.exact.messages.brief import shown
from sordino.mechanism.base import Mechanism
from sordino.mechanism.bit_flips import BitFlips
from sordino.mechanism.randomized import RandomizedResponse
from sordino.mechanism.record import read_channel
from sordino.mechanism.window import WindowResponse
from sordino.query.number import Number, NumberStatistic, Product, Signs
from sordino.query.query import Query
from sordino.query.sampled import Sampled

STATISTICS: tuple[type[NumberStatistic], ...] = (Number, Product, Signs)
"""What documents hold; a new one is its file and its place here."""

NUMBER_MECHANISMS: tuple[type[Mechanism], ...] = (RandomizedResponse, WindowResponse, BitFlips)
"""What numbers are asked through. All are certified in time that grows with their codes."""

MOST_MECHANISMS = 1 << 12
"""Of one question: each is certified whenever a plan is read."""

MOST_CODES = 1 << 18
"""Of these together: seconds."""

_BY_NAME = {kind.name: kind for kind in STATISTICS}


def freeze_queries(asked: Sampled) -> dict[str, Any]:
    """Each statistic by its name and its places, the mechanisms, which one each goes through, and the weights.

    Raises:
        SordinoError: queries that are not about numbers, or through a mechanism that no document holds.
    """
    queries = [query for query in asked.queries if isinstance(query, Query)]
    mechanisms: dict[Mechanism, int] = {}
    for query in queries:
        mechanisms.setdefault(query.mechanism, len(mechanisms))
    if not asked.numbers:
        raise SordinoError("a plan freezes queries about numbers", found="others")
    return {
        "statistics": [[statistic.name, *statistic.arguments] for statistic in asked.numbers],
        "mechanisms": [freeze(mechanism, NUMBER_MECHANISMS) for mechanism in mechanisms],
        "through": [mechanisms[query.mechanism] for query in queries],
        "weights": list(asked.weights),
    }


def thaw_queries(found: object, where: str = "queries") -> Sampled:
    """The queries that were frozen.

    Args:
        found: JSON from outside.
        where: it stands in the document, for messages.

    Raises:
        DamagedError: other words than `freeze_queries` writes.
        SordinoError: integers that make no such queries.
    """
    entries = Entries(found, where)
    entries.require(("statistics", "mechanisms", "through", "weights"))
    statistics = [_statistic(name, arguments, where) for name, arguments in entries.calls("statistics")]
    mechanisms = [read_channel(inner, NUMBER_MECHANISMS) for inner in entries.inners("mechanisms")]
    if len(mechanisms) > MOST_MECHANISMS or sum(mechanism.outputs for mechanism in mechanisms) > MOST_CODES:
        rule = f"{where} must go through at most {MOST_MECHANISMS} mechanisms of {MOST_CODES} codes together"
        raise SordinoError(rule, found=f"{len(mechanisms)} mechanisms", step="ask fewer numbers in one question")
    through, weights = entries.wholes("through"), entries.wholes("weights")
    if not len(statistics) == len(through) == len(weights) or max(through, default=0) >= len(mechanisms):
        raise DamagedError(f"{where} must have a statistic, a mechanism and a weight for each", found="others")
    queries = tuple(Query(statistic, mechanisms[at]) for statistic, at in zip(statistics, through, strict=True))
    asked = Sampled(queries, weights)
    if freeze_queries(asked) != found:
        raise DamagedError(f"{where} must be as they were frozen", found="another spelling")
    return asked


def _statistic(name: str, arguments: tuple[int, ...], where: str) -> NumberStatistic:
    kind = _BY_NAME.get(name)
    if kind is None:
        raise DamagedError(f"{where}.statistics must be among {', '.join(_BY_NAME)}", found=shown(name))
    return kind.of(arguments)
