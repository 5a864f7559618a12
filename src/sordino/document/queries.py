"""Queries about numbers as documents hold them, and back: statistics and mechanisms bring their names and records.

Mechanisms that several queries go through stand once. Queries that a person answers together stand as a list where any
other one stands by itself. What is read is written again to the same bytes: a document has one text for the same
queries.
"""

from collections.abc import Sequence
from typing import Any

from sordino.document.codec import MECHANISMS, encode
from sordino.errors import DamagedError, SordinoError
from sordino.exact.entries import Entries
from sordino.exact.messages import shown
from sordino.homes import Homes
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel import read_channel
from sordino.query.number import NumberStatistic
from sordino.query.query import Query
from sordino.query.sampled import Sampled
from sordino.query.together import Together

STATISTICS: Homes[type[NumberStatistic]] = Homes(
    {
        "number": "query.number:Number",
        "product": "query.number:Product",
        "signs": "query.number:Signs",
        "optional": "query.missing:OptionalNumber",
        "category-sign": "query.categorical:CategoryAndSign",
        "two-categories": "query.categorical:TwoCategories",
        "binary-product": "query.categorical:BinaryProduct",
    }
)
"""What documents hold; a new one is its file and its line here, by which it is loaded where a document names it."""

NUMBER_MECHANISMS = MECHANISMS.only("randomized", "window", "flips", "linear", "table", "projective", "cyclic")
"""What numbers are asked through. All are certified in time that grows with their codes."""

MOST_MECHANISMS = 1 << 12
"""Largest number of one question's mechanisms, each of which is certified whenever a plan is read."""

MOST_CODES = 1 << 18
"""Largest number of their codes together, which take seconds."""

MOST_WEIGHTS = 1 << 17
"""Of all tables together: seconds. Those that plans make have at most 2,000 each, for a score of levels."""

_COMPLETE = "complete-"
"""Before the name of a statistic of complete cases."""


def freeze_queries(asked: Sampled) -> dict[str, Any]:
    """Each statistic by its name and its places, the mechanisms, which one each goes through, and the weights.

    Raises:
        SordinoError: queries that are not about numbers, or through a mechanism that no document holds.
    """
    if not asked.drawn_parts:
        step = "ask about statistics of numbers"
        raise SordinoError("a plan freezes queries about numbers", found="queries about values", step=step)
    mechanisms: dict[Mechanism, int] = {}
    for mechanism in asked.mechanisms:
        mechanisms.setdefault(mechanism, len(mechanisms))
    statistics = [[list(query.number.call) for query in queries] for queries in asked.drawn_parts]
    through = [[mechanisms[query.mechanism] for query in queries] for queries in asked.drawn_parts]
    return {
        "statistics": [_alone_or_together(run) for run in statistics],
        "mechanisms": [encode(mechanism, NUMBER_MECHANISMS) for mechanism in mechanisms],
        "through": [_alone_or_together(run) for run in through],
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
    statistics = [tuple(_statistic(*call, where) for call in run) for run in entries.calls("statistics")]
    mechanisms = [read_channel(inner, NUMBER_MECHANISMS) for inner in entries.inners("mechanisms")]
    if len(mechanisms) > MOST_MECHANISMS or sum(mechanism.outputs for mechanism in mechanisms) > MOST_CODES:
        rule = f"{where} must go through at most {MOST_MECHANISMS} mechanisms of {MOST_CODES} codes together"
        raise SordinoError(rule, found=f"{len(mechanisms)} mechanisms", step="ask fewer numbers in one question")
    of_tables = sum(mechanism.listed_weights for mechanism in mechanisms)
    if of_tables > MOST_WEIGHTS:
        rule = f"{where} must go through tables with at most {MOST_WEIGHTS:,} weights together"
        raise SordinoError(rule, found=f"{of_tables:,}", step="ask fewer numbers in one question")
    through, weights = entries.runs("through"), entries.wholes("weights")
    unlike = list(map(len, statistics)) != list(map(len, through)) or len(weights) != len(through)
    if unlike or max((at for run in through for at in run), default=0) >= len(mechanisms):
        found = f"{len(statistics)} statistics through {len(through)} mechanisms with {len(weights)} weights"
        rule = f"{where} must have a statistic, a mechanism and a weight for each"
        raise DamagedError(rule, found=found, step="get the file again")
    asked = Sampled(tuple(_query(*run, mechanisms) for run in zip(statistics, through, strict=True)), weights)
    if freeze_queries(asked) != found:
        raise DamagedError(f"{where} must be as they were frozen", found="a different spelling")
    return asked


def _alone_or_together(run: list[Any]) -> Any:
    """What is by itself as it is; what is answered together as a list."""
    return run[0] if len(run) == 1 else run


def _query(
    statistics: Sequence[NumberStatistic], through: Sequence[int], mechanisms: Sequence[Mechanism]
) -> Query | Together:
    queries = tuple(Query(statistic, mechanisms[at]) for statistic, at in zip(statistics, through, strict=True))
    return queries[0] if len(queries) == 1 else Together(queries)


def _statistic(name: str, arguments: tuple[int, ...], where: str) -> NumberStatistic:
    kind = STATISTICS.get(name.removeprefix(_COMPLETE))
    if kind is None:
        raise DamagedError(f"{where}.statistics must be among {', '.join(STATISTICS)}", found=shown(name))
    if not name.startswith(_COMPLETE):
        return kind.of(arguments)
    # Few plans have them, and a device that reads one of the others does not wait for the module.
    from sordino.query.missing import CompleteCase

    count = arguments[0] if arguments else 0
    return CompleteCase(kind.of(arguments[count + 1 :]), tuple(arguments[1 : count + 1]))
