"""The sheets of an XLSForm as rows of texts, by openpyxl: a file from elsewhere, of which little is believed."""

import zipfile
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

from sordino.document.files import cannot
from sordino.errors import DamagedError, SordinoError
from sordino.exact.messages import shown

LARGEST = 1 << 26
"""Bytes of all parts of a workbook, unpacked: a small file can unpack to any size."""

MOST_ROWS = 20_000
MOST_COLUMNS = 200

OF_ALL = {"caption": "label", "value": "name"}

ALIASES = {
    "survey": OF_ALL
    | {"relevance": "relevant", "tag": "name", "command": "type", "read_only": "readonly", "calculate": "calculation"},
    "choices": OF_ALL,
    "settings": {"title": "form_title", "set_form_title": "form_title"},
}
"""Other names that pyxform gives the columns of a sheet."""

READ = {
    "survey": {
        "type", "name", "label", "hint", "required", "relevant", "constraint", "parameters", "choice_filter",
        "disabled", "calculation", "readonly", "appearance",
    },
    "choices": {"list_name", "name", "label"},
    "settings": {"form_title", "default_language"},
}  # fmt: skip
"""Columns of each sheet that are read."""

WORDS = ("label", "hint", "form_title")
"""Columns that people read: their quotation marks stay as they are."""

QUOTES = str.maketrans("\u2018\u2019\u201c\u201d\u00a0", "''\"\" ")
"""Marks and blanks that spreadsheets put in place of plain ones, in names and expressions too."""

WRITTEN_OUT = frozenset({"bind", "control"})
"""What some write before the name of a column: `bind::relevant` is `relevant`."""

Row = Mapping[str, str]
"""The texts of a row by their columns, whose names are in lower case but for what follows `::`; without empty ones.

Texts of columns without a name stand under the empty name.
"""


def read_workbook(path: Path) -> dict[str, list[tuple[int, Row]]]:
    """The rows of each sheet of a form that has any, with their numbers.

    Raises:
        SordinoError: no workbook, one without a sheet of questions, one of too many cells, or a column twice.
        DamagedError: a workbook that cannot be read.
    """
    from openpyxl import load_workbook

    _require_small(path)
    try:
        book = load_workbook(path, read_only=True, data_only=True)
        try:
            sheets = {name.strip().lower(): book[name] for name in book.sheetnames}
            if len(sheets) == 1:
                # A sheet alone is that of the questions, whatever its name: pyxform reads it so.
                sheets = {"survey": next(iter(sheets.values()))}
            rows = {name: list(_rows(sheets[name], name, f"{path}, sheet {name}")) for name in READ if name in sheets}
        finally:
            book.close()
    except SordinoError:
        raise
    except Exception:  # noqa: BLE001 - whatever a library says of a file that is not as it should be
        step = "save it again as an Excel workbook (.xlsx)"
        raise DamagedError(f"{path} must be a whole workbook", found="parts that cannot be read", step=step) from None
    if not any("type" in cells for _, cells in rows.get("survey", ())):
        step = "give the workbook of the form: its sheets are called survey, choices and settings"
        raise SordinoError(f"{path} must be an XLSForm", found="no sheet `survey` with types of questions", step=step)
    return rows


def _require_small(path: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(part.file_size for part in archive.infolist())
    except OSError as error:
        raise cannot("read", path, error) from None
    except zipfile.BadZipFile:
        step = "save the form as an Excel workbook (.xlsx)"
        raise SordinoError(f"{path} must be an Excel workbook", found="another file", step=step) from None
    if size > LARGEST:
        found = f"{size:,} bytes"
        step = "take pictures and other data out of it"
        raise SordinoError(f"{path} must unpack to at most {LARGEST:,} bytes", found=found, step=step)


def _rows(sheet: Any, kind: str, where: str) -> Iterator[tuple[int, Row]]:
    """The rows that hold something; a sheet may go on with empty ones to the last that there can be."""
    # What a file says of how large a sheet is may be wrong: openpyxl would leave out what lies beyond.
    sheet.reset_dimensions()
    names: list[str] | None = None
    held = 0
    for number, cells in enumerate(sheet.iter_rows(values_only=True), 1):
        texts = [_text(cell) for cell in cells]
        if not any(texts):
            continue
        if any(texts[MOST_COLUMNS:]):
            rule = f"{where} must have at most {MOST_COLUMNS} columns"
            raise SordinoError(rule, found=f"more in row {number}", step="take some out")
        if names is None:
            names = [_column_name(text, kind) for text in texts]
            read = [name for name in names if name.partition("::")[0] in READ[kind]]
            if doubled := next((name for name in read if read.count(name) > 1), None):
                rule = f"{where} must name each column once"
                raise SordinoError(rule, found=shown(doubled), step="take one of them out")
            continue
        held += 1
        if held > MOST_ROWS:
            rule = f"{where} must have at most {MOST_ROWS:,} rows"
            raise SordinoError(rule, found="a longer sheet", step="take some out")
        named = zip_longest(names, texts[:MOST_COLUMNS], fillvalue="")
        found = {name: text if name.startswith(WORDS) else text.translate(QUOTES) for name, text in named if text}
        yield number, found


def _column_name(text: str, kind: str) -> str:
    """`Label :: English (en)` and `label:English (en)` as `label::English (en)`, other names of a column as its own."""
    name, separator, rest = text.partition("::" if "::" in text else ":")
    name = "_".join(name.split()).lower()
    if name in WRITTEN_OUT and separator:
        return _column_name(rest, kind)
    return ALIASES[kind].get(name, name) + (f"::{rest.strip()}" if separator else "")


def _text(cell: object) -> str:
    """What a person reads in a cell; whole numbers without a fraction part."""
    match cell:
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case float() if cell.is_integer():
            return str(int(cell))
    return str(cell).strip()
