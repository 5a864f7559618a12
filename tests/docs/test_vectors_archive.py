"""The archive of vectors: each file has a line that says what is in it, and the same files give the same bytes."""

import hashlib
import re
import subprocess
import sys
import tarfile
from pathlib import Path

from commands import PATIENCE
from planted import ROOT

VECTORS = ROOT / "tests" / "vectors"


def archive(folder):
    words = [sys.executable, ROOT / "scripts" / "make_vectors.py", folder]
    found = subprocess.run(words, capture_output=True, encoding="utf-8", check=True, timeout=PATIENCE)
    return Path(found.stdout.strip())


def test_each_file_has_a_line_of_its_own():
    text = (VECTORS / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `(\w+\.json)` \| \S", text, re.MULTILINE)
    assert sorted(named) == sorted(path.name for path in VECTORS.glob("*.json"))


def test_the_same_files_give_the_same_bytes(tmp_path):
    first, second = (archive(tmp_path / name) for name in ("first", "second"))
    assert first.read_bytes() == second.read_bytes()
    with tarfile.open(first) as tar:
        (top,) = {name.partition("/")[0] for name in tar.getnames()}
        held = {name.partition("/")[2]: tar.extractfile(name).read() for name in tar.getnames()}
        assert {(member.mtime, member.uid, member.uname, member.mode) for member in tar} == {(0, 0, "", 0o644)}
    assert top.startswith("sordino-vectors-")
    assert {path.name for path in VECTORS.glob("*.json")} | {"README.md", "plan-format.md", "LICENSE"} <= held.keys()
    assert {"schemas/plan-4.json", "schemas/report-1.json"} <= held.keys()
    sums = held.pop("SHA256SUMS").decode()
    assert sums == "".join(f"{hashlib.sha256(held[name]).hexdigest()}  {name}\n" for name in sorted(held))
