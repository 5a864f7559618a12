"""The entries of a JSON object from outside, each read by its kind: nothing is converted, and nothing else is taken.

Integers that can exceed 2^53 stand as texts, in one spelling, since readers of JSON in other languages hold them as
floats.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sordino.errors import DamagedError
from sordino.exact.coin import WORD
from sordino.exact.messages import shown

INTEGER = re.compile(r"0|[1-9][0-9]{0,19}")
"""The one spelling of an integer; at most 2^64 has at most 20 digits."""

LARGEST_NUMBER = 1 << 53
"""Every reader of JSON takes whole numbers up to this for what they are."""

Call: TypeAlias = tuple[str, tuple[int, ...]]
"""A text, and whole numbers."""


@dataclass(frozen=True)
class Entries:
    """The entries of an object that was found, of whatever kind, where it stands in the document.

    Example:
        >>> entries = Entries({"k": 3, "threshold": "12297829382473034410"}, "mechanism")
        >>> entries.whole("k"), entries.integer("threshold")
        (3, 12297829382473034410)
        >>> entries.integer("k")
        Traceback (most recent call last):
        sordino.errors.DamagedError: mechanism.k must be an integer in 0..2^64, as text; found 3.
    """

    found: Any
    where: str

    def require(self, names: Iterable[str]) -> None:
        """Refuse entries of other names."""
        unknown = sorted(set(self._object()) - set(names), key=str)
        if unknown:
            raise DamagedError(f"{self.where} must have known entries only", found=shown(unknown[0]))

    def text(self, name: str) -> str:
        found = self._entry(name)
        if type(found) is not str:
            raise self._wrong(name, "a text", found)
        return found

    def whole(self, name: str) -> int:
        """A whole number up to 2^53."""
        return self._whole(name, self._entry(name))

    def wholes(self, name: str) -> tuple[int, ...]:
        """Whole numbers up to 2^53."""
        return tuple(self._whole(name, item) for item in self._list(name, self._entry(name)))

    def runs(self, name: str) -> tuple[tuple[int, ...], ...]:
        """Whole numbers up to 2^53, each by itself or in lists of two and more: a run is one of them, or a list."""
        items = self._list(name, self._entry(name))
        runs = [self._list(name, item) if isinstance(item, list | tuple) else [item] for item in items]
        return tuple(tuple(self._whole(name, item) for item in run) for run in runs)

    def calls(self, name: str) -> tuple[tuple[Call, ...], ...]:
        """Runs of lists of a text and whole numbers up to 2^53: such a list, or a list of them."""
        found = []
        for row in self._list(name, self._entry(name)):
            items = self._list(name, row)
            run = items if items and isinstance(items[0], list | tuple) else [items]
            found.append(tuple(self._call(name, self._list(name, item)) for item in run))
        return tuple(found)

    def _call(self, name: str, row: Sequence[Any]) -> Call:
        first, *rest = row or [None]
        if type(first) is not str:
            raise self._wrong(name, "lists that begin with a text", first)
        return first, tuple(self._whole(name, item) for item in rest)

    def integer(self, name: str) -> int:
        """An integer up to 2^64, as text."""
        return self._integer(name, self._entry(name))

    def integers(self, name: str) -> tuple[int, ...]:
        """Integers up to 2^64, as texts."""
        return tuple(self._integer(name, item) for item in self._list(name, self._entry(name)))

    def rows(self, name: str) -> tuple[tuple[int, ...], ...]:
        """Lists of integers up to 2^64, as texts."""
        return tuple(
            tuple(self._integer(name, item) for item in self._list(name, row))
            for row in self._list(name, self._entry(name))
        )

    def inner(self, name: str) -> "Entries":
        return Entries(self._entry(name), f"{self.where}.{name}")

    def inners(self, name: str) -> tuple["Entries", ...]:
        return self._inners(name, self._entry(name))

    def groups(self, name: str) -> tuple[tuple["Entries", ...], ...]:
        """Those of each object of each list of a list."""
        lists = self._list(name, self._entry(name))
        return tuple(self._inners(f"{name}.{place}", items) for place, items in enumerate(lists))

    def _inners(self, name: str, found: Any) -> tuple["Entries", ...]:
        items = self._list(name, found)
        return tuple(Entries(item, f"{self.where}.{name}.{place}") for place, item in enumerate(items))

    def _object(self) -> Mapping[str, Any]:
        if not isinstance(self.found, Mapping):
            raise DamagedError(f"{self.where} must be an object", found=_kind(self.found))
        return self.found

    def _entry(self, name: str) -> Any:
        entries = self._object()
        if name not in entries:
            found = f"an object with {len(entries)} other entries"
            raise DamagedError(f"{self.where}.{name} must be given", found=found, step="get the file again")
        return entries[name]

    def _list(self, name: str, found: Any) -> list[Any] | tuple[Any, ...]:
        if not isinstance(found, list | tuple):
            raise self._wrong(name, "a list", found)
        return found

    def _whole(self, name: str, found: Any) -> int:
        if type(found) is not int or not 0 <= found <= LARGEST_NUMBER:
            raise self._wrong(name, "a whole number in 0..2^53", found)
        return found

    def _integer(self, name: str, found: Any) -> int:
        if type(found) is not str or INTEGER.fullmatch(found) is None or int(found) > WORD:
            raise self._wrong(name, "an integer in 0..2^64, as text", found)
        return int(found)

    def _wrong(self, name: str, kind: str, found: Any) -> DamagedError:
        return DamagedError(f"{self.where}.{name} must be {kind}", found=_kind(found))


def _kind(found: Any) -> str:
    return "an object" if isinstance(found, Mapping) else "a list" if isinstance(found, list | tuple) else shown(found)
