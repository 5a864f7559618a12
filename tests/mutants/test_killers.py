"""Each planted fault has its place, and is found by what everybody runs: its killers are tests of the default run."""

import subprocess
import sys

import pytest

from commands import PATIENCE
from planted import FAULTS, ROOT, planted

KILLERS = sorted({f"tests/{killer}" for fault in FAULTS for killer in fault["killers"]})
RARE = ("long", "statistical", "mutants")


def held(killer, names):
    """Whether some tests hold one that a killer names: the case of a function, or any of its cases."""
    return any(name == killer or name.startswith(f"{killer}[") for name in names)


def collected(killers):
    """The default tests among some killers, as a run of their own collects them."""
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", *killers]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED), done.stdout + done.stderr
    return done.stdout.splitlines()


def test_every_killer_is_in_the_default_run(request):
    names = [item.nodeid for item in request.session.items if not any(map(item.get_closest_marker, RARE))]
    # A whole run has collected all of them already; a run of a few tests has not.
    elsewhere = [killer for killer in KILLERS if not held(killer, names)]
    names += collected(elsewhere) if elsewhere else []
    assert [killer for killer in KILLERS if not held(killer, names)] == []


def test_every_fault_changes_one_place():
    assert all(fault["old"] != fault["new"] and planted(fault) for fault in FAULTS)
