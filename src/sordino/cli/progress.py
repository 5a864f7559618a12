"""Progress of long work: a bar on a terminal, nothing in a pipe."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(what: str, total: int | Callable[[], int | None] | None) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of rows, or questions, done since the last call.

    Args:
        what: is done.
        total: how many there are, which may be an estimate; or works it out, where it is shown.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    # What draws bars takes longer to load than a command that draws none.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=total() if callable(total) else total)

        def advance(rows: int) -> None:
            bar.advance(task, rows)

        yield advance
