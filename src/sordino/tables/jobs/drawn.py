"""The reports of people whose values were read, batch by batch."""

from collections.abc import Iterator

from sordino.exact.keyed import KeyedSource
from sordino.exact.record_ids import RecordIds
from sordino.exact.source import Source, SystemSource, Words
from sordino.survey.planning.plan import Plan
from sordino.tables.values import QuestionValues


def drawn(
    plan: Plan, people: Iterator[tuple[QuestionValues, RecordIds | None]], keyed: KeyedSource | None
) -> Iterator[Words]:
    """A report for each person.

    Args:
        plan: by which.
        people: their values, and their ids, which differ (`check_ids`).
        keyed: of this plan; fresh words of the operating system without one, or without ids.
    """
    fresh = SystemSource()
    for values, ids in people:
        source: Source = fresh if keyed is None or ids is None else keyed.for_compared(ids)
        yield plan.sampled.privatize(values, source)
