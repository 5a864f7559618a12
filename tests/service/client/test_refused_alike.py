"""Golden plans with one part changed, under a right hash: what the package refuses, the page refuses too."""

import copy
import json
import random
import subprocess
from pathlib import Path

import pytest

from commands import PATIENCE
from golden_people import NAMES, golden_text, sealed
from sordino.errors import SordinoError
from sordino.survey.planning.plan import Plan

pytestmark = pytest.mark.live

CHANGES = 800

TEXTS = ["", "0", "01", "2", " 2", "1.0", "1/2", "2/4", "ln 2", "0 + ln 2", "inf", "101", "1/0", "0x10", "x", "b"]
TEXTS += ["18446744073709551616", "9" * 30, "toString", "\ud800"]
NUMBERS = [0, 1, -1, 3, 0.5, 2**53, 1e300, 64, 2**20 + 1, 2**22 + 1]
OTHERS = [None, True, 1, "1", [], {}, [0], {"epsilon": "1"}]
NAMED = ["x", "b", "missing", "delta", "protect", "epsilon", "blocks", "sensitive", "toString", "__proto__"]


def places(found, path=()):
    """Where each part of a document stands; of a long list some."""
    for key, part in found.items() if isinstance(found, dict) else enumerate(found[:9]):
        yield (*path, key)
        if isinstance(part, dict | list):
            yield from places(part, (*path, key))


def another(found, draw):
    """Something else in its place."""
    if isinstance(found, str):
        digits = [str(int(found) + 1), f"0{found}", int(found)] if found.isdigit() else []
        return draw.choice([*TEXTS, *digits * 4])
    if isinstance(found, list):
        return draw.choice([found[1:], [*found, *found[:1]], found[::-1], [found], [*found, 0], []])
    if isinstance(found, dict):
        less = {key: part for key, part in found.items() if key != draw.choice(sorted(found) or [None])}
        return draw.choice([less, less, found | {draw.choice(NAMED): draw.choice(OTHERS)}])
    return draw.choice([*NUMBERS, *OTHERS, str(found)])


def changed(document, draw):
    found = copy.deepcopy(document)
    *path, last = draw.choice([place for place in places(found) if place[0] not in ("hash", "format", "version")])
    inner = found
    for key in path:
        inner = inner[key]
    inner[last] = another(inner[last], draw)
    return sealed(found), [*path, last]


def is_read(text):
    try:
        Plan.of_text(text, "the plan")
    except SordinoError:
        return False
    return True


def test_what_the_package_refuses_the_page_refuses():
    draw = random.Random(1)
    documents = [json.loads(golden_text(name)) for name in NAMES]
    cases = [changed(draw.choice(documents), draw) for _ in range(CHANGES)]
    # Of other attributes the package goes by the epsilon that a question declares, the page by what its channel tells.
    cases = [(text, place) for text, place in cases if place[1:][-1:] != ["epsilon"] or '"delta"' not in text]
    script = Path(__file__).with_name("opened.mjs")
    texts = json.dumps([text for text, _ in cases])
    command = ["node", script]
    found = subprocess.run(command, input=texts, capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE)
    assert found.returncode == 0, found.stderr
    answered = [case for case, opened in zip(cases, json.loads(found.stdout), strict=True) if opened]
    assert [place for text, place in answered if not is_read(text)] == []
    assert len(answered) > CHANGES / 20
