"""A table of a file as an object: its settings are the annotations of a class, by which they are read and checked.

Unknown settings are refused, nothing is converted, and all mistakes are found at once. A device that reads one plan
loads many of these classes for a moment's work: a class costs no more than any other, and its settings are looked at
when it is first read.
"""

from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, NamedTuple, NoReturn, Self, dataclass_transform, get_origin, get_type_hints

from sordino.document.schema.limits import Reader, ValueLimits, without_error
from sordino.document.schema.mistake_errors import mistake_errors
from sordino.document.schema.readers import TYPE_RULES, reader_of
from sordino.document.schema.unfit import NOTHING, Mistake, UnfitError, unfit
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages.brief import brief

MUST_BE_GIVEN = "must be given"


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
        """The settings alone, without what is derived from them and kept."""
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
    """The settings that the annotations of a class and of those that it extends say."""
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


def _plain(value: Any) -> Any:
    if isinstance(value, StrictTable):
        return value.dump()
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return {name: _plain(item) for name, item in value.items()} if isinstance(value, dict) else value
