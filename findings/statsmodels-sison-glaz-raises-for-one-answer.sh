#!/usr/bin/env bash
# statsmodels 0.14.5: simultaneous intervals of Sison and Glaz end in an error where all answers but one are the same.
#
# `multinomial_proportions_confint` has two methods that hold for all shares together. One expects of both that they take
# every table of counts, and those of unanimous answers above all: a small survey finds them. Goodman's does.
#
# Behaviour: of the counts 50, 0, 0 and 49, 1, 0 the method "sison-glaz" raises a bare `Exception`: the function that it
# searches is above its goal from the start. With 48, 2, 0 it gives limits. Code that tries methods by their names must
# catch `Exception` itself: neither ValueError nor a warning comes.
# Output seen (numpy 2.4.6, scipy 1.17.1, pandas 2):
#   [50, 0, 0] goodman: limits; sison-glaz: Exception
#   [49, 1, 0] goodman: limits; sison-glaz: Exception
#   [48, 2, 0] goodman: limits; sison-glaz: limits
#   [100, 0] goodman: limits; sison-glaz: Exception
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet statsmodels==0.14.5 "pandas<3" scipy==1.17.1 numpy==2.4.6
cat > "$folder/program.py" <<'PROGRAM'
from statsmodels.stats.proportion import multinomial_proportions_confint


def kind(counts, method):
    """Whether limits come, or which error."""
    try:
        multinomial_proportions_confint(counts, method=method)
    except Exception as error:
        return type(error).__name__
    return "limits"


SEEN = (([50, 0, 0], "Exception"), ([49, 1, 0], "Exception"), ([48, 2, 0], "limits"), ([100, 0], "Exception"))
for counts, expected in SEEN:
    found = {method: kind(counts, method) for method in ("goodman", "sison-glaz")}
    print(counts, "; ".join(f"{method}: {came}" for method, came in found.items()))
    assert found == {"goodman": "limits", "sison-glaz": expected}, "what nearly unanimous counts give has changed"
PROGRAM
"$folder/venv/bin/python" "$folder/program.py"
