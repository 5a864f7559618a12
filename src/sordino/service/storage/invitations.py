"""The invitations to one plan, and which of them were used: nothing about when, in which order, or for which report.

They are one row of hashes in ascending order, and one row of bits. A row for each invitation would be written
by the transaction that writes its report, which PostgreSQL notes at both (`xmin`) for as long as they are there.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Self

import numpy as np

from sordino.document.invitation_list import HASH_BYTES, invitation_hash
from sordino.exact.source import Words
from sordino.service.storage.database import today
from sordino.service.storage.uploaded_reports import Receipt, Upload
from sordino.survey.planning.plan import Plan

Insert = Callable[[Sequence[Upload]], tuple[list[Receipt], Words]]
"""Keeps what is new of some uploads: what became of each, and the codes that are new."""


@dataclass(frozen=True, repr=False)
class Invitations:
    """Hashes of links, and which of them a report came by.

    Attributes:
        hashes: of 32 bytes each, one after the other in ascending order.
        used: a bit for each, from the lowest bit of the first byte: whether a report came by it, or was taken back
            before it came.

    Example:
        >>> found = Invitations().with_more([bytes(32)])
        >>> place = found.place_of(bytes(32))
        >>> found.is_used(place), found.with_used([place]).is_used(place)
        (False, True)
        >>> found.with_used([place]).used_count
        1
    """

    hashes: bytes = b""
    used: bytes = b""

    def __len__(self) -> int:
        return len(self.hashes) // HASH_BYTES

    @property
    def used_count(self) -> int:
        """By how many of them a report came, or was taken back on its way."""
        return int.from_bytes(self.used).bit_count()

    def hash_at(self, place: int) -> bytes:
        """The hash of one invitation."""
        return self.hashes[HASH_BYTES * place : HASH_BYTES * (place + 1)]

    def place_of(self, one: bytes) -> int | None:
        """The place of an invitation; None of one that is not known."""
        place = bisect_left(range(len(self)), one, key=self.hash_at)
        return place if place < len(self) and self.hash_at(place) == one else None

    def is_used(self, place: int) -> bool:
        """Whether a report came by an invitation."""
        return bool(self.used[place >> 3] >> (place & 7) & 1)

    def with_used(self, places: Iterable[int]) -> Self:
        """The same with more of them used."""
        used = bytearray(self.used)
        for place in places:
            used[place >> 3] |= 1 << (place & 7)
        return type(self)(self.hashes, bytes(used))

    def with_more(self, hashes: Iterable[bytes]) -> Self:
        """The same with more invitations; those that are known stay as they are."""
        together = sorted({*(self.hash_at(place) for place in range(len(self))), *hashes})
        made = type(self)(b"".join(together), bytes(-(-len(together) // 8)))
        known = (self.hash_at(place) for place in range(len(self)) if self.is_used(place))
        return made.with_used(bisect_left(together, one) for one in known)


def link_hashes(plan: Plan, secret: str, grace: int) -> tuple[bytes, ...]:
    """What a link is known by: of a series one hash for each period of which a report on its way may still be taken."""
    if plan.series is None:
        return (invitation_hash(plan.hash, secret),)
    # What is on its way at midnight may be of a period that begins then.
    days = date.fromisoformat(today()), date.fromisoformat(today()) + timedelta(days=1)
    periods = sorted({period for day in days for period in plan.series.open_at(day, grace)})
    return tuple(invitation_hash(plan.hash, secret, plan.series.label(period)) for period in periods)


def add_invited(
    uploads: Sequence[Upload], invitations: Invitations, insert: Insert, judge: Callable[[Upload], Receipt | None]
) -> tuple[list[Receipt], Words, Invitations]:
    """Keep uploads that need an invitation: each of one report, by one that is known; one report is counted by each.

    An invitation is used when a report by it is new and kept, and not by one that fails or is known already. What comes
    by a used one fails where it would fail by any other, so that nobody sees by a report that cannot count whether one
    was used; the rest is acknowledged, and counts nothing.

    Args:
        uploads: that came together, within one transaction.
        invitations: before it.
        insert: keeps uploads of different invitations.
        judge: what becomes of a report that fails, whatever it came by; None of one that does not.

    Returns:
        What became of each, the codes that are new, and the invitations then.
    """
    receipts = [Receipt(0, 0, failures=len(upload), invited=False) for upload in uploads]
    codes, waiting = [np.empty(0, dtype=np.uint64)], dict[int, int]()
    for number, upload in enumerate(uploads):
        place = invitations.place_of(upload.invitation) if upload.invitation and len(upload) == 1 else None
        if place is not None:
            waiting[number] = place
    while waiting:
        for number in [number for number, place in waiting.items() if invitations.is_used(place)]:
            receipts[number] = judge(uploads[number]) or Receipt(0, 1)
            del waiting[number]
        # Of those that come by one invitation the first: the next one counts only if nothing of that is kept.
        first = dict[int, int]()
        for number, place in waiting.items():
            first.setdefault(place, number)
        if first:
            found, fresh = insert([uploads[number] for number in first.values()])
            codes.append(fresh)
            for number, receipt in zip(first.values(), found, strict=True):
                receipts[number] = receipt
                del waiting[number]
            invitations = invitations.with_used(place for place, number in first.items() if receipts[number].accepted)
    return receipts, np.concatenate(codes), invitations
