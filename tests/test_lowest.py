"""The oldest libraries that pyproject.toml allows are those that `make test-lowest` runs with."""

import importlib.util
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from sordino.extras import LIBRARIES

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def lowest():
    """The lower bounds as the script reads them."""
    spec = importlib.util.spec_from_file_location("lowest", ROOT / "scripts" / "lowest.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return {name: bound.split(";")[0] for name, bound in script.lowest().items()}


def test_each_library_has_a_lower_bound(lowest):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert set(extras) == {*LIBRARIES, "all"}
    listed = [Requirement(text) for each in (project["dependencies"], *extras.values()) for text in each]
    listed = [each for each in listed if each.name != "sordino"]
    assert {each.name: min(map(str, each.specifier), key=lambda text: text[0] != ">") for each in listed} == {
        name: f">={low}" for name, low in lowest.items()
    }


def test_the_environment_has_them(lowest):
    """That of `make test-lowest` all of them exactly, any other at least, of the extras as far as they are there."""
    exactly = ".venv-lowest" in Path(sys.prefix).parts
    for name, low in lowest.items():
        try:
            found = Version(version(name))
        except PackageNotFoundError:
            assert not exactly, name
        else:
            assert found >= Version(low)
            assert not exactly or found == Version(low)
