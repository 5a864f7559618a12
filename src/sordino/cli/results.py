"""What commands print of results: their blocks as a terminal shows them."""

from collections.abc import Iterable

from sordino.blocks.block import Block
from sordino.cli.output import print_table
from sordino.cli.say import say
from sordino.show.terminal import PrintedTable, terminal_parts


def print_blocks(blocks: Iterable[Block], *, with_suggestions: bool = False) -> None:
    """Print what a terminal shows of blocks.

    Args:
        blocks: of one result.
        with_suggestions: whether to say what else could be asked for, as smoothed shares where they are better.
    """
    for part in terminal_parts(blocks, with_suggestions=with_suggestions):
        if isinstance(part, PrintedTable):
            print_table(part.title, part.header, part.rows)
        else:
            say(*part.texts)
