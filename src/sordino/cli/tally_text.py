"""Files of reports and aggregates as one tally, with progress."""

from pathlib import Path

from sordino.cli.progress import progress
from sordino.cli.say import say
from sordino.mechanism.channel import Aggregate
from sordino.survey.planning.plan import Plan
from sordino.tables.table_file import count_rows
from sordino.verbs.plan_reports import Engine
from sordino.verbs.plan_reports import tally as tally_reports


def tally(plan: Plan, files: tuple[Path, ...], engine: Engine = "duckdb") -> Aggregate:
    """The sum of report files and aggregates."""
    reports = [path for path in files if path.suffix != ".json"]
    with progress("tally", total_rows(reports)) as advance:
        return tally_reports(plan, files, advance, _note, engine)


def _note(sentence: str) -> None:
    say(f"sordino: note: {sentence}", err=True)


def total_rows(files: list[Path]) -> int | None:
    """Rows of all files, for the progress bar; None where they cannot be told."""
    counts = [count_rows(path) for path in files]
    return None if None in counts else sum(count or 0 for count in counts)


def size_of(table: Path) -> int:
    """Bytes of a file, or of all files in a folder."""
    return sum(path.stat().st_size for path in table.iterdir()) if table.is_dir() else table.stat().st_size
