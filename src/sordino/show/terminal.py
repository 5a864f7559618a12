"""Blocks as a terminal shows them: tables and sentences, in the order of the blocks; charts are not drawn.

Of many rows people read the first hundred; files and `--json` have all of them.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

from sordino.blocks.block import Block, BlockGroup, LateSentence
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import QuantityTable, TextTable, readable_header, readable_rows

MOST_ROWS = 100
"""Of a table for people; files and --json have all."""


OMITTED = {Purpose.CONFIDENCE, Purpose.CHART}
"""That each interval holds by itself says the header; and no chart is drawn."""


@dataclass(frozen=True)
class PrintedLines:
    """Lines of text.

    Attributes:
        texts: one for each; an empty one at the end of a paragraph.
    """

    texts: tuple[str, ...]


@dataclass(frozen=True)
class PrintedTable:
    """A table with its title: its first column is text, the others are numbers.

    Attributes:
        title: in a line of its own; none if empty.
        header: one text for each column.
        rows: each as long as the header.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Printed: TypeAlias = PrintedLines | PrintedTable


def terminal_parts(blocks: Iterable[Block], *, with_suggestions: bool = False) -> Iterator[Printed]:
    """What a terminal prints of blocks.

    Args:
        blocks: of one result.
        with_suggestions: whether to say what else could be asked for.
    """
    said: set[str] = set()
    for part in _parts(blocks, with_suggestions=with_suggestions):
        # What holds for several tables of a result stands below the first.
        if isinstance(part, PrintedLines):
            texts = tuple(text for text in part.texts if text not in said)
            said.update(filter(None, texts))
            if any(texts):
                yield PrintedLines(texts)
        else:
            yield part


def _parts(blocks: Iterable[Block], *, with_suggestions: bool) -> Iterator[Printed]:
    for block in blocks:
        if isinstance(block, BlockGroup):
            yield from _group(block, with_suggestions=with_suggestions)
        elif type(block) in PARTS:
            yield from PARTS[type(block)](block)


def _group(group: BlockGroup, *, with_suggestions: bool) -> Iterator[Printed]:
    for part in group.parts:
        if isinstance(part, LateSentence):
            if part.purpose is Purpose.REFUSAL:
                yield PrintedLines((f"{group.title}; {part.text()}",))
            elif with_suggestions and (text := part.text()):
                yield PrintedLines((text, ""))
        elif not isinstance(part, Sentence):
            yield from _parts([part], with_suggestions=with_suggestions)
    yield from _sentences(part for part in group.parts if isinstance(part, Sentence))


def _quantities(table: QuantityTable) -> Iterator[Printed]:
    if not table.readable:
        return
    header = readable_header(table, f"{100 * table.confidence:.15g} % from")
    yield PrintedTable(table.title, header, readable_rows(table, MOST_ROWS))
    if len(table.readable) > MOST_ROWS:
        yield PrintedLines((f"The first {MOST_ROWS} of {len(table.readable):,}.", ""))
    yield from _sentences(table.sentences)


def _texts(table: TextTable) -> Iterator[Printed]:
    yield PrintedTable(table.title, table.header, table.rows)
    yield from _sentences(table.sentences)


def _sentences(sentences: Iterable[Sentence]) -> Iterator[Printed]:
    told = (sentence for sentence in sentences if sentence.purpose not in OMITTED)
    for _, some in groupby(told, lambda sentence: sentence.purpose):
        yield PrintedLines((*(sentence.text for sentence in some), ""))


def _sentence(sentence: Sentence) -> Iterator[Printed]:
    yield PrintedLines((sentence.text, ""))


PARTS: dict[type, Callable[[Any], Iterator[Printed]]] = {
    QuantityTable: _quantities,
    TextTable: _texts,
    Sentence: _sentence,
}
"""One function for each class of blocks that a terminal shows."""
