"""One self-contained HTML page: sentences, tables and figures in a row, to be read, mailed and printed.

The page asks nothing of a network and runs no script: its style is inline, its images are data, and its content
security policy forbids the rest. Every text is escaped, so that labels of a survey's author or of the people asked stay
texts. Cost: the images' bytes times 4/3.
"""

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from string import Template

from sordino.errors import SordinoError

PIXELS = 2
"""Image pixels along one of the page's, so that figures stay sharp on fine screens."""
SMALLEST = 0.6
"""A figure shrinks to this part of its size at least, its text to 7 pixels; narrower screens scroll it."""
SIGNATURE = b"\x89PNG\r\n\x1a\n"
NUMBER = re.compile(
    r"[-\N{MINUS SIGN}+\N{PLUS-MINUS SIGN}<>\N{LESS-THAN OR EQUAL TO}\N{GREATER-THAN OR EQUAL TO}~\[(]*\s*\d"
)
"""How a cell begins that holds a number, a percentage or an interval."""
WORD = re.compile(r"[^\W\d_]{3}")
"""Three letters together: a cell that holds them is a text, though it may begin with a digit."""
NOTHING = {"", "-", "\N{EN DASH}", "\N{EM DASH}"}


@dataclass(frozen=True)
class Sentences:
    """A heading and paragraphs.

    Attributes:
        title: the heading.
        lines: one text for each paragraph.
    """

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A heading and a table; the first column names the rows, and columns of numbers stand on the right.

    Attributes:
        title: the heading.
        header: one text for each column.
        rows: each as long as the header.
        note: a sentence below; none if empty.

    Raises:
        SordinoError: a row of another length than the header.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.header):
                found = f"{len(row)} cells in row {number}, {len(self.header)} columns"
                raise SordinoError("each row of a table must be as long as its header", found=found)


@dataclass(frozen=True)
class Figure:
    """A heading and an image.

    Attributes:
        title: the heading.
        png: the bytes of a PNG file, drawn at two pixels to one of the page's.
        alt: what the image shows, for those who do not see it.
        note: a sentence below; none if empty.

    Raises:
        SordinoError: no PNG file, or no words for those who do not see it.
    """

    title: str
    png: bytes
    alt: str
    note: str = ""

    def __post_init__(self) -> None:
        if not self.png.startswith(SIGNATURE) or len(self.png) < 24:
            raise SordinoError("an image must be a PNG file", found=f"{len(self.png)} other bytes")
        if not self.alt.strip():
            raise SordinoError("an image must be described in words", found="none", step="fill in 'alt'")


Section = Sentences | Table | Figure


def render(title: str, lead: str, sections: Sequence[Section]) -> str:
    """The page as one HTML5 document, to be written as UTF-8.

    Args:
        title: the page's name and main heading.
        lead: the paragraph below it.
        sections: in the order of the page.
    """
    template = Template(files("sordino.view").joinpath("page.html").read_text(encoding="utf-8"))
    parts = [_section(number, section) for number, section in enumerate(sections, start=1)]
    return template.substitute(title=_text(title), lead=_text(lead), sections="\n".join(parts))


def _section(number: int, section: Section) -> str:
    name = f"section-{number}"
    match section:
        case Sentences(lines=lines):
            body = "\n".join(f"<p>{_text(line)}</p>" for line in lines)
        case Table():
            body = _table(section, name)
        case Figure():
            body = _figure(section, name)
    return f'<section aria-labelledby="{name}">\n<h2 id="{name}">{_text(section.title)}</h2>\n{body}\n</section>'


def _table(table: Table, name: str) -> str:
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.header)
    kinds = [' class="number"' if at and _numeric(cells) else "" for at, cells in enumerate(columns)]
    head = "".join(f'<th scope="col"{kind}>{_text(cell)}</th>' for kind, cell in zip(kinds, table.header, strict=True))
    rows = []
    for first, *rest in (row for row in table.rows if row):
        cells = "".join(f"<td{kind}>{_text(cell)}</td>" for kind, cell in zip(kinds[1:], rest, strict=True))
        rows.append(f'<tr><th scope="row">{_text(first)}</th>{cells}</tr>\n')
    inner = f"<table>\n<thead>\n<tr>{head}</tr>\n</thead>\n<tbody>\n{''.join(rows)}</tbody>\n</table>"
    note = f'\n<p class="note">{_text(table.note)}</p>' if table.note else ""
    return f'<div class="scroll" role="group" aria-labelledby="{name}" tabindex="0">\n{inner}\n</div>{note}'


def _figure(figure: Figure, name: str) -> str:
    width, height = (int.from_bytes(figure.png[at : at + 4]) / PIXELS for at in (16, 20))
    size = f'width="{width:.0f}" height="{height:.0f}" style="min-width: {SMALLEST * width:.0f}px"'
    data = b64encode(figure.png).decode("ascii")
    image = f'<img src="data:image/png;base64,{data}" {size} alt="{_text(figure.alt)}">'
    note = f"\n<figcaption>{_text(figure.note)}</figcaption>" if figure.note else ""
    card = f'<div class="card" role="group" aria-labelledby="{name}" tabindex="0">{image}</div>'
    return f"<figure>\n{card}{note}\n</figure>"


def _numeric(cells: Sequence[str]) -> bool:
    """Whether a column holds numbers, besides cells that hold nothing."""
    full = [cell.strip() for cell in cells if cell.strip() not in NOTHING]
    return bool(full) and all(NUMBER.match(cell) and not WORD.search(cell) for cell in full)


def _text(text: str) -> str:
    """Escaped for elements and attributes; halves of surrogate pairs, which no file can hold, become question marks."""
    return escape(text.encode("utf-8", "replace").decode("utf-8"), quote=True)
