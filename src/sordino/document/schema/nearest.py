"""The right name that is nearest to a wrong one."""

from collections.abc import Sequence
from typing import Any

MANY = 10_000
"""Names beyond which no nearest one is looked for."""


def nearest(found: Sequence[str], names: Sequence[Any]) -> str:
    """A hint at the right name for the first of the found ones, or nothing."""
    if not found or len(names) > MANY:
        return ""
    # A file without mistakes needs none.
    from difflib import get_close_matches

    close = get_close_matches(found[0], [str(name) for name in names], 2)
    return f" (did you mean {' or '.join(map(repr, close))}?)" if close else ""
