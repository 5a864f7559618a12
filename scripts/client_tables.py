"""The fields of a plan as the browser client looks at them, from the annotations by which the package reads it.

Names, types and bounds alone: what else must hold of a table, each reader says by itself.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from sordino.document.schema.limits import OneOf, ValueLimits
from sordino.document.schema.strict_table import StrictTable
from sordino.exact.entries import LARGEST_NUMBER

SHAPES: Mapping[Any, str] = {Any: "isAny", str: "text", int: "integer", float: "real", bool: "truth"}
"""What stands in `shapes.js` for a type without bounds."""

HEAD = """\
// The fields of a plan's document: names, types and bounds, from the classes by which the package reads plans. Made by
// `make schemas`; what else must hold of a table is in fields.js, and what must hold of all together in consistent.js.

import {{ {shapes} }} from "./shapes.js";

/**
 * Whether a document has the fields of a plan, each of its type and within its bounds, and nothing else.
 * @param {{Record<string, ((found: any) => boolean)[]>}} checks what else must hold of a table, by its name
 */
export function planFields(checks) {{
  const left = new Set(Object.keys(checks));
  const table = (name, kinds) => {{
    left.delete(name);
    return both(fields(kinds), ...(checks[name] ?? []));
  }};
"""

TAIL = """\
  if (left.size > 0) throw new Error(`no such tables: ${{[...left].join(", ")}}`);
  return {whole};
}}
"""

WIDTH = 140

SHAPE_NAMES = ("anyOf", "isTable", "listOf", "matching", "oneOf", "sized", "tableOf", "whole", *SHAPES.values())

USED = re.compile(rf"[ (]({'|'.join(SHAPE_NAMES)})(?=[(,) ])")
"""A shape where it is used, and not the name of a setting."""


def client_tables(table: type[StrictTable]) -> str:
    """The module of a document and of all tables in it."""
    tables: dict[str, str] = {}
    whole = _reference(table, tables)
    text = "".join(tables.values())
    shapes = ", ".join(sorted({"both", "fields", *USED.findall(text)}))
    return HEAD.format(shapes=shapes) + text + TAIL.format(whole=whole)


def _reference(kind: type[StrictTable], tables: dict[str, str]) -> str:
    name = kind.__name__
    if name not in tables:
        own = list(_settings(kind, tables))
        line = f'  const {name} = table("{name}", {{ {", ".join(own)} }});\n'
        if len(line) > WIDTH:
            line = f'  const {name} = table("{name}", {{\n' + "".join(_filled(own)) + "  });\n"
        tables[name] = line
    return name


def _filled(settings: Sequence[str]) -> Iterator[str]:
    """Lines of settings, as many in each as fit."""
    line = "   "
    for own in settings:
        if len(line) + len(own) + 2 > WIDTH and line.strip():
            yield f"{line}\n"
            line = "   "
        line += f" {own},"
    yield f"{line}\n"


def _settings(kind: type[StrictTable], tables: dict[str, str]) -> Iterator[str]:
    for name, own in kind.settings_table().items():
        shape = _shape(own.kind, tables)
        yield f"{name}: {shape}" if own.default is None else f'"{name}?": {shape}'


def _shape(kind: Any, tables: dict[str, str], limits: ValueLimits | None = None) -> str:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        one_of = next((extra for extra in inner[1:] if isinstance(extra, OneOf)), None)
        own = next((extra for extra in inner[1:] if isinstance(extra, ValueLimits)), limits)
        return _shape(inner[0], tables, own) if one_of is None else _any_of(one_of.options(), tables)
    if origin in (Union, UnionType):
        return _any_of([one for one in inner if one is not NoneType], tables, limits)
    if origin is Literal:
        return f"oneOf({', '.join(map(json.dumps, inner))})"
    if origin in (list, dict):
        if inner == (str, Any):
            return "isTable"
        return f"{'listOf' if origin is list else 'tableOf'}({_shape(inner[-1], tables)}{_lengths(limits)})"
    return _plain_shape(kind, limits) or _reference(kind, tables)


def _any_of(kinds: Sequence[Any], tables: dict[str, str], limits: ValueLimits | None = None) -> str:
    shapes = [_shape(one, tables, limits) for one in kinds]
    return shapes[0] if len(shapes) == 1 else f"anyOf({', '.join(shapes)})"


def _plain_shape(kind: Any, limits: ValueLimits | None) -> str | None:
    """Of a text, a number or a boolean; None of a table."""
    if kind is str and limits is not None:
        return f"matching(/{limits.pattern}/)" if limits.pattern is not None else f"sized({_lengths(limits)[2:]})"
    if kind is int and limits is not None and limits.ge is not None:
        return f"whole({limits.ge})" if limits.le in (None, LARGEST_NUMBER) else f"whole({limits.ge}, {limits.le})"
    return SHAPES.get(kind)


def _lengths(limits: ValueLimits | None) -> str:
    if limits is None:
        return ""
    most = "" if limits.max_length is None else f", {limits.max_length}"
    return f", {limits.min_length or 0}{most}" if limits.min_length or most else ""
