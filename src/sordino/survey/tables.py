"""The tables of small TOML files, checked: all mistakes at once, each with path, rule and the nearest right name."""

from collections.abc import Sequence
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.brief import shown
from sordino.survey.mistakes import in_our_words
from sordino.survey.parts import Part
from sordino.survey.protect import nearest

Table = TypeVar("Table", bound=Part)


def read_tables(table: type[Table], tables: dict[str, Any], name: str) -> Table:
    """The tables of a file as one object.

    Raises:
        SordinoErrors: all mistakes.
    """
    try:
        return table.model_validate(tables)
    except ValidationError as error:
        mistakes: list[SordinoError] = []
        for details in error.errors():
            if details["type"] != "extra_forbidden":
                mistakes += in_our_words(table, details)
                continue
            *path, last = details["loc"]
            known = _settings(table, path)
            hint = nearest([str(last)], known)
            where = ".".join(str(part) for part in details["loc"])
            mistakes.append(
                SordinoError(f"{where} must be a known setting{hint}", step=f"known here are {', '.join(known)}")
            )
        raise SordinoErrors(name, mistakes) from None


def whole(version: object) -> object:
    """A whole number as it is: a literal 1 would take everything that equals it, `true` and 1.0 too.

    Raises:
        SordinoError: something else.
    """
    if type(version) is not int:
        raise SordinoError("version must be a whole number", found=shown(version))
    return version


def _settings(table: Any, path: Sequence[int | str]) -> list[str]:
    """The settings of the table at a path."""
    for part in path:
        kind = table.model_fields[part].annotation if _is_table(table) and part in table.model_fields else table
        # A setting that may be missing, or a table of tables: the one table among what it can be.
        table = next((inner for inner in (kind, *_inner(kind)) if _is_table(inner)), table)
    return list(table.model_fields)


def _inner(kind: Any) -> list[Any]:
    """All types within a type."""
    return [inner for argument in get_args(kind) for inner in (argument, *_inner(argument))]


def _is_table(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
