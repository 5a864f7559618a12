"""Progress of long work: a bar on a terminal, nothing in a pipe."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of rows done since the last call; `total` may be an estimate."""
    console = Console(stderr=True)
    if not console.is_terminal:
        # A disabled bar of Rich ends with an empty line in some versions.
        yield lambda _: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=total)

        def advance(rows: int) -> None:
            bar.advance(task, rows)

        yield advance
