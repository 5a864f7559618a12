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


def say_file(text: str) -> None:
    """Write a file's text as it is; on a terminal so that everything in it can be seen."""
    if sys.stdout.isatty():
        say(*text.removesuffix("\n").split("\n"))
    else:
        click.echo(text.encode(), nl=False)


def say_table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]], title: str = "") -> None:
    """Print a table whose first column is text and whose others are numbers, below its title."""
    # What draws tables takes longer to load than a command that prints none.
    from rich import box
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table

    if title:
        # By itself, not as the table's own, which would be folded to the table's width; nothing before it can fail.
        say(title)
    names, texts = tuple(map(printable, header)), [tuple(map(printable, row)) for row in rows]
    terminal = Console()
    # A pipe has no width of its own: lines there are not folded. Labels are shown as they are, never read as markup.
    width = terminal.width if terminal.is_terminal else 160
    widths = [max(map(cell_len, column)) for column in zip(names, *texts, strict=True)]
    # The library lays out cell by cell, a table of a hundred rows in a tenth of a second: where no cell is folded, it
    # draws the head, and the rows are as it would draw them.
    whole = sum(widths) + 3 * len(widths) + 1 <= width
    if whole and not terminal.is_terminal:
        # A head without bold letters is text as well.
        between = "─" * (sum(widths) + 3 * len(widths) - 1)
        blank = " " * (len(between) + 2)
        drawn = "\n".join(
            [blank, _row(names, widths), f" {between} ", *(_row(cells, widths) for cells in texts), blank, ""]
        )
        sys.stdout.write(drawn)
        sys.stdout.flush()
        return
    console = Console(width=width, markup=False, emoji=False, highlight=False)
    table = Table(box=box.SIMPLE_HEAD)
    for i, name in enumerate(names):
        least = widths[i] if whole else None
        table.add_column(name, justify="right" if i else "left", overflow="fold", min_width=least)
    for row in texts if not whole else []:
        table.add_row(*row)
    # Drawn, then printed: where the reader went away, the library would end the process with a code of its own.
    with console.capture() as captured:
        console.print(table)
    drawn = captured.get()
    if whole:
        *head, below, _ = drawn.split("\n")
        drawn = "\n".join([*head, *(_row(cells, widths) for cells in texts), below, ""])
    sys.stdout.write(drawn)
    sys.stdout.flush()


def _row(cells: tuple[str, ...], widths: list[int]) -> str:
    from rich.cells import cell_len

    first, *others = (cell.rstrip() for cell in cells)
    padded = [first + " " * (widths[0] - cell_len(first))]
    padded += [" " * (width - cell_len(cell)) + cell for cell, width in zip(others, widths[1:], strict=True)]
    return "".join([" ", " ".join(f" {cell} " for cell in padded), " "])
