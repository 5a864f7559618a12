"""Documents that carry their format, its version and a hash of their words: how they are sealed, and refused.

Canonical bytes: JSON with sorted keys, no spaces, ASCII only, and whole numbers without a fraction part. The hash is
SHA-256 over them, without the hash itself. What the words of a version mean is never changed: where it had to be, the
version has another number, and a document of an older one is refused.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from types import NoneType
from typing import Any, TypeVar

from sordino.document.checked_tables import try_tables
from sordino.document.schema.strict_table import StrictTable
from sordino.errors import DamagedError, SordinoError
from sordino.exact.messages import shown

Fields = TypeVar("Fields", bound=StrictTable)


@dataclass(frozen=True)
class Sealed:
    """A kind of document. Where a method takes a name, it is the document's own, for messages.

    Attributes:
        format: what such a document calls itself.
        version: the one that is written, and read.
        noun: what it is, with its article.

    Example:
        >>> note = Sealed("sordino note", 1, "a note", "write one")
        >>> document = note.seal({"text": "good"})
        >>> note.require_unchanged(document)
        >>> note.require_unchanged({**document, "text": "bad"})  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        sordino.errors.DamagedError: the document of a note must be as it was frozen; found contents that do not ...
    """

    format: str
    version: int
    noun: str
    make: str

    def stamp(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """The content with format and version."""
        return {"format": self.format, "version": self.version, **content}

    def seal(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """The same with the hash of it all, as a reader of its canonical bytes finds it."""
        document = _plain(self.stamp(content))
        return {**document, "hash": content_hash(document)}

    def require(self, document: Mapping[str, Any], name: str = "") -> None:
        """Refuse another format, and versions that are not known.

        Raises:
            SordinoError: a document of another kind, or of another version.
        """
        name = name or f"the document of {self.noun}"
        if document.get("format") != self.format:
            raise SordinoError(f"{name} must be {self.noun}", found="a different format", step=self.make)
        version = document.get("version")
        # A boolean and a fraction can equal 1 too.
        if type(version) is not int or version < 1:
            raise SordinoError(
                f"{name} must be of version {self.version}",
                found="no version" if version is None else shown(version),
                step=self.make,
            )
        if version != self.version:
            raise version_error(name, self.version, version, f"{self.make} again")

    def require_unchanged(self, document: Mapping[str, Any], name: str = "") -> None:
        """Refuse words that do not match their hash.

        Raises:
            DamagedError: a changed document.
        """
        try:
            whole = document.get("hash") == content_hash(document)
            json.dumps(document, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            # What no canonical bytes hold: infinities, absurdly long numbers, endless depth, halves of surrogate pairs.
            whole = False
        if not whole:
            raise self.change_error("contents that do not match its hash", name)

    def require_spelling(self, found: object, frozen: object, name: str = "") -> None:
        """Refuse what says the same as a frozen document in other words: one document, one text.

        Raises:
            DamagedError: they differ.
        """
        if found != frozen:
            raise self.change_error("a different spelling", name)

    def fields(self, kind: type[Fields], document: Mapping[str, Any], name: str = "") -> Fields:
        """The checked fields of a document.

        Raises:
            DamagedError: they do not fit, with the first mistake.
        """
        read, mistakes = try_tables(kind, dict(document))
        if read is None:
            raise self.foreign(str(mistakes[0]).removesuffix("."), name)
        return read

    def change_error(self, found: str, name: str = "") -> DamagedError:
        """A document that was changed after it was frozen."""
        rule = f"{name or f'the document of {self.noun}'} must be as it was frozen"
        return DamagedError(rule, found=found, step=f"get the original, or {self.make}")

    def foreign(self, found: str, name: str = "") -> DamagedError:
        """A document whose format and version are ours, and whose words are not."""
        rule = f"{name or f'the document of {self.noun}'} must be {self.noun} that Sordino wrote"
        return DamagedError(rule, found=found)


def version_error(name: str, version: int, found: int, again: str = "use the Sordino that wrote it") -> SordinoError:
    """The refusal of what another version wrote.

    Args:
        again: what to do with what an older one wrote.
    """
    age, step = ("a newer", "use a newer Sordino") if found > version else ("an older", again)
    wrote = f"version {shown(found)}, which {age} Sordino wrote"
    return SordinoError(f"{name} must be of version {version}", found=wrote, step=step)


def canonical(document: Mapping[str, Any]) -> bytes:
    """The canonical bytes of a document.

    Raises:
        ValueError: a number that JSON cannot hold.
    """
    return json.dumps(_plain(document), sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def sealed_bytes(document: Mapping[str, Any]) -> bytes:
    """The bytes of a sealed document, with its hash as the first member: cut out, it leaves the bytes that it is of.

    Example:
        >>> sealed_bytes({"a": 1, "hash": "sha256:0"})
        b'{"hash":"sha256:0","a":1}'
    """
    rest = canonical({key: part for key, part in document.items() if key != "hash"})
    return b'{"hash":' + json.dumps(document["hash"]).encode("ascii") + b"," + rest[1:]


def content_hash(document: Mapping[str, Any]) -> str:
    """The hash over everything but the hash."""
    return hash_of(canonical({key: part for key, part in document.items() if key != "hash"}))


def hash_of(content: bytes) -> str:
    """SHA-256 with its name and 64 hexadecimal digits."""
    return "sha256:" + sha256(content).hexdigest()


PLAIN = frozenset({str, int, bool, NoneType})
"""Most of a document, which stays what it is."""


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): item if type(item) in PLAIN else _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [item if type(item) in PLAIN else _plain(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
