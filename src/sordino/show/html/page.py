"""One self-contained HTML page: sections of sentences, tables and figures, to be read, mailed and printed.

The page asks nothing of a network and runs no script: its style is inline, its figures are elements of the page with
images as data, and its content security policy forbids the rest. Its templates escape every text, so that labels of a
survey's author or of the people asked stay texts.
"""

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from sordino.errors import SordinoError
from sordino.printable import printable
from sordino.show.html.figures.axes import LETTERS, WIDTH
from sordino.show.html.figures.colours import variables
from sordino.show.html.figures.drawing import Picture, inline, size_of, svg, write_drawing
from sordino.show.html.figures.lettering import for_markup
from sordino.show.html.figures.scenes.scene import Scene

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
"""What a page may do."""

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
SPACE = 1.5
"""Letters between two columns."""
BLOCK = 50
"""Letters in a line of such a block."""
SMALLEST, LARGEST = 10, 16
"""Pixels of the letters in a figure that does not fill the page: narrower screens scroll it, wider ones leave room."""


@dataclass(frozen=True)
class Sentences:
    """Paragraphs.

    Attributes:
        lines: one text for each.
        title: a heading of their own within a section; none if empty.
    """

    kind: ClassVar[str] = "sentences"
    lines: tuple[str, ...]
    title: str = ""


@dataclass(frozen=True)
class PageTable:
    """A table; the first column names the rows, and columns of numbers stand on the right.

    Attributes:
        header: one text for each column.
        rows: each as long as the header.
        note: a sentence below; none if empty.

    Raises:
        SordinoError: a row of another length than the header.
    """

    kind: ClassVar[str] = "table"
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.header):
                found = f"{len(row)} cells in row {number}, {len(self.header)} columns"
                raise SordinoError("each row of a table must be as long as its header", found=found)

    @property
    def body(self) -> Markup:
        """Its rows as elements, a line each; of long tables a template would take most of the page's time."""
        told = zip(self.header, self.numeric, self.has_intervals, strict=True)
        _, *starts = [
            f'<td role="cell" data-name="{_markup(name)}"{_number_class(numeric=numeric, lined=lined)}>'
            for name, numeric, lined in told
        ]
        lines = []
        for first, *cells in self.rows:
            others = "".join(f"{start}{_markup(cell)}</td>" for start, cell in zip(starts, cells, strict=True))
            lines.append(f'<tr role="row"><th scope="row" role="rowheader">{_markup(first)}</th>{others}</tr>\n')
        return Markup("".join(lines))  # noqa: S704 - each text is escaped

    @property
    def head(self) -> Markup:
        """Its header as elements."""
        return Markup(  # noqa: S704 - each text is escaped
            "".join(
                f'<th scope="col" role="columnheader"{_number_class(numeric=numeric)}>{_markup(name)}</th>'
                for name, numeric in zip(self.header, self.numeric, strict=True)
            )
        )

    @cached_property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns hold numbers; the first never counts as one."""
        columns = list(zip(*self.rows, strict=True)) or [()] * len(self.header)
        return tuple(at > 0 and _numeric(cells) for at, cells in enumerate(columns))

    @cached_property
    def has_intervals(self) -> tuple[bool, ...]:
        """Which of these hold a number with its interval, that may stand in lines of their own."""
        columns = list(zip(*self.rows, strict=True)) or [()] * len(self.header)
        return tuple(
            numeric and any(" (" in cell for cell in cells)
            for numeric, cells in zip(self.numeric, columns, strict=True)
        )

    @property
    def _widths(self) -> list[int]:
        """Letters that each column takes at least: numbers are not broken into lines, all else is between words."""
        columns = zip(self.header, self.numeric, self.has_intervals, zip(*self.rows, strict=True), strict=True)
        return [
            max(
                len(part)
                for cells, whole in (((head,), False), (told, numeric and not lined))
                for cell in cells
                for part in _parts(cell, whole=whole)
            )
            for head, numeric, lined, told in columns
        ]

    @property
    def is_stacked(self) -> bool:
        """Whether a narrow screen shows each row as a block."""
        if not self.rows:
            return False
        first, *others = self._widths
        # What the columns take beside each other, in letters, with the space between.
        return min(first, NAME) + sum(length + SPACE for length in others) > NARROW

    @property
    def across(self) -> int:
        """Numbers in a line of such a block."""
        numbers = len(self.header) - 1
        even = numbers if numbers <= ACROSS else -(-numbers // 2)
        wholes = [numeric and not lined for numeric, lined in zip(self.numeric, self.has_intervals, strict=True)]
        cells = [cell for row in self.rows for cell in list(zip(row, wholes, strict=True))[1:]]
        longest = max((len(part) for text, whole in cells for part in _parts(text, whole=whole)), default=1)
        most = max(1, min(even, int(BLOCK / (longest + SPACE))))
        lines = max(1, -(-numbers // most))
        return max(1, -(-numbers // lines))


@dataclass(frozen=True, eq=False, repr=False)
class Figure:
    """A drawing.

    Attributes:
        drawing: in points, on no ground of its own.
        words: what it shows, for those who do not see it: names and numbers, not only the kind.
        title: a heading of its own within a section; none if empty.
        note: a sentence below; none if empty.
        wide: whether its letters, drawn for a narrow screen, keep their size on a wide one; those of others grow.
        is_panel: whether it stands beside other panels where there is room, to be compared with them.

    Raises:
        SordinoError: no words for those who do not see it.
    """

    kind: ClassVar[str] = "figure"
    drawing: Picture
    words: str
    title: str = ""
    note: str = ""
    wide: bool = False
    is_panel: bool = False

    def __post_init__(self) -> None:
        if not self.words.strip():
            raise SordinoError("an image must be described in words", found="no words", step="fill in 'words'")

    @property
    def width(self) -> float:
        """Of the drawing, in points; a narrow one stands beside a table where there is room."""
        return size_of(self.drawing)[0]

    @property
    def least(self) -> float:
        """Pixels at least: a narrower screen scrolls it."""
        return 0 if self.wide else self.width * SMALLEST / (LETTERS * WIDTH)

    @property
    def most(self) -> float:
        """Pixels at most."""
        return self.width if self.wide else self.width * LARGEST / (LETTERS * WIDTH)

    def __repr__(self) -> str:
        return f"Figure: {printable(self.words)}"

    def _repr_svg_(self) -> str:
        return svg(self.drawing).decode()

    def save(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Write it, on white, as a file of the kind that its name says: .svg or .png.

        Raises:
            SordinoError: another ending, a file that may not be overwritten, or the system refuses to write.
        """
        write_drawing(self.drawing, Path(path), overwrite=overwrite)

    def elements(self, name: str) -> str:
        """The drawing as elements of the page, its texts escaped; a scene's, which have no names, are made once.

        Args:
            name: begins the names of its parts.
        """
        if isinstance(self.drawing, Scene):
            return self._elements
        return inline(self.drawing, self.words, name)

    @cached_property
    def _elements(self) -> str:
        return inline(self.drawing, self.words, "")


@dataclass(frozen=True)
class BarRow:
    """A number with its interval, and with a bar where it is a share.

    Attributes:
        label: of the row.
        estimate: as a text.
        interval: as a text.
        place: of the estimate and of the ends of its interval, in per cent of the bar; None without one.
    """

    label: str
    estimate: str
    interval: str
    place: tuple[float, float, float] | None = None

    @property
    def element(self) -> str:
        """The row, with its bar drawn by the page's style alone: some 30 bytes, where a picture takes 3,000."""
        bar = ""
        if self.place is not None:
            estimate, low, high = (min(max(number, 0), 100) for number in self.place)
            bar = f'<i style="--x:{estimate:.3g};--l:{low:.3g};--w:{high - low:.3g}"></i>'
        return (
            f"<tr><th scope=row>{_markup(self.label)}</th><td>{_markup(self.estimate)}</td>"
            f"<td>{_markup(self.interval)}</td><td>{bar}</td></tr>"
        )


@dataclass(frozen=True)
class BarGroup:
    """Rows of one question.

    Attributes:
        title: the question.
        note: how many reports there are about it, or why it is not estimated.
    """

    title: str
    note: str
    rows: tuple[BarRow, ...]


@dataclass(frozen=True)
class BarTable:
    """Numbers of many questions, in a few bytes each, which a search goes through.

    Attributes:
        groups: in their order.
        interval: what stands above the intervals.
    """

    kind: ClassVar[str] = "bars"
    groups: tuple[BarGroup, ...]
    interval: str

    @property
    def body(self) -> Markup:
        """Its rows as elements, those of a question in a body of their own."""
        bodies = (
            f"<tbody><tr><th colspan=4 scope=rowgroup>{_markup(group.title)} <small>{_markup(group.note)}</small></th>"
            f"</tr>{''.join(row.element for row in group.rows)}</tbody>\n"
            for group in self.groups
        )
        return Markup("".join(bodies))  # noqa: S704 - each text is escaped


SectionPart = Sentences | PageTable | BarTable | Figure


@dataclass(frozen=True, eq=False)
class Fold:
    """What is shown when it is asked for.

    Attributes:
        summary: what asks for it.
        parts: in their order.
    """

    summary: str
    parts: tuple[SectionPart, ...]


@dataclass(frozen=True, eq=False)
class Section:
    """A heading and what stands below it.

    Attributes:
        title: the heading, which the table of contents has too.
        parts: in their order; a figure and a table beside each other where there is room.
        folds: what is shown when it is asked for.
    """

    title: str
    parts: tuple[SectionPart, ...]
    folds: tuple[Fold, ...] = ()


def render(title: str, lead: str, sections: Sequence[Section]) -> str:
    """The page as one HTML5 document, to be written as UTF-8.

    Args:
        title: the page's name and main heading.
        lead: the paragraph below it.
        sections: in the order of the page.
    """
    return fill("page.html", title, lead, sections, policy=POLICY)


def render_searched(title: str, lead: str, sections: Sequence[Section]) -> str:
    """A page with a search of its tables of bars, by one script, which its policy names; without it nothing is hidden.

    Args and returns as of `render`.
    """
    script = script_of("search.js")
    policy = f"{POLICY}; script-src '{hash_of(script)}'; base-uri 'none'; form-action 'none'"
    return fill("searched.html", title, lead, sections, policy=policy, script=Markup(script))  # noqa: S704 - our own file


def hash_of(script: str) -> str:
    """What a policy calls a script."""
    return f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"


def fill(template: str, title: str, lead: str, sections: Sequence[Section], **more: str) -> str:
    """The page by a template that stands on the one of all pages.

    Args:
        template: its name.
        title: as of `render`.
        lead: as of `render`.
        sections: as of `render`.
        more: what else it shows.
    """
    light, dark = variables(dark=False), variables(dark=True)
    page = _templates().get_template(template)
    return page.render(title=title, lead=lead, light=light, dark=dark, sections=sections, **more)


def fragment(lead: str, sections: Sequence[Section], name: str, more: str = "") -> str:
    """Sections as elements of a page that is not ours, with their style.

    Args:
        lead: a line above them.
        sections: in their order.
        name: begins the names of their parts.
        more: a line below them; none if empty.
    """
    template = _templates().get_template("notebook.html")
    colours = {"light": variables(dark=False), "dark": variables(dark=True)}
    return template.render(lead=lead, sections=sections, name=name, more=more, **colours)


def script_of(name: str) -> str:
    """The text of a script beside the templates."""
    text, _, _ = PackageLoader("sordino.show.html").get_source(_templates(), name)
    return text


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("sordino.show.html"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_escape,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["rows"] = _rows
    return environment


def _markup(text: str) -> str:
    return escape(for_markup(text))


def _number_class(*, numeric: bool, lined: bool = False) -> str:
    return f' class="number{" lined" if lined else ""}"' if numeric else ""


def _escape(value: Any) -> Any:
    """A text without what no document can hold, before it is escaped; markup of the templates as it is."""
    return for_markup(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _rows(parts: Sequence[SectionPart]) -> list[list[tuple[int, SectionPart]]]:
    """The parts with their numbers from 1: one in a row, a figure and what stands beside it, or panels."""
    rows: list[list[tuple[int, SectionPart]]] = []
    for number, part in enumerate(parts, start=1):
        if rows and _are_panels(rows[-1][-1][1], part):
            rows[-1].append((number, part))
            continue
        before = rows[-1][-1][1] if rows and len(rows[-1]) == 1 else None
        if before is not None and (_fits_beside(before, part) or _fits_beside(part, before)):
            rows[-1].append((number, part))
        else:
            rows.append([(number, part)])
    return rows


def _are_panels(*parts: SectionPart) -> bool:
    return all(isinstance(part, Figure) and part.is_panel for part in parts)


def _fits_beside(figure: SectionPart, other: SectionPart) -> bool:
    return isinstance(figure, Figure) and figure.width <= WIDTH and not isinstance(other, Figure)


def _parts(cell: str, *, whole: bool) -> list[str]:
    return [cell] if whole else cell.split(" ")


def _numeric(cells: Sequence[str]) -> bool:
    full = [cell.strip() for cell in cells if cell.strip() not in NOTHING]
    return bool(full) and all(NUMBER.match(cell) and not WORD.search(cell.removesuffix(" days")) for cell in full)
