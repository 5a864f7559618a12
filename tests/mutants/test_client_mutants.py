"""Planted faults of the browser client: each of `client_faults.toml` stands in a copy of it, and Node must find it."""

import re
import shutil
import subprocess

import pytest

from commands import PATIENCE
from planted import CLIENT_FAULTS, PACKAGE, ROOT, own_sixth, planted

pytestmark = [pytest.mark.mutants, pytest.mark.live]

CLIENT = "service/client"
OWN = own_sixth(CLIENT_FAULTS)
KILLERS = sorted({killer for fault in OWN for killer in fault["killers"]})


@pytest.fixture
def copied(tmp_path):
    """A folder with copies of the client and of its tests, as they stand to each other here."""
    shutil.copytree(PACKAGE / CLIENT, tmp_path / "src" / "sordino" / CLIENT)
    for folder in (CLIENT, "vectors"):
        ignored = shutil.ignore_patterns("*.py", "__pycache__")
        shutil.copytree(ROOT / "tests" / folder, tmp_path / "tests" / folder, ignore=ignored)
    return tmp_path


def run(folder, killer):
    """Run one test on the client in a folder: how many tests passed, and how many failed."""
    path, _, name = killer.partition("::")
    pattern = f"^{re.escape(name)}$"
    command = ["node", "--test", "--test-reporter=tap", f"--test-name-pattern={pattern}", folder / "tests" / path]
    finished = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE)
    counts = dict(re.findall(r"^# (pass|fail) (\d+)$", finished.stdout, re.MULTILINE))
    assert f" - {name}\n" in finished.stdout, finished.stdout + finished.stderr
    return int(counts["pass"]), int(counts["fail"])


@pytest.mark.parametrize("killer", KILLERS)
def test_the_client_without_a_fault_passes(killer, copied):
    passed, failed = run(copied, killer)
    assert (passed, failed) == (1, 0)


@pytest.mark.parametrize("fault", OWN, ids=lambda fault: fault["name"].replace(" ", "-"))
def test_a_planted_fault_is_found(fault, copied):
    (copied / "src" / "sordino" / fault["file"]).write_text(planted(fault), encoding="utf-8")
    for killer in fault["killers"]:
        passed, failed = run(copied, killer)
        assert (passed, failed) == (0, 1)
