"""Tables of files, checked: all mistakes at once, in our words, each with path, rule and the nearest right name.

One reporter for surveys, ledgers' terms, queries, people's records, and documents that Sordino has written. Of private
tables nothing is told that stands in them, not even their names.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypeVar, get_args

from sordino.document.schema.limits import Convert, OneOf
from sordino.document.schema.strict_table import StrictTable
from sordino.document.schema.table_mistakes import UnfitError, mistake_errors
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages import shown

Read = TypeVar("Read", bound=StrictTable)


def _version(version: object) -> object:
    if type(version) is not int or version != 1:
        raise SordinoError("version must be 1, a whole number", found=shown(version))
    return version


VersionField = Annotated[Literal[1], Convert(_version)]
"""Version of every format that people write, until a second one is needed."""


def read_tables(table: type[Read], tables: dict[str, Any], name: str, *, private: bool = False) -> Read:
    """The tables of a file as one object.

    Args:
        table: what they must be.
        tables: as a parser gives them.
        name: of the file, for messages.
        private: whether they are a person's: no message holds a value or a name of theirs.

    Raises:
        SordinoErrors: all mistakes.
    """
    read, mistakes = try_tables(table, tables, private=private)
    if read is None:
        raise SordinoErrors(name, mistakes)
    return read


def try_tables(
    table: type[Read], tables: dict[str, Any], *, private: bool = False
) -> tuple[Read | None, list[SordinoError]]:
    """The tables as one object, or None and all mistakes: first the unknown settings, then what else is wrong."""
    try:
        return table.read_value(tables), []
    except UnfitError as error:
        return None, mistake_errors(error.mistakes, private=private)


def tables_within(kind: Any) -> Iterator[type[StrictTable]]:
    """A table and all tables in its settings."""
    if isinstance(kind, type) and issubclass(kind, StrictTable):
        yield kind
        inner: list[Any] = [own.kind for own in kind.settings_table().values()]
    else:
        inner = [*get_args(kind)]
    for each in inner:
        yield from tables_within(each)
    for one_of in [extra for extra in getattr(kind, "__metadata__", ()) if isinstance(extra, OneOf)]:
        for option in one_of.options():
            yield from tables_within(option)


def is_list_of(value: object, kind: type) -> Any:
    """Whether a value is a list of one kind; booleans are no numbers."""
    return isinstance(value, list) and all(isinstance(item, kind) and not isinstance(item, bool) for item in value)
