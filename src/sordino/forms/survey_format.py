"""A survey file in the one way of the docs, whatever spellings it is written in; comments and order are kept.

# Who travels?                                      # Who travels?
title = "Travel"                                    version = 1
[attribute.mode]
options = ["car", "bus"]  # one                     [about]
public = true                                       title = "Travel"
                                                    [public.mode]
                                                    categories = ["car", "bus"]  # one

What stands there already as the docs have it is left as it is, byte for byte. A setting that must be written anew is
written on one line, and a comment that has no place in it above that line.
"""

import re
import tomllib
from collections import Counter, deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import dropwhile
from typing import Any, NoReturn, TypeAlias

from sordino.document.files import toml_tables
from sordino.domain.bins import HALF
from sordino.errors import SordinoError, SordinoErrors
from sordino.forms.toml_text import (
    ASSIGNMENT,
    HEADER,
    Path,
    TomlFile,
    TomlStatement,
    comments,
    elements,
    inner_statements,
    key_path,
    read_statements,
    toml,
    toml_key,
)
from sordino.survey.reading.ask_table import WORDS
from sordino.survey.reading.declared_tables import DeclaredTables
from sordino.survey.reading.open_choices import open_choices
from sordino.survey.reading.spelled_attribute import ATTRIBUTE_WORDS
from sordino.survey.reading.spelled_questions import ASK_WORDS, OF_PLAN
from sordino.survey.reading.spellings import (
    ABOUT_WORDS,
    DESCRIBED,
    PLAN_WORDS,
    SURVEY_WORDS,
    declared_tables,
    describes,
    name_attributes,
)
from sordino.survey.reading.survey_file import Survey

DEPTHS = {"attribute": 2, "public": 2, "ask": 2, "section": 2, "about": 1, "dependence": 1, "series": 1}
"""Names before a setting, by the kind of table; other settings stand at the top."""

LISTED = ("ask", "section")
"""Tables of which there may be several of one name."""

OF_NUMBER = ("scale", "number", "several", "categories")
STANDS_FOR = {
    **dict.fromkeys(("min", "max", "low", "high", "bins", "integer", "number", "scale", "type"), OF_NUMBER),
    "yes_no": ("categories",),
    "most": ("several",),
    **dict.fromkeys(("optional", "required"), ("missing",)),
    **dict.fromkeys(("sensitive", "epsilon", "visibility"), ("protect",)),
    **dict.fromkeys(("edges", "groups", "bin_width", "clip", "spikes", "lipschitz", "step"), OF_NUMBER),
    "labels": ("help",),
}
"""Settings of an attribute in which one is written that has another spelling: the first that there is."""

CHANGES_NOTHING = frozenset({*PLAN_WORDS, *OF_PLAN, "decimals", "ordered"})
"""Settings that are no part of a survey, or change nothing of it: they stay as comments."""

SCHEMA_MARK = "#:schema"
"""Begins the first line of a file that names its JSON Schema, for editors."""

AMOUNTS = ("epsilon", "delta")
LOGARITHM = re.compile(r"\bln\s*\(\s*([^()]*?)\s*\)")

AROUND = ("survey",)
"""A table around all of it."""

Unit: TypeAlias = tuple[str | int, ...]
"""A table by its kind, and by its name or its place."""


@dataclass
class _Block:
    """A table's statements, whose paths begin below it.

    Attributes:
        header: as it is written; None where there is none.
    """

    header: TomlStatement | None = None
    statements: list[TomlStatement] = field(default_factory=list)


def format_survey(text: str, name: str) -> str:
    """The text of a survey file in the way of the docs.

    Args:
        text: of the file, TOML.
        name: of the file, for messages.

    Raises:
        SordinoError: no TOML.
        SordinoErrors: what is left to be chosen, said twice, or cannot be meant; or no tables of a survey.
    """
    given = toml_tables(text, name)
    ends = "\r\n" if "\r\n" in text else "\n"
    plain = text.replace("\r\n", "\n")
    read = declared_tables(given)
    if mistakes := [*open_choices(given)] or read.mistakes:
        raise SordinoErrors(name, mistakes)
    target = documented_tables(read)
    if not _is_formed(target):
        _refuse(given, name)
    lines = _SurveyWriter(given, read, target).lines(read_statements(plain))
    written = "\n".join(lines) + "\n"
    again = declared_tables(tomllib.loads(written))
    is_same = toml(_in_order(documented_tables(again))) == toml(_in_order(target)) and not again.mistakes
    if not is_same or not Counter(comments(written)) >= Counter(comments(plain)):
        _refuse(given, name)
    return written.replace("\n", ends)


def _refuse(given: dict[str, Any], name: str) -> NoReturn:
    """Refuse a survey for the mistakes that any other command finds; or because it would not say the same."""
    Survey.read(given, name)
    step = "write it by hand, as docs/reference.md does under Spellings"
    raise SordinoError(f"{name} must say the same after it is rewritten", found="a change of what it says", step=step)


def documented_tables(read: DeclaredTables) -> dict[str, Any]:
    """A survey's tables as the docs write them: declared, but whole-number scales and their ranges by their values."""
    tables: dict[str, Any] = _with_amounts({key: own for key, own in read.tables.items() if own or key != "public"})
    scales = set[str]()
    for kind in ("attribute", "public"):
        if not isinstance(tables.get(kind), dict):
            continue
        own = {name: _with_amounts(table, "protect", "metric") for name, table in tables[kind].items()}
        tables[kind] = own
        for name, table in own.items():
            number: Any = table.get("number") if isinstance(table, dict) else None
            if name in read.scales and _is_plain_scale(number):
                scales.add(name)
                scale = [int(number["low"] + HALF), int(number["high"] - HALF)]
                settings = {key: value for key, value in table.items() if (key, value) != ("input", "slider")}
                own[name] = {"scale" if key == "number" else key: value for key, value in settings.items()}
                own[name]["scale"] = scale
    if isinstance(tables.get("ask"), list):
        tables["ask"] = [_with_whole_ranges(ask, scales) for ask in tables["ask"]]
    return tables


def _is_plain_scale(number: Any) -> bool:
    """Whether each value of a whole-number scale has a bin of its own."""
    keys = number.keys() if isinstance(number, dict) else ()
    return keys == {"low", "high", "bins"} and number["bins"] == number["high"] - number["low"]


def _with_amounts(table: Any, *inner: str) -> Any:
    """A table, and those within it of some names, with amounts as the docs write them: `ln 3`."""
    if not isinstance(table, dict):
        return table
    plain = {key: LOGARITHM.sub(r"ln \1", table[key]) for key in AMOUNTS if isinstance(table.get(key), str)}
    return {key: _with_amounts(value, *inner) if key in inner else value for key, value in table.items()} | plain


def _with_whole_ranges(ask: Any, scales: Collection[str]) -> Any:
    """A question with the ranges of a scale by its values."""
    if not isinstance(ask, dict) or not isinstance(ask.get("ranges"), list):
        return ask
    name = ask.get("distribution")
    is_of_scale = isinstance(name, str) and name in scales
    return {**ask, "ranges": [*map(_whole_range, ask["ranges"])]} if is_of_scale else ask


def _whole_range(pair: Any) -> Any:
    """The first and the last value of a range of a scale; one with other ends stays."""
    ends = pair if isinstance(pair, list) and len(pair) == 2 else ()
    if not ends or any(type(end) is not float or (end + HALF) % 1 for end in ends) or ends[0] >= ends[1]:
        return pair
    return [int(ends[0] + HALF), int(ends[1] - HALF)]


def _in_order(tables: Mapping[str, Any]) -> dict[str, Any]:
    """A survey's tables with their settings in the order of the alphabet: of names, values and labels it may matter."""

    def of_one(table: Any) -> Any:
        return dict(sorted(table.items())) if isinstance(table, dict) else table

    ordered = {key: of_one(value) if DEPTHS.get(key) == 1 else value for key, value in sorted(tables.items())}
    for key in ("attribute", "public"):
        if isinstance(ordered.get(key), dict):
            ordered[key] = {name: of_one(table) for name, table in ordered[key].items()}
    for key in LISTED:
        if isinstance(ordered.get(key), list):
            ordered[key] = [*map(of_one, ordered[key])]
    return ordered


def _is_formed(tables: Mapping[str, Any]) -> bool:
    """Whether a survey's tables are tables, and lists of them."""

    def is_table(own: Any, depth: int) -> bool:
        return isinstance(own, dict) and (depth == 1 or all(is_table(inner, 1) for inner in own.values()))

    def is_list(own: Any) -> bool:
        return isinstance(own, list) and all(is_table(one, 1) for one in own)

    known = [(kind, own) for kind, own in tables.items() if kind in DEPTHS]
    return bool(tables.get("attribute")) and all(
        is_list(own) if kind in LISTED else is_table(own, DEPTHS[kind]) for kind, own in known
    )


class _SurveyWriter:
    """A survey file while it is written anew.

    Args:
        given: its tables as they are written.
        read: the same in their declared form.
        target: the same in the way of the docs.
    """

    def __init__(self, given: Mapping[str, Any], read: DeclaredTables, target: Mapping[str, Any]) -> None:
        wrapped = given.get("survey")
        self.is_wrapped = isinstance(wrapped, dict)
        self.given = {**wrapped, **given} if isinstance(wrapped, dict) else given
        self.target = target
        self.asked_at, self.joined = read.asked_at, read.joined
        self.orphans: list[str] = []
        self.kinds = {word: self._kind(word, own) for word, own in self.given.items()}
        lists = {word: own for word, own in self.given.items() if self.kinds[word] == "attribute"}
        self.names = {word: [*name_attributes(own, [])] for word, own in lists.items() if isinstance(own, list)}

    @staticmethod
    def _kind(word: str, given: Any) -> str:
        """The declared kind of table that a word at the top is, or of which it is a setting."""
        if word in DESCRIBED and describes(given):
            return "attribute"
        if word in ABOUT_WORDS or (word == "ask" and isinstance(given, str)):
            return "about"
        return SURVEY_WORDS.get(word, word)

    def lines(self, file: TomlFile) -> list[str]:
        """Those of the file."""
        head, statements = _head(file.statements)
        blocks, left = self._blocks(statements)
        top = blocks.pop((), _Block())
        settings = {key: value for key, value in self.target.items() if key not in DEPTHS}
        has_version = any(one.path == ("version",) for one in top.statements)
        lines = [*head, *([] if has_version else [f"version = {toml(settings.pop('version'))}"])]
        lines += _settings((), top, settings)
        for i, (unit, block) in enumerate(self._in_order(blocks)):
            table: Any = self.target
            for name in unit:
                table = table[name]
            written = _header(unit, block)
            is_new = block.header is None or not block.header.head or (i == 0 and not top.statements)
            lines += [""] if is_new and lines[-1].strip() and written[0].strip() else []
            lines += [*written, *_settings(unit, block, table)]
        return [*lines, *self.orphans, *left, *file.tail]

    def _unit(self, path: Path) -> tuple[Unit, Path]:
        """The table that a path leads to or through, by its declared kind, and the rest of the path."""
        path = path[1:] if self.is_wrapped and path[0] == "survey" else path
        if not path:
            return AROUND, ()
        word, *rest = path
        kind = self.kinds[str(word)]
        if kind == "about" and word != "about":
            return ("about",), path
        if kind == "ask" and isinstance(self.given[str(word)], dict):
            rest = [0, *rest]
        elif word in self.names and rest:
            rest = [self.names[str(word)][int(rest[0])], *rest[1:]]
        whole, depth = (kind, *rest), DEPTHS.get(kind, 0)
        return whole[:depth], whole[depth:]

    def _blocks(self, statements: Sequence[TomlStatement]) -> tuple[dict[Unit, _Block], list[str]]:
        """Tables in their order, the settings at the top as one without a name; and comments behind them all."""
        blocks: dict[Unit, _Block] = {}
        carried: list[str] = []
        waiting = deque(statements)
        while waiting:
            one = waiting.popleft()
            unit, path = self._unit(one.path)
            is_around = unit == AROUND or (bool(unit) and len(unit) < DEPTHS[str(unit[0])])
            if one.value is not None and (is_around or (unit and not path)):
                if one.value.startswith("{") or (one.value.startswith("[") and unit != ("public",)):
                    waiting.extendleft(reversed(inner_statements(one)))
                else:
                    # Columns that are public by their names are so by their tables.
                    carried += one.comments
                continue
            if is_around:
                carried += [*one.above, *comments(one.beside)]
                continue
            one, carried = replace(one, path=path, above=(*carried, *one.above)), []
            block = blocks.get(unit, _Block())
            if path:
                if unit and not block.statements and block.header is None:
                    one = replace(one, above=_without_first_blanks(one.above))
                block.statements.append(one)
            elif block.header is None:
                # It stands where its header does.
                blocks.pop(unit, None)
                block.header = one
            else:
                block.statements.append(one)
            blocks[unit] = block
        return blocks, carried

    def _in_order(self, blocks: Mapping[Unit, _Block]) -> list[tuple[Unit, _Block]]:
        """Tables as they are to be written, each with what is written of it already."""
        found: list[tuple[Unit, _Block]] = []
        for (kind, *name), block in blocks.items():
            if kind == "ask":
                places = [i for i, place in enumerate(self.asked_at) if place == name[0]]
                found += [(("ask", i), block if i == places[0] else _Block()) for i in places]
                if not places and name[0] not in self.joined:
                    # Nothing is asked by it.
                    self.orphans += _comments_of(block)
                elif not places:
                    # What is said of a question that another one answers stands there.
                    at = next(i for i, (unit, _) in enumerate(found) if unit == ("ask", self.joined[int(name[0])]))
                    found[at] = (found[at][0], _with_comments(found[at][1], block))
            elif kind == "attribute" and name[0] not in self.target["attribute"]:
                found.append((("public", *name), block))
            else:
                found.append(((kind, *name), block))
        # What is asked at attributes comes last.
        there = {unit for unit, _ in found}
        asks = [("ask", i) for i in range(len(self.target.get("ask", ())))]
        found += [(unit, _Block()) for unit in asks if unit not in there]
        for kind in ("attribute", "public"):
            # The order of columns is that in which they are declared.
            names = [*self.target.get(kind, ())]
            places = [i for i, (unit, _) in enumerate(found) if unit[0] == kind]
            ordered = sorted((found[i] for i in places), key=lambda one: names.index(one[0][1]))
            for i, one in zip(places, ordered, strict=True):
                found[i] = one
        return found


def _with_comments(block: _Block, other: _Block) -> _Block:
    """A table's statements with the comments of another one's above the first of them."""
    said = _comments_of(other)
    if block.header is None or not said:
        return block
    return replace(block, header=replace(block.header, above=(*block.header.above, *said)))


def _comments_of(block: _Block) -> list[str]:
    """The comments of a table and its settings."""
    return [comment for one in ([block.header] if block.header else []) + block.statements for comment in one.comments]


def _head(statements: Sequence[TomlStatement]) -> tuple[list[str], list[TomlStatement]]:
    """The lines at the top that are about the whole file, and all statements without them."""
    if not statements:
        return [], []
    first, *others = statements
    blank = max((i for i, line in enumerate(first.above) if not line.strip()), default=-1)
    is_of_file = first.value is not None or (blank < 0 and first.above[:1] and first.above[0].startswith(SCHEMA_MARK))
    end = len(first.above) if is_of_file else blank + 1
    return [*first.above[:end]], [replace(first, above=first.above[end:]), *others]


def _without_first_blanks(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(dropwhile(lambda line: not line.strip(), lines))


def _header(unit: Unit, block: _Block) -> list[str]:
    """The lines of a table's header."""
    names = tuple(str(name) for name in unit if not isinstance(name, int))
    dotted = _key_text(names)
    header = f"[[{dotted}]]" if unit[0] in LISTED else f"[{dotted}]"
    if block.header is None:
        return [header]
    known = HEADER.fullmatch(block.header.head)
    is_known = known is not None and key_path(known[2]) == names and bool(known[1]) == (unit[0] in LISTED)
    return [*block.header.above, f"{block.header.head if is_known else header}{block.header.beside}"]


def _key_text(path: Path) -> str:
    return ".".join(toml_key(str(name)) for name in path)


def _setting_of(kind: str | int, word: str, target: Mapping[str, Any]) -> str | None:
    """The setting in which one of a table is written; None where it is in none."""
    if kind == "ask":
        words = (ASK_WORDS.get(word, word), *WORDS)
    elif kind in ("attribute", "public"):
        name = ATTRIBUTE_WORDS.get(word, word)
        words = (name, *STANDS_FOR.get(name, ()))
    else:
        words = (ABOUT_WORDS.get(word, word) if kind == "about" else word,)
    return next((name for name in words if name in target), None)


def _settings(unit: Unit, block: _Block, target: Mapping[str, Any]) -> list[str]:
    """The lines of a table's settings."""
    words: dict[str, list[TomlStatement]] = {}
    for one in block.statements:
        words.setdefault(str(one.path[0]) if one.path else "", []).append(one)
    into = {
        word: None if unit and word in OF_PLAN else _setting_of(unit[0] if unit else "", word, target) for word in words
    }
    lines, tables, waiting, done = list[str](), list[str](), list[str](), set[str]()
    for word, given in words.items():
        key = into[word]
        if key is None:
            waiting += [comment for one in given for comment in one.comments]
            kept = [one.value for one in given if word in CHANGES_NOTHING and one.value not in (None, "0")]
            waiting += [f"# {word} = {value}" for value in kept if not set(str(value)) & {"{", "\n"}]
        if key is None or key in done:
            continue
        done.add(key)
        sources = {name: own for name, own in words.items() if into[name] == key}
        same = next((name for name, own in sources.items() if _says(own, name, target[key])), None)
        others = [one for name, own in sources.items() if name != same for one in own]
        if same is None:
            own, inner = _new_lines(key, target[key], others), list[str]()
        else:
            waiting += [comment for one in others for comment in one.comments]
            own, inner = _setting_lines(unit, sources[same], key)
        lines += [*waiting, *own] if own else []
        tables += inner if own else [*waiting, *inner]
        waiting = []
    lines += [f"{toml_key(key)} = {toml(value)}" for key, value in target.items() if key not in done]
    return [*lines, *waiting, *tables]


def _says(statements: Sequence[TomlStatement], word: str, value: Any) -> bool:
    """Whether statements give a setting this value."""
    if any(isinstance(name, int) for one in statements for name in one.path):
        return False
    text = "\n".join(f"{_key_text(one.path)} = {one.value}" for one in statements if one.value is not None)
    return toml(tomllib.loads(text).get(word, {})) == toml(value)


def _setting_lines(unit: Unit, statements: Sequence[TomlStatement], key: str) -> tuple[list[str], list[str]]:
    """The lines of a setting as they are, perhaps by another name: among others, and as tables of their own."""
    names = tuple(name for name in unit if not isinstance(name, int))
    lines: list[str] = []
    tables: list[str] = []
    within: Path = ()
    for one in statements:
        path = (key, *one.path[1:])
        if one.value is None:
            within = path
            known = HEADER.fullmatch(one.head)
            is_known = known is not None and key_path(known[2]) == (*names, *path)
            tables += [*one.above, f"{one.head if is_known else f'[{_key_text((*names, *path))}]'}{one.beside}"]
            continue
        within = within if path[: len(within)] == within else ()
        key_known = ASSIGNMENT.fullmatch(one.head)
        is_known = key_known is not None and key_path(key_known[1]) == path[len(within) :]
        head = one.head if is_known else f"{_key_text(path[len(within) :])} = "
        (tables if within else lines).extend((*one.above, *f"{head}{one.value}{one.beside}".split("\n")))
    return lines, tables


def _new_lines(key: str, value: Any, statements: Sequence[TomlStatement]) -> list[str]:
    """The lines of a setting that has another value than what is written of it."""
    lists = [one.value for one in statements if one.value is not None and one.value.startswith("[")]
    text = _new_list(lists[0], value) if len(lists) == 1 and isinstance(value, list) else toml(value)
    above: list[str] = []
    inside = Counter(comments(text))
    for one in statements:
        above += one.above
        for comment in comments(one.value or ""):
            above += [] if inside[comment] > 0 else [comment]
            inside[comment] -= 1
    beside = [one.beside for one in statements if comments(one.beside)]
    if len(beside) > 1:
        above += [comment for line in beside for comment in comments(line)]
    return [*above, *f"{toml_key(key)} = {text}{beside[0] if len(beside) == 1 else ''}".split("\n")]


def _new_list(text: str, value: Sequence[Any]) -> str:
    """An array with other elements, and what stands around them as it is; on one line if it has fewer."""
    places = [*elements(text)]
    if not places or len(value) < len(places):
        return toml(value)
    written, last = "", 0
    for (start, end), own in zip(places, value, strict=False):
        is_same = toml(tomllib.loads(f"value = {text[start:end]}")["value"]) == toml(own)
        written += text[last:start] + (text[start:end] if is_same else toml(own))
        last = end
    return written + "".join(f", {toml(own)}" for own in value[len(places) :]) + text[last:]
