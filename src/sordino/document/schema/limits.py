"""What stands in `Annotated` beside a type: bounds of its values, and functions that read what is written otherwise."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from sordino.document.schema.table_mistakes import unfit
from sordino.errors import SordinoError

Reader: TypeAlias = Callable[[Any], Any]
"""What is found, as what it is read as; raises UnfitError."""


class ValueLimits(NamedTuple):
    """Bounds of a number, of a text, or of how much a list or a table holds. None is within all of them.

    Attributes:
        ge, le, lt: at least, at most, below.
        pattern: of a whole text, from ^ to $, as JSON Schema and Python both read it.
        finite: whether a number must be.
    """

    ge: int | None = None
    le: int | None = None
    lt: int | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    finite: bool = False

    def around(self, read: Reader) -> Reader:
        """The same reader, within the bounds."""
        rules = list(self._rules())

        def read_within(found: Any) -> Any:
            value = read(found)
            for rule, holds in rules if value is not None else ():
                if not holds(value):
                    raise unfit(rule.format(noun="characters" if isinstance(value, str) else "entries"), found)
            return value

        return read_within

    def _rules(self) -> Iterator[tuple[str, Callable[[Any], bool]]]:
        """What must hold, in words and as a function."""
        ge, le, lt, least, most = self.ge, self.le, self.lt, self.min_length, self.max_length
        if self.finite:
            yield "must be a finite number", math.isfinite
        if le is not None:
            yield f"must be at most {le}", lambda value: value <= le
        if lt is not None:
            yield f"must be below {lt}", lambda value: value < lt
        if ge is not None:
            yield f"must be at least {ge}", lambda value: value >= ge
        if least is not None:
            rule = "must not be empty" if least == 1 else f"must have at least {least} {{noun}}"
            yield rule, lambda value: len(value) >= least
        if most is not None:
            yield f"must have at most {most} {{noun}}", lambda value: len(value) <= most
        if self.pattern is not None:
            shape = re.compile(self.pattern)
            words = self.pattern.replace("{", "{{").replace("}", "}}")
            yield f"must be a text of the form {words}", lambda value: shape.fullmatch(value) is not None


class Convert(NamedTuple):
    """What people may write otherwise becomes what the type is, and is read as that.

    Attributes:
        convert: may raise SordinoError.
    """

    convert: Callable[[Any], Any]

    def around(self, read: Reader) -> Reader:
        """A reader of both."""
        return lambda found: read(without_error(self.convert, found))


class Parse(NamedTuple):
    """A function reads the value; its type is what it gives.

    Attributes:
        parse: may raise SordinoError.
    """

    parse: Callable[[Any], Any]

    def around(self, read: Reader) -> Reader:
        """Its own reader."""
        del read
        return lambda found: without_error(self.parse, found)


class OneOf(NamedTuple):
    """A table of one of several classes, which is known by what stands in it.

    Attributes:
        choose: the class of what is found, unchecked; None where it is none.
        noun: what it is, with its article.
    """

    choose: Callable[[Any], Any]
    options: Callable[[], Sequence[type]]
    noun: str

    def around(self, read: Reader) -> Reader:
        """A reader of each."""
        del read

        def read_one(found: Any) -> Any:
            table = self.choose(found)
            if table is None:
                raise unfit(f"must be {self.noun}", found)
            return table.read_value(found)

        return read_one


def without_error(read: Callable[[Any], Any], found: Any) -> Any:
    """What a function of our own reads; its error is a mistake of the value."""
    try:
        return read(found)
    except SordinoError as error:
        raise unfit(error, found) from None
