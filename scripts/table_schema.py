"""The JSON Schema of a table, from the annotations by which the package reads it."""

from collections.abc import Mapping
from inspect import cleandoc
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from sordino.document.schema.limits import Convert, OneOf, Parse, ValueLimits
from sordino.document.schema.strict_table import StrictTable

TYPES: Mapping[Any, Mapping[str, Any]] = {
    Any: {},
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    NoneType: {"type": "null"},
}

LIMITS = {"ge": "minimum", "le": "maximum", "lt": "exclusiveMaximum", "pattern": "pattern"}

LENGTHS = {"string": "Length", "array": "Items", "object": "Properties"}


def table_schema(table: type[StrictTable]) -> dict[str, Any]:
    """The schema of a table, with those of all tables in it."""
    definitions: dict[str, Any] = {}
    own = _properties(table, definitions)
    return {"$defs": definitions, **own}


def _properties(table: type[StrictTable], definitions: dict[str, Any]) -> dict[str, Any]:
    settings = table.settings_table()
    properties = {
        name: _schema(own.kind, definitions) | ({} if own.default is None else {"default": _default(own.default())})
        for name, own in settings.items()
    }
    required = [name for name, own in settings.items() if own.default is None]
    return {
        "additionalProperties": False,
        "description": cleandoc(table.__doc__ or "").partition("\n")[0],
        "properties": properties,
        **({"required": required} if required else {}),
        "type": "object",
    }


def _default(value: Any) -> Any:
    return value.dump() if isinstance(value, StrictTable) else value


def _schema(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _limited(inner[0], inner[1:], definitions)
    if origin is Literal:
        types = TYPES[type(inner[0])]
        return {"const": inner[0], **types} if len(inner) == 1 else {"enum": [*inner], **types}
    if origin in (Union, UnionType):
        options = [_schema(one, definitions) for one in inner]
        # A union in a union is one.
        return {"anyOf": [each for option in options for each in option.get("anyOf", [option])]}
    if origin in (list, dict):
        of = _schema(inner[-1], definitions)
        return (
            {"items": of, "type": "array"} if origin is list else {"additionalProperties": of or True, "type": "object"}
        )
    return dict(TYPES[kind]) if kind in TYPES else _reference(kind, definitions)


def _reference(kind: type[StrictTable], definitions: dict[str, Any]) -> dict[str, Any]:
    if kind.__name__ not in definitions:
        definitions[kind.__name__] = {}
        definitions[kind.__name__] |= _properties(kind, definitions)
    return {"$ref": f"#/$defs/{kind.__name__}"}


def _is_made(kind: Any) -> bool:
    """Whether a type is what something else becomes that people write."""
    is_table = isinstance(kind, type) and issubclass(kind, StrictTable)
    return get_origin(kind) is list or (isinstance(kind, type) and kind not in TYPES and not is_table)


def _limited(kind: Any, extras: tuple[Any, ...], definitions: dict[str, Any]) -> dict[str, Any]:
    for one_of in [extra for extra in extras if isinstance(extra, OneOf)]:
        return {"oneOf": [_schema(option, definitions) for option in one_of.options()]}
    if any(isinstance(extra, Parse) or (isinstance(extra, Convert) and _is_made(kind)) for extra in extras):
        return {}
    schema = _schema(kind, definitions)
    for limits in [extra for extra in extras if isinstance(extra, ValueLimits)]:
        # None is within all limits.
        limited = schema["anyOf"][0] if "anyOf" in schema else schema
        limited |= {name: value for own, name in LIMITS.items() if (value := getattr(limits, own)) is not None}
        for word, length in (("min", limits.min_length), ("max", limits.max_length)):
            limited |= {} if length is None else {f"{word}{LENGTHS[limited['type']]}": length}
    return schema
