"""Blocks of what is made of results: shares within others, pooled numbers, tables by known margins, differences."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sordino.blocks.block import Block, BlockGroup
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import QuantityTable, TextTable
from sordino.survey.estimates.coverage import Coverage
from sordino.survey.estimates.rows import IN_ORDER
from sordino.survey.results.pooled import PooledResult
from sordino.survey.results.poststratified import Poststratified
from sordino.survey.results.result import Result
from sordino.survey.results.table import TOO_FEW_IN_WORDS, TableResult, table_results

WITHIN = "Each row adds up to 100%: the share of each value among the people in the row, unbiased or nearly so."
FITTED = "Brackets show the share in the fitted distribution."
MORE = "Files and JSON have the other conditional shares, differences and margins."

RAKED = (
    "The cells are scaled until the known attributes have the shares that were given (raking).",
    "These shares are taken to be exact; what the reports say about them is not used.",
)

DIFFERENCE_NUMBERS = ("estimate", "stderr", "low", "high", "moved")


def pooled_blocks(result: PooledResult) -> tuple[Block, ...]:
    """Numbers that several questions estimate together."""
    return (BlockGroup(f"From several questions together: {result.name}", (result.table(),)),)


def within_blocks(results: Sequence[Result]) -> Iterator[Block]:
    """Row percentages of the tables that are few enough to be read."""
    for table in table_results(results):
        yield from _within(table)


def _within(table: TableResult) -> Iterator[Block]:
    shares = table.read_across()
    if shares is not None:
        texts = [WITHIN, *([FITTED] if shares.has_fitted else []), *([TOO_FEW_IN_WORDS] if shares.has_unknown else [])]
        said = tuple(Sentence(text, Purpose.COLUMNS) for text in (*texts, MORE))
        title = f"Shares of {shares.of} within {shares.given}"
        cells = TextTable(title, shares.header, shares.cells, (table.coverage.sentence("share"), *said))
        yield BlockGroup(title, (cells,))


def poststratified_blocks(found: Poststratified) -> tuple[Block, ...]:
    """A table by margins that are known otherwise: what they do not say of single attributes, and the first cells."""
    title = f"Shares of {found.table.question.name}, with {' and '.join(found.known)} as known"
    if found.why:
        return (BlockGroup(title, (Sentence(f"{title}: not estimated; {found.why}", Purpose.REFUSAL),)),)
    header, rows = found.lines(IN_ORDER)
    said = [found.table.coverage.sentence("share"), *(Sentence(text, Purpose.METHOD) for text in RAKED)]
    return (BlockGroup(title, (TextTable(title, header, rows, tuple(said)),)),)


def difference_blocks(rows: Iterable[Mapping[str, Any]], coverage: Coverage) -> Iterator[Block]:
    """Differences of two shares of a question."""
    for row in rows:
        yield _difference(row, coverage)


def _difference(row: Mapping[str, Any], coverage: Coverage) -> QuantityTable:
    numbers = {name: np.array([row[name]]) for name in DIFFERENCE_NUMBERS if name in row}
    return QuantityTable(
        question=row["attribute"],
        about=row["attribute"],
        columns=numbers,
        label=lambda _: f"{row['value']} minus {row['minus']}",
        kind=lambda _: "between",
        key=lambda _: {name: row[name] for name in ("attribute", "value", "minus")},
        confidence=coverage.confidence,
        noun="difference",
        are_shares=False,
        sentences=(coverage.sentence("difference"),),
    )
