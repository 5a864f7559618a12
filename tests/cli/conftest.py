"""A small survey with its people and plan."""

import shutil
from pathlib import Path

import pytest

from sordino import Plan, Survey
from sordino.survey.results.aggregate_file import save_aggregate
from sordino.tables.reports import privatize_table, tally_table

SURVEY = """\
version = 1
epsilon = "4"
[attribute.colour]
categories = ["red", "green", "blue, dark", "weiß"]
protect = { blocks = [["red", "green"], ["blue, dark", "weiß"]] }
[[ask]]
histogram = "colour"
"""
PEOPLE = {"red": 500, "green": 100, '"blue, dark"': 300, "weiß": 100}


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    """A folder with a survey, its people, its plan, their reports and the reports' aggregate, made once."""
    root = tmp_path_factory.mktemp("template")
    (root / "survey.toml").write_text(SURVEY, encoding="utf-8")
    rows = [row for row, times in PEOPLE.items() for _ in range(times)]
    (root / "people.csv").write_text("\n".join(["colour", *rows, ""]), encoding="utf-8")
    plan = Plan.of(Survey.load(root / "survey.toml"), 1000)
    plan.save(root / "plan.json")
    privatize_table(plan, root / "people.csv", root / "reports.csv")
    save_aggregate(plan, tally_table(plan, [root / "reports.csv"]), root / "aggregate.json")
    return root


@pytest.fixture
def released(template, tmp_path, monkeypatch):
    """A copy of the template, where the commands run."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def folder(released):
    """The same with the survey and its people only."""
    for name in ("plan.json", "reports.csv", "aggregate.json"):
        (released / name).unlink()
    return released


@pytest.fixture
def new_ledger(run):
    """Make a ledger where the commands run, with its terms, a record and queries beside it."""

    def make(terms, record, **queries):
        for name, text in {"terms": terms, "record": record, **queries}.items():
            Path(f"{name}.toml").write_text(text)
        code, out, err = run("ledger", "new", "me.ledger", "terms.toml")
        assert (code, err) == (0, "")
        assert out.startswith("me.ledger: sha256:")

    return make
