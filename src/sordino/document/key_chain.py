"""How the key that signs plans changes: the old key signs the new one, so that whoever knows the old one can follow.

A chain is a list of links, from a store's first key to its newest: `{"old": ..., "new": ..., "signature": ...}`, in
hexadecimal digits. It is one line: each link begins with the key that the one before it ended with, and no key comes
twice, so that it neither forks nor runs in a loop. What is signed begins in other words than a plan, and can be none.

A chain is for a change that was planned: whoever has stolen an old key can sign a chain of their own.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

MOST_LINKS = 64
"""Largest number of changes of one store's key."""

DIGITS = {"old": 64, "new": 64, "signature": 128}
"""Hexadecimal digits of each field."""


def is_signed(content: bytes, public: str, signature: str) -> bool:
    """Whether bytes were signed by whoever has the private key.

    Args:
        content: the bytes as they are served.
        public: the public key, 32 bytes as hexadecimal digits.
        signature: 64 bytes as hexadecimal digits.
    """
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), content)
    except (ValueError, InvalidSignature):
        return False
    return True


@dataclass(frozen=True)
class KeyLink:
    """A change of keys.

    Attributes:
        old: the public key that signed it.
        new: the public key that signs plans from then on.
        signature: over `signed_bytes`.
    """

    old: str
    new: str
    signature: str

    @property
    def is_right(self) -> bool:
        """Whether the old key signed it."""
        return is_signed(signed_bytes(self.old, self.new), self.old, self.signature)

    @property
    def document(self) -> dict[str, str]:
        """As collectors tell it."""
        return asdict(self)


def signed_bytes(old: str, new: str) -> bytes:
    """What an old key signs."""
    return f"sordino key 1\n{old}\n{new}\n".encode()


def read_chain(told: object) -> tuple[KeyLink, ...] | None:
    """The links that a collector tells; none without any, and None of what is no chain, whoever signed it."""
    if told is None:
        return ()
    if not isinstance(told, list) or len(told) > MOST_LINKS or not all(_is_link(one) for one in told):
        return None
    links = tuple(KeyLink(**one) for one in told)
    return links if is_chain(links) else None


def is_chain(links: Sequence[KeyLink]) -> bool:
    """Whether links are one line of keys, each signed by the one before it."""
    keys = _keys_of(links)
    is_line = all(first.new == second.old for first, second in pairwise(links))
    return is_line and len(set(keys)) == len(keys) and all(link.is_right for link in links)


def leads_to(told: object, start: str, end: str) -> bool:
    """Whether a chain leads from a key to another one, or to the same.

    Args:
        told: the chain as a collector tells it.
        start: the key that is known from elsewhere.
        end: the key that signs.
    """
    links = read_chain(told)
    if links is None:
        return False
    keys = _keys_of(links) or [start]
    return start in keys and end in keys[keys.index(start) :]


def _keys_of(links: Sequence[KeyLink]) -> list[str]:
    return [*(link.old for link in links[:1]), *(link.new for link in links)]


def _is_link(one: Any) -> bool:
    return (
        isinstance(one, dict)
        and one.keys() == DIGITS.keys()
        and all(
            isinstance(one[name], str) and re.fullmatch(f"[0-9a-f]{{{digits}}}", one[name])
            for name, digits in DIGITS.items()
        )
    )
