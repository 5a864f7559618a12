"""Values of Sordino's own classes as bytes, and back: exactly the same numbers, in the same layout.

What equals something before it is written once. An array that is the beginning of another one, as the evidence of an
earlier state is of a later one's, is a piece of that. What an object can work out again (cached properties, and fields
that are marked `derived`) is left out. Reading runs no code that the bytes name: it fills in instances of classes of
Sordino, and of no others. Equal values give equal bytes, whatever was shared among their parts.
Cost: microseconds for each part, and one copy of the arrays.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

OWN = "sordino."
"""Where the classes are from that are written and read."""

DERIVED = "derived"
"""Marks a field, in its metadata, that an object fills again by itself and that changes nothing it does."""

ALIGNED = 64
"""Bytes: where arrays begin."""

PIECES = 256
"""Bytes of an array from which on it is looked for in others."""

LENGTH = 8
"""Bytes of the length of the words before the arrays."""


KINDS = "biuf"
"""Numbers that arrays may hold."""

WRITTEN: Mapping[type, tuple[str, Callable[[Any], tuple[Any, ...]]]] = {
    **dict.fromkeys((type(None), bool, str), ("v", lambda value: (value,))),
    int: ("i", lambda value: (f"{value:x}",)),
    float: ("f", lambda value: (value.hex(),)),
    Fraction: ("q", lambda value: (f"{value.numerator:x}", f"{value.denominator:x}")),
}
"""Values without parts: their tag and their words, in digits that say all of a number."""

READ: Mapping[str, Callable[..., Any]] = {
    "v": lambda value: value,
    "i": lambda digits: int(digits, 16),
    "f": float.fromhex,
    "q": lambda above, below: Fraction(int(above, 16), int(below, 16)),
}
"""Readers by tag."""


class UnfrozenError(TypeError):
    """A value that cannot be written, or bytes that no value was written as."""


def encode(value: Any) -> bytes:
    """The bytes of a value.

    Raises UnfrozenError: a part that is neither a number, a text, a tuple, a dict, an array nor of a class of Sordino.
    """
    freezer = _Freezer()
    root = freezer.place(value)
    words = json.dumps([list(freezer.classes), freezer.nodes, root], separators=(",", ":")).encode("ascii")
    start = LENGTH + len(words)
    return len(words).to_bytes(LENGTH) + words + bytes(-start % ALIGNED) + b"".join(freezer.arrays)


def decode(content: bytes) -> Any:
    """The value that was written as some bytes."""
    try:
        end = LENGTH + int.from_bytes(content[:LENGTH])
        classes, nodes, root = json.loads(content[LENGTH:end])
        # One copy, so that arrays begin where numpy would have them begin.
        room = np.frombuffer(content, np.uint8)[end + -end % ALIGNED :].copy()
        room.flags.writeable = False
        return _thaw_all([_class_of(*each) for each in classes], nodes, room)[root]
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, ImportError, RecursionError) as error:
        raise UnfrozenError(f"no frozen value: {type(error).__name__}") from None


class _Freezer:
    """Parts that were written.

    Attributes:
        nodes: each part in words; it names parts before it by their places.
        classes: module, name and the names of the fields, in the order in which they were met.
        arrays: the bytes of all arrays, each with what fills it up.
    """

    def __init__(self) -> None:
        self.nodes: list[tuple[Any, ...]] = []
        self.classes: dict[tuple[Any, ...], int] = {}
        self.arrays: list[bytes] = []
        self._room = 0
        # With the parts, so that no other one gets their number.
        self._known: dict[int, tuple[int, Any]] = {}
        self._places: dict[tuple[Any, ...], int] = {}
        self._families: dict[tuple[Any, ...], list[tuple[int, NDArray[Any]]]] = {}

    def place(self, value: Any) -> int:
        """Where a part stands; written if it is new."""
        known = self._known.get(id(value))
        if known is None:
            place = self._array(value) if isinstance(value, np.ndarray) else self._note(self._words(value))
            known = self._known[id(value)] = place, value
        return known[0]

    def _note(self, node: tuple[Any, ...]) -> int:
        place = self._places.setdefault(node, len(self.nodes))
        if place == len(self.nodes):
            self.nodes.append(node)
        return place

    def _words(self, value: Any) -> tuple[Any, ...]:
        kind = type(value)
        if kind in WRITTEN:
            tag, words = WRITTEN[kind]
            return tag, *words(value)
        if kind is tuple:
            return "t", *map(self.place, value)
        if kind is dict:
            return "d", *map(self.place, value.keys()), *map(self.place, value.values())
        if isinstance(value, np.generic) and value.dtype.kind in KINDS:
            return "s", value.dtype.str, value.tobytes().hex()
        return self._object(value)

    def _object(self, value: Any) -> tuple[Any, ...]:
        kind = type(value)
        if not kind.__module__.startswith(OWN) or isinstance(value, type) or not hasattr(value, "__dict__"):
            raise UnfrozenError(f"a part of another kind: {kind.__name__}")
        left_out = {each.name for each in _derived_fields(kind)}
        own = {
            name: part
            for name, part in vars(value).items()
            if name not in left_out and not isinstance(getattr(kind, name, None), cached_property)
        }
        words = kind.__module__, kind.__qualname__, *own
        return "o", self.classes.setdefault(words, len(self.classes)), *map(self.place, own.values())

    def _array(self, array: NDArray[Any]) -> int:
        if array.dtype.kind not in KINDS:
            raise UnfrozenError(f"an array of another kind: {array.dtype.str}")
        piece = self._piece(array)
        if piece is not None:
            return self._note(piece)
        order = _order(array)
        content = array.tobytes(order)
        place = self._places.setdefault((array.dtype.str, array.shape, order, content), len(self.nodes))
        if place == len(self.nodes):
            self.nodes.append(("a", array.dtype.str, array.shape, order, self._room))
            self.arrays.append(content + bytes(-len(content) % ALIGNED))
            self._room += len(self.arrays[-1])
            for key in _families(array):
                self._families.setdefault(key, []).append((place, array))
        return place

    def _piece(self, array: NDArray[Any]) -> tuple[Any, ...] | None:
        for key in _families(array):
            axis = key[0]
            count = array.shape[axis]
            for place, whole in self._families.get(key, ()):
                beginning = whole[:count] if axis == 0 else whole[..., :count]
                if whole.shape[axis] > count and np.array_equal(beginning.view(np.uint64), array.view(np.uint64)):
                    return "p", place, axis, count
        return None


def _order(array: NDArray[Any]) -> Literal["C", "F"]:
    """Which axis is written last; a view that has gaps is written without them."""
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def _families(array: NDArray[Any]) -> Iterator[tuple[Any, ...]]:
    if array.nbytes >= PIECES and array.itemsize == 8 and _order(array) == "C":
        yield 0, array.dtype.str, array.shape[1:]
        if array.ndim > 1:
            yield -1, array.dtype.str, array.shape[:-1]


def _derived_fields(kind: type) -> list["Field[Any]"]:
    return [each for each in fields(kind) if each.metadata.get(DERIVED)] if is_dataclass(kind) else []


def _class_of(module: str, name: str, *names: str) -> tuple[type, list[str], list["Field[Any]"]]:
    kind = getattr(import_module(module), name) if module.startswith(OWN) else None
    if not isinstance(kind, type) or kind.__module__ != module:
        raise UnfrozenError("a class of somebody else")
    derived = _derived_fields(kind)
    if is_dataclass(kind):
        needed = {each.name for each in fields(kind)} - {each.name for each in derived}
        if not needed <= set(names):
            raise UnfrozenError("a class with other fields")
    return kind, list(names), derived


def _thaw_all(
    classes: list[tuple[type, list[str], list["Field[Any]"]]], nodes: list[list[Any]], room: NDArray[np.uint8]
) -> list[Any]:
    parts: list[Any] = []
    for tag, *words in nodes:
        if tag == "o":
            kind, names, derived = classes[words[0]]
            part = object.__new__(kind)
            own = part.__dict__
            for name, place in zip(names, words[1:], strict=True):
                own[name] = parts[place]
            for each in derived:
                own[each.name] = each.default_factory() if each.default_factory is not MISSING else each.default
        elif tag in READ:
            part = READ[tag](*words)
        elif tag == "t":
            part = tuple([parts[place] for place in words])
        elif tag == "d":
            half = len(words) // 2
            part = {parts[key]: parts[place] for key, place in zip(words[:half], words[half:], strict=True)}
        else:
            part = _numbers(tag, words, parts, room)
        parts.append(part)
    return parts


def _numbers(tag: str, words: list[Any], parts: list[Any], room: NDArray[np.uint8]) -> Any:
    if tag == "p":
        place, axis, count = words
        return parts[place][:count] if axis == 0 else parts[place][..., :count]
    dtype = np.dtype(words[0])
    if dtype.kind not in KINDS:
        raise UnfrozenError("an array of another kind")
    if tag == "s":
        return np.frombuffer(bytes.fromhex(words[1]), dtype)[0]
    _, shape, order, start = words
    size = prod(shape) * dtype.itemsize
    return np.ndarray(shape, dtype, room[start : start + size], order=order)
