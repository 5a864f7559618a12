"""Planted faults: each of `faults.toml` stands in a copy of the package, and the tests that it names must fail."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from commands import PATIENCE
from planted import FAULTS, PACKAGE, ROOT, own_sixth, planted

pytestmark = pytest.mark.mutants

PLUGIN = "loaded_copy"
NOTE = "imported_from"
OWN = own_sixth(FAULTS)
KILLERS = sorted({killer for fault in OWN for killer in fault["killers"]})


@pytest.fixture
def copied(tmp_path):
    """A folder with a copy of the package, and a plugin that notes from where the package was imported."""
    shutil.copytree(PACKAGE, tmp_path / "sordino", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / f"{PLUGIN}.py").write_text(
        "import pathlib\n"
        "def pytest_sessionfinish():\n"
        "    import sordino\n"
        f"    pathlib.Path(__file__).with_name({NOTE!r}).write_text(sordino.__file__)\n"
    )
    return tmp_path


def run(folder, killers):
    """Run some tests on the package in a folder.

    A run that ends before its session does says nothing of a fault, whatever stopped it: it is done once more.
    """
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_ADDOPTS": ""}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--tb=line", "-p", "no:cacheprovider", "-p", PLUGIN]
    command += ["-o", f"faulthandler_timeout={PATIENCE}", *(f"tests/{killer}" for killer in killers)]
    said = ""
    for _ in range(2):
        finished = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=6 * PATIENCE
        )
        if (folder / NOTE).exists():
            break
        said += f"exit code {finished.returncode}\n{finished.stdout}{finished.stderr}"
    assert (folder / NOTE).exists(), said
    assert (folder / NOTE).read_text() == str(folder / "sordino" / "__init__.py"), finished.stdout + finished.stderr
    return finished


def test_the_package_without_a_fault_passes(copied):
    finished = run(copied, KILLERS)
    assert finished.returncode == pytest.ExitCode.OK, finished.stdout


@pytest.mark.parametrize("fault", OWN, ids=lambda fault: fault["name"].replace(" ", "-"))
def test_a_planted_fault_is_found(fault, copied):
    (copied / "sordino" / fault["file"]).write_text(planted(fault), encoding="utf-8")
    for killer in fault["killers"]:
        finished = run(copied, [killer])
        assert finished.returncode == pytest.ExitCode.TESTS_FAILED, finished.stdout + finished.stderr
        # Of many cases in one test the first that fails counts beside the test.
        assert re.search(r"\b[12] failed", finished.stdout), finished.stdout
