"""Tables that a result gives: quantities with their uncertainty, for people and for programs, and tables of texts.

People read the rows of an excerpt, as texts in as many digits as the numbers have.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.digits import in_percent, round_dates, round_row
from sordino.blocks.sentence import Sentence

Columns: TypeAlias = Mapping[str, NDArray[np.float64]]
"""Numbers by the name of their column, one for each row."""

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


SHARES = {"missing", "complete"}
"""Kinds of rows that are shares among numbers."""

NET, BETWEEN = "net", "between"
"""Kinds of rows that are differences of two shares of one question, which people read in percentage points."""


@dataclass(frozen=True, eq=False)
class QuantityTable:
    """Estimated quantities, a row for each.

    Files, frames and JSON have all rows; people read those of `excerpt`.

    Attributes:
        question: that they answer, by name.
        about: what the rows are, as stands above their labels.
        columns: `estimate`, `stderr`, `low` and `high`, `fitted` with its own `fitted_low` and `fitted_high`, `truth`
            and `moved` (by forged reports, at most), as far as they are known, shape (count,) each.
        label: of a row, by its place.
        kind: what a row is, as files and JSON have it in their column `kind`.
        key: what a row is about, for programs: `attribute` or `attributes`, and `value`, `from` and `to`, or
            `quantile`.
        confidence: of the intervals.
        excerpt: the places that people read, in their order; all by default.
        title: which rows these are; empty where a heading says it.
        noun: what one estimate is.
        are_shares: whether all are shares of people.
        sentences: what the columns and the intervals mean.
        order: where files, frames and JSON have the table, among those of its question.
        grouping: the public columns by whose values people are grouped; empty of a table of all people.
        group: of a row, by its place, the values of these columns; None of a table of all people.
        readable_group: the same as people read it; None where `group` is that.
        readable_grouping: the columns as people read them; empty where `grouping` is that.
        readable_label: of a row, by its place, as people read it; None where `label` is that.
        is_date: whether a row's numbers are dates, by its place, in days since 1970-01-01; None where none is.
        unit: what people read behind each number of a row, by its place; None where nothing is.
        asked: what people read as the name of the question; empty where that is the name.
        in_points: whether a row is a difference of two shares, by its place; None where none is.
    """

    question: str
    about: str
    columns: Columns
    label: Callable[[int], str]
    kind: Callable[[int], str]
    key: Callable[[int], Mapping[str, Any]]
    confidence: float
    excerpt: Sequence[int] | None = None
    title: str = ""
    noun: str = "estimate"
    are_shares: bool = True
    sentences: tuple[Sentence, ...] = ()
    order: int = 0
    grouping: str = ""
    group: Callable[[int], str] | None = None
    readable_group: Callable[[int], str] | None = None
    readable_grouping: str = ""
    readable_label: Callable[[int], str] | None = None
    is_date: Callable[[int], bool] | None = None
    unit: Callable[[int], str] | None = None
    asked: str = ""
    in_points: Callable[[int], bool] | None = None

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.columns["estimate"])

    @property
    def readable(self) -> Sequence[int]:
        """The places of the rows that people read."""
        return range(self.count) if self.excerpt is None else self.excerpt

    def numbers(self, place: int) -> dict[str, float]:
        """One row's numbers, by column."""
        return {name: float(column[place]) for name, column in self.columns.items()}

    def texts(self, place: int) -> dict[str, str]:
        """One row's numbers as people read them, by column."""
        is_part = self.is_share(place) or self.is_in_points(place)
        write = round_dates if self.has_dates(place) else in_percent if is_part else round_row
        texts = write(self.numbers(place))
        return texts if self.unit is None else {name: f"{text}{self.unit(place)}" for name, text in texts.items()}

    def is_share(self, place: int) -> bool:
        """Whether a row's numbers are shares of people, which people read in per cent."""
        return self.are_shares or self.kind(place) in SHARES

    def is_in_points(self, place: int) -> bool:
        """Whether a row's numbers are differences of shares, which people read in percentage points."""
        return self.in_points is not None and self.in_points(place)

    def label_read(self, place: int) -> str:
        """A row's label as people read it."""
        return (self.readable_label or self.label)(place)

    def group_read(self, place: int) -> str:
        """A row's group as people read it; empty of a table of all people."""
        read = self.readable_group or self.group
        return "" if read is None else read(place)

    @property
    def question_read(self) -> str:
        """The question as people read it."""
        return self.asked or self.question

    def has_dates(self, place: int) -> bool:
        """Whether a row's numbers are dates."""
        return self.is_date is not None and self.is_date(place)

    def identity(self, place: int) -> tuple[str, str]:
        """What a row is and what it is about, wherever it stands in a table of other reports."""
        return self.kind(place), json.dumps(self.key(place), sort_keys=True)

    def rows(self) -> Iterator[dict[str, Any]]:
        """All rows as programs read them: what each is about, its numbers and its `kind`."""
        for place in range(self.count):
            group = {} if self.group is None else {"group": self.group(place)}
            yield {**group, **self.key(place), **self.numbers(place), "kind": self.kind(place)}


@dataclass(frozen=True)
class TextTable:
    """A table whose cells are texts; its numbers stand in other tables or are no estimates of a question.

    Attributes:
        title: what it shows; empty where a heading says it.
        header: one text for each column.
        rows: each as long as the header.
        sentences: what the cells mean.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    sentences: tuple[Sentence, ...] = ()


def readable_header(table: QuantityTable, low: str = NAMES["low"]) -> tuple[str, ...]:
    """What stands above the columns.

    Args:
        table: that is read.
        low: above the lower limits.
    """
    names = NAMES | {"estimate": table.noun, "low": low}
    about = table.about if table.group is None else f"{table.readable_grouping or table.grouping}: {table.about}"
    return (about, *(names[name] for name in _columns(table)))


def readable_rows(table: QuantityTable, most: int | None = None) -> tuple[tuple[str, ...], ...]:
    """The rows that people read, each with its label; no more than `most` of them."""
    return tuple((_label(table, place), *_texts(table, place)) for place in table.readable[:most])


def _label(table: QuantityTable, place: int) -> str:
    label = table.label_read(place)
    return label if table.group is None else f"{table.group_read(place)}: {label}"


def _texts(table: QuantityTable, place: int) -> tuple[str, ...]:
    texts = table.texts(place)
    return tuple(texts[name] for name in _columns(table))


def _columns(table: QuantityTable) -> tuple[str, ...]:
    return tuple(name for name in NAMES if name in table.columns)
