"""The table and the page that commands write beside what they print: looked at before any work."""

from collections.abc import Callable
from pathlib import Path

from sordino.cli.picture import is_page
from sordino.document.replace import require_free
from sordino.errors import SordinoError
from sordino.tables.files.table_name import require_name


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
