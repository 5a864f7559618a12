#!/usr/bin/env bash
# ipfn 1.4.4: raking ends with "converged" though the margins are not met, in two ways that surveys meet.
#
# Whoever rakes a table to known margins expects a complaint, or at least another word than success, where no table has
# these margins. The package looks at how little the table moves from one round to the next, not at the margins.
#
# Behaviour: (1) Margins of two sources whose totals differ, 100 by sex and 200 by region: the rows of what comes back add
# up to 120 and 80 where 60 and 40 were asked; the margin that stands last wins. (2) A sample without anybody of a group
# that the population has: half of the population is missing from the table. Both times it says that it converged.
# Output seen (numpy 2.4.6, pandas 3.1.1):
#   totals that differ: rows add up to [120.0, 80.0], for [60.0, 40.0]
#   a group without people: the table adds up to 5.0, asked 10.0
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet ipfn==1.4.4 numpy==2.4.6 pandas==3.1.1
cat > "$folder/program.py" <<'PROGRAM'
import contextlib
import io

import numpy as np
from ipfn import ipfn


def rake(table, *margins):
    """The raked table, and what the package printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        raked = ipfn.ipfn(table, [np.array(margin) for margin in margins], [[0], [1]]).iteration()
    return raked, printed.getvalue()


first, said = rake(np.ones((2, 3)), [60.0, 40.0], [20.0, 30.0, 150.0])
print("totals that differ: rows add up to", first.sum(axis=1).round(6).tolist(), "for [60.0, 40.0]")
assert "converged" in said and "not converge" not in said, said
assert np.allclose(first.sum(axis=1), [120, 80]), "the row margins of totals that differ have changed"
second, said = rake(np.array([[1.0, 0.0], [1.0, 0.0]]), [5.0, 5.0], [5.0, 5.0])
print(f"a group without people: the table adds up to {second.sum():.1f}, asked 10.0")
assert "converged" in said and "not converge" not in said, said
assert np.isclose(second.sum(), 5), "the total without a group's people has changed"
PROGRAM
"$folder/venv/bin/python" "$folder/program.py"
