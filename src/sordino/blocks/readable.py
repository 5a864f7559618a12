"""A table of quantities as people read it: the rows of its excerpt as texts, in as many digits as they have."""

from sordino.blocks.tables import QuantityTable

NAMES = {
    "estimate": "estimate",
    "stderr": "std. error",
    "low": "from",
    "high": "to",
    "fitted": "fitted",
    "fitted_low": "fitted from",
    "fitted_high": "to",
    "truth": "truth",
    "moved": "moved at most",
}
"""What stands above the columns of quantities, in their order."""


def readable_header(table: QuantityTable, low: str = NAMES["low"]) -> tuple[str, ...]:
    """What stands above the columns.

    Args:
        table: that is read.
        low: above the lower limits.
    """
    names = NAMES | {"estimate": table.noun, "low": low}
    about = table.about if table.group is None else f"{table.grouping}: {table.about}"
    return (about, *(names[name] for name in _columns(table)))


def readable_rows(table: QuantityTable, most: int | None = None) -> tuple[tuple[str, ...], ...]:
    """The rows that people read, each with its label; no more than `most` of them."""
    return tuple((_label(table, place), *_texts(table, place)) for place in table.readable[:most])


def _label(table: QuantityTable, place: int) -> str:
    label = table.label_read(place)
    return label if table.group is None else f"{table.group(place)}: {label}"


def _texts(table: QuantityTable, place: int) -> tuple[str, ...]:
    texts = table.texts(place)
    return tuple(texts[name] for name in _columns(table))


def _columns(table: QuantityTable) -> tuple[str, ...]:
    """Those that a table has, in their order."""
    return tuple(name for name in NAMES if name in table.columns)
