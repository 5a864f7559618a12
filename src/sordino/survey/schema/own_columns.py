"""Which columns of a table attributes read: each its own, since two that read one tell each other all.

Promises about one attribute rest on how little others tell of it. Two readings of one column cannot be independent,
whatever is declared, so they are refused in surveys, plans and samples. Names that a reader takes for one are one: a
table does not look at case, and nobody sees blanks at the ends or two ways to write one letter.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from sordino.errors import SordinoError
from sordino.printable import HIDDEN

POSITION = ("latitude", "longitude")
"""What a map reads where nothing else is said."""


def columns_of(name: str, column: str | Sequence[str] | None, *, grid: bool) -> tuple[str, ...]:
    """The columns that an attribute reads: its own name by default, or a position."""
    if column is None:
        return POSITION if grid else (name,)
    return (column,) if isinstance(column, str) else tuple(column)


def fold_name(column: str) -> str:
    """Equal for names that a table takes for one."""
    return column.lower()


def looks(column: str) -> str:
    """Equal for names that a table or a reader takes for one."""
    return " ".join(unicodedata.normalize("NFC", HIDDEN.sub("", fold_name(column))).casefold().split())


def shared_columns(columns: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str, str]]:
    """Each attribute that reads a column of one before it: the earlier attribute, the later one, its column.

    Args:
        columns: of each attribute by name.

    Example:
        >>> list(shared_columns({"income": ["income"], "wealth": ["Income"], "age": ["age"]}))
        [('income', 'wealth', 'Income')]
    """
    first: dict[str, str] = {}
    for name, own in columns.items():
        taken = next((column for column in own if first.get(looks(column), name) != name), None)
        if taken is not None:
            yield first[looks(taken)], name, taken
        for column in own:
            first.setdefault(looks(column), name)


def require_own_columns(columns: Mapping[str, Sequence[str]]) -> None:
    """Refuse attributes of which two read one column.

    Raises:
        SordinoError: with all such attributes.
    """
    shared = [f"{second!r} reads {column!r} as {first!r} does" for first, second, column in shared_columns(columns)]
    if shared:
        raise SordinoError("each attribute must read a different column (case does not count)", found="; ".join(shared))
