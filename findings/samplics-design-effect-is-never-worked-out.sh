#!/usr/bin/env bash
# samplics 0.4.22: the design effect that is asked for is not worked out, and nothing says so.
#
# `TaylorEstimator.estimate` takes `deff=True` and has an attribute `deff`, which its text calls the estimate of the design
# effect. Who analyses people drawn in clusters asks for it to see how much less their answers are worth.
#
# Behaviour: with `deff=True` the attribute stays an empty dictionary, the frame has no column of it, and no warning comes;
# all else is as with `deff=False`. The standard error does count the clusters: twenty of ten people whose means differ
# give one more than three times that of a simple random sample, so that the design effect is about 10.
# Output seen (pandas 2.3.3, numpy 2.4.6):
#   deff=True: deff {}, differs from deff=False in []
#   columns: _param _estimate _stderror _lci _uci _cv
#   by the standard errors the design effect is 10.2
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet samplics==0.4.22 pandas==2.3.3 numpy==2.4.6
cat > "$folder/program.py" <<'PROGRAM'
import warnings

import numpy as np
from samplics.estimation import TaylorEstimator
from samplics.utils.types import PopParam

warnings.simplefilter("error", UserWarning)
cluster = np.repeat(np.arange(20), 10)
y = 0.3 * cluster + np.tile(np.arange(10) / 10, 20)


def found(**options):
    one = TaylorEstimator(PopParam.mean)
    one.estimate(y=y, samp_weight=np.ones(len(y)), **options)
    return one


asked, unasked = found(psu=cluster, deff=True), found(psu=cluster)
differs = [name for name, value in vars(asked).items() if repr(value) != repr(vars(unasked)[name])]
print(f"deff=True: deff {asked.deff}, differs from deff=False in {differs}")
columns = list(asked.to_dataframe().columns)
print("columns:", *columns)
effect = (asked.stderror / found().stderror) ** 2
print(f"by the standard errors the design effect is {effect:.3g}")
assert asked.deff == {} and not differs, "a design effect is worked out now"
assert not any("deff" in name for name in columns), "the frame has a design effect now"
assert effect > 5
PROGRAM
"$folder/venv/bin/python" "$folder/program.py"
