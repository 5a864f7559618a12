"""What pages and proofs say of each other: theorems exist, and sentences that are proved stand where they are quoted.

`make proofs` checks the proofs themselves.
"""

import re
from pathlib import Path

import pytest

from commands import every_command
from in_one import in_one

ROOT = Path(__file__).parents[2]
PROOFS = sorted((ROOT / "proofs").glob("*.v"))
EXPECTED = (ROOT / "proofs" / "assumptions.txt").read_text(encoding="utf-8")


def plain(text):
    return " ".join(text.replace("`", "").replace("**", "").split())


def theorems_of(path):
    names = re.findall(r"^\s*(?:Theorem|Corollary|Example) (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    return [f"{path.stem}.{name}" for name in names]


def theorems():
    return [name for path in PROOFS for name in theorems_of(path)]


def test_every_theorem_has_its_line_of_expected_axioms():
    files = (ROOT / "proofs" / "_CoqProject").read_text(encoding="utf-8").split()[3:]
    assert sorted(files) == [path.name for path in PROOFS]
    in_order = [name for file in files for name in theorems_of(ROOT / "proofs" / file)]
    assert [line.split(":")[0] for line in EXPECTED.splitlines()] == in_order


@in_one("page", ["proofs.md", "errata.md"])
def test_theorems_that_a_page_names_are_there(page):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    stems = "|".join(path.stem for path in PROOFS)
    named = set(re.findall(rf"`((?:{stems})\.(?!v`)\w+)`", text))
    assert len(named) > 8
    assert named <= set(theorems())


def test_every_theorem_about_a_promise_is_in_the_table():
    page = (ROOT / "docs" / "proofs.md").read_text(encoding="utf-8")
    inner = {"Channels.satisfies_iff_each_code", "Dependence.bounded_dependence_is_proper"}
    about = {name for name in theorems() if name.split(".")[0] not in {"Exponential", "Counterexamples"}} - inner
    assert {name for name in about if f"`{name}`" not in page} == set()


def test_sentences_that_are_proved_stand_where_they_are_quoted():
    found = 0
    for path in PROOFS:
        text = path.read_text(encoding="utf-8")
        for sentence, page in re.findall(r'"([^"]+)"\s*\(([\w./-]+\.(?:md|py))\)', text):
            found += 1
            assert plain(sentence) in plain((ROOT / page).read_text(encoding="utf-8")), (path.name, sentence)
    assert found > 15


def test_no_proof_is_left_open():
    for path in PROOFS:
        text = re.sub(r"\(\*.*?\*\)", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search(r"\b(Admitted|admit|Axiom|Parameter|Conjecture|Abort)\b", text), path.name


def errata():
    """The rows of the tables: place, what stands there, what is right, what checks it, how sure that is."""
    page = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    rows = [
        line.strip("|").split(" | ") for line in page.splitlines() if line.startswith("| ") and line.count(" | ") == 4
    ]
    return [row for row in rows if row[0].strip() != "place"]


CHECKS = sorted({command for *_, check, _ in errata() for command in re.findall(r"`sordino (reproduce [^`]+)`", check)})

WORKED_OUT = {"3.98", "12.94", "12.89", ".086", "8.15", "9.39", "112.5"}
"""Figures that are quotients, differences or printed by another run of a command."""


@pytest.mark.long
@pytest.mark.parametrize("command", CHECKS)
def test_the_command_of_an_erratum_prints_its_figures(run, command):
    code, printed, err = run(*command.split())
    assert (code, err) == (0, "")
    rows = [right for _, _, right, check, _ in errata() if f"`sordino {command}`" in check]
    figures = {found for right in rows for found in re.findall(r"(?<![\w.,])\d*\.\d+(?![\w])", right)} - WORKED_OUT
    missing = [
        found for found in figures if len(found) > 3 and not re.search(rf"(?<![\d.])0?{re.escape(found)}", printed)
    ]
    assert rows
    assert not missing


def test_every_erratum_says_how_sure_it_is_and_which_command_shows_it():
    rows = errata()
    assert len(rows) > 40
    commands = {" ".join(words) for words, _ in every_command()}
    for place, _, _, check, read in rows:
        assert read.strip() in {"LaTeX", "statement", "as transcribed"}, place
        for command in re.findall(r"`sordino (reproduce [\w-]+)`", check):
            assert command in commands, place
        for path in re.findall(r"`(tests/[\w/]+\.py)`", check):
            assert (ROOT / path).exists(), place


def test_the_authors_own_formula_of_proposition_6_is_no_erratum():
    assert "Proposition 6" not in (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
