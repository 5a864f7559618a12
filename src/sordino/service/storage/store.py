"""What a collector keeps: the plans that were ever served, in public and for ever, and the reports of each.

Cost: a commit for as many uploads as wait; on opening one pass over all codes of the plans that are served.
"""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from sordino.errors import RefusedError, SordinoError
from sordino.exact.messages.brief import shown
from sordino.service.storage.collection import Collection
from sordino.service.storage.database import Database
from sordino.service.storage.day import today
from sordino.service.storage.postgres import PostgresDatabase
from sordino.service.storage.sqlite import SqliteDatabase
from sordino.survey.planning.plan import Plan

POSTGRES = ("postgresql://", "postgres://")
"""How the address of a PostgreSQL database begins."""


SOURCE_BYTES = 16
"""Of a store's random id."""


@dataclass(frozen=True)
class ServedPlan:
    """A plan in the public list.

    Attributes:
        plan: its hash.
        since: the day when it was served first.
        closed: the day since which no more reports are taken, if so.
    """

    plan: str
    since: str
    closed: str | None


class ReportStore:
    """The plans of a store, and the reports of those that are served now.

    Attributes:
        collections: of the plans that are served, by their hashes.

    Use it from one thread.
    """

    def __init__(self, database: Database, plans: Sequence[Plan], *, add: bool = False) -> None:
        self._database = database
        with database.transaction():
            numbers = self._serve(plans, add=add)
            source = self._own_source()
        self.collections: Mapping[str, Collection] = {
            plan.hash: Collection(plan, numbers[plan.hash], database, source) for plan in plans
        }
        for collection in self.collections.values():
            _ = collection.aggregate

    @classmethod
    def open(cls, place: Path | str, *plans: Plan, add: bool = False) -> Self:
        """The store at a place, a new one if there is none.

        Args:
            place: the path of a SQLite file, or the address of a PostgreSQL database (postgresql://...).
            plans: that are served from now on.
            add: whether plans may be new in a store that has others: the list of all plans ever served is public, and
                nothing is taken from it.

        Raises:
            SordinoError: a file of another kind, of a newer version, or of other plans.
            UnavailableError: the system refuses, or another collector has the store open.
        """
        database: Database
        if isinstance(place, str) and place.startswith(POSTGRES):
            database = PostgresDatabase.open(place)
        else:
            database = SqliteDatabase.open(Path(place))
        try:
            return cls(database, plans, add=add)
        except BaseException:
            database.close()
            raise

    def _serve(self, plans: Sequence[Plan], *, add: bool) -> dict[str, int]:
        """Note that plans are served, within a transaction; the number of each plan."""
        listed = self._database.rows("SELECT hash, number, length(body) FROM plan ORDER BY number")
        numbers: dict[str, int] = {key: number for key, number, _ in listed}
        for plan in plans:
            if plan.hash in numbers:
                self._database.rows(
                    "UPDATE plan SET body = ? WHERE hash = ? AND length(body) = 0", plan.bytes, plan.hash
                )
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
        # Version 1 kept no bytes: they are there once the plan is served again.
        return bytes(found[0][0]) or None if found else None

    def new_token(self) -> str | None:
        """The analyst's token, told once: only its hash is kept. None if there is one already."""
        if self._setting("token") is not None:
            return None
        token = secrets.token_urlsafe(32)
        self._set("token", _token_hash(token))
        return token

    def is_token(self, token: str) -> bool:
        """Whether it is the analyst's."""
        return secrets.compare_digest(_token_hash(token), self._setting("token") or "")

    def require_signer(self, key: str) -> None:
        """Take the first public key as the store's.

        Raises:
            RefusedError: another key signs the store's plans.
        """
        known = self._setting("signer")
        if known is None:
            self._set("signer", key)
        elif known != key:
            step = "give the first key's file: devices know its public key"
            raise RefusedError(f"the plans of {self.name} must be signed by one key", found=shown(key), step=step)

    def close(self) -> None:
        """Give the database back."""
        self._database.close()

    def _setting(self, name: str) -> str | None:
        rows = self._database.rows("SELECT value FROM setting WHERE name = ?", name)
        return str(rows[0][0]) if rows else None

    def _set(self, name: str, value: str) -> None:
        with self._database.transaction():
            self._database.rows("INSERT INTO setting VALUES (?, ?)", name, value)


def _token_hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
