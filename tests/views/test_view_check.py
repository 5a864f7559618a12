"""The conformance suite for views: those of the house pass, a stranger's too, and one that lacks a part does not."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sordino
from commands import PATIENCE
from sordino import SordinoError, SordinoErrors
from sordino.blocks.tables import TextTable
from sordino.testing import check_view, view_check
from sordino.views import VIEWS
from sordino.views.associations import Associations
from sordino.views.view import NotApplicable, ViewPart

PACKAGE = Path(sordino.__file__).parent

USE = """
import asyncio, json, sys
import pyarrow as pa
import sordino
from sordino.cli.main import cli
from sordino.service.analyst import DashboardPages
from sordino.survey.results.aggregate_file import save_aggregate
from sordino.testing import check_view
from sordino.views.leading_values import LeadingValues
from pathlib import Path

check_view(LeadingValues)
asked = {"version": 1, "epsilon": "4", "attribute": {"smoker": {"categories": ["yes", "no"]}}}
plan = sordino.plan({**asked, "ask": [{"histogram": "smoker"}]}, people=3000)
tally = sordino.aggregate(plan, sordino.privatize(plan, pa.table({"smoker": ["no", "yes", "no"] * 1000})))
Path("plan.json").write_bytes(plan.bytes)
save_aggregate(plan, tally, Path("tally.json"))
estimate = ["estimate", "plan.json", "tally.json"]
cli.main([*estimate, "-o", "rows.csv", "--html", "page.html"], standalone_mode=False)
cli.main([*estimate, "--json"], standalone_mode=False)
found = sordino.estimate(plan, tally)
Path("cell.html").write_text(found._repr_html_())
Path("dashboard.html").write_text(asyncio.run(DashboardPages().estimates(plan, tally, b"", 0.95)))
assert "leading" in found.to_arrow()["kind"].to_pylist()
"""


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_every_view_of_the_house_keeps_all_its_parts(view):
    check_view(view)


def test_a_strangers_view_is_a_file_and_its_name_in_the_list(tmp_path):
    package = tmp_path / "sordino"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(Path(__file__).with_name("leading_values.py"), package / "views")
    listed = (package / "views" / "__init__.py").read_text(encoding="utf-8")
    entry = "VIEWS: tuple[type[View], ...] = (\n"
    assert listed.count(entry) == 1
    named = "from sordino.views.leading_values import LeadingValues\n" + entry + "    LeadingValues,\n"
    (package / "views" / "__init__.py").write_text(listed.replace(entry, named), encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        [sys.executable, "-c", USE],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    said = "Of smoker no leads with 6"
    assert said in run.stdout
    document = json.loads(run.stdout[run.stdout.index("{") :])
    assert [row["value"] for row in document["leading"]] == ["no"]
    assert ",leading," in (tmp_path / "rows.csv").read_text()
    for page in ("page.html", "cell.html", "dashboard.html"):
        assert said in (tmp_path / page).read_text(encoding="utf-8"), page


def changed(**parts):
    """A view of associations with some parts that are wrong."""
    return type("Changed", (Associations,), parts)


def twice_as_wide(self, *, derived=True):
    for row in Associations.rows(self, derived=derived):
        yield row if row["estimate"] is None else row | {"low": row["estimate"] + 1}


def endless(self, *, derived=True):
    return (row | {"estimate": float("inf")} for row in Associations.rows(self, derived=derived))


WRONG = {
    "must have a name of its own": {"name": "two words"},
    "must be fields of ViewRequest": {"settings": frozenset({"colour"})},
    "must apply to some estimates": {"of": classmethod(lambda cls, source: NotApplicable("never"))},
    "must say why": {"of": classmethod(lambda cls, source: NotApplicable(""))},
    "must be made": {"of": classmethod(lambda cls, source: cls(source.nothing))},
    "rows must be finite, in order.*inf": {"rows": endless},
    "rows must be finite, in order, and hold": {"rows": twice_as_wide},
    "rows must be finite.*about": {"rows": lambda self, derived=True: iter([{"attribute": "x"}])},
    "JSON must have its document": {"json": lambda self: {"rows": []}},
    "a terminal must show": {"parts": lambda self: iter([ViewPart("x", (TextTable("", ("a", "b"), (("c",),)),))])},
    "a page and a notebook must show": {"parts": lambda self: iter([])},
    "its findings must be sentences": {"findings": lambda self: iter(["no finding"])},
}


@pytest.mark.parametrize("words", WRONG)
def test_each_wrong_part_is_named(words, monkeypatch):
    view = changed(**WRONG[words])
    monkeypatch.setattr(view_check, "VIEWS", (view,))
    monkeypatch.setattr(view_check, "TRIALS", view_check.TRIALS[:1])
    with pytest.raises(SordinoErrors, match=words):
        check_view(view)


def test_a_view_that_nobody_lists_is_refused():
    with pytest.raises(SordinoError, match="must stand in VIEWS; found 'Changed'"):
        check_view(changed())
