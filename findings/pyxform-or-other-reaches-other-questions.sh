#!/usr/bin/env bash
# pyxform 4.5.0: `or_other` of one question gives "Other" to each question that shares its list of choices.
#
# `select_one places or_other` asks one question with one answer more and a text below it. Whoever shares the list with a
# second question, `select_one places`, expects that this one keeps the answers that are written down.
#
# Behaviour: the answer `other` is put into the list itself, so that the second question offers it too, but has no text
# below it. No warning. (An answer that the sheet never gave this question can come back from the field.)
# Output seen:
#   answers of the list: ['town', 'village', 'other']
#   read by: ['live', 'work'], texts for another answer: ['live_other'], warnings []
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pyxform==4.5.0
cat > "$folder/program.py" <<'PROGRAM'
import re

from pyxform.xls2xform import convert

FORM = """
| survey  |
|         | type                       | name | label              |
|         | select_one places or_other | live | Where do you live? |
|         | select_one places          | work | Where do you work? |
| choices |
|         | list_name | name    | label   |
|         | places    | town    | Town    |
|         | places    | village | Village |
"""
made = convert(FORM, file_type=".md")
answers = re.findall(r"<item><name>([^<]*)</name>", made.xform)
asking = re.findall(r'<select1 ref="/data/(\w+)">', made.xform)
assert made.xform.count("nodeset=\"instance('places')/root/item\"") == len(asking), "a question has a list of its own"
others = re.findall(r"<(\w+_other)/>", made.xform)
print(f"answers of the list: {answers}")
print(f"read by: {asking}, texts for another answer: {others}, warnings {made.warnings}")
assert answers == ["town", "village", "other"] and asking == ["live", "work"], "whose list or_other changes has changed"
assert others == ["live_other"] and made.warnings == [], "what or_other adds has changed"
PROGRAM
"$folder/venv/bin/python" "$folder/program.py"
