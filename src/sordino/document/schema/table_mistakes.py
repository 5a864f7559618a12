"""Mistakes in our words, each with path, rule and the nearest right name; of private tables nothing that is in them.

The way to a mistake grows while it passes from the inner tables to the outer.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sordino.document.schema.nearest import nearest
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages import shown

STEPS: Mapping[tuple[str, str], str] = {
    ("must be given", "version"): "write version = 1",
    ("must be given", "attribute"): "write [attribute.NAME], and below it categories, a grid or a number",
    ("must be given", "ask"): 'write [[ask]], and below it histogram = "NAME", for instance',
    ("must be given", "record"): "write [record], and below it a value of each attribute",
    # One question alone is still one of a list.
    ("must be a list", "ask"): "write [[ask]] in double brackets",
}
"""What to do about a rule at a path that does not say it."""

NOTHING: Final = object()
"""Stands for no value, since None is one."""


class DataName(str):
    """A name on the way to a mistake that is none of our settings: it comes from the data."""

    __slots__ = ()


class Mistake(NamedTuple):
    """What must hold somewhere, and does not.

    Attributes:
        rule: what must hold, as "must be a text"; or an error of a check of our own.
        known: of an unknown setting, which is the last on the way, the settings that there are; empty of all else.
        is_listed: whether these are listed with an earlier mistake.
        path: the settings, names and numbers that lead there.
    """

    rule: str | SordinoError
    found: Any = NOTHING
    known: tuple[str, ...] = ()
    path: tuple[str | int, ...] = ()
    is_listed: bool = False


class UnfitError(Exception):
    """A value that does not fit.

    Attributes:
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


def mistake_errors(mistakes: Sequence[Mistake], *, private: bool = False) -> list[SordinoError]:
    """All mistakes: first the unknown settings.

    Args:
        mistakes: in the order of the tables.
        private: whether they are of a person's file: no message holds a value or a name of theirs.
    """
    listed = {mistake.known: i for i, mistake in reversed([*enumerate(mistakes)]) if _is_far(mistake)}
    unknown = [
        mistake._replace(is_listed=listed.get(mistake.known, i) < i)
        for i, mistake in enumerate(mistakes)
        if mistake.known
    ]
    rest = [mistake for mistake in mistakes if not mistake.known]
    errors = [error for mistake in (*unknown, *rest) for error in _errors(mistake, private=private)]
    # Without names and values several can be one sentence, which is said once.
    return list({str(error): error for error in errors}.values()) if private else errors


def _is_far(mistake: Mistake) -> bool:
    """Whether a setting is unknown, and no known one is near."""
    return bool(mistake.known) and not nearest([str(mistake.path[-1])], mistake.known)


def _errors(mistake: Mistake, *, private: bool) -> Iterator[SordinoError]:
    *_, last = mistake.path or ("",)
    steps = mistake.path[:-1] if private and mistake.known else mistake.path
    path = ".".join(str(step) for step in steps if not (private and isinstance(step, DataName)))
    if isinstance(mistake.rule, SordinoError):
        for error in mistake.rule.errors if isinstance(mistake.rule, SordinoErrors) else [mistake.rule]:
            where = "" if error.rule.startswith(f"{path} ") or not path else f"{path}: "
            yield SordinoError(where + error.rule, found="" if private else error.found, step=error.step)
        return
    place = path or "the file"
    if mistake.known:
        known = f"known here are {', '.join(mistake.known)}"
        if private:
            yield SordinoError(f"{place} must have known settings only", found="an unknown one", step=known)
        else:
            near = nearest([str(last)], mistake.known)
            yield SordinoError(
                f"{place} must be a known setting{near}", step="" if near or mistake.is_listed else known
            )
        return
    found = "" if private or mistake.found is NOTHING else shown(mistake.found)
    yield SordinoError(f"{place} {mistake.rule}", found=found, step=STEPS.get((mistake.rule, path), ""))
