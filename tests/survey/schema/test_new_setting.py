"""A new setting of an attribute, as a stranger adds it: lines in three files, and what is generated follows.

Its lines in `docs/reference.md` and `docs/plan-format.md` are the rest of the work.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from commands import PATIENCE

ROOT = Path(__file__).parents[3]

LINES = {
    "domain/attribute.py": {"    is_date: bool = False\n": "    source: str | None = None\n"},
    "survey/schema/attribute_part.py": {
        "    not_asked: Text | None = None\n": "    source: str | None = None\n",
        "only_if, unasked, is_date": ", part.source",
        "attribute.not_asked}\n": "    words |= {} if attribute.source is None else {'source': attribute.source}\n",
    },
    "survey/schema/attribute_table.py": {
        "    not_asked: str | None = None\n": "    source: str | None = None\n",
        "delta, conditions, unasked, bins=bins": ", source=self.source",
    },
}
"""By file, after which text what is inserted."""

PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
import sordino
from client_tables import client_tables
from sordino.survey.planning.plan_fields import PlanDocument
assert sordino.__file__.startswith(sys.argv[2])
smoker = {"categories": ["yes", "no"], "source": "register"}
survey = {"version": 1, "epsilon": "1", "attribute": {"smoker": smoker}, "ask": [{"histogram": "smoker"}]}
plan = sordino.plan(survey, people=1000)
again = sordino.Plan.of_text(plan.bytes.decode(), "it")
said = sordino.report(again, {"version": 1, "record": {"smoker": "yes"}}) is not None
written = json.loads(plan.bytes)["attributes"]["smoker"]["source"]
print(json.dumps([written, again.attributes["smoker"].source, said, '"source?": text' in client_tables(PlanDocument)]))
"""


@pytest.fixture
def package(tmp_path):
    """A copy of the package with the setting."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "sordino", tmp_path / "sordino", ignore=ignored)
    for name, lines in LINES.items():
        path = tmp_path / "sordino" / name
        text = path.read_text(encoding="utf-8")
        for after, inserted in lines.items():
            assert text.count(after) == 1, (name, after)
            text = text.replace(after, after + inserted)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_a_setting_of_an_attribute_is_lines_in_three_files(package):
    command = [sys.executable, "-c", PROGRAM, str(ROOT / "scripts"), str(package)]
    environment = os.environ | {"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == ["register", "register", True, True]
