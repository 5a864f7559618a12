"""What does not fit: mistakes with the way to each, which grows while they pass from the inner tables to the outer."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sordino.errors import SordinoError

NOTHING: Final = object()
"""In place of a value that there is not: None is one."""


class DataName(str):
    """A name on the way to a mistake that is none of our settings: it comes from the data."""

    __slots__ = ()


class Mistake(NamedTuple):
    """What must hold somewhere, and does not.

    Attributes:
        rule: what must hold, as "must be a text"; or an error of a check of our own.
        found: what was found.
        known: of an unknown setting, which is the last on the way, the settings that there are; empty of all else.
        path: the settings, names and numbers that lead there.
    """

    rule: str | SordinoError
    found: Any = NOTHING
    known: tuple[str, ...] = ()
    path: tuple[str | int, ...] = ()


class UnfitError(Exception):
    """A value that does not fit.

    Attributes:
        mistakes: all of them.
        value: what it is without its unknown settings, if nothing else is wrong with it.
    """

    def __init__(self, mistakes: Sequence[Mistake], value: Any = NOTHING) -> None:
        super().__init__(f"{len(mistakes)}")
        self.mistakes = mistakes
        self.value = value

    def below(self, place: str | int) -> list[Mistake]:
        """The mistakes as they are seen from around it."""
        return [mistake._replace(path=(place, *mistake.path)) for mistake in self.mistakes]


def unfit(rule: str | SordinoError, found: Any) -> UnfitError:
    """One mistake, of the value itself."""
    return UnfitError([Mistake(rule, found)])
