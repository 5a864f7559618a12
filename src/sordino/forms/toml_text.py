"""TOML as text: values as they are written, and the statements of a file with what stands around them.

Comments, blank lines and spaces are none of a parser's business: here they are kept. What is read is TOML that a parser
has read before.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sordino.printable import printable

Path: TypeAlias = tuple[str | int, ...]
"""Names of tables and a key, from the root; within an array of tables the place of each."""

BARE = re.compile("[A-Za-z0-9_-]+")
QUOTED = r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\''
KEY = rf"(?:{QUOTED}|[\w-]+)(?:[ \t]*\.[ \t]*(?:{QUOTED}|[\w-]+))*"
TOKEN = re.compile(
    rf'"""(?:[^\\]|\\.)*?"""(?:"{{1,2}})?|\'\'\'.*?\'\'\'(?:\'{{1,2}})?|{QUOTED}|#[^\n]*|[\[\]{{}},\n]|[^"\'#\[\]{{}},\n]+',
    re.DOTALL,
)
BETWEEN = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
"""A line without a statement, or the rest of one behind it."""

HEADER = re.compile(rf"[ \t]*\[(\[?)[ \t]*({KEY})[ \t]*\]\]?", re.ASCII)
ASSIGNMENT = re.compile(rf"[ \t]*({KEY})[ \t]*=[ \t]*", re.ASCII)


@dataclass(frozen=True)
class TomlStatement:
    """A line with a key, or a table's header.

    Attributes:
        path: of the value, or of the table.
        head: all before the value as it is written; of a header the whole of it. Empty where it is to be written anew.
        value: as it is written; None of a header.
        above: lines before it, of comments and blank ones.
        beside: the rest of its line.
    """

    path: Path
    head: str = ""
    value: str | None = None
    above: tuple[str, ...] = ()
    beside: str = ""

    @property
    def comments(self) -> list[str]:
        """All that stand around it and in it."""
        return comments("\n".join((*self.above, self.value or "", self.beside)))


@dataclass
class TomlFile:
    """A file's statements in their order, and the lines behind the last one."""

    statements: list[TomlStatement] = field(default_factory=list)
    tail: tuple[str, ...] = ()


def toml(value: Any) -> str:
    """A text, number, truth value, date, list or table as TOML writes it, on one line."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{toml_key(key)} = {toml(own)}' for key, own in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, str | bool):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value)


def toml_key(name: str) -> str:
    """A name as TOML writes it before an equals sign."""
    return name if BARE.fullmatch(name) else toml(name)


def comment(text: str) -> list[str]:
    """A line that TOML reads over."""
    return [f"# {printable(text)}"]


def comments(text: str) -> list[str]:
    """The comments of a piece of TOML, each from its number sign on."""
    return [found[0].rstrip() for found in TOKEN.finditer(text) if found[0].startswith("#")]


def key_path(key: str) -> tuple[str, ...]:
    """The names of a dotted key."""
    table: Any = tomllib.loads(f"{key} = 0")
    names: list[str] = []
    while table:
        ((name, table),) = table.items()
        names.append(name)
    return tuple(names)


def read_statements(text: str) -> TomlFile:
    """The statements of a TOML file, whose lines end with line feeds."""
    file, place, above = TomlFile(), 0, list[str]()
    counts: dict[Path, int] = {}
    table: Path = ()

    def resolve(names: tuple[str, ...]) -> Path:
        path: Path = ()
        for name in names:
            path = (*path, name)
            path += (counts[path] - 1,) if path in counts else ()
        return path

    while place < len(text):
        if blank := BETWEEN.match(text, place):
            above.append(blank[0].rstrip("\n"))
            place = blank.end()
            continue
        if header := HEADER.match(text, place):
            names, value, end = key_path(header[2]), None, header.end()
            if header[1]:
                path = (*resolve(names[:-1]), names[-1])
                counts[path] = counts.get(path, 0) + 1
            table = resolve(names)
            path, head = table, header[0]
        else:
            key = next(ASSIGNMENT.finditer(text, place))
            end = _value_end(text, key.end())
            path, head, value = (*table, *key_path(key[1])), key[0], text[key.end() : end]
        rest = next(BETWEEN.finditer(text, end))
        file.statements.append(TomlStatement(path, head, value, tuple(above), rest[0].rstrip("\n")))
        place, above = rest.end(), []
    file.tail = tuple(above)
    return file


def _value_end(text: str, start: int) -> int:
    """Where a value ends that begins there."""
    depth, end = 0, start
    for token in TOKEN.finditer(text, start):
        found = token[0]
        if depth == 0 and found[0] in "#\n,]}":
            break
        depth += (found in "[{") - (found in "]}")
        end = end if depth == 0 and not found.strip() else token.start() + len(found.rstrip())
    return end


def elements(value: str) -> Iterator[tuple[int, int]]:
    """Where each element of an array begins and ends, or each assignment of an inline table."""
    place = 1
    while place < len(value) - 1:
        token = next(TOKEN.finditer(value, place))
        if token[0][0] in "#\n," or not token[0].strip():
            place = token.end()
            continue
        place += len(token[0]) - len(token[0].lstrip())
        end = _value_end(value, place)
        yield place, end
        place = end


def inner_statements(whole: TomlStatement) -> list[TomlStatement]:
    """What stands in an inline table, or in an array, as statements; first the header of it all.

    Comments within an array belong to the element on their line, else to the next one, and behind the last to it.
    """
    value = whole.value or ""
    found = [TomlStatement(whole.path, above=whole.above, beside=whole.beside)]
    last = 1
    for i, (start, end) in enumerate(elements(value)):
        line, _, above = value[last:start].partition("\n") if i else ("", "", value[last:start])
        if said := comments(line):
            found[-1] = _put_beside(found[-1], said)
        if value.startswith("{"):
            key = next(ASSIGNMENT.finditer(value, start))
            own = TomlStatement((*whole.path, *key_path(key[1])), value=value[key.end() : end])
        else:
            own = TomlStatement((*whole.path, i), value=value[start:end])
        found.append(TomlStatement(own.path, value=own.value, above=tuple(comments(above))))
        last = end
    if said := comments(value[last:]):
        found[-1] = _put_beside(found[-1], said)
    return found


def _put_beside(statement: TomlStatement, said: list[str]) -> TomlStatement:
    """A statement with comments on its line; of several all but one stand above."""
    known = [*comments(statement.beside), *said]
    above = (*statement.above, *known[:-1])
    return TomlStatement(statement.path, statement.head, statement.value, above, f"  {known[-1]}")
