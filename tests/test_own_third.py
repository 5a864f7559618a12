"""Three thirds are all tests, each once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def collected(third):
    command = (sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "exact/test_coin.py")
    environment = os.environ | {"SORDINO_THIRD": third}
    ran = subprocess.run(
        command, cwd=Path(__file__).parent, env=environment, capture_output=True, text=True, check=True
    )
    return [line for line in ran.stdout.splitlines() if "::" in line]


@pytest.mark.long
def test_each_test_is_in_one_third():
    whole, thirds = collected(""), [collected(third) for third in "012"]
    assert sorted(name for third in thirds for name in third) == sorted(whole)
    assert all(len(whole) / 5 < len(third) < len(whole) / 2 for third in thirds)
