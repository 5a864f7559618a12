"""An estimate as a prompt shows it: what it is in a line, and some ten rows, whatever it holds."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np

from sordino.blocks.block import Block, Heading, blocks_of
from sordino.blocks.tables import Columns, QuantityTable, readable_header, readable_rows
from sordino.printable import printable, shorten_text

MOST_ROWS = 10
"""Of a summary."""

LONGEST_LABEL = 60
"""Characters of a row's name."""

SHOWN = ("estimate", "from", "to")
"""Columns of a summary, beside the rows' names."""


class Summarized(ABC):
    """Gives blocks, and has the first rows of these as its text; a dataclass of them is declared with `repr=False`."""

    @abstractmethod
    def blocks(self) -> tuple[Block, ...]:
        """What is shown."""

    def __repr__(self) -> str:
        blocks = self.blocks()
        about = "; ".join(
            f"{heading.readable}, {heading.n:,} reports" + ("" if heading.is_estimated else ", not estimated")
            for heading in blocks_of(Heading, blocks)
        )
        return summary(f"{type(self).__name__}: {about}", blocks_of(QuantityTable, blocks))


def summary(title: str, tables: Iterable[QuantityTable], rest: str = "") -> str:
    """A title, and the first rows that people read of tables: names, estimates, limits.

    Args:
        title: the first line.
        tables: of one question or several, whose names then stand before the rows'.
        rest: where the other rows are.
    """
    readable = [table for table in tables if table.readable]
    several = len({table.question for table in readable}) > 1
    rows: list[tuple[str, ...]] = []
    for table in readable:
        named = {name: place for place, name in enumerate(readable_header(table)[1:], start=1)}
        # What stands above an estimate is its own noun.
        places = [1, *(named[name] for name in SHOWN[1:])]
        for row in readable_rows(table, MOST_ROWS - len(rows)):
            label = f"{table.question_read}: {row[0]}" if several else row[0]
            rows.append((label, *(row[place] for place in places)))
    count = sum(len(table.readable) for table in readable)
    return lines_of(title, ("", *SHOWN), rows, count, rest)


def numbers_summary(title: str, about: str, columns: Columns) -> str:
    """A title, and the first numbers below it, named by their places.

    Args:
        title: the first line.
        about: what the places are of.
        columns: `estimate`, `stderr` and others of `QuantityTable`, of equal shapes: shape (m,), or of a matrix.
    """
    table = numbers_table(about, columns)
    return lines_of(title, readable_header(table), readable_rows(table, MOST_ROWS), table.count, "to_arrow()")


def numbers_table(about: str, columns: Columns, excerpt: Sequence[int] | None = None) -> QuantityTable:
    """Numbers named by their places.

    Args:
        about: as of `numbers_summary`.
        columns: as of `numbers_summary`.
        excerpt: the places that people read; all by default.
    """
    shape = columns["estimate"].shape
    flat = {name: column.reshape(-1) for name, column in columns.items()}

    def label(place: int) -> str:
        return ", ".join(str(int(index)) for index in np.unravel_index(place, shape))

    return QuantityTable("", about, flat, label, str, lambda _: {}, 0.0, excerpt, are_shares=False)


def lines_of(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], count: int, rest: str = "") -> str:
    """A title and a table below it: names on the left, numbers on the right.

    Args:
        title: the first line.
        header: of the columns.
        rows: the first of all.
        count: how many there are.
        rest: where the others are.

    Example:
        >>> print(lines_of("Estimate", ("value", "estimate"), [("yes", "0.25"), ("no", "0.75")], 3))
        Estimate
          value  estimate
          yes        0.25
          no         0.75
          ... 1 more row
    """
    if not rows:
        return printable(title)
    table = [tuple(header), *(tuple(shorten_text(printable(text), LONGEST_LABEL) for text in row) for row in rows)]
    first, *others = (max(map(len, column)) for column in zip(*table, strict=True))
    lines = [
        "  ".join([name.ljust(first), *(text.rjust(width) for text, width in zip(texts, others, strict=True))]).rstrip()
        for name, *texts in table
    ]
    more = count - len(rows)
    if more:
        lines.append(f"... {more:,} more {'row' if more == 1 else 'rows'}" + (f": {rest}" if rest else ""))
    return "\n".join([printable(title), *(f"  {line}" for line in lines)])
