"""The table and the page that commands write beside what they print: looked at before any work."""

from collections.abc import Callable, Sequence
from pathlib import Path

from sordino.cli.picture import is_page
from sordino.document.replace import require_free
from sordino.errors import SordinoError
from sordino.tables.csv_file import require_name, require_plain
from sordino.tables.results.geojson import is_map, is_map_name
from sordino.tables.results.tidy import file_format, is_tidy


def require_writable(
    table: Path | None, page: Path | None, what: str, is_one: Callable[[Path], bool], *, force: bool
) -> tuple[bool, bool]:
    """Refuse names at which nothing can be written; whether the files of these names are to be replaced.

    Args:
        table: its name, if one is asked for.
        page: the page's.
        what: the table is, in words.
        is_one: tells such a table from other files.
        force: whether these may be replaced.

    Raises:
        SordinoError: another ending than a table's, one name for both, another file of that name, or no folder.
    """
    if table is not None:
        require_name(table)
    if table is not None and page is not None and table.absolute() == page.absolute():
        step = "give --html a name of its own"
        raise SordinoError("the table and the page must be two files", found=f"{page} twice", step=step)
    return (
        table is not None and require_free(table, what, is_one, force=force),
        page is not None and require_free(page, "a page of Sordino", is_page, force=force),
    )


def require_outputs(paths: Sequence[Path], page: Path | None, *, force: bool) -> dict[Path, bool]:
    """Refuse names at which no estimates can be written; which files of these names are to be replaced.

    Args:
        paths: of tables and maps.
        page: the page's name, if one is asked for.
        force: whether files of estimates may be replaced.

    Raises:
        SordinoError: another ending, a name twice, another file of that name, or no folder.
    """
    again: dict[Path, bool] = {}
    taken = set() if page is None else {page.absolute()}
    for path in paths:
        is_mapped = is_map_name(path)
        if not is_mapped:
            file_format(path)
        require_plain(path)
        if path.absolute() in taken:
            step = "give each a name of its own"
            raise SordinoError("a table and a page must be different files", found=f"{path} twice", step=step)
        taken.add(path.absolute())
        what, is_one = ("a map", is_map) if is_mapped else ("a table of estimates", is_tidy)
        again[path] = require_free(path, what, is_one, force=force)
    return again
