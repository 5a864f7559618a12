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
HARNESS = "vectors_test.go"
MOST_LINES = 743


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


def test_the_whole_client_is_small():
    """All that answers, in which no mechanism has a name, in lines that a screen holds."""
    lines = [line for path in CLIENT.glob("*.go") if path.name != HARNESS for line in path.read_text().splitlines()]
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= 120
