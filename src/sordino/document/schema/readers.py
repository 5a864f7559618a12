"""How a value of each type is read: strictly, so that nothing is converted but a whole number where any number may be.

A type is a text, a number, a boolean, `Any`, a list, a dictionary, a choice of literals, a union, a table (which reads
itself), or another class, of which instances are taken as they are. All mistakes of a value are found at once.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from sordino.document.schema.limits import Reader
from sordino.document.schema.unfit import NOTHING, DataName, Mistake, UnfitError, unfit

TYPE_RULES = {
    str: "must be a text",
    int: "must be a whole number",
    float: "must be a number",
    bool: "must be true or false",
    list: "must be a list",
    dict: "must be a table",
}
"""What must hold of a value of another type."""


def reader_of(kind: Any) -> Reader:
    """The reader of a type, as annotations write it."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        read = reader_of(inner[0])
        for limits in inner[1:]:
            read = limits.around(read)
        return read
    if origin is Literal:
        return partial(_literal, inner)
    if origin in (Union, UnionType):
        return _union_reader(inner)
    if origin is list:
        return partial(_list, reader_of(inner[0]))
    if origin is dict:
        return partial(_dict, reader_of(inner[0]), reader_of(inner[1]))
    own: Reader | None = _READERS.get(kind) or getattr(kind, "read_value", None)
    return own or partial(_instance, kind)


def _any_value(found: Any) -> Any:
    return found


def _text(found: Any) -> str:
    if not isinstance(found, str):
        raise unfit(TYPE_RULES[str], found)
    if not found.isascii():
        try:
            found.encode()
        except UnicodeEncodeError:
            # Half of a surrogate pair is no character.
            raise unfit("must be a text that UTF-8 can hold", found) from None
    return found


def _whole_number(found: Any) -> int:
    if not isinstance(found, int) or isinstance(found, bool):
        raise unfit(TYPE_RULES[int], found)
    return found


def _number(found: Any) -> float:
    try:
        if isinstance(found, float | int) and not isinstance(found, bool):
            return float(found)
    except OverflowError:
        pass
    raise unfit(TYPE_RULES[float], found)


def _boolean(found: Any) -> bool:
    if not isinstance(found, bool):
        raise unfit(TYPE_RULES[bool], found)
    return found


def _instance(kind: type, found: Any) -> Any:
    if not isinstance(found, kind):
        raise unfit(f"must be of the type {kind.__name__}", found)
    return found


def _literal(expected: Sequence[Any], found: Any) -> Any:
    """One of some values, of its own type: a literal 1 is not `true`."""
    for value in expected:
        if type(found) is type(value) and found == value:
            return found
    *others, last = map(repr, expected)
    raise unfit(f"must be {', '.join(others)} or {last}" if others else f"must be {last}", found)


def _list(read: Reader, found: Any) -> list[Any]:
    if not isinstance(found, list):
        raise unfit(TYPE_RULES[list], found)
    try:
        return [read(item) for item in found]
    except UnfitError:
        values, mistakes = _read_each(read, dict(enumerate(found)))
    raise UnfitError(mistakes, NOTHING if _any_nothing(values) else [*values.values()])


def _dict(read_name: Reader, read: Reader, found: Any) -> dict[Any, Any]:
    if not isinstance(found, dict):
        raise unfit(TYPE_RULES[dict], found)
    try:
        return {read_name(name): read(item) for name, item in found.items()}
    except UnfitError:
        _, wrong_names = _read_each(read_name, {DataName(name): name for name in found})
        values, mistakes = _read_each(read, {DataName(name): item for name, item in found.items()})
    whole = not wrong_names and not _any_nothing(values)
    named = {name: values[DataName(name)] for name in found} if whole else NOTHING
    raise UnfitError([*wrong_names, *mistakes], named)


def _read_each(read: Reader, items: Mapping[Any, Any]) -> tuple[dict[Any, Any], list[Mistake]]:
    """The items by their places, each by itself, and all mistakes."""
    mistakes: list[Mistake] = []
    values = {}
    for place, item in items.items():
        try:
            values[place] = read(item)
        except UnfitError as error:
            mistakes += error.below(place)
            values[place] = error.value
    return values, mistakes


def _any_nothing(values: Mapping[Any, Any]) -> bool:
    return any(value is NOTHING for value in values.values())


def _union_reader(kinds: Sequence[Any]) -> Reader:
    """A reader of the first type that fits; None is the only one beside which mistakes of another one are told."""
    readers = [reader_of(kind) for kind in kinds if kind is not NoneType]
    read = readers[0] if len(readers) == 1 else partial(_first_fit, readers)
    return read if NoneType not in kinds else lambda found: None if found is None else read(found)


def _first_fit(readers: Sequence[Reader], found: Any) -> Any:
    rules: list[str] = []
    inside = None
    for read in readers:
        try:
            return read(found)
        except UnfitError as error:
            rule = error.mistakes[0].rule
            if not error.mistakes[0].path and rule in TYPE_RULES.values():
                rules.append(str(rule).removeprefix("must be "))
            else:
                inside = inside or error
    raise inside or unfit(f"must be {' or '.join(rules)}", found)


_READERS: Mapping[Any, Reader] = {
    Any: _any_value,
    str: _text,
    int: _whole_number,
    float: _number,
    bool: _boolean,
}
