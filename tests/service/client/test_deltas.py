"""Deltas: the browser client accepts what the package says that a plan reaches, and nothing less."""

import json
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

from commands import PATIENCE
from golden_people import sealed
from sordino import Plan, Survey

pytestmark = pytest.mark.live


def number(delta):
    return {"number": {"low": 0, "high": 1}, "delta": delta}


ATTRIBUTES = {
    "a": number("0.5"),
    "b": number("0.4"),
    "c": number("1"),
    "x": {"categories": ["p", "q", "r"], "delta": "0.6"},
    "y": {"categories": ["p", "q"], "delta": "0.3"},
    "z": {"categories": ["p", "q"], "delta": "0.7"},
}
REST = {"z": 0.4, "a": 0.2, "b": 0.1, "c": 0.5, "x": 0.3, "y": 0.05}
ASKED = {
    "signs": ("1", [{"mean": ["a", "b", "c"]}]),
    "more signs": ("6", [{"mean": ["a", "b", "c"]}]),
    "products": ("2", [{"covariance": ["a", "b", "c"]}]),
    "categories": ("6", [{"regression": {"target": "c", "features": ["x", "a", "y"]}}]),
    "categories of two": ("1", [{"regression": {"target": "c", "features": ["y", "z", "a"]}}]),
    "tables": ("6", [{"mean": "a"}, {"histogram": "x"}, {"table": ["x", "y"]}, {"distribution": "b"}]),
    "windows": ("2", [{"distribution": "b"}]),
    "bits": ("2", [{"distribution": "c"}]),
    "complete cases": ("2", [{"covariance": ["a", "b", "c"]}]),
    "complete cases of categories": ("3", [{"regression": {"target": "c", "features": ["y"]}}]),
}
MISSING = {"complete cases": ["a", "c"], "complete cases of categories": ["c"]}
STEP = Fraction(1, 10**9)
TABLES = [("a", "1/70"), ("b", "1/9")]
SIGNS = [("b", "y", "1/25"), ("x", "y", "1/8"), ("b", "x", "1/15"), ("y", "x", "1/50")]
THRESHOLDS = {"a": "1/30", "y": "1/5"}
STATISTICS = [("a", ["b"], "1/30"), ("b", ["a", "c"], "1/40"), ("x", ["y"], "1/20")]


def loaded(folder, text):
    (folder / "plan.json").write_text(text)
    return Plan.load(folder / "plan.json")


@pytest.mark.parametrize("kind", ASKED)
def test_what_is_reached_is_kept_and_less_is_not(tmp_path, kind):
    epsilon, ask = ASKED[kind]
    lacking = {number: ATTRIBUTES[number] | {"missing": "0.1"} for number in MISSING.get(kind, ())}
    asked = next((one["distribution"] for one in ask if len(ask) == 1 and "distribution" in one), None)
    bounds = {"rest": REST} if asked is None else {"thresholds": {asked: THRESHOLDS}}
    survey = {"version": 1, "epsilon": epsilon, "attribute": ATTRIBUTES | lacking, "ask": ask, "dependence": bounds}
    content = json.loads(Plan.of(Survey.read(survey), 1000).bytes)
    parts = [{"attribute": name, "statistic": of, "bound": bound} for name, of, bound in STATISTICS]
    content["dependence"]["statistics"] = parts
    if {"table": ["x", "y"]} in ask or len(ask[0].get("regression", {}).get("features", ())) > 1:
        pair = ["y", "z"] if "z" in str(ask) else ["x", "y"]
        tables = [{"attribute": name, "table": pair, "bound": bound} for name, bound in TABLES]
        content["dependence"]["tables"] = tables
    if "regression" in ask[0]:
        features = ask[0]["regression"]["features"]
        signs = [one for one in SIGNS if one[1] in features]
        content["dependence"]["category_signs"] = [
            {"attribute": name, "category": category, "number": "c", "bound": bound} for name, category, bound in signs
        ]
    # Enough for whatever is told.
    for attribute in content["attributes"].values():
        attribute["delta"] = epsilon
    promise = loaded(tmp_path, sealed(content)).promise
    reached = {
        name: Fraction(told.floor()) // STEP * STEP for name, told in zip(promise.names, promise.losses, strict=True)
    }
    for name, told in reached.items():
        content["attributes"][name]["delta"] = str(told + 2 * STEP)
    texts = [sealed(content)]
    loaded(tmp_path, texts[0])
    for name, told in reached.items():
        attributes = content["attributes"] | {name: content["attributes"][name] | {"delta": str(told - 2 * STEP)}}
        texts.append(sealed(content | {"attributes": attributes}))
    script = Path(__file__).with_name("kept.mjs")
    found = subprocess.run(
        ["node", script], input=json.dumps(texts), capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE
    )
    assert (found.returncode, found.stdout) == (0, f"[true{',false' * len(reached)}]\n"), found.stderr
