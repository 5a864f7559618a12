"""The label that a name means, and the right name that is nearest to a wrong one."""

from collections.abc import Sequence
from typing import Any

from sordino.printable import SEPARATOR, join_names, split_names

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


def named_label(given: str, labels: Sequence[str]) -> str | None:
    """The only label that is so named, however its parts are quoted; None where none or several are.

    Example:
        >>> labels = ['"x, y", z', 'x, "y, z"', "x, z"]
        >>> named_label('"x", "z"', labels), named_label("x, y, z", labels)
        ('x, z', None)
    """
    parts = split_names(given) if given not in labels else None
    meant = given if parts is None else join_names(parts)
    return meant if labels.count(meant) == 1 else None


def nearest_labels(given: str, labels: Sequence[str]) -> str:
    """A hint: the labels that have this text without their quotes, else the nearest ones; empty if there are none."""
    unquoted = [label for label in labels if SEPARATOR.join(split_names(label) or ()) == given]
    named = " or ".join(map(repr, unquoted))
    return f" (it could be {named}: write the quotes too)" if named else nearest([given], labels)
