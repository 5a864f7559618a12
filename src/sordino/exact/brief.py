"""Objects that print themselves on a line or two, however many numbers they hold."""

from collections.abc import Mapping
from dataclasses import fields
from itertools import islice
from typing import Any

import numpy as np

MOST = 6
"""Items that are printed of a collection; of a longer one the first three."""

LONGEST = 200
"""Characters of one item."""


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
    text = repr(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
