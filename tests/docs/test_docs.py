"""The documentation is complete and true: every command, option, setting and public name has its line, examples run."""

import inspect
import re
import shlex
import tomllib
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pytest

import sordino
from commands import every_command, run_program
from in_one import in_one
from sordino import Plan, Survey
from sordino.demo.people import draw_people
from sordino.document.checked_tables import tables_within

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
REFERENCE = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*/*.md")])


def anchors(page):
    """What links may name in a page: its headings, as GitHub writes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_command_and_option_has_its_line():
    for words, command in every_command():
        assert f"`sordino {' '.join(words)}" in REFERENCE
        for option in (option for parameter in command.params for option in parameter.opts):
            assert not option.startswith("-") or f"`{option}`" in REFERENCE, (words, option)


@in_one("table", dict.fromkeys(tables_within(Survey)))
def test_every_setting_has_its_line(table):
    for name in table.settings_table():
        assert f"`{name}`" in REFERENCE or f"[{name}" in REFERENCE, name


def test_every_public_name_has_its_line_and_its_docstring():
    for name in sordino.__all__:
        assert f"`{name}`" in REFERENCE, name
        # Examples run with the other tests of the sources.
        assert ">>> " in inspect.getdoc(getattr(sordino, name)), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target, _, anchor in re.findall(r"\]\(([^)#:]*)(#([^)]+))?\)", page.read_text(encoding="utf-8")):
        linked = page.parent / target if target else page
        assert linked.exists(), target
        assert not anchor or anchor in anchors(linked), f"{target}#{anchor}"


def test_the_tree_of_the_architecture_names_every_floor():
    tree = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    floors = {path.name for path in (ROOT / "src" / "sordino").iterdir() if (path / "__init__.py").exists()}
    assert {floor for floor in floors if f"\n  {floor}/ " not in tree} == set()


def test_the_python_example_of_the_readme_runs():
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    printed = run_program(example)
    assert "1 of 2 values is sensitive" in printed
    assert "'value': 'no', 'estimate': 0." in printed


def test_the_survey_of_unequal_attributes_keeps_what_it_says():
    page = (ROOT / "docs" / "bayesian-coordinate.md").read_text(encoding="utf-8")
    (unequal,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    plan = Plan.of(Survey.read(tomllib.loads(unequal)), 100_000)
    assert plan.promise.holds
    assert dict(zip(plan.promise.names, map(str, plan.promise.deltas), strict=True)) == {
        "age": "2",
        "blood_pressure": "1",
        "diabetes": "1/2",
    }
    assert "one bit about" in plan.questions[0].channel_name
    # Bounds are worth it: more is told about an age than about diabetes.
    assert float(plan.promise.losses[0]) > 2 * 0.5


def test_the_commands_of_the_readme_run(tmp_path, run):
    (block,) = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    survey, *_ = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    folder = tmp_path / "sordino-demo"
    folder.mkdir()
    # What `sordino demo` leaves there, with fewer people.
    for seed, name in enumerate(("people.csv", "sample.csv")):
        pc.write_csv(pa.table(draw_people(2000, seed), names=["latitude", "longitude"]), folder / name)
    (folder / "survey.toml").write_text(survey, encoding="utf-8")
    for line in block.splitlines():
        code, _, errors = run(*shlex.split(line.removeprefix("$ sordino")), folder=tmp_path)
        assert (code, errors) == (0, "")
    assert (tmp_path / "page.html").stat().st_size > 10_000
    assert (tmp_path / "shares.csv").read_text(encoding="utf-8").count("\n") == 43_751


TESTING = {"sordino.testing.check_mechanism", "sordino.testing.check_kind"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_sends_a_user_into_a_private_module(page):
    named = set(re.findall(r"sordino(?:\.[a-z_]+)+", page.read_text(encoding="utf-8")))
    assert named <= {"sordino.errors", "sordino.testing", *TESTING, "sordino.toml"}
