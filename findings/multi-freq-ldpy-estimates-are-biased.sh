#!/usr/bin/env bash
# multi-freq-ldpy 0.2.5: the estimate of k-ary randomized response is not unbiased.
#
# Of k-ary randomized response one expects the classical estimate: unbiased, and below zero now and then. The library's
# aggregator by matrix inversion, `GRR_Aggregator_MI`, sets what is below zero to zero and divides by what is left. Where
# most values are rare, the noise of all of them is kept where it is above zero alone, and the common value pays for it.
#
# Behaviour: 2,000 people who all have the first of 20 values answer at epsilon 1, in 60 surveys. The true share is 1.
# The mean of the library's estimates is about .7, and of each value that nobody has about .016. The classical estimate
# of the same reports is 1 on average.
# Output seen (numpy 2.4.6; the library's coins cannot be seeded): library 0.68, classical 0.98
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet multi-freq-ldpy==0.2.5 numpy==2.4.6
cat > "$folder/program.py" <<'PROGRAM'
import random
from math import exp

import numpy as np
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI, GRR_Client

K, EPSILON, PEOPLE, SURVEYS = 20, 1.0, 2000, 60
keep = exp(EPSILON) / (exp(EPSILON) + K - 1)
other = (1 - keep) / (K - 1)
library, classical = [], []
for survey in range(SURVEYS):
    np.random.seed(survey)
    random.seed(survey)
    reports = [GRR_Client(0, K, EPSILON) for _ in range(PEOPLE)]
    library.append(GRR_Aggregator_MI(reports, K, EPSILON)[0])
    classical.append((np.mean(np.array(reports) == 0) - other) / (keep - other))
print(f"library {np.mean(library):.2f}, classical {np.mean(classical):.2f}")
assert 0.6 < np.mean(library) < 0.8, "the library's estimate of a share of 1 has changed"
assert abs(np.mean(classical) - 1) < 0.05
PROGRAM
"$folder/venv/bin/python" "$folder/program.py"
