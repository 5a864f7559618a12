"""What commands print of results: their blocks as a terminal shows them."""

from collections.abc import Iterable, Sequence
from typing import Any

from sordino.blocks.block import Block
from sordino.cli.output import print_table
from sordino.cli.say import say
from sordino.show.terminal import PrintedTable, terminal_parts
from sordino.survey.results.poststratified import Poststratified
from sordino.survey.results.result import Result
from sordino.survey.results.table import TableRow, table_results

TABLE_KINDS = ("margins", "conditional", "differences")


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


def tables_json(results: Sequence[Result]) -> dict[str, list[TableRow]]:
    """For programs: of all tables that are told the rows of each kind; nothing where there is no table."""
    tables = table_results(results)
    found: dict[str, list[TableRow]] = {kind: [] for kind in TABLE_KINDS if tables}
    for table in tables:
        for kind, row in table.rows():
            found[kind].append(row)
    return found


def poststratified_json(known: Sequence[Poststratified]) -> dict[str, Any]:
    """For programs: the rows of all tables by known margins, and why some are not told."""
    rows = [{"table": one.table.attributes, **row} for one in known for row in one.rows()]
    untold = {one.table.question.name: one.why for one in known if one.why}
    return {"poststratified": rows, "poststratified_untold": untold}
