"""One self-contained HTML page: sections of sentences, tables and figures, to be read, mailed and printed.

The page asks nothing of a network and runs no script: its style is inline, its figures are elements of the page with
images as data, and its content security policy forbids the rest. Every text is escaped, so that labels of a survey's
author or of the people asked stay texts.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from itertools import pairwise
from string import Template

from matplotlib.figure import Figure as Drawing

from sordino.errors import SordinoError
from sordino.view.axes import LETTERS, WIDTH
from sordino.view.colours import variables
from sordino.view.drawing import POINTS, inline
from sordino.view.lettering import printable

NUMBER = re.compile(
    r"[-\N{MINUS SIGN}+\N{PLUS-MINUS SIGN}<>\N{LESS-THAN OR EQUAL TO}\N{GREATER-THAN OR EQUAL TO}~\[(]*\s*\d"
)
"""How a cell begins that holds a number, a percentage or an interval."""
WORD = re.compile(r"[^\W\d_]{3}")
"""Three letters together: a cell that holds them is a text, though it may begin with a digit."""
NOTHING = {"", "-", "\N{EN DASH}", "\N{EM DASH}"}
NARROW = 46
"""Letters that a narrow screen has room for; where a table has more in its rows, each row is shown as a block there."""
NAME = 12
"""Letters of a row's name at least before it is broken into lines."""
ACROSS = 5
"""Numbers in a line of such a block at most; more take two lines."""
SMALLEST, LARGEST = 10, 16
"""Pixels of the letters in a figure that does not fill the page: narrower screens scroll it, wider ones leave room."""


@dataclass(frozen=True)
class Sentences:
    """Paragraphs.

    Attributes:
        lines: one text for each.
        title: a heading of their own within a section; none if empty.
    """

    lines: tuple[str, ...]
    title: str = ""


@dataclass(frozen=True)
class Table:
    """A table; the first column names the rows, and columns of numbers stand on the right.

    Attributes:
        header: one text for each column.
        rows: each as long as the header.
        note: a sentence below; none if empty.

    Raises:
        SordinoError: a row of another length than the header.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.header):
                found = f"{len(row)} cells in row {number}, {len(self.header)} columns"
                raise SordinoError("each row of a table must be as long as its header", found=found)


@dataclass(frozen=True, eq=False)
class Figure:
    """A drawing.

    Attributes:
        drawing: in points, on no ground of its own.
        words: what it shows, for those who do not see it: names and numbers, not only the kind.
        title: a heading of its own within a section; none if empty.
        note: a sentence below; none if empty.
        wide: whether its letters, drawn for a narrow screen, keep their size on a wide one; those of others grow.

    Raises:
        SordinoError: no words for those who do not see it.
    """

    drawing: Drawing
    words: str
    title: str = ""
    note: str = ""
    wide: bool = False

    def __post_init__(self) -> None:
        if not self.words.strip():
            raise SordinoError("an image must be described in words", found="none", step="fill in 'words'")

    @property
    def width(self) -> float:
        """Of the drawing, in points; a narrow one stands beside a table where there is room."""
        return float(self.drawing.get_size_inches()[0]) * POINTS


Part = Sentences | Table | Figure


@dataclass(frozen=True, eq=False)
class Section:
    """A heading and what stands below it.

    Attributes:
        title: the heading, which the table of contents has too.
        parts: in their order; a figure and a table beside each other where there is room.
        more: what is shown when it is asked for.
        summary: what asks for it.
    """

    title: str
    parts: tuple[Part, ...]
    more: tuple[Part, ...] = ()
    summary: str = "More"


def render(title: str, lead: str, sections: Sequence[Section]) -> str:
    """The page as one HTML5 document, to be written as UTF-8.

    Args:
        title: the page's name and main heading.
        lead: the paragraph below it.
        sections: in the order of the page.
    """
    template = Template(files("sordino.view").joinpath("page.html").read_text(encoding="utf-8"))
    names = [f"section-{number}" for number in range(1, len(sections) + 1)]
    named = list(zip(names, sections, strict=True))
    entries = [f'<li><a href="#{name}">{_text(section.title)}</a></li>' for name, section in named]
    return template.substitute(
        title=_text(title),
        lead=_text(lead),
        light=variables(dark=False),
        dark=variables(dark=True),
        contents="\n".join(entries),
        sections="\n".join(_section(name, section) for name, section in named),
    )


def _section(name: str, section: Section) -> str:
    parts = _parts(section.parts, name, _text(section.title))
    more = ""
    if section.more:
        inner = _parts(section.more, f"{name}-more", _text(section.title))
        more = f"\n<details>\n<summary>{_text(section.summary)}</summary>\n{inner}\n</details>"
    heading = f'<h2 id="{name}">{_text(section.title)}</h2>'
    return f'<section aria-labelledby="{name}">\n{heading}\n{parts}{more}\n</section>'


def _parts(parts: Sequence[Part], name: str, heading: str) -> str:
    shown = [_part(part, f"{name}-{number}", heading) for number, part in enumerate(parts, start=1)]
    pairs = list(pairwise(parts))
    for place, (first, second) in reversed(list(enumerate(pairs))):
        if _beside(first, second) or _beside(second, first):
            shown[place : place + 2] = [f'<div class="beside">\n{shown[place]}\n{shown[place + 1]}\n</div>']
    return "\n".join(shown)


def _beside(figure: Part, other: Part) -> bool:
    """Whether a part stands beside a figure where there is room."""
    return isinstance(figure, Figure) and figure.width <= WIDTH and not isinstance(other, Figure)


def _part(part: Part, name: str, heading: str) -> str:
    match part:
        case Sentences(lines=lines):
            body = "\n".join(["<div>", *(f"<p>{_text(line)}</p>" for line in lines), "</div>"])
        case Table():
            body = _table(part, heading)
        case Figure():
            body = _figure(part, name, heading)
    title = f"<h3>{_text(part.title)}</h3>\n" if not isinstance(part, Table) and part.title else ""
    return title + body


def _table(table: Table, heading: str) -> str:
    """The table, with roles of its own: a style that stacks its cells would take theirs."""
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.header)
    kinds = [' class="number"' if at and _numeric(cells) else "" for at, cells in enumerate(columns)]
    header = [_text(cell) for cell in table.header]
    head = "".join(
        f'<th scope="col" role="columnheader"{kind}>{cell}</th>' for kind, cell in zip(kinds, header, strict=True)
    )
    rows = []
    for first, *rest in (row for row in table.rows if row):
        cells = "".join(
            f'<td role="cell" data-name="{above}"{kind}>{_text(cell)}</td>'
            for kind, above, cell in zip(kinds[1:], header[1:], rest, strict=True)
        )
        rows.append(f'<tr role="row"><th scope="row" role="rowheader">{_text(first)}</th>{cells}</tr>\n')
    numbers = len(table.header) - 1
    across = numbers if numbers <= ACROSS else -(-numbers // 2)
    stacked = f' class="stacked" style="--across: {across}"' if _letters(table) > NARROW else ""
    inner = (
        f'<table role="table"{stacked}>\n<thead role="rowgroup">\n<tr role="row">{head}</tr>\n</thead>\n'
        f'<tbody role="rowgroup">\n{"".join(rows)}</tbody>\n</table>'
    )
    note = f'\n<p class="note">{_text(table.note)}</p>' if table.note else ""
    scroll = f'<div class="scroll" role="group" aria-label="{heading}: table" tabindex="0">\n{inner}\n</div>'
    return f'<div class="table">\n{scroll}{note}\n</div>'


def _letters(table: Table) -> float:
    """What the longest words of a table's columns take beside each other, in letters, with the space between."""
    columns = zip(table.header, *table.rows, strict=True)
    longest = [max(len(word) for cell in cells for word in cell.split() or [""]) for cells in columns]
    return min(longest[0], NAME) + sum(length + 1.5 for length in longest[1:])


def _figure(figure: Figure, name: str, heading: str) -> str:
    width = figure.width
    # Letters are the same part of a drawing's width, but for matrices, which are as wide as they have numbers.
    letters = LETTERS * (width if figure.wide else WIDTH)
    least = 0 if figure.wide else width * SMALLEST / letters
    most = width if figure.wide else width * LARGEST / letters
    note = f"\n<figcaption>{_text(figure.note)}</figcaption>" if figure.note else ""
    kind = "wide drawing" if figure.wide else "drawing"
    size = f"--width: {width:.0f}; --least: {least:.0f}px; --most: {most:.0f}px"
    return (
        f'<figure class="{kind}" style="{size}">\n<div class="scroll" role="group" aria-label="{heading}: figure"'
        f' tabindex="0">{inline(figure.drawing, figure.words, name)}</div>{note}\n</figure>'
    )


def _numeric(cells: Sequence[str]) -> bool:
    """Whether a column holds numbers, besides cells that hold nothing."""
    full = [cell.strip() for cell in cells if cell.strip() not in NOTHING]
    return bool(full) and all(NUMBER.match(cell) and not WORD.search(cell) for cell in full)


def _text(text: str) -> str:
    """Escaped for elements and attributes, with squares for what no document can hold."""
    return escape(printable(text), quote=True)
