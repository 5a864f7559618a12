#!/usr/bin/env bash
# pyxform 4.5.0: one header with two colons takes the labels of all headers with one colon out of the form.
#
# A sheet names the language of a column by a colon, `label:English`, or by two, `label::English`; both are read. Whoever adds
# a column in the other spelling expects that both are read still, or an error.
#
# Behaviour: a question with `label:English` and `label:German` is asked in both languages. With a third column,
# `hint::English`, the same question has its hint and no label at all, and German is gone. The conversion succeeds; that
# labels were dropped is in none of its warnings.
# Output seen:
#   one colon: languages ['English', 'German'], texts ['Where do you live?', 'Wo wohnen Sie?']
#   and a hint with two: languages ['English'], texts ['A town']
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pyxform==4.5.0
cat > "$folder/program.py" <<'PROGRAM'
import re

from pyxform.xls2xform import convert

LABELS = {"type": "text", "name": "home", "label:English": "Where do you live?", "label:German": "Wo wohnen Sie?"}


def converted(row):
    """The languages and the translated texts of a form of one question, and the warnings."""
    sheet = f"| survey |\n| | {' | '.join(row)} |\n| | {' | '.join(row.values())} |\n"
    made = convert(sheet, file_type=".md")
    found = (re.findall(pattern, made.xform) for pattern in (r'<translation[^>]*lang="([^"]*)"', "<value>([^<]*)</value>"))
    return *map(sorted, found), made.warnings


languages, texts, _ = converted(LABELS)
print(f"one colon: languages {languages}, texts {texts}")
assert languages == ["English", "German"] and texts == sorted([LABELS["label:English"], LABELS["label:German"]])
languages, texts, warnings = converted(LABELS | {"hint::English": "A town"})
print(f"and a hint with two: languages {languages}, texts {texts}")
assert languages == ["English"] and texts == ["A town"], "what one header with two colons does has changed"
assert not any("German" in said or "label:" in said for said in warnings), warnings
PROGRAM
"$folder/venv/bin/python" "$folder/program.py"
