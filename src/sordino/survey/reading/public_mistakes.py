"""What is wrong with the public columns of a survey, beyond each of them by itself.

A value cannot be sent in clear and protected at the same time: a public column that is an attribute too, or that copies
the column of one, would reveal what the promise is about.
"""

from collections.abc import Iterator
from typing import Any

from sordino.document.checked_tables import is_list_of
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.survey.frozen.own_columns import columns_of, looks
from sordino.survey.frozen.public_part import OWN_NAMES


def public_mistakes(tables: dict[str, Any]) -> Iterator[SordinoError]:
    """Public columns whose names or data are taken: by attributes, by one another, or by reports themselves.

    Args:
        tables: of the survey, unchecked.
    """
    public, attributes = tables.get("public"), tables.get("attribute")
    if not isinstance(public, dict) or not isinstance(attributes, dict):
        return
    protected: dict[str, str] = {}
    for name, attribute in attributes.items():
        given = attribute.get("column") if isinstance(attribute, dict) else None
        if isinstance(attribute, dict) and (given is None or isinstance(given, str) or is_list_of(given, str)):
            own = columns_of(str(name), given, grid="grid" in attribute)
            protected |= {looks(column): str(name) for column in own}
    names: dict[str, str] = {}
    columns: dict[str, str] = {}
    for name, table in public.items():
        where, known = f"public.{name}", [one for one in attributes if looks(str(one)) == looks(name)]
        column = table.get("column") if isinstance(table, dict) else None
        column = column if isinstance(column, str) else name
        if known:
            step = f"leave out [public.{name}] to protect it, or [attribute.{known[0]}] to send it in clear"
            rule = f"{where} must not be an attribute too: what is sent in clear is not protected"
            yield SordinoError(rule, found=f"attribute.{known[0]}", step=step)
        elif looks(column) in protected:
            step = "leave one of them out, or name the column that is public"
            rule = f"{where} must not read the column of an attribute: it would send in clear what is protected"
            yield SordinoError(rule, found=f"{column!r}, which attribute.{protected[looks(column)]} reads", step=step)
        elif looks(name) in OWN_NAMES or not looks(name):
            rule = f"{where} must have another name than the columns that reports have themselves"
            yield SordinoError(rule, found=shown(name), step='name it otherwise, and set column = "..."')
        elif looks(name) in names:
            rule = f"{where} must have a name of its own (case does not count)"
            yield SordinoError(rule, found=shown(names[looks(name)]), step="name it otherwise")
        elif looks(column) in columns:
            rule, found = f"{where} must read a column of its own", f"{column!r}, which {columns[looks(column)]} reads"
            yield SordinoError(rule, found=found, step="leave one of them out, or set `column`")
        names.setdefault(looks(name), str(name))
        columns.setdefault(looks(column), where)
