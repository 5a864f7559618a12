"""Progress: a verb says after each question that it is done, and a command draws it on a terminal alone."""

import os
import pty
import subprocess
import sys

import pyarrow as pa
import pytest

import sordino
from sordino import LDP, RandomizedResponse, SordinoError


@pytest.fixture
def plan(tables):
    asked = tables({"smoker": {"categories": ["yes", "no"]}, "vegan": {"categories": ["yes", "no"]}}, "4")
    return sordino.plan(asked, people=3000)


def test_each_question_is_counted_once(plan, tables, tmp_path):
    asked = tables({name: {"categories": ["yes", "no"]} for name in "abc"}, "4")
    done = []
    made = sordino.plan(asked, people=3000, progress=done.append)
    assert done == [1, 1, 1]
    plan.save(tmp_path / "plan.json")
    for given in (plan, tmp_path / "plan.json"):
        done.clear()
        assert sordino.certify(given, progress=done.append).holds
        assert done == [1, 1]
    reports = sordino.privatize(made, pa.table({name: ["yes", "no", "no"] * 1000 for name in "abc"}))
    done.clear()
    sordino.estimate(made, reports, progress=done.append)
    assert done == [1, 1, 1]


def test_progress_is_of_plans(plan):
    mechanism = RandomizedResponse(2, "1")
    with pytest.raises(SordinoError, match="progress is of a plan's questions"):
        sordino.certify(mechanism, LDP("1"), progress=lambda _: None)
    with pytest.raises(SordinoError, match="are of plans"):
        sordino.estimate(mechanism, mechanism.tally([0, 1]), progress=lambda _: None)


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudoterminals")
def test_a_terminal_shows_totals_and_a_pipe_nothing(plan, tmp_path):
    plan.save(tmp_path / "plan.json")
    command = [sys.executable, "-m", "sordino", "certify", str(tmp_path / "plan.json")]
    quiet = subprocess.run(command, capture_output=True, check=True)
    assert quiet.stderr == b""
    ours, theirs = pty.openpty()
    shown = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, check=True)
    os.close(theirs)
    assert shown.stdout == quiet.stdout
    assert b"2/2" in os.read(ours, 1 << 16)
    os.close(ours)
