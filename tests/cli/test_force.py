"""`--force` replaces what can be made again, whole or not at all; reports, keys and ledgers never.

A plan is replaced only by `sordino plan` (`commands/test_plan_command.py`): reports may need the other one.
"""

import json
import os

import pytest

from commands import every_command
from sordino import Plan
from sordino.tables.reports import privatize_table

ESTIMATE = ["estimate", "plan.json", "reports.csv"]
MADE = {
    "aggregate": ["aggregate", "plan.json", "reports.csv", "-o", "aggregate.json"],
    "table": [*ESTIMATE, "-o", "shares.csv"],
    "parquet": [*ESTIMATE, "-o", "shares.parquet"],
    "page": [*ESTIMATE, "--html", "page.html"],
    "drawing": ["certify", "plan.json", "--region", "region.svg"],
    "png": ["certify", "plan.json", "--region", "region.png"],
    "statement": ["dependence", "people.csv", "--survey", "survey.toml", "-o", "statement.json"],
}
KEPT = ("survey.toml", "plan.json", "people.csv", "reports.csv", "key", "me.ledger", "record.toml")


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("words", MADE.values(), ids=MADE)
def test_what_can_be_made_again_is_replaced_by_force_only(released, run, words):
    made = released / words[-1]
    run(*words)
    before = made.read_bytes()
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert "must not exist yet: choose another name, or have it overwritten by --force" in err
    assert made.read_bytes() == before
    # A second number of reports gives other bytes.
    (released / "reports.csv").unlink()
    (released / "people.csv").write_text("colour\n" + "red\n" * 50)
    privatize_table(Plan.load("plan.json"), released / "people.csv", released / "reports.csv")
    assert run(*words, "--force")[0] == 0
    assert (made.read_bytes() != before) == (words[0] != "certify")
    assert not list(released.glob(".*part"))


@pytest.mark.each_value
@pytest.mark.parametrize("words", MADE.values(), ids=MADE)
@pytest.mark.parametrize("force", [[], ["--force"]], ids=["", "force"])
def test_what_cannot_be_made_again_is_kept(released, run, words, force):
    (released / "key").write_text("sordino key 1\n")
    (released / "record.toml").write_text("version = 1\n[record]\n")
    (released / "me.ledger").write_bytes(b"SQLite format 3\0")
    before = {name: (released / name).read_bytes() for name in KEPT}
    for name in KEPT:
        code, out, err = run(*words[:-1], name, *force)
        assert (code, out) == (2, "")
        assert "Traceback" not in err
        assert {one: (released / one).read_bytes() for one in KEPT} == before


def test_what_an_aggregate_is_made_of_is_kept(released, run):
    before = (released / "aggregate.json").read_bytes()
    code, _, err = run("aggregate", "plan.json", "aggregate.json", "reports.csv", "-o", "aggregate.json", "--force")
    assert code == 2
    assert "an input of this command" in err
    assert (released / "aggregate.json").read_bytes() == before


def test_a_page_of_somebody_else_is_kept(released, run):
    (released / "page.html").write_text("<!DOCTYPE html><title>My thesis</title>")
    code, _, err = run(*ESTIMATE, "--html", "page.html", "--force")
    assert code == 2
    assert "only a page of Sordino is overwritten" in err
    assert "thesis" in (released / "page.html").read_text()


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("words", [MADE["aggregate"], MADE["table"], MADE["page"]], ids=["aggregate", "table", "page"])
def test_what_fails_leaves_the_earlier_file(released, run, words, monkeypatch):
    run(*words)
    made = released / words[-1]
    before = made.read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        code, out, _ = run(*words, "--force", "--json")
    assert code == 5
    assert json.loads(out)["error"]["found"] == "no space left on device"
    assert made.read_bytes() == before
    assert not list(released.glob(".*part"))


def test_a_demo_without_room_leaves_no_folder(tmp_path, run, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.chdir(tmp_path)
    (tmp_path / "kept").mkdir()
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        for folder in ("new", "kept"):
            code, out, _ = run("demo", "--people", "100", "--folder", folder, "--json")
            assert (code, json.loads(out)["error"]["found"]) == (5, "no space left on device")
    # A folder that was there before stays.
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_force_is_for_what_can_be_made_again_only():
    forced = [words for words, command in every_command() if any("--force" in option.opts for option in command.params)]
    assert set(map(" ".join, forced)) == {
        "plan", "aggregate", "estimate", "change", "certify", "dependence", "demo", "record",
        "reproduce fig1-linear", "reproduce fig1-logistic", "reproduce fig2", "reproduce fig3", "reproduce fig4",
        "reproduce corollary1", "reproduce identical", "reproduce least-squares",
    }  # fmt: skip
