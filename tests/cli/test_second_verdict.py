"""`certify --checker`: what another program says of a plan is shown, and a plan that it refuses is refused."""

import json
from pathlib import Path

import pytest

from sordino.cli.commands.certify_command import second_verdicts
from sordino.errors import RefusedError, SordinoError

PLAN = Path("plan.json")
VECTORS = Path(__file__).parents[1] / "vectors"


@pytest.fixture
def program(tmp_path):
    """A checker that prints what it is made to print, whatever the plan is."""

    def write(*lines, code=0):
        path = tmp_path / "checker"
        path.write_text("\n".join(["#!/bin/sh", *(f"echo {line}" for line in lines), f"exit {code}"]), encoding="ascii")
        path.chmod(0o755)
        return path

    return write


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "plan.json"
    path.write_text(json.loads((VECTORS / "words.json").read_text(encoding="utf-8"))["plan"], encoding="ascii")
    return path


def test_a_second_verdict_stands_beside_the_first(program, plan, run):
    checker = program("0 holds", "1 not covered", "2 not covered")
    expected = {"x": "holds", "mood": "not covered", "mean of age, moved": "not covered"}
    assert json.loads(run("certify", plan, "--checker", checker, "--json")[1])["checker"] == expected
    assert "x: holds" in run("certify", plan, "--checker", checker)[1]


def test_a_plan_that_the_second_checker_refuses_is_refused(program):
    with pytest.raises(RefusedError, match="found the second one refuses second"):
        second_verdicts(program("0 holds", "1 broken"), PLAN, ["first", "second"])


def test_a_plan_that_is_none_to_the_second_checker_is_refused(program):
    found = "found the second one calls it not a plan: no questions: do not use it"
    with pytest.raises(RefusedError, match=found):
        second_verdicts(program("not a plan: no questions", code=1), PLAN, ["first"])
    with pytest.raises(SordinoError, match="found one that ended with exit code 1"):
        second_verdicts(program("0 holds", code=1), PLAN, ["first"])


@pytest.mark.parametrize("lines", [(), ("0 holds", "1 holds"), ("1 holds",), ("0 fine",)])
def test_a_program_that_gives_no_verdicts_is_no_checker(program, lines):
    with pytest.raises(SordinoError, match="must give a verdict for each question"):
        second_verdicts(program(*lines), PLAN, ["first"])


def test_a_program_that_fails_is_no_checker(program, tmp_path):
    with pytest.raises(SordinoError, match="reads a plan; found one that ended with exit code 2: build"):
        second_verdicts(program("0 holds", code=2), PLAN, ["first"])
    with pytest.raises(SordinoError, match="reads a plan; found no such file or directory: build"):
        second_verdicts(tmp_path / "nothing", PLAN, ["first"])
    with pytest.raises(SordinoError, match="reads a plan; found output that is no text: build"):
        second_verdicts(program("$(printf '\\377')"), PLAN, ["first"])
