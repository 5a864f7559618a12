"""A table of a file as an object: its settings are the annotations of a class, by which they are read and checked.

Unknown settings are refused, nothing is converted but a whole number where any number may be, and all mistakes are
found at once. A type is a text, a number, a boolean, `Any`, a list, a dictionary, a choice of literals, a union, a
table (which reads itself), or another class, of which instances are taken as they are. A device that reads one plan
loads many of these classes for a moment's work: a class costs no more than any other, and its settings are
looked at when it is first read.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    NoReturn,
    Self,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from sordino.document.schema.limits import Reader, ValueLimits, without_error
from sordino.document.schema.table_mistakes import NOTHING, DataName, Mistake, UnfitError, mistake_errors, unfit
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages import brief

MUST_BE_GIVEN = "must be given"

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
    readers = [(_plain_type(kind), reader_of(kind)) for kind in kinds if kind is not NoneType]
    read = readers[0][1] if len(readers) == 1 else partial(_first_fit, readers)
    return read if NoneType not in kinds else lambda found: None if found is None else read(found)


def _plain_type(kind: Any) -> type | None:
    """What anything must be an instance of that a reader of this type takes; None where that does not say it."""
    if get_origin(kind) is Annotated:
        plain, *limits = get_args(kind)
        return _plain_type(plain) if all(isinstance(one, ValueLimits) for one in limits) else None
    plain = get_origin(kind) or kind
    return plain if plain in (str, list, dict) else None


def _first_fit(readers: Sequence[tuple[type | None, Reader]], found: Any) -> Any:
    rules: list[str] = []
    inside = None
    for plain, read in readers:
        if plain is not None and not isinstance(found, plain):
            # Told without reading it: a plan has thousands of these.
            rules.append(TYPE_RULES[plain].removeprefix("must be "))
            continue
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


class TableSetting(NamedTuple):
    """What an annotation says of a setting.

    Attributes:
        kind: its type, with its limits.
        default: what makes it where it is not given; None where it must be.
        read: what is found, as what it is.
    """

    kind: Any
    default: Callable[[], Any] | None
    read: Reader


class LimitedSetting(NamedTuple):
    """What stands in a class for a setting with limits.

    Attributes:
        default: as of `TableSetting`.
        limits: in which what is given lies.
    """

    default: Callable[[], Any] | None
    limits: ValueLimits | None


def setting(
    *,
    default: Any = NOTHING,
    default_factory: Callable[[], Any] | None = None,
    ge: int | None = None,
    le: int | None = None,
    lt: int | None = None,
    min_length: int | None = None,
    max_length: int | None = None,
    finite: bool = False,
) -> Any:
    """A setting with limits (`ValueLimits`), and perhaps a default."""
    limits = ValueLimits(ge=ge, le=le, lt=lt, min_length=min_length, max_length=max_length, finite=finite)
    return LimitedSetting(default_factory if default is NOTHING else lambda: default, limits)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(setting,))
class StrictTable:
    """A table of a survey, a plan or another file, frozen once it is read.

    A class with settings of its own is written as a dataclass, and may have checks (`_check`) and a way to read tables
    that people write otherwise (`_prepare`).
    """

    def __init__(self, **given: Any) -> None:
        try:
            read = self.read_value(given)
        except UnfitError as error:
            raise SordinoErrors(f"the table {type(self).__name__}", mistake_errors(error.mistakes)) from None
        vars(self).update(vars(read))

    @classmethod
    def settings_table(cls) -> Mapping[str, TableSetting]:
        """Its settings by name, those of the class that it extends first."""
        return _settings_table(cls)  # type: ignore[arg-type]  # a class has a hash whatever its instances have

    @classmethod
    def read_value(cls, found: Any) -> Self:
        """What is found as this table; one of this class is taken as it is.

        Raises:
            UnfitError: all mistakes.
        """
        if isinstance(found, cls):
            return found
        tables = without_error(cls._prepare, found)
        if not isinstance(tables, dict):
            raise unfit(TYPE_RULES[dict], found)
        return cls._read_settings(tables)

    @classmethod
    def from_settings(cls, **given: Any) -> Self:
        """A table of settings that were read before."""
        table = cls.__new__(cls)
        for name, own in cls.settings_table().items():
            # A setting that must be given is, or whoever asks for it is told so.
            if name in given or own.default is not None:
                vars(table)[name] = given[name] if name in given else own.default()  # type: ignore[misc]
        return table

    def replace(self, **changes: Any) -> Self:
        """The same table with some settings that were read before."""
        return self.from_settings(**self._own_settings() | changes)

    def dump(self, *, include: Collection[str] | None = None, exclude: Collection[str] = ()) -> dict[str, Any]:
        """The settings as plain data, and those of the tables in them, without what is None.

        Args:
            include: which; all by default.
            exclude: which not.
        """
        names = [name for name in self.settings_table() if (include is None or name in include) and name not in exclude]
        return {name: _plain(value) for name in names if (value := getattr(self, name)) is not None}

    @classmethod
    def _prepare(cls, found: Any) -> Any:
        """What people may write otherwise, as the settings are.

        Raises:
            SordinoError: it cannot be read.
        """
        return found

    def _check(self) -> None:
        """Refuse settings that do not go together, each of which is right by itself.

        Raises:
            SordinoError: with the rule.
        """

    @classmethod
    def _read_settings(cls, found: Mapping[Any, Any]) -> Self:
        values: dict[str, Any] = {}
        mistakes: list[Mistake] = []
        own = cls.settings_table()
        for name, one in own.items():
            try:
                if name in found:
                    values[name] = one.read(found[name])
                elif one.default is not None:
                    values[name] = one.default()
                else:
                    mistakes.append(Mistake(MUST_BE_GIVEN, path=(name,)))
            except UnfitError as error:
                mistakes += error.below(name)
                if error.value is not NOTHING:
                    values[name] = error.value
        mistakes += [Mistake("", known=tuple(own), path=(str(name),)) for name in found if name not in own]
        if len(values) < len(own):
            raise UnfitError(mistakes)
        table = cls.__new__(cls)
        vars(table).update(values)
        try:
            table._check()  # noqa: SLF001 - a class makes its own instances
        except SordinoError as error:
            raise UnfitError([*mistakes, Mistake(error)]) from None
        if mistakes:
            raise UnfitError(mistakes, table)
        return table

    def _own_settings(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name in self.settings_table()}

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a table is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a table is frozen: {name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._own_settings() == other._own_settings()

    def __hash__(self) -> int:
        return hash((type(self), *self._own_settings().values()))

    def __repr__(self) -> str:
        """What was said, without long lists of names or integers."""
        said = ", ".join(f"{name}={brief(value)}" for name, value in self._own_settings().items() if value is not None)
        return f"{type(self).__name__}({said})"


@cache
def _settings_table(table: type[StrictTable]) -> Mapping[str, TableSetting]:
    settings = {}
    for name, annotation in get_type_hints(table, include_extras=True).items():
        if get_origin(annotation) is ClassVar:
            continue
        written = getattr(table, name, NOTHING)
        limited = written if isinstance(written, LimitedSetting) else LimitedSetting(_default_of(written), None)
        kind = annotation if limited.limits is None else Annotated[annotation, limited.limits]
        settings[name] = TableSetting(kind, limited.default, reader_of(kind))
    return settings


def _default_of(written: Any) -> Callable[[], Any] | None:
    return None if written is NOTHING else lambda: written


PLAIN = frozenset({str, int, float, bool, NoneType})
"""Most of a document, which stays what it is."""


def _plain(value: Any) -> Any:
    if isinstance(value, StrictTable):
        return value.dump()
    if isinstance(value, list):
        return [item if type(item) in PLAIN else _plain(item) for item in value]
    return (
        {name: item if type(item) in PLAIN else _plain(item) for name, item in value.items()}
        if isinstance(value, dict)
        else value
    )
