"""The browser client under Node: its own tests, a file each."""

import subprocess
from pathlib import Path

import pytest

from commands import PATIENCE

FILES = sorted(Path(__file__).parent.glob("*.test.mjs"))

pytestmark = pytest.mark.live


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
def test_node_finds_nothing_wrong(path):
    found = subprocess.run(
        ["node", "--test", "--test-reporter=tap", path],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=PATIENCE,
    )
    assert found.returncode == 0, found.stdout
    assert "\n# skipped 0\n" in found.stdout
