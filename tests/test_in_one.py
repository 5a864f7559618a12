"""Cases in one test are all run, and each that fails is named, whatever the others did and however the run is made."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from commands import PATIENCE
from in_one import in_one

CASES = """
import pytest
from in_one import in_one

@in_one("a", ["x", "y"])
@pytest.mark.slow
@in_one("b, c", [(1, 2), (3, 4)])
def test_several(tmp_path, a, b, c):
    with open("seen", "a") as seen:
        seen.write(f"{a}{b}{c} ")
    assert a == "x" or b == 1, "one that fails"
    assert c != 4, "another that fails"

@in_one("a", [1, 2])
def test_whole(a):
    assert a

@in_one("a", [1, 2])
def test_skipped(a):
    if a == 1:
        pytest.skip("no")

@in_one("a", [1, 2])
def test_wrong_and_skipped(a):
    assert a == 1
    pytest.skip("no")
"""


def run_cases(folder, *options, text=CASES):
    """What pytest says of these tests in a process of its own, and its exit status."""
    (folder / "test_cases.py").write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = slow: in words\n")
    command = [sys.executable, "-m", "pytest", "--tb=line", "-p", "no:cacheprovider", *options]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent), "PYTEST_ADDOPTS": ""}
    # Starting is nearly all that a run takes.
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    finished = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    return finished.stdout, finished.returncode


@pytest.mark.parametrize("options", [(), ("-p", "xdist", "-n", "2")], ids=["alone", "spread"])
def test_every_case_is_run_and_each_failure_is_named(tmp_path, options):
    said, status = run_cases(tmp_path, "-q", *options)
    assert (tmp_path / "seen").read_text() == "x12 x34 y12 y34 "
    failed = [re.sub("['\"]", "", line) for line in said.splitlines() if line.startswith("SUBFAILED")]
    named = [re.match(r"SUBFAILED\[case (\d)\] \((.*)\) test_cases.py::(\w+)", line).groups() for line in failed]
    assert sorted(named) == [
        ("2", "a=2", "test_wrong_and_skipped"),
        ("2", "a=x, b=3, c=4", "test_several"),
        ("4", "a=y, b=3, c=4", "test_several"),
    ]
    assert status == pytest.ExitCode.TESTS_FAILED
    # Three cases, and the two tests that they belong to.
    assert re.search(r"^5 failed, 1 passed, 1 skipped in [\d.]+s", said.splitlines()[-1])


def test_a_run_that_ends_at_its_first_failure_goes_no_further(tmp_path):
    said, status = run_cases(tmp_path, "-q", "-x")
    assert (tmp_path / "seen").read_text() == "x12 x34 "
    assert "[case 2]" in said
    assert "case 4" not in said
    assert status == pytest.ExitCode.TESTS_FAILED


def test_a_mark_between_two_rows_of_cases_is_the_test_s(tmp_path):
    said, _ = run_cases(tmp_path, "-q", "-m", "slow")
    assert "3 deselected" in said


def test_ctrl_c_in_a_case_ends_the_run(tmp_path):
    text = CASES.replace("    assert a\n", "    raise KeyboardInterrupt\n")
    said, status = run_cases(tmp_path, "-q", "-k", "whole", text=text)
    assert status == pytest.ExitCode.INTERRUPTED
    assert "case 2" not in said


def test_fixtures_that_are_left_and_those_that_hold_cases_are_asked_for():
    @in_one("a", [1, 2])
    @in_one("one", fixture="several")
    def test(folder, a, one):
        raise AssertionError((folder, a, one))

    assert list(inspect.signature(test).parameters) == ["folder", "several", "request"]


def test_cases_of_a_fixture_are_taken_with_all_others(request):
    seen = []

    @in_one("a", [1, 2])
    @in_one("one", fixture="several")
    def test(folder, a, one):
        seen.append((folder, a, one))

    test(request=request, folder="here", several=[3, 4])
    assert seen == [("here", 1, 3), ("here", 1, 4), ("here", 2, 3), ("here", 2, 4)]


def test_a_case_that_does_not_fit_its_names_is_no_case(request):
    @in_one("a, b", [(1, 2, 3)])
    def test(a, b):
        raise AssertionError((a, b))

    with pytest.raises(ValueError, match="zip"):
        test(request=request)
