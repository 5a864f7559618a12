"""A system without POSIX, simulated in its own process: all can be imported, and what cannot work there says so."""

import json
import subprocess
import sys

import pytest

from commands import PATIENCE
from in_one import in_one
from sordino import plan

WITHOUT = """
import os, select, signal, sys
for module in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[module] = None
for holder, names in {
    os: "fork register_at_fork geteuid getuid getgid O_NOFOLLOW O_NONBLOCK O_DIRECTORY sched_getaffinity",
    signal: "SIGHUP pthread_sigmask",
    select: "poll",
}.items():
    for name in names.split():
        if hasattr(holder, name):
            delattr(holder, name)
"""
"""What Windows lacks; libraries that look for the platform's name find Linux, so that theirs load."""

SURVEY = {
    "version": 1,
    "epsilon": "1",
    "attribute": {"smoker": {"categories": ["yes", "no"]}},
    "ask": [{"histogram": "smoker"}],
}

TERMS = "version = 1\nepsilon = '1'\n[attribute.age]\nnumber = { low = 18, high = 90 }\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("without")
    plan(SURVEY, people=30_000).save(folder / "plan.json")
    (folder / "record.toml").write_text('version = 1\n[record]\nsmoker = "yes"\n', encoding="utf-8")
    (folder / "people.csv").write_text("smoker\n" + "yes\nno\nno\n" * 2000, encoding="utf-8")
    (folder / "terms.toml").write_text(TERMS, encoding="utf-8")
    return folder


def run_without(folder, program):
    """Run a program in such a process: what it prints."""
    command = [sys.executable, "-c", f"{WITHOUT}\n{program}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def command(*words):
    """A program that runs a command and prints its exit code last."""
    return (
        f"sys.argv = {['sordino', *words, '--json']!r}\nfrom sordino.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    print(end.code)"
    )


@in_one(
    "words",
    [
        ["explain", "plan.json"],
        ["certify", "plan.json"],
        ["report", "plan.json", "record.toml"],
        ["privatize", "plan.json", "people.csv", "-o", "reports.csv"],
    ],
)
def test_commands_that_need_no_secret_file_run(folder, words):
    *_, code = run_without(folder, command(*words)).splitlines()
    assert code == "0"


def test_every_public_name_can_be_imported(folder):
    program = "import sordino\nprint(len([getattr(sordino, name) for name in sordino.__all__]))\n"
    assert int(run_without(folder, program + "import sordino.service.server, sordino.service.collector")) > 50


@in_one(
    "words",
    [
        ["privatize", "plan.json", "people.csv", "-o", "keyed.csv", "--key", "own.key", "--id", "smoker"],
        ["ledger", "new", "me.ledger", "terms.toml"],
    ],
)
def test_what_needs_a_secret_file_says_so(folder, words):
    *printed, code = run_without(folder, command(*words)).splitlines()
    assert json.loads("".join(printed))["error"]["found"] == "a system on which files have no owners"
    assert code == "5"


def test_what_needs_forks_says_so(folder):
    program = (
        "import multiprocessing\nmultiprocessing.get_all_start_methods = lambda: ['spawn']\n"
        "from sordino.errors import UnavailableError\nfrom sordino.tables.jobs.workers import Workers\n"
        "try:\n    Workers([])\nexcept UnavailableError as error:\n    print(error.found)"
    )
    assert run_without(folder, program).strip() == "a system without fork"
