"""What a collector keeps: the plans that were ever served, in public and for ever, and the reports of each.

Cost: a commit for as many uploads as wait; on opening one pass over all codes of the plans that are served.

Codes are scrubbed on certain days, so that none is kept longer than a number of days. When a report came is kept
nowhere, not even its day, so no report can be forgotten at its own age. What holds without that: all codes are scrubbed
together on each day that is a multiple of the number after the day when the plan was first served, which is public. So
every code is gone at that age at the latest, most earlier, and everybody can work out when.

A collector on standby waits while another one has the store, and takes its place when that ends. The store itself says
who has it (SQLite's lock, PostgreSQL's advisory lock), and gives it up with the process or the connection that held it:
two never write. Waiting looks once a second; what has another reason is raised at once.
"""

import json
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from time import sleep
from typing import Self

from sordino.document.files import cannot
from sordino.document.key_chain import MOST_LINKS, KeyLink, is_chain
from sordino.errors import HeldElsewhereError, RefusedError, SordinoError, UnavailableError
from sordino.exact.messages import shown
from sordino.mechanism.channel import Aggregate
from sordino.service.log import log_event
from sordino.service.storage.acts import BACKUP, BEGIN, ActRecord
from sordino.service.storage.closed_periods import ClosedPeriods
from sordino.service.storage.collection import Collection
from sordino.service.storage.database import Database, require_version, today
from sordino.service.storage.postgres import PostgresDatabase
from sordino.service.storage.sqlite import SqliteDatabase
from sordino.service.storage.tokens import CONSOLE, ROLES, TokenHolder, TokenTable, new_secret
from sordino.service.storage.uploaded_reports import MergedPart
from sordino.survey.planning.plan import Plan

POSTGRES = ("postgresql://", "postgres://")
"""Beginnings of a PostgreSQL database's address."""

ADDRESS = re.compile("[A-Za-z][A-Za-z0-9+.-]*://")
"""Beginning of any address, and hardly of a path."""

LOGGED = "acts logged"
"""The name of a setting: how many acts some collector's log has."""

SOURCE_BYTES = 16
"""Length of a store's random id."""


def last_scrub_day(since: str, days: int, now: str) -> str | None:
    """The last day until now on which codes are to be scrubbed; None before the first one.

    Args:
        since: the day when the plan was first served, as 2027-01-31.
        days: between two scrubbings, 1 or more.
        now: today.

    Example:
        >>> last_scrub_day("2027-01-01", 30, "2027-03-05"), last_scrub_day("2027-01-01", 30, "2027-01-30")
        ('2027-03-02', None)
    """
    first = date.fromisoformat(since)
    times = (date.fromisoformat(now) - first).days // days
    return (first + timedelta(days * times)).isoformat() if times > 0 else None


def next_scrub_day(since: str, days: int, now: str) -> str:
    """The first day after today on which codes are scrubbed.

    Example:
        >>> next_scrub_day("2027-01-01", 30, "2027-01-31")
        '2027-03-02'
    """
    last = last_scrub_day(since, days, now) or since
    return (date.fromisoformat(last) + timedelta(days)).isoformat()


@dataclass(frozen=True)
class ServedPlan:
    """A plan in the public list.

    Attributes:
        since: the day when it was served first.
        closed: the day since which no more reports are taken, if so.
    """

    plan: str
    since: str
    closed: str | None


def _is_postgres(place: Path | str) -> bool:
    """Whether a place is a PostgreSQL database's address; else it is a path.

    Raises:
        SordinoError: another address.
    """
    scheme = ADDRESS.match(place) if isinstance(place, str) else None
    if scheme is not None and scheme[0] not in POSTGRES:
        rule = "a store must be a SQLite file, by its path, or a database at postgresql://..."
        # What follows may hold a password.
        raise SordinoError(rule, found=f"an address at {scheme[0]}...", step="name one of these")
    return scheme is not None


class ReportStore:
    """The plans of a store, and the reports of those that are served now.

    Attributes:
        collections: of the plans that are served, by their hashes.
        tokens: who may ask for more than everybody.
        acts_logged: how many acts a collector's log has.
        last_hash: of the last of these, from which all before it follow.

    Use it from one thread.
    """

    def __init__(self, database: Database, plans: Sequence[Plan], *, add: bool = False) -> None:
        self._database = database
        self.tokens, self.acts = TokenTable(database), ActRecord(database)
        with database.transaction():
            numbers = self._serve(plans, add=add)
            source = self._own_source()
        self.collections: Mapping[str, Collection] = {
            plan.hash: Collection(plan, numbers[plan.hash], database, source) for plan in plans
        }
        for collection in self.collections.values():
            _ = collection.aggregate
        self.acts_logged, self._has_log = int(self._setting(LOGGED) or 0), False
        logged = database.rows("SELECT hash FROM act WHERE number = ?", self.acts_logged)
        self.last_hash = logged[0][0] if logged else BEGIN

    @classmethod
    def open(cls, place: Path | str, *plans: Plan, add: bool = False) -> Self:
        """The store at a place, a new one if there is none.

        Args:
            place: the path of a SQLite file, or the address of a PostgreSQL database (postgresql://...).
            plans: that are served from now on.
            add: whether plans may be new in a store that has others: the list of all plans ever served is public, and
                nothing is taken from it.

        Raises:
            SordinoError: a file of another kind, of another version, or of other plans.
            UnavailableError: the system refuses, or another collector has the store open.
        """
        is_postgres = _is_postgres(place)
        database: Database = PostgresDatabase.open(str(place)) if is_postgres else SqliteDatabase.open(Path(place))
        try:
            return cls(database, plans, add=add)
        except BaseException:
            database.close()
            raise

    @classmethod
    def open_beside(cls, place: Path | str) -> Self:
        """A store that exists, for its tokens and its record: of a database also while a collector serves it.

        Raises:
            SordinoError: none there, or one of another version.
            UnavailableError: the system refuses, or a collector has the file open.
        """
        if _is_postgres(place):
            return cls(PostgresDatabase.open_beside(str(place)), ())
        try:
            is_there = Path(place).exists()
        except OSError as error:
            raise cannot("read", Path(place), error) from None
        if not is_there:
            step = "name the --store that is served"
            raise SordinoError("a store must be there", found=shown(str(place)), step=step)
        return cls.open(place)

    def _serve(self, plans: Sequence[Plan], *, add: bool) -> dict[str, int]:
        """Note that plans are served, within a transaction; the number of each plan."""
        listed = self._database.rows("SELECT hash, number FROM plan ORDER BY number")
        numbers: dict[str, int] = dict(listed)
        for plan in plans:
            if plan.hash in numbers:
                continue
            if listed and not add:
                step = "collect its reports in a store of their own, or serve it beside the others with --add"
                raise SordinoError(f"{self.name} must hold reports of the plan", found="those of another", step=step)
            numbers[plan.hash] = len(numbers) + 1
            self._database.rows(
                "INSERT INTO plan VALUES (?, ?, ?, ?)", numbers[plan.hash], plan.hash, plan.bytes, today()
            )
        return numbers

    def _own_source(self) -> str:
        """The id that tells this store's reports from others' in tallies: random, made once, within a transaction."""
        known = self._setting("source")
        if known is None:
            known = secrets.token_hex(SOURCE_BYTES)
            self._database.rows("INSERT INTO setting VALUES ('source', ?)", known)
        return known

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return self._database.name

    @property
    def served_plans(self) -> list[ServedPlan]:
        """All plans that were ever served from the store, in that order; nothing is ever taken away."""
        found = self._database.rows(
            "SELECT hash, plan.since, closed.since FROM plan LEFT JOIN closed ON plan = number ORDER BY number"
        )
        return [ServedPlan(*row) for row in found]

    def bytes_of(self, plan_hash: str) -> bytes | None:
        """The bytes of a plan that was ever served."""
        found = self._database.rows("SELECT body FROM plan WHERE hash = ?", plan_hash)
        return bytes(found[0][0]) if found else None

    def new_token(self, make: Callable[[], str] = new_secret) -> str | None:
        """A first token that may do everything, of which only a hash is kept. None if there are any already.

        Args:
            make: makes it, and has it where it is known: a collector that ends before its store has the token leaves
                one that is worth nothing, never one that nobody knows.
        """
        return None if self.tokens.holders() else self.add_token("first", ROLES[-1], make=make)

    def add_token(
        self, name: str, role: str, expires: str | None = None, *, make: Callable[[], str] = new_secret
    ) -> str:
        """Make a token, and note it: its secret, which is kept nowhere. See `TokenTable.add`."""
        with self._database.transaction():
            token = self.tokens.add(name, role, expires, make)
            self.acts.note(CONSOLE, "token added", token=name, role=role, expires=expires)
        self.log_acts()
        return token

    def revoke_token(self, name: str) -> None:
        """Have a token allow nothing from now on, and note it. See `TokenTable.revoke`."""
        with self._database.transaction():
            self.tokens.revoke(name)
            self.acts.note(CONSOLE, "token revoked", token=name)
        self.log_acts()

    def begin(self, by: str, deed: str, **about: object) -> int:
        """Note in the record what somebody is about to do, in more than one commit: the number for `end`."""
        with self._database.transaction():
            begun = self.acts.begin(by, deed, **about)
        self.log_acts()
        return begun

    def end(self, begun: int, by: str, deed: str, *, done: bool) -> None:
        """Note in the record how that ended."""
        with self._database.transaction():
            self.acts.end(begun, by, deed, done=done)
        self.log_acts()

    def close_plan(self, plan: str, by: str) -> None:
        """Take no more reports of a plan that is served, for ever, and note it."""
        self.collections[plan].close_to_reports(lambda: self.acts.note(by, "closed", plan=plan))
        self.log_acts()

    def merge(self, plan: str, other: Aggregate, by: str) -> list[MergedPart]:
        """Count what other collectors' tallies of a plan hold, and note it. See `Collection.merge`."""
        parts = self.collections[plan].merge(other, lambda: self.acts.note(by, "tallies added", plan=plan))
        self.log_acts()
        return parts

    def close_period(self, plan: str | None, period: str, by: str) -> str:
        """Close a period of a plan, and note it: the plan's hash. See `ClosedPeriods.close`.

        Args:
            plan: the hash of one that was ever served; None of a store that has one.
            period: its first day.
            by: as of `ActRecord.note`.
        """
        listed = self._database.rows("SELECT hash, number FROM plan ORDER BY number")
        chosen = [(key, number) for key, number in listed if plan in (None, key)]
        if len(chosen) != 1:
            step = f"name one of: {', '.join(key for key, _ in listed)}"
            found = shown(plan) if plan else f"none named, and {len(listed)} in the store"
            raise SordinoError("the plan must be one of the store's", found=found, step=step)
        key, number = chosen[0]
        served = self.collections.get(key)
        asked = Plan.of_text((self.bytes_of(key) or b"").decode(), key) if served is None else served.plan
        closed = ClosedPeriods(asked, number, self._database)
        closed.close(period, lambda: self.acts.note(by, "period closed", plan=key, period=period))
        self.log_acts()
        return str(key)

    def begin_log(self) -> None:
        """Write into the log what was noted while no collector had one; from now on this process has it."""
        self._has_log = True
        self.log_acts()
        self._note_logged()

    def log_acts(self) -> None:
        """Write into the log what was noted since: here, or from the console by another connection to the database."""
        acts = self.acts.after(self.acts_logged)
        for number, act in acts:
            self.acts_logged, self.last_hash = number, act.hash
            log_event("an act was noted", act=json.loads(act.line), hash=act.hash)
        if acts and self._has_log:
            self._note_logged()

    def _note_logged(self) -> None:
        with suppress(UnavailableError), self._database.transaction():
            self._put(LOGGED, str(self.acts_logged))

    def holder_of(self, token: str) -> TokenHolder | None:
        """Who holds a token, once the log has who gave it. See `TokenTable.holder_of`."""
        self.log_acts()
        return self.tokens.holder_of(token)

    def require_signer(self, key: str) -> None:
        """Take the first public key as the store's.

        Raises:
            RefusedError: another key signs the store's plans.
        """
        known = self._setting("signer")
        if known is None:
            with self._database.transaction():
                self._put("signer", key)
        elif known != key:
            step = "give the newest key's file: devices know its public key, or the chain that leads to it"
            raise RefusedError(f"the plans of {self.name} must be signed by one key", found=shown(key), step=step)

    @property
    def key_chain(self) -> tuple[KeyLink, ...]:
        """How the key that signs plans has changed."""
        return tuple(KeyLink(**link) for link in json.loads(self._setting("key chain") or "[]"))

    def rotate_key(self, link: KeyLink) -> None:
        """Have another key sign the store's plans, and note it.

        Raises:
            RefusedError: a link that does not follow: not of the newest key, to one that was there, or not signed.
        """
        with self._database.transaction():
            # Of two at once the second one finds what the first one left.
            self._database.lock_record()
            chain = (*self.key_chain, link)
            if self._setting("signer") != link.old or not is_chain(chain) or len(chain) > MOST_LINKS:
                step = "give the files of the newest key, and of one that this store never had"
                raise RefusedError("a key must be named by the newest one", found="a different key", step=step)
            self._put("signer", link.new)
            self._put("key chain", json.dumps([one.document for one in chain]))
            self.acts.note(CONSOLE, "key rotated", key=link.new)
        self.log_acts()

    def scrub_is_due(self, plan: str, days: int) -> bool:
        """Whether the codes of a plan are to be scrubbed, since a day of scrubbing has come. See `retention`."""
        day = last_scrub_day(self._since(plan), days, today())
        return day is not None and (self._setting(f"scrubbed {plan}") or "") < day

    def note_scrubbed(self, plan: str) -> None:
        """Know that a plan's codes were scrubbed today."""
        with self._database.transaction():
            self._put(f"scrubbed {plan}", today())

    def next_scrub_day(self, plan: str, days: int) -> str:
        """The next day on which the codes of a plan are scrubbed."""
        return next_scrub_day(self._since(plan), days, today())

    def _since(self, plan: str) -> str:
        return next(one.since for one in self.served_plans if one.plan == plan)

    def probe(self) -> int | None:
        """See that the store answers, in this version: the bytes that its disk has free, None if that is not known.

        Raises:
            SordinoError: another version.
            UnavailableError: the system refuses.
        """
        require_version(self.name, self._database.version)
        self.log_acts()
        return self._database.free_bytes

    def commit_probe(self) -> None:
        """See that the store can be written, by a row of no meaning.

        Raises:
            UnavailableError: the system refuses.
        """
        with self._database.transaction():
            self._database.touch()

    @property
    def socket_path(self) -> Path | None:
        """Where the collector that has the store open is reached by whoever may open it; see `Database`."""
        return self._database.socket_path

    def back_up(self, path: Path) -> None:
        """Copy all that was committed into a new file of its owner's, and note it. See `Database.back_up`."""
        begun = self.begin(CONSOLE, BACKUP)
        try:
            self._database.back_up(path)
        except BaseException:
            with suppress(SordinoError):
                self.end(begun, CONSOLE, BACKUP, done=False)
            raise
        self.end(begun, CONSOLE, BACKUP, done=True)

    def close(self) -> None:
        """Give the database back."""
        self._database.close()

    def _setting(self, name: str) -> str | None:
        rows = self._database.rows("SELECT value FROM setting WHERE name = ?", name)
        return str(rows[0][0]) if rows else None

    def _put(self, name: str, value: str) -> None:
        words = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value"
        self._database.rows(words, name, value)


PAUSE_SECONDS = 1.0
"""Seconds between two looks for the store."""


def open_store(open_it: Callable[[], ReportStore], *, standby: bool) -> ReportStore:
    """Open a store, on standby as soon as no other collector has it.

    Args:
        open_it: opens it, or raises `HeldElsewhereError`.
        standby: whether to wait.
    """
    waits = False
    while True:
        try:
            store = open_it()
        except HeldElsewhereError:
            if not standby:
                raise
            if not waits:
                log_event("the collector stands by: another one has the store")
            waits = True
            sleep(PAUSE_SECONDS)
        else:
            if waits:
                log_event("the collector takes the other's place")
            return store
