"""The reports of one plan in a store: each counted once, by an id of 16 random bytes that its sender draws once.

What is sent again has the same id and the same code, and is counted once; another code under a known id is refused, as
long as the code is known. Codes can be scrubbed once they are counted: their ids stay, and what is sent again stays
repeated. Tallies of other collectors add, each once.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.errors import DamagedError, RefusedError
from sordino.exact.source import Words
from sordino.mechanism.aggregate import Aggregate
from sordino.service.storage.database import Database
from sordino.service.storage.day import today
from sordino.service.storage.reports import Receipt, Upload
from sordino.survey.planning.plan import Plan

AT_A_TIME = 1 << 16
"""Reports that are read or scrubbed together, between two commits of uploads."""

SCRUBBED = "scrubbed"
"""The tally of this store's own reports whose codes are gone; others are named by their hash."""

LATE = "a closed plan takes no reports"


@dataclass(frozen=True)
class _CollectionState:
    """What a session of the database found, which holds as long as the session does: nobody else writes meanwhile."""

    session: int
    tally: Aggregate
    closed: bool


class Collection:
    """What was acknowledged of one plan.

    Attributes:
        plan: whose reports they are.
    """

    def __init__(self, plan: Plan, number: int, database: Database) -> None:
        self.plan, self._number, self._database = plan, number, database
        self._known: _CollectionState | None = None

    @property
    def aggregate(self) -> Aggregate:
        """The tally of all that is on disk; at first, and after trouble, one pass over all codes."""
        return self._state.tally

    @property
    def closed(self) -> bool:
        """Whether no more reports are taken."""
        return self._state.closed

    @property
    def _state(self) -> _CollectionState:
        known = self._known_now
        if known is None:
            with self._database.transaction():
                known = self._look()
        return known

    @property
    def _known_now(self) -> _CollectionState | None:
        """What is known; None in another session: between two of them another collector may have written and ended."""
        known = self._known
        return known if known is not None and known.session == self._database.session else None

    def _look(self) -> _CollectionState:
        """What is known, or looked up, within a transaction."""
        known = self._known_now
        if known is None:
            sampled, session = self.plan.sampled, self._database.session
            total = sampled.tally(np.empty(0, dtype=np.uint64))
            for codes in self.codes():
                total += sampled.tally(codes)
            for (counts,) in self._rows("SELECT counts FROM tally WHERE plan = ?"):
                total += self._saved(counts)
            closed = bool(self._rows("SELECT since FROM closed WHERE plan = ?"))
            known = self._known = _CollectionState(session, total, closed)
        return known

    @contextmanager
    def _changed(self) -> Iterator[_CollectionState]:
        """What is so before a change, which is one transaction; what a failed one left is looked up, never guessed."""
        with self._database.transaction():
            state = self._look()
            yield state
            self._known = None

    def add(self, uploads: Sequence[Upload]) -> list[Receipt]:
        """Keep the reports of some uploads, in one commit; what is returned is on disk.

        Raises:
            RefusedError: the plan is closed.
            UnavailableError: the system refuses to write, as a full disk does; these uploads may be sent again.
        """
        together = _joined(uploads)
        sendable = self._sendable(together.codes)
        with self._changed() as before:
            if before.closed:
                raise RefusedError(LATE, found="one that came late", step="keep it to yourself")
            if sendable.all() and self._database.insert(self._number, together):
                receipts, fresh = [Receipt(len(upload), 0, ()) for upload in uploads], together.codes
            else:
                receipts, fresh = self._add_new(uploads, together, sendable)
        self._known = replace(before, tally=before.tally + self.plan.sampled.tally(fresh))
        return receipts

    def _add_new(
        self, uploads: Sequence[Upload], together: Upload, sendable: NDArray[np.bool_]
    ) -> tuple[list[Receipt], Words]:
        """The same where some are known, or no reports of the plan."""
        known, fresh = dict(self._database.known(self._number, together)), Upload(b"", together.codes[:0])
        receipts, first, ids = [], 0, []
        new = np.zeros(len(together), dtype=np.bool_)
        for upload in uploads:
            accepted, repeated, failed = 0, 0, []
            for place, code in enumerate(upload.codes.view(np.int64).tolist()):
                key = upload.id_at(place)
                if not sendable[first + place]:
                    failed.append((place, "a code must be one that the plan can send"))
                elif key not in known:
                    known[key] = code
                    ids.append(key)
                    new[first + place] = True
                    accepted += 1
                elif known[key] in (code, None):
                    repeated += 1
                else:
                    failed.append((place, "an id must be of one report"))
            receipts.append(Receipt(accepted, repeated, tuple(failed)))
            first += len(upload)
        fresh = Upload(b"".join(ids), together.codes[new])
        if ids and not self._database.insert(self._number, fresh):
            step = "see who else writes to it"
            raise DamagedError("the store must take reports whose ids it has not", found="a refusal", step=step)
        return receipts, fresh.codes

    def _sendable(self, codes: Words) -> NDArray[np.bool_]:
        """Which codes a report of the plan can have."""
        sampled = self.plan.sampled
        below = codes <= np.uint64(sampled.outputs - 1)
        return below & ~sampled.impossible(np.where(below, codes, 0).astype(np.uint64))

    def codes(self) -> Iterator[Words]:
        """All codes that are there, in the order of their ids; between two parts others may write."""
        for _, codes in self._parts():
            yield codes

    def _parts(self) -> Iterator[tuple[bytes, Words]]:
        """Some codes at a time, with the last id of each part."""
        last = b""
        while part := self._part(last):
            yield part
            last, _ = part

    def _part(self, after: bytes) -> tuple[bytes, Words] | None:
        """The codes that follow an id, with the last of theirs."""
        words = "SELECT id, code FROM report WHERE plan = ? AND id > ? AND code IS NOT NULL ORDER BY id LIMIT ?"
        found = self._rows(words, after, AT_A_TIME)
        if not found:
            return None
        return bytes(found[-1][0]), np.array([code for _, code in found], dtype=np.int64).view(np.uint64)

    def scrub(self) -> Iterator[int]:
        """Forget codes that are counted, some at a time: how many in each part, which is one commit."""
        last = b""
        while scrubbed := self._scrub_part(last):
            last, codes = scrubbed
            yield len(codes)
        self._database.vacuum()

    def _scrub_part(self, after: bytes) -> tuple[bytes, Words] | None:
        # Read in the same transaction: what came between would be forgotten uncounted.
        with self._database.transaction():
            part = self._part(after)
            if part is not None:
                last, codes = part
                self._save(SCRUBBED, self._scrubbed() + self.plan.sampled.tally(codes))
                self._rows("UPDATE report SET code = NULL WHERE plan = ? AND id > ? AND id <= ?", after, last)
        return part

    @property
    def whole(self) -> bool:
        """Whether all codes are still there."""
        return self._scrubbed().n == 0

    def _scrubbed(self) -> Aggregate:
        rows = self._rows("SELECT counts FROM tally WHERE plan = ? AND source = ?", SCRUBBED)
        return self._saved(rows[0][0]) if rows else self.plan.sampled.tally(np.empty(0, dtype=np.uint64))

    def merge(self, other: Aggregate) -> bool:
        """Add another collector's tally; False if it is one that was added before.

        Raises:
            RefusedError: the plan is closed, or the tally is this collector's own.
        """
        source = hashlib.sha256(_bytes(other)).hexdigest()
        with self._changed() as before:
            if before.closed:
                step = "add it to this one's by `sordino aggregate`"
                raise RefusedError(LATE, found="a tally that came late", step=step)
            fresh = not self._rows("SELECT source FROM tally WHERE plan = ? AND source = ?", source)
            total = before.tally + other if fresh else before.tally
            if fresh and before.tally.n and np.array_equal(before.tally.counts, other.counts):
                step = "add other collectors' tallies only"
                raise RefusedError("a tally must be of other reports", found="this collector's own", step=step)
            if fresh:
                self._save(source, other)
        self._known = replace(before, tally=total)
        return fresh

    def close_to_reports(self) -> None:
        """Take no more reports, for ever."""
        with self._changed() as before:
            if not before.closed:
                self._database.rows("INSERT INTO closed VALUES (?, ?)", self._number, today())
        self._known = replace(before, closed=True)

    def _rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Of a statement whose first value is the plan."""
        return self._database.rows(statement, self._number, *values)

    def _save(self, source: str, tally: Aggregate) -> None:
        words = "INSERT INTO tally VALUES (?, ?, ?) ON CONFLICT (plan, source) DO UPDATE SET counts = EXCLUDED.counts"
        self._rows(words, source, _bytes(tally))

    def _saved(self, content: bytes) -> Aggregate:
        counts = np.frombuffer(content, dtype="<i8").astype(np.int64)
        return Aggregate(self.plan.sampled.fingerprint, self.plan.sampled.reports(counts), counts)


def _joined(uploads: Sequence[Upload]) -> Upload:
    if len(uploads) == 1:
        return uploads[0]
    return Upload(b"".join(upload.ids for upload in uploads), np.concatenate([upload.codes for upload in uploads]))


def _bytes(tally: Aggregate) -> bytes:
    return tally.counts.astype("<i8").tobytes()
