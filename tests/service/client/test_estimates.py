"""Estimates that the browser client works out of a tally, against those of the package, of every golden plan."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from commands import PATIENCE
from golden_people import NAMES, answers, column, golden_text
from sordino.errors import SordinoError
from sordino.papers.simulation import SimulationSource
from sordino.survey.planning.plan import Plan
from sordino.survey.results.result import Untold, results
from sordino.survey.results.tally import aggregate_text

pytestmark = pytest.mark.live

MANY, ALIKE = "many", "alike"
FEWEST = 5


@pytest.fixture(scope="module")
def worked_out():
    """Of each golden plan, and of many people or five reports that are alike: their tally, and what the client says."""
    cases = {}
    for name in NAMES:
        plan = Plan.of_text(golden_text(name), name)
        draw = np.random.default_rng(len(name))
        columns = {}
        for own, part in plan.document.attributes.items():
            columns[own] = answers(part, plan.attributes[own].domain, draw)
        codes = plan.sampled.privatize([column(q, columns) for q in plan.questions], SimulationSource(1))
        cases[name, MANY], cases[name, ALIKE] = (
            (plan, plan.sampled.tally(own)) for own in (codes, np.repeat(codes[:1], FEWEST))
        )
    pairs = [(plan.bytes.decode(), json.loads(aggregate_text(plan, tally))) for plan, tally in cases.values()]
    script = Path(__file__).with_name("estimated.mjs")
    found = subprocess.run(
        ["node", script], input=json.dumps(pairs), capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE
    )
    assert found.returncode == 0, found.stderr
    return {case: (*cases[case], told) for case, told in zip(cases, json.loads(found.stdout), strict=True)}


@pytest.mark.parametrize("people", [MANY, ALIKE])
@pytest.mark.parametrize("name", NAMES)
def test_the_same_tally_gives_the_same_estimates(worked_out, name, people):
    plan, tally, told = worked_out[name, people]
    try:
        known = results(plan, tally, "unbiased")
    except SordinoError:
        assert all("why" in found for found in told)
        return
    for result, found in zip(known, told, strict=True):
        if "why" in found:
            assert isinstance(result, Untold) or "may be missing" in found["why"]
            continue
        rows = [row for row in result.rows() if "stderr" in row]
        # Ranges and quantiles of a distribution come after its bins, and are not worked out there.
        for key in ("estimate", "stderr"):
            own = [row[key] for row in found["rows"]]
            assert len(own) >= min(len(rows), 1)
            assert own == pytest.approx([row[key] for row in rows[: len(own)]], rel=1e-6, abs=1e-9), key
