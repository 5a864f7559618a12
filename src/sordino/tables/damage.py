"""What is wrong with a table that cannot be read or written, without the contents that a library quotes."""

import re
from pathlib import Path

import duckdb

from sordino.document.files import cannot
from sordino.errors import DamagedError, SordinoError
from sordino.process import is_asked
from sordino.tables.csv_file import CsvFile, table_format
from sordino.tables.frame import Frame, PathOrFrame

COLUMNS, BYTES = "another number of columns", "bytes that are not UTF-8 text"
AGAIN = "get the file again"
STEPS = {
    COLUMNS: f"put values that hold a comma in double quotes, or {AGAIN}",
    BYTES: f"save it as UTF-8, or {AGAIN}",
}
"""What to do about a table that cannot be read to its end."""

INTERRUPTED = {
    RuntimeError: re.compile("Query interrupted"),
    duckdb.InvalidInputException: re.compile(
        r"Invalid Input Error: [a-z ]+ the (?:object|stream) registered as '\w+'[A-Za-z ]* failed: "
        r"(?:Unknown error: \. Detail: Python exception: Traceback .*\n)?KeyboardInterrupt",
        re.DOTALL,
    ),
}
"""How DuckDB begins to tell of an interrupt without an error of its own: in a query, and in a table's methods."""


def damage_error(table: PathOrFrame, error: Exception) -> SordinoError:
    """A reading error without the contents that DuckDB quotes: only the lines in its own words are looked at."""
    if isinstance(error, OSError) and error.strerror:
        return cannot("read", Path(str(table)), error)
    text = str(error)
    line = re.search(r"CSV Error on Line: (\d+)", text)
    where = f" in line {line[1]}" if line else ""
    known = {
        "Expected Number of Columns: ": COLUMNS,
        "Value with unterminated quote found.": "a quotation mark that is not closed",
        "Invalid unicode": BYTES,
        "Maximum line size": "a line that is too long",
    }
    # DuckDB quotes the bad row in the lines after "Original Line:", so each sign must begin a line of its own.
    signs = [what for sign, what in known.items() if any(part.startswith(sign) for part in text.splitlines()[1:])]
    if isinstance(error, UnicodeDecodeError):
        signs = [known["Invalid unicode"]]
    found = (signs or ["a damaged or cut file"])[0] + where
    step = STEPS.get(signs[0], AGAIN) if signs else AGAIN
    if isinstance(table, Frame):
        return DamagedError(f"{table} must be a whole table", found="columns that cannot be read", step="make it again")
    kind = table.format if isinstance(table, CsvFile) else table_format(table)
    return DamagedError(f"{table} must be a whole {kind} table", found=found, step=step)


def require_not_stopped(error: Exception) -> None:
    """A user's interrupt comes back from DuckDB as an error of its own, or of some other type.

    Its text is looked at from its beginning and among two types alone: further on it can quote a row that says
    "interrupted".

    Raises:
        KeyboardInterrupt: the error is one, or somebody asked this command to stop.
    """
    begins = INTERRUPTED.get(type(error))
    in_words = begins is not None and begins.match(str(error))
    if is_asked() or isinstance(error, duckdb.InterruptException) or in_words:
        raise KeyboardInterrupt from None


def system_reason(error: Exception) -> str:
    """Why the system refused to write, without paths or contents."""
    reason = re.search(r"No space left on device|File too large|Permission denied|Disk quota exceeded", str(error))
    return reason[0].lower() if reason else "a refusal of the system"
