"""What becomes of each report that comes: new, known already, or refused, by what the store knew before.

A report that is known is acknowledged whenever it comes: its device may not have heard of it the first time. A new one
of a plan with a series must be of a period that is open (`Series.open_at`): the one that runs, by the collector's own
days, or the one before within its grace; and of none that was closed by hand.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from sordino.exact.source import Words
from sordino.service.storage.reports import MOST_NAMED, Receipt, Upload
from sordino.survey.planning.plan import Plan

UNSENDABLE = "a code must be one that the plan can send"
SHARED_ID = "an id must belong to one report"
NOT_OPEN = "a report must be of the period that runs, or shortly after its end of the one before"
CLOSED = "a closed period takes no reports: keep this one to yourself"


@dataclass(frozen=True)
class Acceptable:
    """Which reports of some uploads a plan can send, and which of them may be new today.

    Attributes:
        sendable: of each report, whether the plan can send it.
        is_open: of each, whether its period is open; true of a plan without a series.
        is_closed: of each, whether its period was closed by hand.
    """

    sendable: NDArray[np.bool_]
    is_open: NDArray[np.bool_]
    is_closed: NDArray[np.bool_]

    @classmethod
    def of(cls, plan: Plan, numbers: Words, day: date, grace: int, closed: Collection[int] = ()) -> "Acceptable":
        """Of some reports by their numbers, on a day, with the periods that were closed by hand."""
        sendable = plan.sendable(numbers)
        if plan.series is None:
            return cls(sendable, np.ones_like(sendable), np.zeros_like(sendable))
        periods = plan.cells.periods(numbers)
        is_closed = np.isin(periods, [*closed])
        return cls(sendable, np.isin(periods, plan.series.open_at(day, grace)) & ~is_closed, is_closed)

    @property
    def all(self) -> bool:
        """Whether each of them may be new."""
        return bool(self.sendable.all() and self.is_open.all())


def judge_reports(
    uploads: Sequence[Upload], acceptable: Acceptable, known: dict[bytes, int | None]
) -> tuple[list[Receipt], list[bytes], NDArray[np.bool_]]:
    """What becomes of the reports of some uploads, one after the other.

    Args:
        uploads: that came together.
        acceptable: of their reports, in the same order.
        known: the codes by the ids of those that the store has, None where a code is forgotten; what is new is added.

    Returns:
        A receipt of each upload; the ids of the reports that are new; and which these are, of all.
    """
    receipts, first, ids = list[Receipt](), 0, list[bytes]()
    new = np.zeros(len(acceptable.sendable), dtype=np.bool_)
    for upload in uploads:
        accepted, repeated, refused = 0, 0, list[tuple[int, str]]()
        own = acceptable.sendable[first : first + len(upload)]
        codes = upload.codes.view(np.int64)
        for place, code in zip(np.flatnonzero(own).tolist(), codes[own].tolist(), strict=True):
            key = upload.id_at(place)
            if key in known and known[key] in (code, None):
                repeated += 1
            elif key not in known and acceptable.is_open[first + place]:
                known[key] = code
                ids.append(key)
                new[first + place] = True
                accepted += 1
            elif len(refused) < MOST_NAMED:
                late = CLOSED if acceptable.is_closed[first + place] else NOT_OPEN
                refused.append((place, SHARED_ID if key in known else late))
        unsendable = [(place, UNSENDABLE) for place in np.flatnonzero(~own)[:MOST_NAMED].tolist()]
        failed = tuple(sorted(unsendable + refused)[:MOST_NAMED])
        receipts.append(Receipt(accepted, repeated, failed, len(upload) - accepted - repeated))
        first += len(upload)
    return receipts, ids, new
