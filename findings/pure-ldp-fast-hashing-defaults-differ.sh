#!/usr/bin/env bash
# pure-ldp 1.2.0: a client and a server of fast local hashing, both made with their defaults, do not fit together.
#
# Whoever gives both the same epsilon, number of values and number of hash functions expects unbiased estimates, as from
# every other pair of the package. The client hashes to 2 values by default (`use_olh=False`), the server decodes hashes
# to round(e^epsilon) + 1 values (`use_olh=True`). Nothing is raised, and nothing warned of: estimates are too small, and
# vanish as epsilon grows. Ordinary local hashing has the same default on both sides. It needs xxhash below 4, which the
# package does not ask for (4.1.0 raises TypeError, for texts must be encoded), and packages that nothing installs:
# scikit-learn and statsmodels, without which no oracle can be imported.
#
# Output seen (numpy 2.4.6, xxhash 3.8.2, scikit-learn 1.9.1, statsmodels 0.15.0), 20,000 people of whom half have the
# first of ten values:
#   epsilon 1: defaults 0.21, the same use_olh on both sides 0.49
#   epsilon 3: defaults -0.00, the same use_olh on both sides 0.52
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pure-ldp==1.2.0 numpy==2.4.6 xxhash==3.8.2 scikit-learn==1.9.1 statsmodels==0.15.0
cat > "$folder/program.py" <<'PROGRAM'
import random
import warnings

import numpy as np
from pure_ldp.frequency_oracles.local_hashing import FastLHClient, FastLHServer

VALUES, FUNCTIONS = 10, 1000
PEOPLE = [1] * 10_000 + [2] * 5_000 + [3] * 5_000


def first_share(epsilon, **client_options):
    """The estimated share of the first value, whose true share is one half."""
    client = FastLHClient(epsilon, VALUES, FUNCTIONS, **client_options)
    server = FastLHServer(epsilon, VALUES, FUNCTIONS)
    for value in PEOPLE:
        server.aggregate(client.privatise(value))
    return server.estimate(1, suppress_warnings=True) / len(PEOPLE)


random.seed(1)
np.random.seed(1)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    for epsilon, most in ((1, 0.3), (3, 0.1)):
        found, fitting = first_share(epsilon), first_share(epsilon, use_olh=True)
        print(f"epsilon {epsilon}: defaults {found:.2f}, the same use_olh on both sides {fitting:.2f}")
        assert found < most, "the defaults fit together now"
        assert abs(fitting - 0.5) < 0.05, "with the same option on both sides it was unbiased"
# It warns of few reports and of a small epsilon, of the first alone unless that is suppressed.
assert not any("olh" in str(one.message).lower() for one in said)
PROGRAM
"$folder/venv/bin/python" "$folder/program.py"
