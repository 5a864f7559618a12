"""A mechanism that the browser client has no line about: it is answered, and its promise checked, by its draw alone."""

import json
import subprocess
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from client_codes import compare_codes
from commands import PATIENCE
from ring import RingResponse
from sordino import Plan
from sordino.document.codec import OF_SHARES, decode_over
from sordino.survey.planning.plan_fields import seal

pytestmark = pytest.mark.live

HOURS = 24


@pytest.fixture
def plan(monkeypatch):
    """Of hours of a day, asked through a ring."""
    kinds = {**OF_SHARES, RingResponse.name: RingResponse}
    opened = lambda record, promise, k, _: decode_over(record, promise, k, kinds)
    monkeypatch.setattr("sordino.survey.kinds.promised_channel.decode_over", opened)

    def make(step="1/6", **changes):
        protect = {"bounds": [["0" if x == y else _sixths(x, y) for y in range(HOURS)] for x in range(HOURS)]}
        mechanism = RingResponse(HOURS, step).document_fields | changes
        asked = {"histogram": "x", "weight": 1, "subtract_totals": False, "mechanism": mechanism}
        attributes = {"x": {"columns": ["x"], "numbers": HOURS, "protect": protect}}
        return Plan(seal({"people": 1000, "attributes": attributes, "queries": [asked]}))

    return make


def _sixths(x, y):
    """A sixth of a nat for each hour of the shorter way."""
    return str(Fraction(min(abs(x - y), HOURS - abs(x - y)), 6))


def test_the_same_words_give_the_same_codes(plan, tmp_path):
    made = plan()
    assert made.certificate.holds
    compare_codes(made, tmp_path, np.random.default_rng(1))


def test_its_promise_is_checked(plan):
    texts = [plan().bytes.decode(), plan("17/100").bytes.decode(), plan(draw="v").bytes.decode()]
    script = Path(__file__).with_name("opened.mjs")
    found = subprocess.run(
        ["node", script], input=json.dumps(texts), capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE
    )
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout) == [True, False, False]
