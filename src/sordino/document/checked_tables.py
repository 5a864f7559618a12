"""Tables of files, checked: all mistakes at once, in our words, each with path, rule and the nearest right name.

One reporter for surveys, ledgers' terms, queries, people's records, and documents that Sordino has written. The words
follow from the type of a mistake, of which the library that checks has a fixed list, and from the bounds of our own
tables; its sentences, which quote what they are about, are never read. Of private tables nothing is told that stands in
them, not even their names.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ValidationError
from pydantic_core import ErrorDetails

from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages.brief import shown

TableModel = TypeVar("TableModel", bound=BaseModel)

WORDS: Mapping[str, str] = {
    "missing": "must be given",
    "model_type": "must be a table",
    "dict_type": "must be a table",
    "list_type": "must be a list",
    "string_type": "must be a text",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "literal_error": "must be {expected}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be below {lt}",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "must be a text of the form {pattern}",
    "union_tag_not_found": "must have a {discriminator}",
    "union_tag_invalid": "must be one of {expected_tags}",
}
"""What must hold, by the type of a mistake; in braces bounds of our own tables, never what was found."""

STEPS: Mapping[tuple[str, str], str] = {
    ("missing", "version"): "write version = 1",
    ("missing", "attribute"): "write [attribute.NAME], and below it categories, a grid or a number",
    ("missing", "ask"): 'write [[ask]], and below it histogram = "NAME", for instance',
    ("missing", "record"): "write [record], and below it a value of each attribute",
    # One question alone is still one of a list.
    ("list_type", "ask"): "write [[ask]] in double brackets",
}
"""What to do about a type of mistake at a path, where the rule does not say it."""

MANY = 10_000
"""Names beyond which no nearest one is looked for."""

WITHOUT_ANY = {"too_short", "string_too_short"}
"""Mistakes that are about emptiness where one is enough."""


def _version(version: object) -> object:
    """A literal 1 would take everything that equals it, `true` and 1.0 too."""
    if type(version) is not int or version != 1:
        raise SordinoError("version must be 1, a whole number", found=shown(version))
    return version


VersionField = Annotated[Literal[1], BeforeValidator(_version)]
"""Of every format that people write, until a second one is needed."""


def read_tables(table: type[TableModel], tables: dict[str, Any], name: str, *, private: bool = False) -> TableModel:
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
    table: type[TableModel], tables: dict[str, Any], *, private: bool = False
) -> tuple[TableModel | None, list[SordinoError]]:
    """The tables as one object, or None and all mistakes: first the unknown settings, then what these hid."""
    try:
        return table.model_validate(tables), []
    except ValidationError as error:
        found = error.errors()
    unknown = [details for details in found if details["type"] == "extra_forbidden"]
    rest = [details for details in found if details["type"] != "extra_forbidden"]
    if unknown:
        try:
            table.model_validate(_without(tables, unknown))
            rest = []
        except ValidationError as hidden:
            rest = [details for details in hidden.errors() if details["type"] != "extra_forbidden"]
    return None, [mistake for details in (*unknown, *rest) for mistake in _mistakes(table, details, private=private)]


def tables_within(kind: Any) -> Iterator[type[BaseModel]]:
    """A table and all tables in its settings."""
    if _is_table(kind):
        yield kind
    inner = [field.annotation for field in kind.model_fields.values()] if _is_table(kind) else get_args(kind)
    for each in inner:
        yield from tables_within(each)


def nearest(found: Sequence[str], names: Sequence[Any]) -> str:
    """A hint at the right name for the first of the found ones, or nothing."""
    close = get_close_matches(found[0], [str(name) for name in names], 2) if found and len(names) <= MANY else []
    return f" (did you mean {' or '.join(map(repr, close))}?)" if close else ""


def _mistakes(table: type[BaseModel], details: ErrorDetails, *, private: bool) -> Iterator[SordinoError]:
    """A mistake in our words: several where a check of our own has found several."""
    place = _place(table, details["loc"], private=private)
    original = details.get("ctx", {}).get("error")
    if isinstance(original, SordinoError):
        for error in original.errors if isinstance(original, SordinoErrors) else [original]:
            where = "" if error.rule.startswith(f"{place.path} ") or not place.path else f"{place.path}: "
            yield SordinoError(where + error.rule, found="" if private else error.found, step=error.step)
    elif details["type"] == "extra_forbidden":
        yield _unknown(place, str(details["loc"][-1]), private=private)
    else:
        found = "" if private or details["type"] == "missing" else shown(details["input"])
        step = STEPS.get((details["type"], place.path), "")
        yield SordinoError(f"{place.path or 'the file'} {_rule(details)}", found=found, step=step)


def _rule(details: ErrorDetails) -> str:
    """What must hold, by the type of a mistake; of an unknown type only that."""
    kind, bounds = details["type"], details.get("ctx", {})
    if kind in WITHOUT_ANY and bounds.get("min_length") == 1:
        return "must not be empty"
    # A type that the library will have one day may come with whatever is found in its context.
    return WORDS[kind].format_map(bounds) if kind in WORDS else f"must be valid (a mistake of the kind {kind})"


def _unknown(place: "_Place", name: str, *, private: bool) -> SordinoError:
    """A setting that nobody knows; of a private file not its name."""
    known = list(dict.fromkeys(name for table in place.tables for name in table.model_fields))
    step = f"known here are {', '.join(known)}"
    if private:
        return SordinoError(
            f"{place.path or 'the file'} must have known settings only", found="an unknown one", step=step
        )
    return SordinoError(f"{place.path} must be a known setting{nearest([name], known)}", step=step)


class _Place(NamedTuple):
    """Where a mistake is.

    Attributes:
        path: the settings and names that lead there, for a message.
        tables: which tables can stand there; of an unknown setting those that do not know it.
    """

    path: str
    tables: Sequence[type[BaseModel]]


def _place(table: type[BaseModel], location: Sequence[int | str], *, private: bool) -> _Place:
    """Follow a location through the types of the settings: it names the table of a union too, which nobody wrote."""
    kinds: list[Any] = [table]
    path: list[str] = []
    tables: list[type[BaseModel]] = [table]
    for part in location:
        tagged = _select_kinds(kinds, part)
        if tagged:
            kinds = tables = tagged
            continue
        setting = any(_is_table(kind) and part in kind.model_fields for kind in kinds)
        if setting or isinstance(part, int) or not private:
            path.append(str(part))
        kinds = [inner for kind in kinds for inner in _inner(kind, part)]
        tables = [kind for kind in kinds if _is_table(kind)] or tables
    return _Place(".".join(path), tables)


def _select_kinds(kinds: Sequence[Any], part: int | str) -> list[Any]:
    """The table of a union that a part of a location names: by its own name, or by what its `name` must be.

    Where there is one type only, nothing is named.
    """
    return [kind for kind in filter(_is_table, kinds) if part in (kind.__name__, *_tags(kind))] if kinds[1:] else []


def _tags(table: type[BaseModel]) -> tuple[Any, ...]:
    return get_args(table.model_fields["name"].annotation) if "name" in table.model_fields else ()


def _inner(kind: Any, part: int | str) -> list[Any]:
    """What can stand below a type by a setting, a name or a number."""
    if _is_table(kind):
        return _options(kind.model_fields[part].annotation) if part in kind.model_fields else []
    # A list's items are its only type, a table of names has those of its values last.
    return _options(get_args(kind)[-1]) if get_args(kind) else []


def _options(kind: Any) -> list[Any]:
    """The types of a union, without None; another type is its only one."""
    if get_origin(kind) is Annotated:
        return _options(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return [option for inner in get_args(kind) for option in _options(inner)]
    return [] if kind is NoneType else [kind]


def _without(tables: dict[str, Any], unknown: Sequence[ErrorDetails]) -> dict[str, Any]:
    """A copy of the tables without their unknown settings."""
    known = deepcopy(tables)
    for details in unknown:
        *path, name = details["loc"]
        inner: Any = known
        for part in path:
            # What names a table of a union stands in no file.
            if part in (range(len(inner)) if isinstance(inner, list) else inner):
                inner = inner[part]
        inner.pop(name, None)
    return known


def _is_table(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def is_list_of(value: object, kind: type) -> Any:
    """Whether a value is a list of one kind; booleans are no numbers."""
    return isinstance(value, list) and all(isinstance(item, kind) and not isinstance(item, bool) for item in value)
