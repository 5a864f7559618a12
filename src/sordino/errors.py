"""The one family of errors: rule, found value, next step.

A `SordinoError` is a user's mistake that the command line prints without a traceback (exit code 2).
Its facts stay readable as attributes. No error ever holds a person's value.
"""

from collections.abc import Sequence


class SordinoError(ValueError):
    """A rule that was broken, what was found instead, and what to do next.

    Attributes:
        rule: what must hold, as a sentence without a full stop.
        found: what was found; never a person's value.
        step: what to do next.

    Example:
        >>> str(SordinoError("epsilon must be above 0", found="0", step="raise it"))
        'epsilon must be above 0; found 0: raise it.'
    """

    def __init__(self, rule: str, *, found: str = "", step: str = "") -> None:
        self.rule = rule
        self.found = found
        self.step = step
        text = rule
        if found:
            text += f"; found {found}"
        if step:
            text += f": {step}"
        super().__init__(text + ".")


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
        self.args = (f"{what} has {count} {noun}:\n" + "\n".join(f"  - {e}" for e in self.errors),)
