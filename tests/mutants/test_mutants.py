"""Planted faults: a text of `faults.toml` is replaced in a copy of the package, and the tests named there must fail."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.mutants

ROOT = Path(__file__).parents[2]
PLUGIN = "loaded_copy"
NOTE = "imported_from"
FAULTS = tomllib.loads(Path(__file__).with_name("faults.toml").read_text())["fault"]
KILLERS = sorted({killer for fault in FAULTS for killer in fault["killers"]})


@pytest.fixture
def copied(tmp_path):
    """A folder with a copy of the package, and a plugin that notes from where the package was imported."""
    shutil.copytree(ROOT / "src" / "sordino", tmp_path / "sordino", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / f"{PLUGIN}.py").write_text(
        "import pathlib\n"
        "def pytest_sessionfinish():\n"
        "    import sordino\n"
        f"    pathlib.Path(__file__).with_name({NOTE!r}).write_text(sordino.__file__)\n"
    )
    return tmp_path


def run(folder, killers):
    """Run some tests on the package in a folder."""
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_ADDOPTS": ""}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--tb=line", "-p", "no:cacheprovider", "-p", PLUGIN]
    command += [f"tests/{killer}" for killer in killers]
    finished = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (folder / NOTE).read_text() == str(folder / "sordino" / "__init__.py"), finished.stdout + finished.stderr
    return finished


def test_the_package_without_a_fault_passes(copied):
    finished = run(copied, KILLERS)
    assert finished.returncode == pytest.ExitCode.OK, finished.stdout


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault["name"].replace(" ", "-"))
def test_a_planted_fault_is_found(fault, copied):
    path = copied / "sordino" / fault["file"]
    text = path.read_text()
    assert text.count(fault["old"]) == 1, f"the text to replace must occur once in {fault['file']}"
    path.write_text(text.replace(fault["old"], fault["new"]))
    for killer in fault["killers"]:
        finished = run(copied, [killer])
        assert finished.returncode == pytest.ExitCode.TESTS_FAILED, finished.stdout + finished.stderr
        assert "1 failed" in finished.stdout, finished.stdout
