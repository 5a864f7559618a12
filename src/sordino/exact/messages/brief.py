"""Objects that print themselves on a line or two, however many numbers they hold."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from itertools import islice
from typing import Any

import numpy as np

from sordino.printable import shorten_text

MOST = 6
"""Items that are printed of a collection; of a longer one the first three."""

LONGEST = 200
"""Characters of one item."""

MOST_SHOWN = 80
"""Characters of what was found in a message."""


class Brief:
    """A dataclass whose text leaves out what is long; it is declared with `repr=False`."""

    def __repr__(self) -> str:
        shown = (f"{own.name}={brief(getattr(self, own.name))}" for own in fields(self) if own.repr)  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(shown)})"


def brief(value: Any) -> str:
    """A value as `repr` has it, without what is long.

    Example:
        >>> brief(np.zeros(400)), brief((1, 2)), brief(tuple(range(100)))
        ('<400 float64>', '(1, 2)', '(0, 1, 2, ... 100 in all)')
    """
    if isinstance(value, np.ndarray) and value.size > MOST:
        return f"<{' x '.join(map(str, value.shape))} {value.dtype}>"
    if isinstance(value, Mapping) and len(value) > MOST:
        return f"<{len(value)} entries>"
    if type(value) in (tuple, list):
        items = [brief(item) for item in islice(value, 3 if len(value) > MOST else None)]
        rest = [f"... {len(value)} in all"] if len(value) > MOST else []
        text = ", ".join(items + rest) + ("," if len(value) == 1 and isinstance(value, tuple) else "")
        return f"({text})" if isinstance(value, tuple) else f"[{text}]"
    return shorten_text(_text_of(repr, value), LONGEST)


def shown(thing: Any) -> str:
    """What was found, for a message: a text in quotation marks, numbers as people write them, long collections in part.

    Every message that says what a caller gave says it by this: it fails for nothing, and is never long.

    Example:
        >>> from fractions import Fraction
        >>> shown("x" * 100)[-5:], shown(Fraction(1, 3)), shown(10**5000), shown([1, 2])
        ('xx...', '1/3', 'a number of thousands of digits', '[1, 2]')
    """
    inside = isinstance(thing, str | bytes | tuple | list | Mapping | np.ndarray)
    return shorten_text(brief(thing) if inside else _text_of(str, thing), MOST_SHOWN)


def _text_of(write: Callable[[Any], str], value: Any) -> str:
    try:
        return write(value)
    except ValueError:
        return "a number of thousands of digits"


def kind(thing: object) -> str:
    """What was given, for messages."""
    return "None" if thing is None else f"a {type(thing).__name__}"
