"""The reports of people whose values were read, batch by batch."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from sordino.exact.ids.record_ids import RecordIds
from sordino.exact.keyed import KeyedSource
from sordino.exact.source import Source, SystemSource, Words
from sordino.survey.planning.plan import Plan
from sordino.tables.values import QuestionValues


class Drawn(NamedTuple):
    """What a batch of people sends.

    Attributes:
        codes: their reports, shape (n,).
        ids: a word of the id of each, by which ids are compared; None of people without.
    """

    codes: Words
    ids: Words | None

    @classmethod
    def joined(cls, batches: "Sequence[Drawn]") -> "Drawn":
        """Several batches as one."""
        words = [batch.ids for batch in batches if batch.ids is not None]
        return cls(np.concatenate([batch.codes for batch in batches]), np.concatenate(words) if words else None)


def drawn(
    plan: Plan,
    people: Iterator[tuple[QuestionValues, RecordIds | None]],
    keyed: KeyedSource | None,
    *,
    fresh: bool = False,
) -> Iterator[Drawn]:
    """A report for each person.

    Args:
        plan: by which.
        people: their values, and their ids.
        keyed: of this plan; people with ids need one.
        fresh: whether words are fresh ones of the operating system for them too.
    """
    system = SystemSource()
    for values, ids in people:
        if keyed is None or ids is None:
            yield Drawn(plan.sampled.privatize(values, system), None)
            continue
        records = keyed.for_compared(ids)
        source: Source = system if fresh else records
        yield Drawn(plan.sampled.privatize(values, source), records.low)
