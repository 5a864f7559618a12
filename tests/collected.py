"""How tests are collected: each file once, what will not be run not at all, and without a look for garbage."""

import atexit
import gc
import inspect
import re

import pytest
from _pytest.doctest import DoctestModule
from _pytest.mark.structures import get_unpacked_marks
from hypothesis.internal.conjecture import providers


def left_out(config):
    """The marks of which one is enough for a test not to be run: those of `-m "not a and not b"`.

    None where tests are asked for by their names, so that whoever names a long one is told that it was deselected.
    """
    marks = config.option.markexpr
    plain = re.fullmatch(r"not \w+( and not \w+)*", marks) and not any("::" in asked for asked in config.args)
    return frozenset(re.findall(r"not (\w+)", marks)) if plain else frozenset()


LEFT_OUT = pytest.StashKey()


def pytest_configure(config):
    config.stash[LEFT_OUT] = left_out(config)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """All that is found stays to the end: ten thousand tests would be looked through again and again for garbage.

    Nor does Hypothesis read all sources for constants to try, in every process, where it tries few examples.
    """
    if session.config.stash[LEFT_OUT]:
        providers._get_local_constants = providers.Constants
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        # At the very end all is let go; libraries that count would call it a leak.
        atexit.register(gc.unfreeze)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    """Look for examples only in sources that have some."""
    found = yield
    sources = parent.config.rootpath / "src"
    return [
        one
        for one in found
        if not isinstance(one, DoctestModule) or (sources in one.path.parents and ">>> " in one.path.read_text("utf-8"))
    ]


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector, obj):
    """Make nothing of a function, or a class, that is left out with all its cases."""
    marks = collector.config.stash[LEFT_OUT]
    if marks and (inspect.isfunction(obj) or inspect.isclass(obj)):
        own = [*collector.own_markers, *get_unpacked_marks(obj)]
        return [] if any(mark.name in marks for mark in own) else None
    return None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_generate_tests(metafunc):
    """Make no tests of cases that are left out; if all are, one stands for them, and is deselected."""
    yield
    marks = metafunc.config.stash[LEFT_OUT]
    if marks:
        run = [case for case in metafunc._calls if not any(mark.name in marks for mark in case.marks)]
        metafunc._calls[:] = run or metafunc._calls[:1]
