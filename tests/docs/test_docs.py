"""The documentation is complete and true: every command, option, setting and public name has its line."""

import inspect
import re
import tomllib
from pathlib import Path

import pytest

import sordino
from commands import every_command
from in_one import in_one
from sordino import Plan, Survey, testing
from sordino.document.checked_tables import tables_within

ROOT = Path(__file__).parents[2]
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


def test_each_reproduction_says_how_long_it_takes():
    page = (ROOT / "docs" / "reproduce.md").read_text(encoding="utf-8")
    written = {}
    for row in re.findall(r"^\| (.* about .*) \|$", page, re.MULTILINE):
        names, *_, times = row.split(" | ")
        written |= dict(zip(re.findall(r"`([^`]+)`", names), times.split(", "), strict=True))
    helped = {words[1]: command.help for words, command in every_command() if words[0] == "reproduce" and words[1:]}
    assert written == {
        name: re.findall(r"^ *Takes (about \d+ \w+)\.$", text, re.MULTILINE)[0] for name, text in helped.items()
    }


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


def test_pages_that_install_say_whether_there_is_a_release():
    newest = re.search(r"^## .*$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)[0]
    for name in ("README.md", "PACKAGE.md", "docs/roles/analyst.md", "docs/roles/operator.md", "docs/reference.md"):
        page = (ROOT / name).read_text(encoding="utf-8")
        says = page.lower().find("no version is released yet")
        assert (says >= 0) == newest.endswith("(not released)"), name
        # Whoever copies a command has read it, or reads it in the same line.
        assert page.find("pip install") >= says or "pip install" in page[:says].rpartition("\n")[2], name


def test_the_commands_of_a_clone_stand_first_and_are_those_of_make():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    install = readme.partition("## Install\n")[2].partition("\n## ")[0]
    (first, *_) = re.findall(r"```sh\n(.*?)```", install, re.DOTALL)
    commands = [line.partition("#")[0].strip() for line in first.splitlines()]
    assert commands == ["make demo", "make test"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in commands:
        assert re.search(rf"^{command.split()[1]}: ", makefile, re.MULTILINE)
        assert f"| `{command}` |" in install
    # What the demo leaves, `make clean` takes away.
    (clean,) = re.findall(r"^clean:\n\t(.*)$", makefile, re.MULTILINE)
    assert {".venv", "sordino-demo", "sordino-demo.html"} <= set(clean.split())


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


TESTING = {f"sordino.testing.{name}" for name in testing.__all__}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_sends_a_user_into_a_private_module(page):
    named = set(re.findall(r"sordino(?:\.[a-z_]+)+", page.read_text(encoding="utf-8")))
    assert named <= {"sordino.errors", "sordino.papers", "sordino.testing", *TESTING, "sordino.toml"}
