"""The reports of one plan in a store: each counted once, by an id of 16 random bytes that its sender draws once.

What is sent again has the same id and the same code, and is counted once; another code under a known id is refused, as
long as the code is known. Codes can be scrubbed once they are counted: their ids stay, and what is sent again stays
repeated. Of other collectors' tallies each collector's reports count once, as its latest tally has them.

A report that is known is acknowledged whenever it comes: its device may not have heard of it the first time. A new one
of a plan with a series must be of a period that is open (`Series.open_at`): the one that runs, by the collector's own
days, or the one before within its grace; and of none that was closed by hand.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.errors import DamagedError, RefusedError
from sordino.exact.messages import shown
from sordino.exact.source import Words
from sordino.mechanism.channel import Aggregate
from sordino.service.storage.closed_periods import ClosedPeriods
from sordino.service.storage.database import SCRUBBED, Database, today
from sordino.service.storage.invitations import Invitations, add_invited
from sordino.service.storage.uploaded_reports import (
    ID_BYTES,
    MOST_NAMED,
    Erasure,
    MergedPart,
    Receipt,
    Upload,
    join_uploads,
    take_away,
)
from sordino.survey.planning.plan import Plan
from sordino.survey.results.sourced_aggregate import (
    LARGEST_COUNT,
    counts_bytes,
    counts_hash,
    erased_of,
    is_later,
    of_counts_bytes,
    require_countable,
    sources_of,
    unsourced_of,
    with_sources,
)

AT_A_TIME = 1 << 16
"""Reports that are read or scrubbed together, between two commits of uploads."""

MOST_MERGED = LARGEST_COUNT // 2
"""What counts add up to with others' tallies at most, so that there is always room for reports in the file of all."""

GRACE = 3
"""Days that a device which was off at the end of its period has to send what it has drawn, if nothing else is said."""

CODE_OF = "SELECT code FROM report WHERE plan = ? AND id = ?"

FORGET_KNOWN = "UPDATE report SET code = NULL WHERE plan = ? AND id = ?"

FORGET = "INSERT INTO report (plan, id, code) VALUES (?, ?, NULL) ON CONFLICT (plan, id) DO UPDATE SET code = NULL"

ERASED = "erased"
"""Before a plan's number, the name of a setting: how many of its reports were taken back."""

NOTE_ERASED = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value"

LATE = "a closed plan takes no reports"

OPEN = "a collection is by invitation from its first report on"

OWN = "this collector's own reports: nothing was added"

LOST = "more of this collector's own reports than its store has, as if it was restored from a copy: nothing was added"

NOBODY = np.empty(0, dtype=np.uint64)

MOST_SOURCES = 256
"""Other sources whose tallies a collector keeps: each is handed on by itself."""

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
    def of(cls, plan: Plan, numbers: Words, day: date, grace: int, closed: Iterable[int] = ()) -> "Acceptable":
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


class TallyTable:
    """One tally for each source. Its methods run within a transaction, but for those that only read."""

    def __init__(self, plan: Plan, number: int, database: Database) -> None:
        self._plan, self._number, self._database = plan, number, database

    def find(self, source: str) -> Aggregate:
        """The tally of a source; of no reports if there is none."""
        return self._find(source)[0]

    def _find(self, source: str) -> tuple[Aggregate, int]:
        words = "SELECT counts, erased FROM tally WHERE plan = ? AND source = ?"
        rows = self._database.rows(words, self._number, source)
        if not rows:
            return self._plan.tally(NOBODY), 0
        return of_counts_bytes(self._plan.sampled, rows[0][0]), rows[0][1]

    def others(self) -> Aggregate:
        """The tallies of others, by their sources."""
        words = "SELECT source, counts, erased FROM tally WHERE plan = ? AND source != ? ORDER BY source"
        rows = self._database.rows(words, self._number, SCRUBBED)
        sources = {source: of_counts_bytes(self._plan.sampled, counts) for source, counts, _ in rows}
        return with_sources(self._plan.tally(NOBODY), sources, {source: erased for source, _, erased in rows})

    def save(self, source: str, tally: Aggregate, erased: int = 0) -> None:
        """Keep a tally in the place of an earlier one of its source."""
        words = (
            "INSERT INTO tally (plan, source, counts, erased) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (plan, source) DO UPDATE SET counts = EXCLUDED.counts, erased = EXCLUDED.erased"
        )
        self._database.rows(words, self._number, source, counts_bytes(tally), erased)

    def merge(self, source: str, found: Aggregate, erased: int) -> tuple[int, str]:
        """Keep a source's tally in the place of an earlier one: how many reports are new, and words for it.

        Args:
            source: whose reports they are.
            found: the tally.
            erased: how many reports the source was made to forget until then.

        Raises:
            RefusedError: neither tally can have become the other.
        """
        known, before = self._find(source)
        later = is_later(self._plan.sampled, source, known, found, (before, erased))
        if later:
            self.save(source, found, erased)
        if not known.n and not before:
            return found.n, "reports that were not known" if later else "no reports"
        if later:
            words = f"a later tally than the {known.n:,} reports that were known, whose place it takes"
            return found.n - known.n, words if erased == before else f"{words}; some of these were taken back"
        if (found.n, erased) != (known.n, before):
            return 0, f"an earlier tally than the {known.n:,} reports that are known: nothing was added"
        return 0, "the tally that is known: nothing was added"

    def require_few_sources(self) -> None:
        """Refuse more sources than are kept.

        Raises:
            RefusedError: there are more.
        """
        words = "SELECT count(*) FROM tally WHERE plan = ? AND source != ?"
        ((sources,),) = self._database.rows(words, self._number, SCRUBBED)
        if sources > MOST_SOURCES:
            rule = f"a collector takes tallies of at most {MOST_SOURCES} other sources"
            step = "add the tallies up by `sordino aggregate`, and estimate from the file"
            raise RefusedError(rule, found=shown(sources), step=step)


@dataclass(frozen=True)
class _CollectionState:
    """What a session of the database found, which holds as long as the session does: nobody else writes meanwhile."""

    session: int
    own: Aggregate
    erased: int
    merged: Aggregate
    closed: bool
    invitations: Invitations

    @cached_property
    def tally(self) -> Aggregate:
        return self.own + self.merged


class Collection:
    """What was acknowledged of one plan.

    Attributes:
        source: the id of the store, which tells its reports from others' in tallies.
        grace: days after the end of a period of a series, in which its reports are still taken.
        closed_periods: of a series, those that were closed by hand.
    """

    def __init__(self, plan: Plan, number: int, database: Database, source: str) -> None:
        self.plan, self.source, self._number, self._database = plan, source, number, database
        self.grace, self._tallies = GRACE, TallyTable(plan, number, database)
        self.closed_periods = ClosedPeriods(plan, number, database)
        self._known: _CollectionState | None = None
        self._last: tuple[int, bool] = 0, False

    @property
    def aggregate(self) -> Aggregate:
        """The tally of all that is on disk; at first, and after trouble, one pass over all codes."""
        return self._state.tally

    @property
    def sourced_aggregate(self) -> Aggregate:
        """The same with the sources that it is made of, this collector's own reports among them."""
        with self._database.transaction():
            known, others = self._look(), self._tallies.others()
            own = {self.source: known.own} if known.own.n or known.erased else {}
            return with_sources(self._none, own, {self.source: known.erased} if own else {}) + others

    @property
    def is_closed(self) -> bool:
        """Whether no more reports are taken."""
        return self._state.closed

    @property
    def open_periods(self) -> list[str]:
        """The periods of which reports are taken today, by their first days; of a plan with a series."""
        series, day = self.plan.series, date.fromisoformat(today())
        if series is None:
            return []
        closed = self.closed_periods.places
        return [series.label(period) for period in series.open_at(day, self.grace) if period not in closed]

    @property
    def last_known(self) -> tuple[int, bool]:
        """How many reports there were, and whether it was closed, when somebody last looked; for any thread."""
        return self._last

    @property
    def invitations(self) -> int:
        """How many there are; with any of them reports come by invitation only."""
        return len(self._state.invitations)

    @property
    def used_invitations(self) -> int:
        """By how many of them a report came, or was taken back on its way."""
        return self._state.invitations.used_count

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
        known = self._known_now
        if known is None:
            session, own = self._database.session, self._tallies.find(SCRUBBED)
            for codes in self.codes():
                own += self.plan.tally(codes)
            closed = bool(self._rows("SELECT since FROM closed WHERE plan = ?"))
            invitations, others = self._known_invitations(), self._tallies.others()
            state = _CollectionState(session, own, self._count_erased(), _total_of(others), closed, invitations)
            known = self._note_state(state)
        return known

    def _note_state(self, state: _CollectionState) -> _CollectionState:
        """Know it from now on; the last pair stays there while the next change is written."""
        self._known, self._last = state, (state.tally.n, state.closed)
        return state

    @contextmanager
    def _transaction(self) -> Iterator[_CollectionState]:
        """What is so before a change, which is one transaction; what a failed one left is looked up, never guessed."""
        with self._database.transaction():
            state = self._look()
            yield state
            self._known = None

    def add(self, uploads: Sequence[Upload]) -> list[Receipt]:
        """Keep the reports of some uploads, in one commit; what is returned is on disk.

        In a collection by invitation each report comes by itself, with an invitation that is known, whose use is noted
        in the same commit; by one that was used nothing more is counted. Elsewhere reports come without.

        Raises:
            RefusedError: the plan is closed.
            UnavailableError: the system refuses to write, as a full disk does; these uploads may be sent again.
        """
        with self._transaction() as before:
            if before.closed:
                raise RefusedError(LATE, found="one that came late", step="keep it to yourself")
            invitations = before.invitations
            if invitations or any(upload.invitation for upload in uploads):
                receipts, fresh, invitations = add_invited(uploads, invitations, self._insert, self._judge)
                if invitations.used != before.invitations.used:
                    self._save_used(invitations)
            else:
                receipts, fresh = self._insert(uploads)
        # Where nothing is new the tally stays the same object, by which answers about it are known.
        own = before.own + self.plan.tally(fresh)
        self._note_state(replace(before, own=own, invitations=invitations) if len(fresh) else before)
        return receipts

    def erase(self, erasures: Sequence[Erasure]) -> None:
        """Forget reports, which are no longer counted, in one commit.

        Their ids stay, so that what is sent again is not counted; so does one that is not known, whose report may be
        on its way. In a collection by invitation that one is not kept, for ids would come from people without any:
        its link is used from now on, so that nothing more is counted by it. A code that was scrubbed is part of a sum,
        and cannot be taken out of it. Nothing says which of these it was: known or not, a row is written and the disk
        waited for.

        Raises:
            UnavailableError: the system refuses to write.
        """
        codes = list[int]()
        with self._transaction() as before:
            invitations = before.invitations
            for erasure in dict.fromkeys(erasures):
                known = [code for (code,) in self._rows(CODE_OF, erasure.id)]
                codes += [code for code in known if code is not None]
                self._rows(FORGET_KNOWN if before.invitations else FORGET, erasure.id)
                if not known:
                    places = map(invitations.place_of, erasure.invitations)
                    invitations = invitations.with_used(place for place in places if place is not None)
            if invitations.used != before.invitations.used:
                self._save_used(invitations)
            # Ids that nobody sent tell of no report that is missing: who makes some up must not hide lost ones.
            erased = before.erased + len(codes)
            self._database.rows(NOTE_ERASED, f"{ERASED} {self._number}", str(erased))
            self._database.touch()
        gone = self.plan.tally(np.array(codes, dtype=np.int64).view(np.uint64))
        own = take_away(before.own, gone)
        self._note_state(replace(before, own=own, erased=erased, invitations=invitations))

    def _count_erased(self) -> int:
        rows = self._database.rows("SELECT value FROM setting WHERE name = ?", f"{ERASED} {self._number}")
        return int(rows[0][0]) if rows else 0

    def _insert(self, uploads: Sequence[Upload]) -> tuple[list[Receipt], Words]:
        together = join_uploads(uploads)
        acceptable = self._acceptable(together)
        if acceptable.all and self._database.insert(self._number, together):
            return [Receipt(len(upload), 0) for upload in uploads], together.codes
        return self._add_new(uploads, together, acceptable)

    def _acceptable(self, upload: Upload) -> Acceptable:
        day = date.fromisoformat(today())
        return Acceptable.of(self.plan, upload.codes, day, self.grace, self.closed_periods.places)

    def _judge(self, upload: Upload) -> Receipt | None:
        """What becomes of an upload of one report that fails, with nothing written; None if it does not."""
        acceptable = self._acceptable(upload)
        if acceptable.all and upload.id_at(0) not in dict(self._database.known_ids(self._number, upload)):
            return None
        (receipt,), _ = self._add_new([upload], upload, acceptable)
        return receipt if receipt.failures else None

    def _add_new(
        self, uploads: Sequence[Upload], together: Upload, acceptable: Acceptable
    ) -> tuple[list[Receipt], Words]:
        sendable = acceptable.sendable
        rows = np.frombuffer(together.ids, dtype=np.uint8).reshape(-1, ID_BYTES)
        known = dict(self._database.known_ids(self._number, Upload(rows[sendable].tobytes(), together.codes[sendable])))
        receipts, ids, new = judge_reports(uploads, acceptable, known)
        fresh = Upload(b"".join(ids), together.codes[new])
        if ids and not self._database.insert(self._number, fresh):
            step = "see who else writes to it"
            raise DamagedError("the store must take reports whose ids it has not", found="a refusal", step=step)
        return receipts, fresh.codes

    def codes(self) -> Iterator[Words]:
        """All codes that are there, in the order of their ids; between two parts others may write."""
        for _, codes in self._parts():
            yield codes

    def _parts(self) -> Iterator[tuple[bytes, Words]]:
        last = b""
        while part := self._part(last):
            yield part
            last, _ = part

    def _part(self, after: bytes) -> tuple[bytes, Words] | None:
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
                self._tallies.save(SCRUBBED, self._tallies.find(SCRUBBED) + self.plan.tally(codes))
                self._rows("UPDATE report SET code = NULL WHERE plan = ? AND id > ? AND id <= ?", after, last)
        return part

    @property
    def whole(self) -> bool:
        """Whether all codes are still there."""
        return self._tallies.find(SCRUBBED).n == 0

    def merge(self, other: Aggregate, note: Callable[[], object] = lambda: None) -> list[MergedPart]:
        """Count what other collectors' tallies hold and is not counted yet, noted in the same commit, or nothing of it.

        Of each source the later tally counts. Reports of no known source are one source, recognized by its counts.

        Raises:
            RefusedError: the plan is closed; nothing but this collector's own reports; a tally that neither holds the
                one that is counted nor is held by it; or more than can be counted.
        """
        with self._transaction() as before:
            note()
            if before.closed:
                step = "add it to this one's by `sordino aggregate`"
                raise RefusedError(LATE, found="a tally that came late", step=step)
            given, rest = dict(sources_of(other)), unsourced_of(other)
            given |= {counts_hash(rest): rest} if rest.n else {}
            if given and given.keys() <= {self.source}:
                own, step = "this collector's own", "merge other collectors' tallies"
                raise RefusedError("a tally must be of other reports", found=own, step=step)
            require_countable(before.tally, *given.values(), most=MOST_MERGED)
            parts, erased = [], erased_of(other)
            for source, found in given.items():
                if source == self.source:
                    new, words = 0, LOST if _has_more(found, erased.get(source, 0), before) else OWN
                else:
                    new, words = self._tallies.merge(source, found, erased.get(source, 0))
                parts.append(MergedPart(source, found.n, new, words))
            self._tallies.require_few_sources()
            merged = _total_of(self._tallies.others())
            self.closed_periods.require_unchanged(before.merged, merged)
        self._note_state(replace(before, merged=merged))
        return parts

    @property
    def _none(self) -> Aggregate:
        return self.plan.tally(np.empty(0, dtype=np.uint64))

    def invite(self, hashes: Iterable[bytes]) -> int:
        """Take reports by these invitations, beside those that are known, and by no others; how many are new.

        Raises:
            RefusedError: reports came without.
        """
        with self._transaction() as before:
            if not before.invitations and before.own.n:
                step = "collect in a store of its own, or go on without invitations"
                raise RefusedError(OPEN, found=f"{before.own.n:,} reports that came without", step=step)
            known = before.invitations.with_more(hashes)
            words = "INSERT INTO invitation VALUES (?, ?) ON CONFLICT (plan) DO UPDATE SET hashes = EXCLUDED.hashes"
            self._rows(words, known.hashes)
            self._save_used(known)
        self._note_state(replace(before, invitations=known))
        return len(known) - len(before.invitations)

    def _save_used(self, invitations: Invitations) -> None:
        words = "INSERT INTO used_invitation VALUES (?, ?) ON CONFLICT (plan) DO UPDATE SET bits = EXCLUDED.bits"
        self._rows(words, invitations.used)

    def _known_invitations(self) -> Invitations:
        rows = self._rows("SELECT hashes, bits FROM invitation JOIN used_invitation USING (plan) WHERE plan = ?")
        return Invitations(*map(bytes, rows[0])) if rows else Invitations()

    def close_to_reports(self, note: Callable[[], object] = lambda: None) -> None:
        """Take no more reports, for ever, in one commit with the note of it."""
        with self._transaction() as before:
            note()
            if not before.closed:
                self._database.rows("INSERT INTO closed VALUES (?, ?)", self._number, today())
        self._note_state(replace(before, closed=True))

    def _rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        return self._database.rows(statement, self._number, *values)


def _has_more(found: Aggregate, erased: int, known: _CollectionState) -> bool:
    return erased > known.erased or (erased == known.erased and bool((found.counts > known.own.counts).any()))


def _total_of(tally: Aggregate) -> Aggregate:
    return Aggregate(tally.fingerprint, tally.n, tally.counts, tally.cells)
