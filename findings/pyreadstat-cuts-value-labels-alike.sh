#!/usr/bin/env bash
# pyreadstat 1.3.7: value labels of an SPSS file are cut at 120 bytes without a word, so that two answers become one.
#
# The format allows no longer ones. Whoever writes labels as long as a survey's answers (sentences, which differ near
# their ends) expects an error, as names with a blank raise one; or at least labels that stay different. The labels are
# cut, the values stay, and who reads the file with its labels (`apply_value_formats`) gets one category of both.
# 120 bytes are 60 letters in Greek or Cyrillic, and of some languages fewer.
#
# Output seen (pandas 3.1.1): labels of 129 letters come back with 120, and are the same: True
#   counts by label of two people who answered differently: [2]
#   sixty-one Greek letters come back as 60
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pyreadstat==1.3.7 pandas==3.1.1
cat > "$folder/program.py" <<'PROGRAM'
import sys
import warnings

import pandas as pd
import pyreadstat

warnings.simplefilter("error")
path = sys.argv[1]
answers = pd.DataFrame({"way": [1.0, 2.0]})


def labels_read(labels):
    """The labels of a file that was written with some."""
    pyreadstat.write_sav(answers, path, variable_value_labels={"way": labels})
    return pyreadstat.read_sav(path)[1].variable_value_labels["way"]


start = "On most working days of the last four weeks, and for the longest part of the way, I used, alone or with others of my house, "
long = {1.0: start + "a bus", 2.0: start + "a car"}
read = labels_read(long)
print(f"labels of {len(long[1.0])} letters come back with {len(read[1.0])}, and are the same: {read[1.0] == read[2.0]}")
assert len(long[1.0]) > 120 and read[1.0] == read[2.0] == start[:120]
counts = pyreadstat.read_sav(path, apply_value_formats=True)[0]["way"].value_counts().tolist()
print("counts by label of two people who answered differently:", [count for count in counts if count])
assert [count for count in counts if count] == [2]
greek = labels_read({1.0: "α" * 61})[1.0]
print("sixty-one Greek letters come back as", len(greek))
assert greek == "α" * 60
PROGRAM
"$folder/venv/bin/python" "$folder/program.py" "$folder/answers.sav"
