"""What a notebook shows of a result: blocks by the questions that they are of."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from sordino.blocks.block import Block


@dataclass(frozen=True, eq=False)
class NotebookCell:
    """What a notebook shows of a result.

    Attributes:
        lead: a line above all else: what the result is.
        parts: names, of questions mostly, and the blocks of each; several parts may have one name.
        about: what tells the result from others, which have other names for the parts of their figures.
        rest: where all is, if it is more than a cell shows.
    """

    lead: str
    parts: Sequence[tuple[str, Sequence[Block]]]
    about: str
    rest: str = "to_arrow()"


class WithCell(ABC):
    """A result that itself gives what a notebook shows."""

    @abstractmethod
    def notebook_cell(self) -> NotebookCell:
        """What a notebook shows."""
