"""What a notebook shows of a result: sections with tables and figures, and each figure by itself.

Renderers stand above what they show, since they know it: whoever is shown loads them by name, when a notebook asks.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from sordino.blocks.block import Block
from sordino.exact.messages.arguments import checked
from sordino.extras import missing_extra, naming_extra

RENDERER = "sordino.show.html.notebook"
"""What makes elements of a page and figures of what is displayed."""


@dataclass(frozen=True, eq=False)
class NotebookCell:
    """What a notebook shows of a result.

    Attributes:
        lead: a line above all else: what the result is.
        parts: names, of questions mostly, and the blocks of each; several parts may have one name.
        about: what tells the result from others, which have other names for the parts of their figures.
    """

    lead: str
    parts: Sequence[tuple[str, Sequence[Block]]]
    about: str


class Displayed:
    """A result, or another noun, that a notebook shows."""

    def _repr_html_(self) -> str | None:
        """What a notebook shows; None, and so its text, where the libraries for pages are not installed."""
        try:
            renderer = import_module(RENDERER)
        except ImportError as error:
            if missing_extra(error):
                return None
            raise
        html: str = renderer.cell_html(self)
        return html


class WithFigures(Displayed):
    """What a notebook shows, some of it drawn."""

    @checked
    def figure(self, question: str | None = None, number: int = 1) -> Any:
        """One of the figures that a page and a notebook show.

        A notebook draws it; `save(path)` writes a file of the kind that its name says (.svg or .png), and `words` says
        what it shows.

        Args:
            question: the name of the question that it is of; of all by default.
            number: which of the figures of these, from 1.

        Raises:
            SordinoError: no such figure.
            UnavailableError: the libraries for pages are not installed.
        """
        with naming_extra("pages"):
            renderer = import_module(RENDERER)
        return renderer.figure_of(self, question, number)


class WithCell(ABC):
    """A result that itself gives what a notebook shows."""

    @abstractmethod
    def notebook_cell(self) -> NotebookCell:
        """What a notebook shows."""
