"""The same survey gives the same plan on every machine, or where a design is solved by LAPACK one as accurate.

Channels with a formula, levels and apportioned people do not depend on a processor's last bits; channels that are
solved for (of a matrix, a metric, a number) may.
"""

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from commands import PATIENCE
from sordino import Plan, Survey
from sordino.document.sealed import canonical
from sordino.exact.coin import WORD
from sordino.survey.planning.plan_fields import dump

NUMBERS = {name: {"number": {"low": 0, "high": 10}} for name in ("age", "pay", "rent", "size")}
DELTAS = {name: {**table, "delta": delta} for (name, table), delta in zip(NUMBERS.items(), "5432", strict=True)}
BINNED = {"pay": {"number": {"low": 0, "high": 10, "bins": 50}}}
FIVE = {"categories": ["a", "b", "c", "d", "e"]}
MAP = {"south": 40, "north": 50, "west": 0, "east": 40, "rows": 7, "columns": 40}
INFINITE = [["0", "1", "inf"], ["2", "0", "1/2"], ["ln 3", "1", "0"]]


def finite(attribute, epsilon="1"):
    return {"version": 1, "epsilon": epsilon, "attribute": {"x": attribute}, "ask": [{"histogram": "x"}]}


def numbers(attributes, *asks, **more):
    return {"version": 1, "epsilon": "6", "attribute": attributes, "ask": list(asks), **more}


REST = {"dependence": {"rest": 0.1}}
SURVEYS = {
    "line": finite({**FIVE, "protect": {"metric": [0, 1, 2, 3, 4]}}),
    "map": finite({"grid": MAP, "protect": {"metric": {"per": "100 km"}}}),
    "tree": finite({**FIVE, "protect": {"metric": {"tree": {"all": ["a", "b", "rest"], "rest": ["c", "d", "e"]}}}}),
    "distances": finite({"categories": 3, "protect": {"metric": [[0, 1, 2], [1, 0, 3], [2, 3, 0]]}}, "0.7"),
    "matrix": finite({"categories": 3, "protect": {"matrix": INFINITE}}),
    "sensitive": finite({**FIVE, "protect": {"sensitive": ["b", "d"]}}),
    "blocks": finite({"categories": 40, "protect": {"blocks": 7}}),
    "many": finite({"categories": 1000}, "ln 3"),
    "means": numbers(NUMBERS, {"mean": list(NUMBERS)}),
    "means under deltas": numbers(DELTAS, {"mean": list(NUMBERS)}, **REST),
    "means in two groups": numbers(
        {
            **{n: {**NUMBERS[n], "delta": "1/2"} for n in ("age", "pay")},
            "rent": NUMBERS["rent"],
            "size": NUMBERS["size"],
        },
        {"mean": list(NUMBERS)},
        **REST,
    ),
    "means of everybody": numbers(
        {"age": NUMBERS["age"], "pay": {**NUMBERS["pay"], "delta": "4"}}, {"mean": ["age", "pay"]}, **REST
    )
    | {"epsilon": "8"},
    "means of all but one": numbers({n: NUMBERS[n] for n in ("age", "pay", "rent")}, {"mean": ["age", "pay", "rent"]})
    | {"epsilon": "6.5"},
    "covariance": numbers(NUMBERS, {"covariance": ["age", "pay", "rent"]}, {"mean": "size"}),
    "regression": numbers(DELTAS, {"regression": {"target": "pay", "features": ["age", "rent", "size"]}}, **REST),
    "ranges": numbers(BINNED, {"distribution": "pay", "ranges": [[0, 2], [2, 10]]}),
    "quantiles": numbers(BINNED, {"distribution": "pay", "quantiles": [0.5]}) | {"epsilon": "1"},
    "quantiles of some": numbers(
        {"pay": {**BINNED["pay"], "missing": "0.2"}}, {"distribution": "pay", "quantiles": [0.5]}
    )
    | {"epsilon": "1"},
}
SLOW = {"means under deltas"}
OLD = "SSE42 POPCNT AVX F16C FMA3 AVX2 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL X86_V3 X86_V4"
GOLDEN = {
    "map": "170a4fe33ef8b328a91e",
    "sensitive": "6f8245bc54cf80adf556",
    "blocks": "f9470fcac1c4cda88fb6",
    "many": "6d7eb6be74fecf88f20b",
    "means": "8a4aa0e286a76eaf0d53",
    "means under deltas": "959c7b080ce4d6cdc943",
    "means in two groups": "97519d8ee9650cd1bb56",
    "means of all but one": "d918fe24fe3a98aee6cc",
    "regression": "a92a34d9c9bbf65ed1a6",
    "ranges": "235739acfdc176a5f154",
    "quantiles": "32f9885f0d92c3586aa7",
    "quantiles of some": "9135ecebc8c6943b5d01",
}


MADE_OF_OTHERS = {"table", "linear", "flips", "tree", "product", "blockwise", "high-low"}


def without_draws(found):
    """The mechanisms' integers alone, from which their draws and sizes follow."""
    if isinstance(found, list):
        return [without_draws(part) for part in found]
    if not isinstance(found, dict):
        return found
    left_out = {"draw", "codes"} | ({"k"} if found.get("name") in MADE_OF_OTHERS else set())
    return {key: without_draws(part) for key, part in found.items() if key not in left_out}


def queries(tables):
    """What a survey's plan asks, with all integers."""
    return dump(Plan.of(Survey.read(tables), 10_000).document)["queries"]


def integers(tables):
    """A hash of the integers in them."""
    return sha256(canonical({"queries": without_draws(queries(tables))})).hexdigest()[:20]


def sizes(document):
    """All integers of a document, from small to large: in floats, of words."""
    if isinstance(document, dict | list):
        parts = document.values() if isinstance(document, dict) else document
        return sorted(size for part in parts for size in sizes(part))
    return [int(document) / WORD] if isinstance(document, str) and document.isdigit() else []


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) if name in SLOW else name for name in GOLDEN]
)
def test_a_plan_is_the_one_that_was_written_down(name):
    """On whatever machine this runs, with whatever libraries."""
    assert integers(SURVEYS[name]) == GOLDEN[name]


@pytest.fixture(scope="module")
def elsewhere():
    """What an older processor makes of the surveys."""
    known = {name for name in OLD.split() if name in np.show_config(mode="dicts")["SIMD Extensions"]["found"]}
    environment = {
        **os.environ,
        "OPENBLAS_CORETYPE": "Nehalem",
        "OPENBLAS_NUM_THREADS": "1",
        "NPY_DISABLE_CPU_FEATURES": " ".join(sorted(known)),
        "PYTHONHASHSEED": "7",
        # What tests share.
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    done = subprocess.run(
        [sys.executable, Path(__file__)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.long
def test_a_plan_is_the_same_on_an_older_processor(elsewhere):
    assert {name: found for name, (found, _) in elsewhere.items() if name in GOLDEN} == GOLDEN


@pytest.mark.long
def test_what_a_library_solves_is_the_same_but_for_its_last_digits(elsewhere):
    for name in SURVEYS.keys() - GOLDEN.keys():
        assert elsewhere[name][1] == pytest.approx(sizes(queries(SURVEYS[name])), abs=1e-9), name


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("name", ["means in two groups", "means under deltas"])
def test_a_plan_is_the_same_whatever_last_digits_an_optimiser_finds(monkeypatch, name):
    import scipy.optimize

    generator, solve = np.random.default_rng(1), scipy.optimize.linprog

    def disturbed(aim, **settings):
        found = solve(aim * (1 + 1e-14 * generator.uniform(-1, 1, len(aim))), **settings)
        if found.x is not None:
            found.x = found.x * (1 + 1e-12 * generator.uniform(-1, 1, len(found.x)))
        return found

    monkeypatch.setattr(scipy.optimize, "linprog", disturbed)
    assert integers(SURVEYS[name]) == GOLDEN[name]


if __name__ == "__main__":
    sys.stdout.write(json.dumps({name: [integers(tables), sizes(queries(tables))] for name, tables in SURVEYS.items()}))
