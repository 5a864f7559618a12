"""The one family of errors: rule, found value, next step, and a code that tells programs what to do about it.

The command line prints a `SordinoError` without a traceback and ends with the exit code of its kind. Its facts stay
readable as attributes. No error ever holds a person's value.
"""

import copyreg
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from sordino.printable import printable, shorten_text

Code = Literal["invalid", "refused", "damaged", "unavailable"]
"""What kind of error it is."""

MOST_FOUND = 160
"""Characters of what was found in a message at most: a survey, a plan or a name may hold any number of them."""

MOST_SAID = 600
"""Characters of a rule or a step at most: they may hold names."""


class SordinoError(ValueError):
    """A rule that was broken, what was found instead, and what to do next.

    Attributes:
        code: `invalid`: what was given must be given otherwise; the classes below have other codes.
        rule: what must hold, as a sentence without a full stop.
        found: what was found, cut where it is long; never a person's value.

    The message shows control characters and line breaks of names as what they are, so that they reach no terminal; the
    attributes hold them as they were found.

    Example:
        >>> str(SordinoError("epsilon must be above 0", found="0", step="raise it"))
        'epsilon must be above 0; found 0: raise it.'
    """

    code: ClassVar[Code] = "invalid"

    def __init__(self, rule: str, *, found: str = "", step: str = "") -> None:
        self.rule = shorten_text(rule, MOST_SAID)
        self.found = shorten_text(found, MOST_FOUND)
        self.step = shorten_text(step, MOST_SAID)
        text = self.rule
        if found:
            text += f"; found {self.found}"
        if step:
            text += f": {self.step}"
        super().__init__(printable(text) + ".")

    def __reduce__(self) -> tuple[Any, ...]:
        """In another process the same words."""
        return copyreg.__newobj__, (type(self), *self.args), vars(self)  # type: ignore[attr-defined]  # as pickle has it

    def facts(self) -> dict[str, Any]:
        """The code and the words, for programs."""
        return {"code": self.code, "rule": self.rule, "found": self.found, "step": self.step}

    def problem(self) -> dict[str, Any]:
        """The facts as problem details (RFC 9457), over HTTP and with `--json`: `type` names the kind of error."""
        kind = f"urn:sordino:error:{self.code}"
        return {"type": kind, "title": printable(self.rule), "detail": str(self), **self.facts()}


MOST_LINES = 100
"""Mistakes that a message tells; a file of a million rows can have as many."""


class SordinoErrors(SordinoError):  # noqa: N818 - many of them
    """All mistakes of one file, reported at once.

    Attributes:
        errors: the single mistakes, in the order of the file.

    Example:
        >>> len(SordinoErrors("the survey", [SordinoError("version must be given")]).errors)
        1
    """

    def __init__(self, what: str, errors: Sequence[SordinoError]) -> None:
        self.errors = tuple(errors)
        count = len(self.errors)
        noun = "mistake" if count == 1 else "mistakes"
        super().__init__(f"{what} has {count} {noun}")
        lines = [f"  - {error}" for error in self.errors[:MOST_LINES]]
        lines += [f"  - and {count - MOST_LINES:,} more"] if count > MOST_LINES else []
        self.args = (f"{printable(self.rule)}:\n" + "\n".join(lines),)

    def facts(self) -> dict[str, Any]:
        return {**super().facts(), "errors": [error.facts() for error in self.errors]}


class SordinoWarning(UserWarning):
    """What should be looked at though nothing is refused; every warning that Sordino gives is one.

    Example:
        >>> import warnings
        >>> warnings.simplefilter("error", SordinoWarning)  # as an error, in a program that nobody watches
    """


class RefusedError(SordinoError):
    """What would break a promise, however it is asked for: nothing has changed, and nothing was told.

    Example:
        >>> raise RefusedError("all answers together must reveal at most 1 nat", found="up to 1.2")
        Traceback (most recent call last):
        ...
        sordino.errors.RefusedError: all answers together must reveal at most 1 nat; found up to 1.2.
    """

    code = "refused"


class DamagedError(SordinoError):
    """A file that is not whole, or not as it was written: a whole copy is needed."""

    code = "damaged"


class UnavailableError(SordinoError):
    """What the system does not allow now: no space, no right, a file that others keep busy."""

    code = "unavailable"


class HeldElsewhereError(UnavailableError):
    """A file or a database that another process has for itself."""
