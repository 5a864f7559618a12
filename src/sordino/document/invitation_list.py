"""Invitations: one-use links of a plan, and the list of hashes by which a collector knows them.

The secret of a link is 128 random bits; what a collector keeps is SHA-256 of the plan's hash and the secret, so that
the list opens nothing, and a link of one plan is none of another. Lists are in the order of their hashes, which has
nothing to do with the order of the links. A link of a plan with a series is one of a period, which is hashed too.
"""

import json
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from itertools import repeat
from pathlib import Path
from typing import Self

from sordino.document.files import write_text
from sordino.document.formats import INVITATIONS
from sordino.document.kinds import read_document
from sordino.errors import SordinoError
from sordino.exact.messages import shown

SECRET_BYTES = 16

SECRET = re.compile(f"[0-9a-f]{{{2 * SECRET_BYTES}}}")
"""Form of a secret in a link."""

HASH_BYTES = 32
HASH = re.compile(f"[0-9a-f]{{{2 * HASH_BYTES}}}")

MOST_INVITATIONS = 1_000_000
"""Largest number in a list, and of a plan at a collector, which holds 33 bytes of each in memory."""

HEADER = "Sordino-Invitation"
"""Header of an upload that holds its secret."""


def new_secret() -> str:
    """The secret of one link."""
    return secrets.token_hex(SECRET_BYTES)


def invitation_hash(plan: str, secret: str, period: str | None = None) -> bytes:
    """What a collector knows a link by.

    Args:
        plan: the hash of the plan that it invites to.
        secret: of the link; another text has a hash that is in no list.
        period: of the link, by its first day, if the plan has a series: a report of another one has another hash.

    Example:
        >>> invitation_hash(f"sha256:{64 * '0'}", 32 * "0").hex()[:16]
        '1731091a182a7f17'
    """
    own = "" if period is None else f"\n{period}"
    return sha256(f"sordino invitation 1\n{plan}\n{secret}{own}".encode()).digest()


@dataclass(frozen=True, repr=False)
class InvitationList:
    """The hashes of a plan's links.

    Attributes:
        plan: the hash of the plan.
        hashes: in ascending order, each once.
    """

    plan: str
    hashes: tuple[bytes, ...]

    @classmethod
    def of(cls, plan: str, links: Iterable[str], periods: Iterable[str | None] = repeat(None)) -> Self:
        """The list of some secrets, each with its period if the plan has a series."""
        pairs = zip(links, periods, strict=False)
        return cls(plan, tuple(sorted({invitation_hash(plan, secret, period) for secret, period in pairs})))

    def save(self, path: Path) -> None:
        """Write it whole or not at all, never over another file."""
        content = {"plan": self.plan, "hashes": [one.hex() for one in self.hashes]}
        write_text(path, json.dumps(INVITATIONS.seal(content), indent=0) + "\n")

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read it.

        Raises:
            SordinoError: another file, or more hashes than a collector takes.
            DamagedError: a list that was changed.
        """
        document, name = read_document(path, INVITATIONS), str(path)
        INVITATIONS.require_unchanged(document, name)
        plan, hashes = document.get("plan"), document.get("hashes")
        if not isinstance(plan, str) or not isinstance(hashes, list) or not hashes:
            raise INVITATIONS.foreign("no plan or no hashes", name)
        if len(hashes) > MOST_INVITATIONS:
            rule = f"{name} must hold at most {MOST_INVITATIONS:,} invitations"
            raise SordinoError(rule, found=shown(len(hashes)), step="invite fewer people to one plan")
        if not all(isinstance(one, str) and HASH.fullmatch(one) for one in hashes):
            raise INVITATIONS.foreign("other texts than hashes", name)
        return cls(plan, tuple(sorted({bytes.fromhex(one) for one in hashes})))
