"""Who may ask a collector for more than everybody: tokens, each with a name, a role and perhaps a last day.

Of a token, 32 random bytes, the store keeps a hash. A name is given once and for ever, so that the record of what was
done (`acts`) names one holder. Whether a token is unknown, expired or revoked is not said, and each one that comes is
compared with all hashes, in the same steps.

A first token is in its file on the disk before its store has it, and is taken again by a store that has none. So a
collector that is killed while its store is made leaves no token that nobody knows, and starts again by itself.
"""

import hashlib
import os
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from sordino.document.files import cannot, read_text, replace_whole, require_new, sync_folder
from sordino.document.private_file import new_private_file, require_private
from sordino.errors import RefusedError, SordinoError
from sordino.exact.messages import shown
from sordino.service.storage.database import Database, today

ROLES = "reader", "analyst", "operator"
"""What a token allows, each beside what the one before it does: to look at estimates; to take tallies and reports away
and to add other collectors' tallies; to scrub and to close."""

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")

MOST_TOKENS = 1000
"""Largest number in a store, with those that were revoked."""

TOKEN_BYTES = 32

SECRET = re.compile(r"[A-Za-z0-9_-]{43}")
"""What so many bytes look like."""

CONSOLE = "console"
"""Who acts without a token, with access to the store itself; no token has that name."""


def new_secret() -> str:
    """The random part of a token, which is all of it."""
    return secrets.token_urlsafe(TOKEN_BYTES)


@dataclass(frozen=True)
class TokenHolder:
    """A token without its secret.

    Attributes:
        role: one of `ROLES`.
        since: the day when it was made.
        expires: its last day, if there is one.
        revoked: the day when it was revoked, if it was.
    """

    name: str
    role: str
    since: str
    expires: str | None = None
    revoked: str | None = None

    def may(self, role: str) -> bool:
        """Whether it allows what a role does.

        Example:
            >>> TokenHolder("ada", "analyst", "2026-11-26").may("reader")
            True
        """
        return ROLES.index(self.role) >= ROLES.index(role)

    def is_valid(self, day: str) -> bool:
        """Whether it is neither revoked nor expired on a day."""
        return self.revoked is None and (self.expires is None or day <= self.expires)


class TokenTable:
    """The tokens of a store. Its methods run within a transaction, but for those that only read."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def holders(self) -> list[TokenHolder]:
        """All that were ever made, by their names."""
        rows = self._database.rows("SELECT name, role, since, expires, revoked FROM token ORDER BY name")
        return [TokenHolder(*row) for row in rows]

    def holder_of(self, token: str) -> TokenHolder | None:
        """Who holds a token that is valid today; None of any other."""
        sent, day, found = token_hash(token), today(), None
        rows = self._database.rows("SELECT hash, name, role, since, expires, revoked FROM token ORDER BY name")
        for kept, *row in rows:
            if secrets.compare_digest(str(kept), sent):
                found = TokenHolder(*row)
        return found if found is not None and found.is_valid(day) else None

    def add(self, name: str, role: str, expires: str | None = None, make: Callable[[], str] = new_secret) -> str:
        """Make a token: its secret, which is kept nowhere.

        Args:
            name: whose it is, new in this store.
            role: one of `ROLES`.
            expires: its last day, if there is one.
            make: makes the secret.

        Raises:
            SordinoError: no such name, role or day; or a day that is past.
            RefusedError: a name that was given before, or too many tokens.
        """
        if not NAME.fullmatch(name) or name == CONSOLE:
            step = "use lower-case letters, digits, '.', '-' and '_'"
            raise SordinoError("a token's name must have at most 64 characters of a kind", found=shown(name), step=step)
        if role not in ROLES:
            raise SordinoError(f"a token's role must be one of {', '.join(ROLES)}", found=shown(role))
        if expires is not None:
            _require_day(expires)
        held = {holder.name for holder in self.holders()}
        if name in held:
            step = "give it another name: the record names each holder once"
            raise RefusedError("a token's name must be new", found=shown(name), step=step)
        if len(held) >= MOST_TOKENS:
            step = "use those that there are"
            raise RefusedError(f"a store has at most {MOST_TOKENS} tokens", found=shown(len(held)), step=step)
        token = make()
        words = "INSERT INTO token VALUES (?, ?, ?, ?, ?, NULL)"
        self._database.rows(words, name, role, token_hash(token), today(), expires)
        return token

    def revoke(self, name: str) -> None:
        """Have a token allow nothing from now on.

        Raises:
            SordinoError: no token of that name.
        """
        if name not in {holder.name for holder in self.holders()}:
            raise SordinoError("a token must be known", found=shown(name), step="list them")
        self._database.rows("UPDATE token SET revoked = ? WHERE name = ? AND revoked IS NULL", today(), name)


def token_hash(token: str) -> str:
    """What the store keeps of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def _require_day(day: str) -> None:
    try:
        valid = date.fromisoformat(day).isoformat() == day and day >= today()
    except ValueError:
        valid = False
    if not valid:
        rule = "a token's last day must be today or later, as 2027-01-31"
        raise SordinoError(rule, found=shown(day), step="name such a day, or none")


def secret_in(path: Path) -> str:
    """The token that a file of its owner's holds; a new one in a new file if there is none.

    Raises:
        SordinoError: something else is there, or others can read it.
        UnavailableError: the system refuses.
    """
    if os.path.lexists(path):
        return _read(path)
    require_new(path)
    secret = new_secret()
    with replace_whole(path) as temporary, new_private_file(temporary) as file:
        file.write(f"{secret}\n".encode())
    sync_folder(path)
    return secret


def _read(path: Path) -> str:
    secret = read_text(path).strip()
    if not SECRET.fullmatch(secret):
        rule = f"{path} must not exist yet, or hold the token that a collector began to give"
        raise SordinoError(rule, found="something else", step="choose another name; nothing here is overwritten")
    try:
        status = path.stat()
    except OSError as error:
        raise cannot("read", path, error) from None
    require_private(path, status, "remove it: somebody may have read it")
    return secret
