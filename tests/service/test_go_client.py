"""The client in Go, which was written from docs/plan-format.md alone: it answers every golden vector, word by word."""

import os
import shutil
import subprocess

import pytest

from commands import PATIENCE
from planted import ROOT

pytestmark = pytest.mark.live

CLIENT = ROOT / "examples" / "clients" / "go"
VECTORS = ROOT / "tests" / "vectors"
INTERPRETER = ("draw.go", "sets.go")


def test_every_vector_is_answered(tmp_path):
    folder = shutil.copytree(CLIENT, tmp_path / "go")
    environment = os.environ | {"VECTORS": str(VECTORS), "GOFLAGS": "-count=1", "GOCACHE": str(tmp_path / "cache")}
    for command in (["go", "vet", "."], ["go", "test", "-v", "."]):
        found = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE
        )
        assert found.returncode == 0, found.stdout + found.stderr
    files = len(list(VECTORS.glob("*.json"))) - 1
    assert f" reports of {files} files" in found.stdout


def test_it_is_spelled_as_go_is():
    found = subprocess.run(["gofmt", "-l", CLIENT], capture_output=True, encoding="utf-8", check=True)
    assert found.stdout == ""


def test_the_interpreter_of_draws_is_small():
    """Some 400 lines, in which no mechanism has a name."""
    assert sum(len((CLIENT / name).read_text().splitlines()) for name in INTERPRETER) <= 400
