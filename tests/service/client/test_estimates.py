"""Estimates that the browser client works out of a tally, against those of the package: golden plans, and others."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from commands import PATIENCE
from golden_people import NAMES, all_answers, column, golden_text
from sordino import Plan, SordinoError, Survey
from sordino.papers.simulation import SimulationSource
from sordino.survey.results.aggregate_file import aggregate_text, load_aggregate
from sordino.survey.results.result import Untold, results

pytestmark = pytest.mark.live

MANY, ALIKE = "many", "alike"
WIDTH = 1.959963984540054
SURE = WIDTH - 1e-6
FEWEST = 5

QUANTILES = ["0.1", "0.5", "0.9"]

MADE_OF_BINS = ("mean", "standard deviation")

SURVEYS = {
    "above": {
        "version": 1,
        "epsilon": "2",
        "attribute": {
            "pay": {"number": {"low": 0, "high": 64, "clip": True}},
            "ill": {"categories": ["yes", "no"], "delta": "0.5"},
        },
        "ask": [{"above": "pay", "threshold": 20}, {"above": "pay", "threshold": 30.5}, {"histogram": "ill"}],
    },
    "ranges": {
        "version": 1,
        "epsilon": "2",
        "attribute": {"pay": {"number": {"low": 0, "high": 64, "bins": 32}}},
        "ask": [{"distribution": "pay", "ranges": [[0, 8], [8, 32], [30, 64]], "quantiles": QUANTILES}],
    },
    "a scale": {
        "version": 1,
        "epsilon": "2",
        "attribute": {"pay": {"number": {"low": -0.5, "high": 10.5, "bins": 11}}},
        "ask": [{"distribution": "pay", "ranges": [[-0.5, 6.5]], "quantiles": QUANTILES}],
    },
    "thresholds": {
        "version": 1,
        "epsilon": "2",
        "attribute": {
            "pay": {"number": {"low": 0, "high": 64, "bins": 16}},
            "ill": {"categories": ["yes", "no"], "delta": "0.2"},
        },
        "dependence": {"thresholds": {"pay": 0.1}},
        "ask": [{"distribution": "pay", "ranges": [[0, 8], [8, 32], [28, 64]], "quantiles": QUANTILES}],
    },
    "ranges of those who have it": {
        "version": 1,
        "epsilon": "2",
        "attribute": {"pay": {"number": {"low": 0, "high": 64, "bins": 32}, "missing": "0.3"}},
        "ask": [{"distribution": "pay", "ranges": [[0, 8], [30, 64]], "quantiles": QUANTILES}],
    },
    "missing": {
        "version": 1,
        "epsilon": "1",
        "attribute": {
            "pay": {"number": {"low": 0, "high": 64}, "missing": "0.3"},
            "age": {"number": {"low": 18, "high": 90}},
            "rent": {"number": {"low": -5, "high": 11}, "missing": "0.1"},
        },
        "ask": [{"mean": ["pay", "age", "rent"]}],
    },
    "regression": {
        "version": 1,
        "epsilon": "6",
        "attribute": {
            "age": {"number": {"low": 18, "high": 90}},
            "size": {"number": {"low": -5, "high": 11}},
            "pay": {"number": {"low": 0, "high": 64}},
            "rent": {"number": {"low": 0, "high": 9}},
        },
        "ask": [{"regression": {"target": "pay", "features": ["rent", "age", "size"]}}],
    },
    "dependent": {
        "version": 1,
        "epsilon": "6",
        "attribute": {name: {"number": {"low": 0, "high": 9}} for name in ("age", "size", "pay")},
        "ask": [{"regression": {"target": "pay", "features": ["age", "size"]}}],
    },
    "noise": {
        "version": 1,
        "epsilon": "1/16",
        "attribute": {"age": {"number": {"low": 18, "high": 90}}, "pay": {"number": {"low": 0, "high": 64}}},
        "ask": [{"regression": {"target": "pay", "features": ["age"]}}],
    },
    "lacked": {
        "version": 1,
        "epsilon": "1/2",
        "attribute": {"pay": {"number": {"low": 0, "high": 64}, "missing": "0.3"}},
        "ask": [{"mean": "pay"}],
    },
}
"""What no golden plan asks."""


@pytest.fixture(scope="module")
def worked_out():
    """Of each golden plan, and of many people or five reports that are alike: their tally, and what the client says."""
    cases = {}
    for name in (*NAMES, *SURVEYS):
        plan = Plan.of_text(golden_text(name), name) if name in NAMES else Plan.of(Survey.read(SURVEYS[name]), 1000)
        draw = np.random.default_rng(len(name))
        columns = all_answers(plan, draw)
        if name == "dependent":
            columns["size"] = columns["age"]
        codes = plan.sampled.privatize([column(q, columns) for q in plan.questions], SimulationSource(1))
        cases[name, MANY], cases[name, ALIKE] = (
            (plan, plan.sampled.tally(own)) for own in (codes, np.repeat(codes[:1], FEWEST))
        )
    pairs = [(plan.bytes.decode(), aggregate_text(plan, tally)) for plan, tally in cases.values()]
    return {case: (*cases[case], told) for case, told in zip(cases, node("estimated.mjs", pairs), strict=True)}


def node(script, given):
    """What a program beside this file prints of what it is given."""
    command, text = ["node", Path(__file__).with_name(script)], json.dumps(given)
    found = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE)
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


SPELLINGS = ["3", "3.0", "30e-1", "3e0", "3E0", "0.3e1", "03", "+3", "-0", "-0.0", "0e5", "NaN", "Infinity", '"3"']
SPELLINGS += ["true", "null", "[3]", str(2**53 - 1), str(2**64 + 1), "1" + "0" * 400, "2.5"]


def is_read(plan, path, text):
    path.write_text(text, encoding="utf-8")
    try:
        load_aggregate(plan, path)
    except SordinoError:
        return False
    return True


def test_numbers_of_a_tally_are_refused_by_both_or_by_none(tmp_path):
    plan = Plan.of_text(golden_text("randomized_two"), "the plan")
    text = aggregate_text(plan, plan.tally(np.repeat([0, 1], [77, 44]).astype(np.uint64)))
    texts = [text.replace("[77,", f"[{wrong},") for wrong in ("77", *SPELLINGS)]
    texts += [text.replace('"version":1', f'"version":{wrong}') for wrong in ("1.0", "1e0", "10e-1", "01", "true", "2")]
    read = [is_read(plan, tmp_path / "tally.json", one) for one in texts]
    assert node("tallied.mjs", [plan.bytes.decode(), texts]) == read
    assert sum(read) == 3


@pytest.mark.parametrize("people", [MANY, ALIKE])
@pytest.mark.parametrize("name", [*NAMES, *SURVEYS])
def test_the_same_tally_gives_the_same_estimates(worked_out, name, people):
    plan, tally, told = worked_out[name, people]
    try:
        known = results(plan, tally, "unbiased")
    except SordinoError:
        assert all("why" in found for found in told)
        return
    for result, found in zip(known, told, strict=True):
        if "why" in found:
            assert isinstance(result, Untold)
            continue
        # What is made of a distribution's bins is not worked out again.
        rows = [row for row in result.rows() if "stderr" in row and row.get("value") not in MADE_OF_BINS]
        named = [(row["value"], told["label"]) for row, told in zip(rows, found["rows"], strict=True) if "value" in row]
        if not any(getattr(part, "grid", None) for part in plan.document.attributes.values()):
            assert all(told == (value if isinstance(value, str) else ", ".join(value)) for value, told in named)
        # Of a quantile, which is read off a fitted curve, only between which edges it lies at least.
        for text, own in zip(getattr(result.question.part, "quantiles", ()), found.get("quantiles", ()), strict=True):
            away = SURE * result.estimate.errors_at(float(text))
            # Of a scale between which of its values: half a step inward.
            low, high = result.estimate.quantile(float(text), 0.95, away)[1:]
            inward = 0.5 if result.question.domain.edges[0] == -0.5 else 0
            assert (own["low"], own["high"]) == (low + inward, high - inward)
            [(_, _, low, high)] = [each for each in result.quantiles if each[0] == text]
            assert low <= own["low"] <= own["high"] <= high
        own = [row["estimate"] for row in found["rows"]]
        assert own == pytest.approx([row["estimate"] for row in rows], rel=1e-6, abs=1e-9)
        for row, own in zip(rows, found["rows"], strict=True):
            # Of few reports a standard error is what the interval says, where that is more.
            errors = own["stderr"], max(own["stderr"], (row["high"] - row["low"]) / (2 * WIDTH))
            assert any(row["stderr"] == pytest.approx(error, rel=1e-6, abs=1e-9) for error in errors)
