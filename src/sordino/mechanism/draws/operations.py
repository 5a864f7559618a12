"""The operations of draws, by name, and whether a record's draw is made of them: looked at before anything is drawn.

A draw is written by the author of a mechanism. One that names an operation, an entry or a set that there is not, or
gives an operation more or fewer arguments than it takes, is refused with what stands there. What its numbers are is not
looked at: that is for `certify`. Cost: a look at each part of the draw.

The weights of codes that fall off along the steps of a tree, as draws name them, in whole numbers.

A step has a factor f: over it a weight w becomes w f / 2^64, rounded up. A code's own value has what the weights of all
other codes on it leave of 2^64. Cost: k^2 products of Python's integers; `tree_response` has the same vectorized.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import Any, NoReturn

import numpy as np

from sordino.errors import SordinoError
from sordino.exact.coin import WORD
from sordino.exact.messages import shown

ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: (a - b) * (a > b),
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "^": lambda a, b: a ^ b,
    "<": lambda a, b: (a < b) + np.uint64(0),
}
"""What is worked out of two numbers: a - b is 0 where b is larger."""

SETS: Mapping[str, str] = {"run": "ncc", "masks": "ncc", "points": "nccc", "translates": "ncll", "meeting": "ncccc"}
"""Sets of codes for each value, with the kinds of their arguments: the value, then constants (c) and lists (l)."""

DRAWN: Mapping[str, str] = {
    "if": "nnn", "at": "ln", "drop": "", "coin": "t", "below": "c", "pick": "w", "sides": "cs",
    "digits": "p", "levels": "cp", "blocks": "lp", "hide": "lpc",
}  # fmt: skip
"""What gives a number besides arithmetic, by the kinds of its arguments.

Also numbers (n), a coin's threshold (t), weights (w), a set (s), and parts (p).
"""

NUMBERS: Mapping[str, str] = {**dict.fromkeys(ARITHMETIC, "nn"), **DRAWN}

CONSTANTS: Mapping[str, str] = dict.fromkeys(ARITHMETIC, "cc")

THRESHOLDS: Mapping[str, str] = {**CONSTANTS, "at": "ln"}

LISTS: Mapping[str, str] = {"list": "", "each": "ci"}

WEIGHTS: Mapping[str, str] = {**LISTS, "at": "ln", "outward": "llln"}

WHERE = "see the operations of a draw in docs/plan-format.md"


def require_draw(record: Mapping[str, Any]) -> None:
    """Refuse a record whose draw no interpreter can read.

    Raises:
        SordinoError: an unknown operation, set or entry, or one with other arguments than it takes.

    Example:
        >>> require_draw({"k": 2, "codes": "2", "draw": ["=", "v", 1]})  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        sordino.errors.SordinoError: an operation of a draw must be one of +, -, *, ..., hide; found '=': see ...
    """
    for name in ("k", "codes", "draw"):
        if name not in record:
            raise SordinoError("the record of a draw must have k, codes and draw", found=f"no {name}", step=WHERE)
    _DrawGrammar(record).number(record["draw"])


class _DrawGrammar:
    """The kinds of the parts of a draw, within which a variable has a value: v, or i in a list."""

    def __init__(self, record: Mapping[str, Any], variable: str = "v") -> None:
        self.record, self.variable = record, variable
        self.kinds: Mapping[str, Callable[[Any], None]] = {
            "n": self.number, "c": self.constant, "t": self.threshold, "i": self.item,
            "l": self.numbers, "w": self.weights, "s": self.code_set, "p": self.parts,
        }  # fmt: skip

    def number(self, found: Any) -> None:
        if isinstance(found, list):
            self._arguments("an operation of a draw", found, NUMBERS)
        elif found != self.variable:
            self.constant(found)

    def constant(self, found: Any) -> None:
        """A whole number, a text of digits, an entry that is one of both, or arithmetic with such."""
        if isinstance(found, list):
            self._arguments("an operation on constants in a draw", found, CONSTANTS)
        elif isinstance(found, str) and not found.isdecimal():
            entry = self._entry(found)
            if type(entry) is not int and not (isinstance(entry, str) and entry.isdecimal()):
                _refuse("what a draw names as a number must be one in its record", found)
        elif type(found) not in (int, str):
            _refuse("a number in a draw must be a whole number, a text or an operation", found)

    def threshold(self, found: Any) -> None:
        if isinstance(found, list):
            self._arguments("the threshold of a coin", found, THRESHOLDS)
        else:
            self.constant(found)

    def item(self, found: Any) -> None:
        """A number for each place of a list."""
        _DrawGrammar(self.record, "i").number(found)

    def numbers(self, found: Any) -> None:
        """The name of a list of the record, or an operation that makes one."""
        if isinstance(found, str):
            if not isinstance(self._entry(found), list):
                _refuse("a list in a draw must be a list of the record", found)
            return
        self._list_items(found, LISTS)

    def weights(self, found: Any) -> None:
        self.numbers(found) if isinstance(found, str) else self._list_items(found, WEIGHTS)

    def code_set(self, found: Any) -> None:
        """A named set, the value that it is of, and numbers."""
        self._arguments("the codes of a side", found, SETS)

    def parts(self, found: Any) -> None:
        """The name of the record of another mechanism, or of several."""
        entry = self._entry(found)
        for own in entry if isinstance(entry, list) else [entry]:
            if not isinstance(own, Mapping):
                _refuse("the parts of a draw must be records of mechanisms", found)
            require_draw(own)

    def _list_items(self, found: Any, allowed: Mapping[str, str]) -> None:
        if isinstance(found, list) and found and found[0] == "list":
            for item in found[1:]:
                self.constant(item)
            return
        self._arguments("an operation that makes a list", found, allowed)

    def _arguments(self, what: str, found: Any, allowed: Mapping[str, str]) -> None:
        operation = found[0] if isinstance(found, list) and found else found
        if not isinstance(operation, str) or operation not in allowed or not isinstance(found, list):
            _refuse(f"{what} must be one of {', '.join(allowed)}", operation)
        arguments, kinds = found[1:], allowed[operation]
        if len(arguments) != len(kinds):
            count = f"{len(arguments)} of them"
            raise SordinoError(f"{operation!r} in a draw takes {len(kinds)} arguments", found=count, step=WHERE)
        for kind, argument in zip(kinds, arguments, strict=True):
            self.kinds[kind](argument)

    def _entry(self, name: Any) -> Any:
        if not isinstance(name, str) or name not in self.record:
            names = ", ".join(entry for entry in self.record if entry not in ("name", "draw"))
            _refuse(f"a draw must name entries of its record: {names}", name)
        return self.record[name]


def _refuse(rule: str, found: Any) -> NoReturn:
    raise SordinoError(rule, found=shown(found), step=WHERE)


def outward_rows(above: Sequence[int], kinds: Sequence[int], factors: Sequence[int]) -> list[list[int]]:
    """For each value the weights of all codes, of steps with factors in 1..2^64 - 1.

    `above` is the value at the other end of each value's step, of one of them, the root, itself; `kinds` which factor
    that step has, which is not read of the root.
    """
    near: list[list[tuple[int, int]]] = [[] for _ in above]
    for value, (other, kind) in enumerate(zip(above, kinds, strict=True)):
        if value != other:
            near[value].append((other, factors[kind]))
            near[other].append((value, factors[kind]))
    columns = [_column(near, code) for code in range(len(above))]
    rows = [[column[value] for column in columns] for value in range(len(above))]
    for value, row in enumerate(rows):
        row[value] = WORD - sum(row) + row[value]
    return rows


def _column(near: Sequence[Sequence[tuple[int, int]]], code: int) -> dict[int, int]:
    share = 1 - sum((Fraction(factor, WORD + factor) for _, factor in near[code]), Fraction(0))
    weights, waiting = {code: min(ceil(WORD * share), WORD - 1)}, [code]
    for value in waiting:
        for other, factor in near[value]:
            if other not in weights:
                weights[other] = -(-weights[value] * factor // WORD)
                waiting.append(other)
    return weights
