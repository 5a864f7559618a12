"""The reports of people whose values were read, batch by batch."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sordino.exact.keyed import KeyedSource
from sordino.exact.source import Source, SystemSource, Words
from sordino.survey.planning.plan import Plan
from sordino.tables.values import People


class Drawn(NamedTuple):
    """What a batch of people sends.

    Attributes:
        codes: their reports, shape (n,): codes, or their numbers with public values (`PublicCells`).
        ids: a word of the id of each, by which ids are compared; None of people without.
        clipped: in how many of their rows each number is clipped, of those that may be.
    """

    codes: Words
    ids: Words | None
    clipped: Mapping[str, int]

    @classmethod
    def concatenate(cls, batches: "Sequence[Drawn]") -> "Drawn":
        """Several batches as one."""
        words = [batch.ids for batch in batches if batch.ids is not None]
        codes = np.concatenate([batch.codes for batch in batches])
        clipped = {name: sum(batch.clipped[name] for batch in batches) for name in batches[0].clipped}
        return cls(codes, np.concatenate(words) if words else None, clipped)


def draw_reports(
    plan: Plan,
    people: Iterator[People],
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
    for values, ids, clipped, cells in people:
        records = None if keyed is None or ids is None else keyed.for_compared(ids)
        source: Source = system if records is None or fresh else records
        codes = plan.sampled.privatize(values, source)
        numbers = codes if cells is None else plan.cells.join(codes, cells)
        yield Drawn(numbers, None if records is None else records.low, clipped)
