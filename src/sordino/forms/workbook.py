"""The sheets of an XLSForm as rows of texts, by openpyxl: a file from elsewhere, of which little is believed."""

import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sordino.document.files import cannot
from sordino.errors import DamagedError, SordinoError
from sordino.exact.messages import shown

LARGEST = 1 << 26
"""Bytes of all parts of a workbook, unpacked: a small file can unpack to any size."""

MOST_ROWS = 20_000
MOST_COLUMNS = 200

ALIASES = {
    "relevance": "relevant", "caption": "label", "tag": "name", "command": "type", "value": "name",
    "list name": "list_name", "read_only": "readonly", "calculate": "calculation",
}  # fmt: skip
"""Other names that pyxform gives columns."""

SHEETS = ("survey", "choices", "settings")

Row = Mapping[str, str]
"""The texts of a row by their columns, whose names are in lower case but for what follows `::`; without empty ones."""


def read_workbook(path: Path) -> dict[str, list[tuple[int, Row]]]:
    """The rows of each sheet of a form that has any, with their numbers.

    Raises:
        SordinoError: no workbook, one without a sheet of questions, or one that is too large.
        DamagedError: a workbook that cannot be read.
    """
    from openpyxl import load_workbook

    _require_small(path)
    try:
        book = load_workbook(path, read_only=True, data_only=True)
        try:
            sheets = {name.strip().lower(): book[name] for name in book.sheetnames}
            rows = {name: list(_rows(sheets[name], f"{path}, sheet {name}")) for name in SHEETS if name in sheets}
        finally:
            book.close()
    except SordinoError:
        raise
    except Exception:  # noqa: BLE001 - whatever a library says of a file that is not as it should be
        step = "save it again as an Excel workbook (.xlsx)"
        raise DamagedError(f"{path} must be a whole workbook", found="parts that cannot be read", step=step) from None
    if not rows.get("survey"):
        step = "give the workbook of the form: its sheets are called survey, choices and settings"
        raise SordinoError(f"{path} must be an XLSForm", found="no sheet `survey` with rows", step=step)
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


def _rows(sheet: Any, where: str) -> Iterator[tuple[int, Row]]:
    """The rows that hold something; a sheet may go on with empty ones to the last that there can be."""
    names: list[str] | None = None
    held = 0
    for number, cells in enumerate(sheet.iter_rows(values_only=True), 1):
        texts = [_text(cell) for cell in cells[:MOST_COLUMNS]]
        if not any(texts):
            continue
        if names is None:
            names = [_column_name(text) for text in texts]
            if doubled := next((name for name in names if name and names.count(name) > 1), None):
                rule = f"{where} must name each column once"
                raise SordinoError(rule, found=shown(doubled), step="take one of them out")
            continue
        held += 1
        if held > MOST_ROWS:
            rule = f"{where} must have at most {MOST_ROWS:,} rows"
            raise SordinoError(rule, found="a longer sheet", step="take some out")
        yield number, {name: text for name, text in zip(names, texts, strict=False) if name and text}


def _column_name(text: str) -> str:
    """`Label :: English (en)` and `label:English (en)` as `label::English (en)`, other names of a column as its own."""
    name, separator, rest = text.partition("::" if "::" in text else ":")
    name = name.strip().lower()
    return ALIASES.get(name, name) + (f"::{rest.strip()}" if separator else "")


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
