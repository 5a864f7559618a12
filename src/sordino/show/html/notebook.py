"""An estimate as a notebook shows it: the page's sections, with the page's style around them alone.

Self-contained, without scripts, and legible on dark and light screens: it has a ground of its own, whose colours follow
the notebook's theme where it says so (Jupyter, VS Code) and the screen's elsewhere.
"""

from collections.abc import Sequence
from hashlib import sha256

from sordino.blocks.block import Block, BlockGroup
from sordino.show.html.block_sections import sections_of
from sordino.show.html.page import fragment

MOST_SECTIONS = 12
"""Of a notebook's cell; the page has all."""


def notebook_output(shown: Sequence[Sequence[Block]], lead: str, about: str) -> str:
    """The elements of a notebook's cell.

    Args:
        shown: the blocks of each result.
        lead: a line above them: what is estimated, and from how many reports.
        about: what they are of: outputs of other estimates have other names for the parts of their figures.
    """
    groups = [block for blocks in shown for block in blocks if isinstance(block, BlockGroup)]
    name = f"s{sha256(about.encode()).hexdigest()[:12]}"
    return fragment(lead, sections_of(groups[:MOST_SECTIONS]), name, max(0, len(groups) - MOST_SECTIONS))
