"""What a notebook shows: the page's sections, with the page's style around them alone, and single figures.

Self-contained, without scripts, and legible on dark and light screens: it has a ground of its own, whose colours follow
the notebook's theme where it says so (Jupyter, VS Code) and the screen's elsewhere.
"""

from collections.abc import Iterator
from hashlib import sha256
from itertools import islice

from sordino.blocks.block import BlockGroup, Plot, blocks_of
from sordino.blocks.displayed import Displayed
from sordino.blocks.notebook_cell import NotebookCell
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.show.html.block_sections import sections_of
from sordino.show.html.chart_figures import figures_of
from sordino.show.html.page import Figure, fragment
from sordino.show.notebook_cells import notebook_cell

MOST_SECTIONS = 12
"""Of a notebook's cell; the page has all."""


def cell_html(noun: Displayed) -> str:
    """The elements of a notebook's cell.

    Args:
        noun: what the cell has made.
    """
    cell = notebook_cell(noun)
    groups = [block for _, blocks in cell.parts for block in blocks if isinstance(block, BlockGroup)]
    name = f"s{sha256(cell.about.encode()).hexdigest()[:12]}"
    count = len(groups) - MOST_SECTIONS
    more = f"{count:,} more section{'' if count == 1 else 's'}: {cell.rest}." if count > 0 else ""
    return fragment(cell.lead, sections_of(groups[:MOST_SECTIONS]), name, more)


def figure_of(noun: Displayed, question: str | None, number: int) -> Figure:
    """One figure, drawn.

    Args:
        noun: the result that it is of.
        question: the part of the cell that it is of; any by default.
        number: which of these, from 1.

    Raises:
        SordinoError: no such figure.
    """
    cell = notebook_cell(noun)
    names = list(dict.fromkeys(name for name, blocks in cell.parts if any(blocks_of(Plot, blocks))))
    if question is not None and question not in names:
        known = ", ".join(shown(name) for name in names if name)
        step = f"drawn are: {known or 'none'}" if known or not names else "leave the question out: one figure shows all"
        raise SordinoError("a figure must be of a question", found=shown(question), step=step)
    if not names:
        rule, step = "a figure must be of a result that is drawn", "print it"
        raise SordinoError(rule, found="words and numbers alone", step=step)
    drawn = list(islice(_figures(cell, question), number if number > 0 else None))
    if number < 1 or len(drawn) < number:
        rule = f"figures are numbered from 1 to {len(drawn)}"
        raise SordinoError(rule, found=shown(number), step="choose one of these")
    return drawn[-1]


def _figures(cell: NotebookCell, question: str | None) -> Iterator[Figure]:
    """Drawn one after the other."""
    for name, blocks in cell.parts:
        if question in (None, name):
            for plot in blocks_of(Plot, blocks):
                yield from figures_of(plot.chart())
