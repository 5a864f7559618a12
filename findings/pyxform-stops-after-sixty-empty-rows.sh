#!/usr/bin/env bash
# pyxform 4.5.0: what stands in a sheet below 61 empty rows is no question, without a word.
#
# People leave gaps between the sections of a form, and spreadsheets keep rows that were emptied. Whoever converts one
# expects all rows that hold something, or to be told which were not read.
#
# Behaviour: a workbook (.xlsx) with one question, empty rows, and another question. With 60 empty rows between them the form
# asks both; with 61 it asks the first alone. The conversion succeeds, and its list of warnings is empty.
# Output seen (openpyxl 3.1.5):
#   60 empty rows: asks first and second, warnings []
#   61 empty rows: asks first, warnings []
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pyxform==4.5.0 openpyxl==3.1.5
cat > "$folder/program.py" <<'PROGRAM'
import sys

import openpyxl
from pyxform.xls2xform import convert


def converted(empty, path):
    """The names of the two questions that the form asks, and the warnings."""
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.title = "survey"
    sheet.append(("type", "name", "label"))
    sheet.append(("text", "first", "The first?"))
    for column, value in enumerate(("text", "second", "The second?"), start=1):
        sheet.cell(row=3 + empty, column=column, value=value)
    workbook.save(path)
    made = convert(path)
    return [name for name in ("first", "second") if f"<{name}/>" in made.xform], made.warnings


for empty, expected in ((60, ["first", "second"]), (61, ["first"])):
    asked, warnings = converted(empty, sys.argv[1])
    print(f"{empty} empty rows: asks {' and '.join(asked)}, warnings {warnings}")
    assert asked == expected and warnings == [], "what is read below empty rows has changed"
PROGRAM
"$folder/venv/bin/python" "$folder/program.py" "$folder/form.xlsx"
