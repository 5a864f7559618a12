"""The oldest libraries that pyproject.toml allows are those that `make test-lowest` runs with."""

import importlib.util
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.version import Version

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def lowest():
    """The lower bounds as the script reads them."""
    spec = importlib.util.spec_from_file_location("lowest", ROOT / "scripts" / "lowest.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script.lowest()


def test_each_library_has_a_lower_bound(lowest):
    text = (ROOT / "pyproject.toml").read_text()
    listed = text.split("dependencies = [", 1)[1].split("]", 1)[0].split()
    assert [word.strip('",').split(",")[0] for word in listed] == [f"{name}>={low}" for name, low in lowest.items()]


def test_the_environment_has_them(lowest):
    """That of `make test-lowest` exactly, any other at least."""
    exactly = ".venv-lowest" in Path(sys.prefix).parts
    for name, low in lowest.items():
        assert Version(version(name)) >= Version(low)
        assert not exactly or Version(version(name)) == Version(low)
