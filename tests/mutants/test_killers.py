"""Each planted fault has its place, and is found by what everybody runs: its killers are tests of the default run."""

import re
import subprocess
import sys

import pytest

from commands import PATIENCE
from planted import CLIENT_FAULTS, FAULTS, ROOT, planted

KILLERS = sorted({f"tests/{killer}" for fault in FAULTS for killer in fault["killers"]})
RARE = ("long", "statistical", "mutants")


def missing(names):
    """The killers that no test is: a case of a function, or a function with any of its cases."""
    held = {*names, *(name.partition("[")[0] for name in names)}
    return [killer for killer in KILLERS if killer not in held]


def collected(killers):
    """The default tests among some killers, as a run of their own collects them."""
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", *killers]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED), done.stdout + done.stderr
    return done.stdout.splitlines()


def test_every_killer_is_in_the_default_run(request):
    names = [item.nodeid for item in request.session.items if not any(map(item.get_closest_marker, RARE))]
    # A whole run has collected all of them already; a run of a few tests has not.
    elsewhere = missing(names)
    names += collected(elsewhere) if elsewhere else []
    assert missing(names) == []


def test_every_fault_changes_one_place():
    assert all(fault["old"] != fault["new"] and planted(fault) for fault in (*FAULTS, *CLIENT_FAULTS))


def test_every_killer_of_the_client_is_a_test_by_its_name():
    killers = [killer.partition("::") for fault in CLIENT_FAULTS for killer in fault["killers"]]
    texts = {path: (ROOT / "tests" / path).read_text(encoding="utf-8") for path, _, _ in killers}
    assert [name for path, _, name in killers if named(name, texts[path]) != 1] == []


def named(name, text):
    """How many tests of a file have a name: written out, or made of a key of a table or of vectors."""
    before, _, rest = name.partition(": ")
    keys = re.findall(rf'^ +"?{re.escape(rest)}"?: ', text, re.MULTILINE) if f"test(`{before}: ${{" in text else ()
    refused = (ROOT / "tests" / "vectors" / "refused_plans.json").read_text() if before == "no plan" else ""
    written = text.count(f'test("{name}", ') + text.count(f"test(`${{name}}: {rest}`, ")
    return written + len(keys) + refused.count(f'"why": "{rest}"')
