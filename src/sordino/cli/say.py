"""The one way out: all that commands print for people goes through here, and no name's control character comes along.

A plan is public and may hold any names; a terminal obeys what they hold, and a file or a pipe hands it on.
"""

import sys
from collections.abc import Sequence

import click

from sordino.printable import escaped_json, printable


def say(*lines: str, err: bool = False, bold: bool = False) -> None:
    """Print lines of text, an empty one by default.

    Args:
        lines: each stays one line, whatever it holds.
        err: whether they go to the error stream.
        bold: whether a terminal shows them so.
    """
    text = "\n".join(map(printable, lines))
    click.echo(click.style(text, bold=True) if bold else text, err=err)


def say_json(document: str) -> None:
    """Print a JSON document as it is; what a terminal would obey stands in it as escapes."""
    click.echo(escaped_json(document))


def say_table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Print a table whose first column is text and whose others are numbers."""
    # What draws tables takes longer to load than a command that prints none.
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for i, name in enumerate(header):
        table.add_column(printable(name), justify="right" if i else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(printable, row))
    terminal = Console()
    # A pipe has no width of its own: lines there are not folded. Labels are shown as they are, never read as markup.
    width = terminal.width if terminal.is_terminal else 160
    console = Console(width=width, markup=False, emoji=False, highlight=False)
    # Drawn, then printed: where the reader went away, the library would end the process with a code of its own.
    with console.capture() as drawn:
        console.print(table)
    sys.stdout.write(drawn.get())
    sys.stdout.flush()
