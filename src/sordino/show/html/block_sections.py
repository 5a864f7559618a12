"""Blocks as sections of a page: a section for each group, with its figures, tables and sentences."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from sordino.blocks.block import Block, BlockGroup, LateSentence, Plot
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import QuantityTable, TextTable, readable_header, readable_rows
from sordino.show.html.chart_figures import figures_of
from sordino.show.html.page import PageTable, Section, SectionPart, Sentences

INTERVAL = re.compile(r"\(.*\)")


def sections_of(blocks: Iterable[Block], *, several: bool = True) -> list[Section]:
    """A section for each group of blocks.

    Args:
        blocks: of results.
        several: whether the page is about several questions, so that each title has to name its own.
    """
    return [
        Section(f"{group.title} of {group.of}" if several and group.of else group.title, _parts(group))
        for group in blocks
        if isinstance(group, BlockGroup)
    ]


def _parts(group: BlockGroup) -> tuple[SectionPart, ...]:
    """The parts of a section; sentences that follow each other are paragraphs of one."""
    parts: list[SectionPart] = []
    for block in group.parts:
        for part in PARTS[type(block)](block) if type(block) in PARTS else ():
            if isinstance(part, Sentences) and parts and isinstance(before := parts[-1], Sentences):
                parts[-1] = Sentences((*before.lines, *part.lines))
            else:
                parts.append(part)
    return tuple(parts)


def _quantities(table: QuantityTable) -> tuple[SectionPart, ...]:
    if not table.readable:
        return ()
    return (PageTable(readable_header(table), readable_rows(table), _note(table.sentences)),)


def _texts(table: TextTable) -> tuple[SectionPart, ...]:
    rows = tuple((name, *map(_in_lines, cells)) for name, *cells in table.rows)
    return (PageTable(table.header, rows, _note(table.sentences)),)


def _plot(plot: Plot) -> tuple[SectionPart, ...]:
    return figures_of(plot.chart())


def _sentence(sentence: Sentence) -> tuple[SectionPart, ...]:
    return (Sentences((sentence.text,)),)


def _late_sentence(sentence: LateSentence) -> tuple[SectionPart, ...]:
    return () if sentence.purpose is Purpose.SUGGESTION else (Sentences((sentence.text(),)),)


PARTS: dict[type, Callable[[Any], tuple[SectionPart, ...]]] = {
    QuantityTable: _quantities,
    TextTable: _texts,
    Plot: _plot,
    Sentence: _sentence,
    LateSentence: _late_sentence,
}
"""One function for each class of blocks that stands in a section."""


def _note(sentences: Iterable[Sentence]) -> str:
    return " ".join(sentence.text for sentence in sentences)


def _in_lines(cell: str) -> str:
    return INTERVAL.sub(lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), cell)
