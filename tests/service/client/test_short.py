"""The two sentences above the form's button are those of `sordino answer`, and promise as much as the package does."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from commands import PATIENCE
from golden_people import NAMES, golden_text
from sordino import Plan
from sordino.words.explain_questionnaire import reveal_sentences

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def shown():
    script = Path(__file__).with_name("short.mjs")
    found = subprocess.run(["node", script], capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE)
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


def test_the_form_and_the_command_say_the_same(shown):
    """The page works its chance out of the integers, which may keep more than is promised."""
    equal = 0
    for name in NAMES:
        page = shown[f"{name}.json"]
        own = reveal_sentences(Plan.of_text(golden_text(name), name))
        most = re.search(r"at most (\d+) %", own[0])
        if page["after"] is None or most is None:
            # Where no single number says it the page shows none, or one for a distance.
            assert most is None
            continue
        assert 10 <= page["after"] <= int(most[1])
        equal += page["after"] == int(most[1])
        assert page["sentences"][0] == own[0].replace("10 %", "10%").replace(f"{most[1]} %", f"{page['after']}%")
        assert page["sentences"][1] == own[1]
    assert equal > len(NAMES) / 2
