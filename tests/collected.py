"""How tests are collected: each file once, and without a look for garbage, since all that is found stays to the end."""

import gc
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Ten thousand tests would be looked through again and again, in every process."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_unconfigure():
    """At the end all is let go; libraries that count would call it a leak."""
    gc.unfreeze()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path):
    """Look for examples in sources alone: tests have none, and are not read twice."""
    found = yield
    return [one for one in found if not (isinstance(one, DoctestModule) and Path(__file__).parent in file_path.parents)]
