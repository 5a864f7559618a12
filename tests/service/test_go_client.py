"""The client in Go, which was written from docs/plan-format.md alone: it answers every golden vector, word by word.

It keeps its one answer as an app on a phone must, sends it to a collector, and takes it back.
"""

import json
import os
import shutil
import subprocess

import pytest

from commands import PATIENCE
from planted import ROOT
from served import Collecting

pytestmark = pytest.mark.live

CLIENT = ROOT / "examples" / "clients" / "go"
VECTORS = ROOT / "tests" / "vectors"
INTERPRETER = ("client.go", "choices.go", "draw.go", "sets.go", "numbers.go", "statistics.go")
MOST_LINES = 820


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
    lines = [line for name in INTERPRETER for line in (CLIENT / name).read_text().splitlines()]
    assert len(lines) <= MOST_LINES
    assert max(len(line) for path in CLIENT.glob("*.go") for line in path.read_text().splitlines()) <= 120


def test_one_answer_arrives_at_a_collector_and_is_taken_back(tmp_path, two_questions):
    environment = os.environ | {"GOCACHE": str(tmp_path / "cache")}
    subprocess.run(["go", "build", "-o", tmp_path / "client", "."], cwd=CLIENT, env=environment, check=True)
    (tmp_path / "me.json").write_text(json.dumps({"smoker": "no", "age": 44}), encoding="utf-8")
    collector = Collecting(tmp_path, two_questions)

    def client(*words):
        command = [tmp_path / "client", "-store", tmp_path / "answers", *words]
        found = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE)
        return found.returncode, found.stdout + found.stderr

    try:
        key = collector.told("/signature")["key"]
        own = collector.address, tmp_path / "me.json"
        code, said = client("-signed-by", key[::-1], *own)
        assert (code, "is not signed by the key that was given" in said, collector.count) == (1, True, 0)
        for _ in range(2):
            assert client("-signed-by", key, *own) == (0, "Your answer has arrived.\n")
            assert collector.count == 1
        for _ in range(2):
            assert client("-take-back", collector.address) == (0, "Your answer is taken back.\n")
            assert collector.count == 0
        code, said = client(*own)
        assert (code, "took its answer back" in said, collector.count) == (1, True, 0)
    finally:
        collector.stop()
