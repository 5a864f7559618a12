"""Files that a survey names, beside or below it: lists of values, one name or number a line, and a statement.

[attribute.page]
categories = { file = "urls.txt" }
[dependence]
file = "statement.json"
"""

import re
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from sordino.document.files import named_file, read_text
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown

PLACES = (("categories",), ("protect", "sensitive"))
"""The settings of an attribute that may name a file."""

NUMBER = re.compile(r"[0-9]{1,18}")
"""A whole number as everybody reads it."""


def with_listed_files(tables: dict[str, Any], folder: Path) -> tuple[dict[str, Any], list[SordinoError]]:
    """The tables of a survey with the lists that it names, and where its statement lies; and what is wrong with these.

    Args:
        tables: as TOML gives them.
        folder: of the survey.
    """
    complete = deepcopy(tables)
    mistakes: list[SordinoError] = []
    statement = complete.get("dependence")
    if isinstance(statement, dict) and isinstance(statement.get("file"), str):
        try:
            statement["file"] = str(named_file(folder, statement["file"]))
        except SordinoError as error:
            mistakes.append(SordinoError(f"dependence.file: {error.rule}", found=error.found, step=error.step))
    for kind in ("attribute", "public"):
        if isinstance(complete.get(kind), dict):
            mistakes += _read_lists(kind, complete[kind], folder)
    return complete, mistakes


def _read_lists(kind: str, attributes: dict[str, Any], folder: Path) -> list[SordinoError]:
    """Put the lists that attributes or public columns name in their place; what is wrong with them."""
    mistakes: list[SordinoError] = []
    for name, attribute in list(attributes.items()):
        for place in PLACES:
            table = _inner(attribute, place[:-1])
            setting = table.get(place[-1]) if table is not None else None
            if table is None or not (isinstance(setting, dict) and set(setting) == {"file"}):
                continue
            try:
                lines = _lines(setting["file"], folder)
                numbered = place != ("categories",) and type(attribute.get("categories")) is int
                table[place[-1]] = _numbers(setting["file"], lines) if numbered else lines
            except SordinoError as error:
                where = ".".join((kind, name, *place))
                mistakes.append(SordinoError(f"{where}: {error.rule}", found=error.found, step=error.step))
                # Nothing more is said about an attribute whose list could not be read.
                attributes[name] = {"categories": 2 if kind == "attribute" else ["unread"]}
                break
    return mistakes


def _inner(table: Any, path: Sequence[str]) -> dict[str, Any] | None:
    for key in path:
        table = table.get(key) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else None


def _lines(file: object, folder: Path) -> list[str]:
    if not isinstance(file, str):
        raise SordinoError("file must be a name", found=shown(file), step='write { file = "names.txt" }')
    lines = read_text(named_file(folder, file)).split("\n")
    if lines[-1] == "":
        lines.pop()
    names = [line.removesuffix("\r") for line in lines]
    blank = next((i for i, name in enumerate(names) if not name), None)
    if blank is not None or not names:
        found = "nothing" if blank is None else f"a blank line {blank + 1}"
        raise SordinoError(f"{file} must have a name on each line", found=found, step="leave no line blank")
    return names


def _numbers(file: str, lines: Sequence[str]) -> list[int]:
    """The values of numbered categories, which have no names."""
    wrong = next((i for i, line in enumerate(lines) if not NUMBER.fullmatch(line)), None)
    if wrong is not None:
        raise SordinoError(
            f"{file} must have a number on each line",
            found=f"text that is no number in line {wrong + 1}",
            step="write the numbers of the values, as 0 and 7",
        )
    return [int(line) for line in lines]
