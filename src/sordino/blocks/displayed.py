"""Nouns that show themselves in a notebook, by sections with tables and figures, and give each figure by itself.

Mechanisms and plans are such: a device that reads them loads nothing of what shows them. Renderers stand above what
they show, since they know it: the nouns load them by name, when a notebook asks.
"""

from importlib import import_module
from typing import Any

from sordino.exact.messages import checked
from sordino.extras import missing_extra, naming_extra

RENDERER = "sordino.show.html.notebook"
"""What makes elements of a page and figures of what is displayed."""


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
