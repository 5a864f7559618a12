"""A survey's tables in their declared form, and how settings get their declared names."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sordino.errors import SordinoError


@dataclass
class DeclaredTables:
    """A survey's tables in their declared form.

    Attributes:
        tables: as the settings declare them.
        mistakes: in the spellings.
        notes: how what may surprise was read.
        remarks: what follows of what is written, whatever its spelling.
        asked_at: of each question the number of the written one that it comes from, or the attribute at which it is.
        joined: of written questions that another one answers too, the place of that one.
        scales: names of the attributes that are whole-number scales, each value a bin.
        moved: names of public columns that are written as attributes.
    """

    tables: dict[str, Any]
    mistakes: list[SordinoError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    asked_at: list[int | str] = field(default_factory=list)
    joined: dict[int, int] = field(default_factory=dict)
    scales: set[str] = field(default_factory=set)
    moved: set[str] = field(default_factory=set)

    def as_written(self, errors: Iterable[SordinoError]) -> list[SordinoError]:
        """Mistakes of the declared tables with the tables and the numbers of the questions that were written."""
        return [SordinoError(self._renumber(error.rule), found=error.found, step=error.step) for error in errors]

    def _renumber(self, rule: str) -> str:
        kind, _, rest = rule.partition(".")
        if kind == "public" and any(re.match(rf"{re.escape(name)}\b", rest) for name in self.moved):
            return f"attribute.{rest}"

        def number(found: re.Match[str]) -> str:
            place = int(found[1])
            if place >= len(self.asked_at):
                return found[0]
            own = self.asked_at[place]
            return f"ask.{own}" if isinstance(own, int) else f"attribute.{own}"

        return re.sub(r"\bask\.([0-9]+)", number, rule)


def rename_settings(where: str, table: dict[Any, Any], words: Mapping[str, str], mistakes: list[SordinoError]) -> None:
    """Give settings their declared names, in their places; one that is said twice is a mistake."""
    for word in [word for word in words if word in table and words[word] != word]:
        name, value = words[word], table.pop(word)
        if name in table:
            rule = f"{where}{name} must be said once: {word} means the same"
            mistakes.append(SordinoError(rule, found=f"{name} and {word}", step=f"leave {word} out"))
        else:
            table[name] = value
